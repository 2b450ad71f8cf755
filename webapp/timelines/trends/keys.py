"""The keys of trends. An item is a hashtag (`#name`) or the address of a link."""

from hashlib import sha256
from zlib import crc32

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, MemberKey, SiteKey, String, ZSet


def _facet(item: str) -> str:
    """Return an item as part of a key: a hashtag itself, the hash of an address."""
    return item if item.startswith("#") else sha256(item.encode()).hexdigest()[:32]


def item_partition(item: str) -> int:
    """Return the partition of an item."""
    return partition_of(crc32(_facet(item).encode()))


trend_uses = Key(
    "trend_uses:{<tag>}:<item>",
    ZSet("`status:uid:language`", "id of the post or boost"),
    by=item_partition,
    fold=_facet,
    bound="the newest 1,000; expires a day after the day of the newest",
    doc="The public posts with an item, and their boosts, each with the member who shares it so.",
)

trend_hour = Key(
    "trend_hour:{<tag>}:<item>:<hour>",
    String("HyperLogLog of uids"),
    by=item_partition,
    fold=_facet,
    bound="at most 12 KiB; expires a day after the hour",
    doc="The members who shared an item within an hour (unix hours).",
)

trend_day = Key(
    "trend_day:{<tag>}:<item>:<day>",
    String("HyperLogLog of uids"),
    by=item_partition,
    fold=_facet,
    bound="at most 12 KiB; expires nine days after the day",
    doc="The members who shared an item on a day (unix days, UTC).",
)

trend_networks = Key(
    "trend_networks:{<tag>}:<item>:<day>",
    String("HyperLogLog of salted hashes"),
    by=item_partition,
    fold=_facet,
    bound="at most 12 KiB; expires a day after the day",
    doc="From how many networks (/24, /48 for IPv6) an item was shared on a day.",
)

trend_index = MemberKey(
    "trend_index",
    ZSet("`id:status:author:item`", "id of the post or boost"),
    private=True,
    bound="the newest 2,000; goes with the account",
    doc="A member's shares, so that they can be taken out of the counts again.",
)

trend_candidates = Key(
    "trend_candidates:{trends}:<hour>",
    ZSet("item", "members within the hour"),
    bound="2,000; expires a day after the hour",
    doc="The items that were shared within an hour (unix hours).",
)

trend_ranking = SiteKey(
    "trends:{trends}:ranking",
    Hash("`at` (unix ms), `ranking` (JSON)"),
    bound="60 items",
    doc="The trends: hashtags and links, the highest first, as pages show them.",
)

suppressed_trends = SiteKey(
    "trends:{trends}:suppressed",
    ZSet("item", "unix ms"),
    bound="the newest 1,000",
    doc="The items that the operator has hidden from everybody.",
)

hidden_trends = MemberKey(
    "hidden_trends",
    ZSet("item", "unix ms"),
    private=True,
    bound="the newest 200",
    doc="The items that a member has hidden for themselves.",
)
