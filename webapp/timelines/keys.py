"""The keys of timelines and followed hashtags."""

from zlib import crc32

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Key, MemberKey, PartitionKey, Set, SiteKey, ZSet

tag_index = MemberKey(
    "tag_index",
    ZSet("`id:name`", "id"),
    bound="the newest 20,000; goes with the account",
    doc="The hashtags that a member's statuses are indexed under, to take them out again.",
)

home_tabs = MemberKey(
    "home_tabs",
    ZSet("`number:name` of a list", "place, from 1"),
    bound="8",
    doc="The lists of their own that a member pinned to home, in the order of their tabs.",
    private=True,
)

markers = MemberKey(
    "markers",
    ZSet(
        "`home`, `notifications` or `announcement`; each with `:at` and `:version`",
        "id of the newest post that was read there; when a notification was noted, or the "
        "operator's announcement read in an app, unix µs; when that was written last, unix ms, and "
        "how often",
    ),
    bound="nine entries",
    doc="How far a member has read. A score never goes down.",
    private=True,
)

pull_authors = PartitionKey(
    "pull_authors",
    Set("uid"),
    bound="no bound: one a member above PUSH_MAX_FOLLOWERS, sticky",
    doc="""The authors with too many followers to push to, copied to each partition for the scripts
    that read homes there.""",
)

public_timeline = SiteKey(
    "public:{public}",
    ZSet("`id:author`", "id"),
    bound="PUBLIC_MAX",
    doc="The public timeline.",
)


def hashtag_partition(name: str) -> int:
    """Return the partition of a hashtag, by its folded name."""
    return partition_of(crc32(name.encode()))


hashtag_statuses = Key(
    "hashtag:{<tag>}:<name>",
    ZSet("`id:author`", "id"),
    by=hashtag_partition,
    bound="TAGGED_MAX",
    doc="The public statuses with a hashtag, under its folded name (`text.tag_name`).",
)

followed_tags = MemberKey(
    "tags",
    ZSet("name", "unix ms, made unique"),
    private=True,
    bound="FOLLOWED_TAGS_MAX",
    doc="The hashtags a member follows, by their folded names.",
)

home_excluded = MemberKey(
    "home_excluded",
    ZSet("uid", "unix µs"),
    bound="LISTS_MAX × LIST_MEMBERS_MAX",
    doc="Members of a member's exclusive lists, who are left out of their home.",
)
