"""The keys of the indexes of names and hashtags, and of those a member used lately."""

from zlib import crc32

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, MemberKey, PartitionKey, Set, ZSet


def index_partition(text: str) -> int:
    """Return the partition of a folded word or a prefix of it: that of the first character."""
    return partition_of(crc32(text[:1].encode()))


name_index = Key(
    "name_index:{<tag>}:<rank>",
    ZSet("`word uid`", "0"),
    by=partition_of,
    bound="no bound: at most 10 entries a member",
    doc="""The folded logins and words of names of all members who may be suggested, in the order of
    their letters, apart by the number of digits of how many follow them. The partition is that of
    the first letter.""",
)

indexed_names = PartitionKey(
    "indexed_names",
    Hash("uid", "the rank and the words, with blanks between"),
    bound="no bound: one field a member",
    doc="Each member's entries in `name_index`, so that they can be removed.",
)

tag_names = Key(
    "tag_names:{<tag>}:<rank>",
    ZSet("name", "0"),
    by=partition_of,
    bound="no bound: one entry a hashtag with public statuses",
    doc="""The folded names of all hashtags in the order of their letters, apart by the number of
    digits of how many statuses they have. The partition is that of the first letter.""",
)

contacts = MemberKey(
    "contacts",
    ZSet("uid", "unix ms of the newest such status"),
    bound="the newest 100; goes with either account",
    doc="Whom a member mentioned or answered lately. Private.",
)

contact_of = MemberKey(
    "contact_of",
    Set("uid"),
    bound="no bound: one for each member who has them in `contacts`",
    doc="Who has a member among their contacts, to take a deleted account out. Nobody sees it.",
)

recent_tags = MemberKey(
    "recent_tags",
    ZSet("name", "id of the newest such status"),
    bound="the newest 100; goes with the account",
    doc="The hashtags that a member used lately, by their folded names. Private.",
)
