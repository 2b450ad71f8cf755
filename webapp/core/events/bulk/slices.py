"""Pieces of bulk projections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps

from webapp.core.events.outbox import BulkProjection, Context, Event, Projection

MORE = ""  # the cursor of a projection that removes handled entries, and begins at the front


def more_after(batch: Sequence[object], size: int) -> str | None:
    """Return the cursor after a batch from the front of a list: MORE if it was a full one."""
    return MORE if len(batch) == size else None


def whole(projection: Projection) -> BulkProjection:
    """Make a bulk projection, of one slice, of a short projection."""

    @wraps(projection)
    def apply(context: Context, event: Event, _cursor: str) -> None:
        projection(context, [event])

    return apply


def read_page(
    context: Context, key: str, cursor: str, size: int, oldest_first: bool = False
) -> tuple[list[str], str | None]:
    """Read the members of a sorted set after a cursor, and the next cursor. One trip.

    The newest, which have the highest scores, come first. The cursor is None at the end.
    """
    first, last = ("-inf", "+inf") if oldest_first else ("+inf", "-inf")
    bound = f"({cursor}" if cursor else first
    order = () if oldest_first else ("REV",)
    reply = context.db.run(
        ("ZRANGE", key, bound, last, "BYSCORE", *order, "LIMIT", 0, size, "WITHSCORES")
    )
    members = reply[::2]
    return members, str(reply[-1]) if len(members) == size else None
