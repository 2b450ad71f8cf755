"""Pages of a list: below a cursor, just above an id (`min_id`), or from a place on."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from msgspec import structs

from webapp.core.store import Site, read
from webapp.core.web import db, overfetch, site
from webapp.statuses import Item, Status, Timeline, status_of

from .http import Listed, Paging, Ranked

T = TypeVar("T")
S = TypeVar("S", bound=Item)
NARROWED_FACTOR = 3  # pages of entries, of which many may be none of those that were asked for
FURTHER_MAX = 4  # parts that are read besides to fill a page
ALL = 10**9  # items


def sized(size: int) -> Site:
    """Return the site with pages of another size."""
    return Site(site().db, replace(site().config, page_size=size))


def filled_page(
    paging: Paging,
    keys: Sequence[str],
    load: Callable[[Site, int | None], Timeline[S]],
    shows: Callable[[Status], bool] | None,
) -> Timeline[S]:
    """Return a page of statuses. Where that would be short, further parts are read, a few at most.

    `keys`: its sorted sets. `load`: returns the part of a site's page size below a cursor. `shows`:
    says which statuses were asked for, None if all are. A page just above an id has as `first` the
    cursor above which nothing was read.
    """

    def kept(own_site: Site, before: int | None) -> Timeline[S]:
        page = load(own_site, before)
        if shows is None:
            return page
        return replace(page, items=tuple(one for one in page.items if shows(status_of(one))))

    if paging.min_id is None:
        own_site = sized(paging.size * (1 if shows is None else NARROWED_FACTOR))
        part = partial(kept, own_site)
        return _filled(part(paging.max_id), part, paging.floor or 0, paging.size)
    floor = paging.min_id
    page: Timeline[S] = Timeline((), floor + 1)
    for most in (2 * paging.size, *[overfetch(paging.size)] * FURTHER_MAX):
        before, size = _window(structs.replace(paging, min_id=floor), keys, most)
        part = partial(kept, sized(size))
        page = _joined(_filled(part(before), part, floor, ALL), page)
        above = tuple(one for one in page.items if page.cursor_of(one) > paging.min_id)
        if len(above) >= paging.size or before is None or before == paging.max_id:
            break
        floor = before - 1
    return replace(page, items=above, first=floor)


def _filled(
    page: Timeline[S], load: Callable[[int | None], Timeline[S]], floor: int, size: int
) -> Timeline[S]:
    """Return a page with parts from below, until it has `size` items or reaches `floor`."""
    for _ in range(FURTHER_MAX):
        if len(page.items) >= size or (page.next or 0) <= floor:
            break
        page = _joined(page, load(page.next))
    return page


def _joined(above: Timeline[S], below: Timeline[S]) -> Timeline[S]:
    """Return two parts of a timeline as one. They may overlap."""
    items = {one.id: one for one in (*above.items, *below.items)}
    return replace(
        below,
        items=tuple(items.values()),
        viewer_state=above.viewer_state.merge(below.viewer_state),
        cursors={**(above.cursors or {}), **(below.cursors or {})} or None,
    )


def _window(paging: Paging, keys: Sequence[str], most: int) -> tuple[int | None, int]:
    """Return the cursor below which a part just above `min_id` lies, and the size of the part.

    The part has `most` entries of each of the sorted sets at most. One trip.
    """
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
    return paging.max_id if paging.min_id is None else _window(paging, [key], paging.size)[0]


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


def ranked_page(params: Ranked, found: Sequence[T]) -> Listed[T]:
    """Return the part of a ranking that was asked for. An empty part may follow a full one."""
    items = found[params.asked]
    return Listed(items, params.asked.stop if len(items) == params.size else None, by="offset")
