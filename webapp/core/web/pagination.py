"""Pages of a list, cut by cursor and never by rank, so that what arrives meanwhile moves nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from flask import request

from webapp.core.store.ids import parse_id
from webapp.errors import Invalid

T = TypeVar("T")
OVERFETCH_FACTOR, OVERFETCH_MIN = 4, 100  # pages of entries, and entries


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a list, newest first, and the cursor (`max_id`) of the page after it, if there is one. `filtered`:
    the ids of the statuses that its reader's filters left out.
    """

    items: tuple[T, ...]
    next: int | None = None
    filtered: tuple[int, ...] = field(default=(), kw_only=True)


def overfetch(size: int) -> int:
    """How many entries of a list are looked at for a page of so many of them, as some may not be for its reader. That
    is enough for all but those who hide nearly everybody, whose pages may be short and lead on.
    """
    return max(OVERFETCH_FACTOR * (size + 1), OVERFETCH_MIN)


def paginate(entries: Sequence[tuple[int, T]], size: int, scanned_to: int | None = None) -> Page[T]:
    """The page made of (cursor, item) pairs, of which one more than `size` was asked for to see whether more exist.
    `floor`: the cursor that everything from there on was not looked at, if there is more: a page may end there.
    """
    page_entries = entries[:size]
    return Page(
        tuple(item for _, item in page_entries),
        page_entries[-1][0] if len(entries) > size else scanned_to,
    )


def max_bound(cursor: int | None) -> str:
    """The upper bound of a ZRANGE BYSCORE REV that starts after `cursor`, or at the newest."""
    return "+inf" if cursor is None else f"({cursor}"


def cursor() -> int | None:
    """The cursor in the request's address (`max_id`). Raises Invalid when it is none."""
    args = request.args
    if "max_id" not in args:
        return None
    value = parse_id(args["max_id"])
    if value is None:
        raise Invalid("bad_cursor")
    return value


def cursor_or_none() -> int | None:
    """The same for what is read beside the session, before it is known whom to tell that it is none: none then."""
    with suppress(Invalid):
        return cursor()
    return None
