"""Pages of a list, cut by cursor and never by rank, so that new entries move nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from flask import request

from webapp.core.errors import Invalid
from webapp.core.store import Command, parse_id

from .context import unwrap

T = TypeVar("T")
OVERFETCH_FACTOR = 4  # pages of entries
OVERFETCH_MIN = 100  # entries


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list, newest first."""

    items: tuple[T, ...]
    next: int | None = None  # cursor (`max_id`) of the page after it, None on the last one
    # The cursor of its newest entry, of lists of members; None without entries.
    first: int | None = field(default=None, kw_only=True, compare=False)
    # Ids of the statuses that the reader's filters left out.
    filtered: tuple[int, ...] = field(default=(), kw_only=True)


def overfetch(size: int) -> int:
    """Return how many entries to read for a page of `size`: its reader may not see some of them.

    That fills the pages of all but readers who hide nearly everybody. Theirs may be short; `next`
    then continues.
    """
    return max(OVERFETCH_FACTOR * (size + 1), OVERFETCH_MIN)


def paginate(entries: Sequence[tuple[int, T]], size: int, scanned_to: int | None = None) -> Page[T]:
    """Return the page of the first `size` of (cursor, item) pairs.

    More than `size` of them mean that there is another page. `scanned_to` is the cursor below which
    nothing was read yet, if there is more: the next page begins there.
    """
    on_page = entries[:size]
    next_cursor = on_page[-1][0] if len(entries) > size else scanned_to
    return Page(tuple(item for _, item in on_page), next_cursor)


def max_bound(cursor: int | None) -> str:
    """Return the upper bound of a ZRANGE BYSCORE REV below `cursor`, or from the newest entry."""
    return "+inf" if cursor is None else f"({cursor}"


def newest_below(
    key: str, before: int | None, limit: int, *, above: str = "-inf", scores: bool = False
) -> Command:
    """Return the command for `limit` members of a zset below a cursor, the highest scores first.

    `above`: a lower bound. `scores`: each member is followed by its score.
    """
    with_scores = ("WITHSCORES",) if scores else ()
    bounds = (max_bound(before), above, "BYSCORE", "REV", "LIMIT", 0, limit)
    return ("ZRANGE", key, *bounds, *with_scores)


def cursor() -> int | None:
    """Return the request's cursor (`max_id`), if it has one. Raises Invalid if it is no number."""
    args = unwrap(request).args
    if "max_id" not in args:
        return None
    return Invalid.unless(parse_id(args["max_id"]), "bad_cursor")
