"""Pages just above an id, which apps ask for to fill a gap (`min_id`)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from webapp.core.store import read
from webapp.core.web import db, overfetch

from .http import Listed, Paging

T = TypeVar("T")


def window(paging: Paging, *keys: str, size: int = 0, most: int = 0) -> tuple[int | None, int]:
    """Return the cursor below which a page of statuses lies, and how many entries it looks at.

    `keys`: sorted sets of it, scored by id. For a page just above `min_id` these are found by
    looking upwards from there, in one trip. `most`: such entries; by default more than the page
    has, because the caller may not see some. `size`: those of other pages, by default as many as
    they have.
    """
    if paging.min_id is None:
        return paging.max_id, size or paging.size
    most = most or overfetch(paging.size)
    commands = (
        ("ZRANGE", key, f"({paging.min_id}", "+inf", "BYSCORE", "LIMIT", 0, most + 1, "WITHSCORES")
        for key in keys
    )
    found = db().fetch(*(read(command, lambda reply: reply[1::2]) for command in commands))
    above = sorted({int(float(score)) for scores in found for score in scores})
    bounds = [*above[most : most + 1], *([] if paging.max_id is None else [paging.max_id])]
    return min(bounds, default=None), max(1, len(above[:most]))


def upper_bound(paging: Paging, key: str) -> int | None:
    """Return the cursor above a page whose entries are all shown."""
    return window(paging, key, most=paging.size)[0]


def lower_bound(paging: Paging) -> str:
    """Return the bound of the scores that a page is above."""
    return "-inf" if paging.floor is None else f"({paging.floor}"


def cut(entries: Sequence[T], paging: Paging, cursor_of: Callable[[T], int]) -> Listed[T]:
    """Return a page of all entries of a list, those with the highest cursors first."""
    wanted = [
        entry
        for entry in entries
        if cursor_of(entry) > (paging.floor or 0)
        and (paging.max_id is None or cursor_of(entry) < paging.max_id)
    ]
    if paging.min_id is not None:
        wanted = wanted[-paging.size :]
    page = wanted[: paging.size]
    older = cursor_of(page[-1]) if len(wanted) > paging.size else None
    return Listed(page, older, cursor_of(page[0]) if page else None)
