"""What `linnet doctor` says about orders."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.core.site import Site
from webapp.core.store.ids import PARTITIONS

from .ordering import ORDERS


def findings(site: Site) -> Iterator[tuple[bool, str, str]]:
    """Yield how many orders are in progress. One trip."""
    count = site.db.read(ORDERS.waiting(range(PARTITIONS)))
    yield (
        True,
        f"drops: {count} orders in progress",
        "Nothing to do. A worker finishes them; its log names those that fail.",
    )
