"""The keys of likes, boosts and bookmarks."""

from webapp.core.store.schema import MemberKey, StatusKey, String, ZSet

member_likes = MemberKey(
    "likes",
    ZSet("status id", "unix ms, made unique"),
    bound="LIKES_MAX, the oldest goes",
    doc="""A member's likes: the truth about a like. A status that is gone stays on it, unseen,
    until it is the oldest.""",
)

likers = StatusKey(
    "likers",
    ZSet("uid", "unix ms, made unique"),
    bound="no bound: as many as choose to like it; goes with the status",
    doc="Who likes a status, projected from the members' own lists.",
)

member_boosts = MemberKey(
    "boosts",
    ZSet("`status:author`", "id of the boost"),
    bound="BOOSTS_MAX, the oldest goes",
    doc="""A member's boosts: the truth about a boost. Its id is made like that of a status, and
    sorts among them.""",
)

boost = StatusKey(
    "boost",
    String("`uid:status:author`"),
    bound="no bound: one for each entry of `boosts`, and goes with it",
    doc="Who boosts what, by the id of the boost: clients look boosts up by it.",
)

boosters = StatusKey(
    "boosters",
    ZSet("uid", "id of the boost, made unique"),
    bound=(
        "no bound: as many as choose to boost it; goes after the status, once their "
        "lists say nothing of it"
    ),
    doc="Who boosts a status, projected from the members' own lists.",
)

recent_interactions = MemberKey(
    "recent_interactions",
    ZSet("status id", "unix ms"),
    bound="what is older than a minute goes; expires a minute after the last",
    doc="""What a member has liked or boosted, or ceased to, or voted in within the last minute:
    whether it is counted yet is looked up.""",
)

bookmarks = MemberKey(
    "bookmarks",
    ZSet("status id", "unix ms, made unique"),
    bound="BOOKMARKS_MAX",
    doc="A member's bookmarks. Private: no other member sees or is notified of them.",
)
