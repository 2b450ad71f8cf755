"""The keys of the search index, and of saved searches.

An index is spread over `search_shards` hash tags. All of a member's documents are in one shard. A
shard holds collections: public posts, people, and the posts that only one member may find.
"""

from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.store.schema import (
    PARTITION_TAGS,
    Hash,
    Key,
    MemberKey,
    SiteKey,
    StatusKey,
    String,
    ZSet,
)

POSTS, PEOPLE = "posts", "people"  # collections of the whole site


def own_posts(uid: int) -> str:
    """Return the collection of the posts that only their author may find."""
    return f"own{uid}"


def bookmarked(uid: int) -> str:
    """Return the collection of a member's bookmarks."""
    return f"saved{uid}"


def shard_of(number: int, shards: int) -> int:
    """Return the shard of a member id, a status id or a partition."""
    return partition_of(number) % shards


def shard_tag(shard: int, shards: int) -> str:
    """Return a shard's hash tag. Those of all shards are at even distances in the slots."""
    return PARTITION_TAGS[shard * PARTITIONS // shards]


def _prefix(shard: int, shards: int) -> str:
    return f"search:{{{shard_tag(shard, shards)}}}:{shards}:"


generation = Key(
    "search:{<tag>}:<shards>",
    Hash("`current`, `building`, `former`", "a number"),
    build=lambda shard, shards: _prefix(shard, shards).removesuffix(":"),
    bound="three fields",
    doc="""The generation of a shard's index that is read, 1 if nothing says so, the one that the
    upgrade `search` is building, and the one that it is removing.""",
)

search_layout = SiteKey(
    "search_layout",
    Hash("`current`, `building`, `former`", "a number of shards"),
    bound="three fields",
    doc="""Into how many shards the index is spread that queries read, the one that `linnet reindex`
    is building, and the one that it is removing.""",
)

bookmarkers = StatusKey(
    "bookmarkers",
    ZSet("uid", "uid"),
    bound="no bound: as many as choose to bookmark it; goes with the status",
    doc="Who bookmarked a status, whose index has it. Nobody sees it.",
)


def _document_key(*facets: str) -> str:
    return ":".join(("search:{<tag>}:<shards>:<generation>:<collection>", *facets))


def _build(
    shard: int, shards: int, generation: int, collection: str, kind: str, name: object = ""
) -> str:
    suffix = f":{name}" if name else ""
    return f"{_prefix(shard, shards)}{generation}:{collection}:{kind}{suffix}"


document_ids = Key(
    _document_key("<kind>"),
    ZSet("id", "id, or a number"),
    build=_build,
    bound=(
        "SEARCH_MAX posts in all shards, SEARCH_OWN_MAX of one member, BOOKMARKS_MAX; the oldest "
        "go; people have no bound"
    ),
    doc="""A collection's documents: all (`ids`), and those with `likes`, `boosts` and `replies` (of
    distinct members), or with `followers`, by how many.""",
)

term = Key(
    _document_key("term", "<term>"),
    ZSet("id", "id"),
    build=_build,
    bound="as its collection",
    doc="""The documents with a term: a stem, two characters of Chinese, Japanese or Korean, a
    hashtag (`#name`), or a fact such as `from=login`, `has=media` and `lang=en`.""",
)

record = Key(
    _document_key("record", "<id>"),
    String("its author, tokens and terms"),
    build=_build,
    bound="as its collection",
    doc="""A document: the uid of its author; its stems in order between blanks, which phrases are
    compared with; its other terms.""",
)

saved_searches = MemberKey(
    "saved_searches",
    ZSet("`tab query`", "unix ms, each higher than the one before"),
    private=True,
    bound="25; goes with the account",
    doc="The searches that a member has saved. Private.",
)
