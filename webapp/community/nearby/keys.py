"""The keys of nearby: points by cell, so that they spread over a Cluster."""

from webapp.core.store.schema import Key, MemberKey, String, ZSet

points = Key(
    "nearby:{geo-<cell>}:<kind>",
    ZSet("`id:author` or uid", "geohash of 52 bits"),
    bound="2,000 posts or 10,000 people; expires with the newest: posts 30 days, people 24 hours",
    doc="""The points of a cell, the square of a geohash of 3 characters: places of public posts
    (`posts`), and positions of members, rounded to 1 km (`people`).""",
)

point_times = Key(
    "nearby_times:{geo-<cell>}:<kind>",
    ZSet("as in `nearby`", "unix seconds"),
    bound="as `nearby`",
    doc="When each point was added. The oldest go.",
)

placed_posts = MemberKey(
    "placed_posts",
    ZSet("`id:cell`", "id"),
    bound="the newest 2,000; of 30 days at the last post with a place",
    doc="The posts of a member that cells may have.",
)

position = MemberKey(
    "position",
    String("cell, latitude and longitude"),
    bound="expires after 24 hours",
    doc="Where a member is found, rounded to 1 km, if they chose that.",
)
