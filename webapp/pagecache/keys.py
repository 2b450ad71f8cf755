"""The keys of the page cache. They may be lost at any time: pages can be rendered again."""

from zlib import crc32

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import PARTITION_TAGS, Hash, Key, PartitionKey, SiteKey, String, ZSet


def page_partition(path: str) -> int:
    """Return the partition of a path's pages."""
    return partition_of(crc32(path.encode()))


def cached_page_prefix(partition: int) -> str:
    """Return the prefix of the keys of a partition's cached pages."""
    return f"page:{{{PARTITION_TAGS[partition]}}}:"


cached_page = Key(
    "page:{<tag>}:<path>",
    Hash(),
    by=page_partition,
    bound="64 fields; expires half a minute after its last page",
    doc="""A path's cached pages. A variant (address of the site, query, language, theme, link
    cards, invitation to join, encoding) → its end (unix ms), its head as JSON, its compressed body.
    `=` and a variant → the lease to render it: a token or `-`, and its end (unix ms).""",
)

cached_paths = PartitionKey(
    "pages",
    ZSet("path", "end of its last page, unix ms"),
    bound="PAGE_CACHE_BYTES / 64 of pages; the first to end goes",
    doc="The paths of a partition's cached pages.",
)

cached_page_bytes = Key(
    "pages:{<tag>}:bytes",
    Hash("path", "bytes; `total`"),
    by=partition_of,
    bound="as `pages`",
    doc="How large they are.",
)

member_versions = SiteKey(
    "member_versions:{pages}",
    ZSet("uid, or -uid", "number of the change, at least the time in µs"),
    bound="the newest 10,000",
    doc="""The members who changed last, in a way that shows on any page with them (uid), or that
    leaves out what they wrote (-uid). 0: pages that were removed. Its highest number is the fence
    of reads from replicas.""",
)

page_views = SiteKey(
    "views:{pages}",
    ZSet("path", "views"),
    bound="PAGE_VIEWS_MAX",
    doc="How often visitors looked at each path; halved every five minutes.",
)

page_views_halved = SiteKey(
    "views:{pages}:halved",
    String(),
    bound="expires after five minutes",
    doc="Exists for five minutes after the views were halved.",
)
