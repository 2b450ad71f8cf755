"""The keys of link cards."""

from hashlib import sha256

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import PARTITION_TAGS, Hash, Key, PartitionKey, ZSet

due_cards = PartitionKey(
    "due_cards",
    ZSet("status id", "unix ms"),
    bound="CARDS_WAITING_MAX",
    doc="""The statuses of the partition whose link card is to be made, by when that is due, or the
    lease of the worker that makes it runs out.""",
)


def _linked_page(url: str) -> str:
    digest = sha256(url.encode()).hexdigest()[:32]
    return f"linked_page:{{{PARTITION_TAGS[partition_of(int(digest[:8], 16))]}}}:{digest}"


linked_page = Key(
    "linked_page:{<tag>}:<digest>",
    Hash(),
    build=_linked_page,
    bound="expires a day after the page was fetched",
    doc="""What was fetched from a URL, for all posts that link to it: `card`, JSON as in `status`,
    empty if the page has none. Before that `until`, when it may be fetched next (unix ms: the lease
    of the worker that fetches it, or a pause), and `tries`, how often it was leased.""",
)
