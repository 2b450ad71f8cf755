"""The pipeline of pages of statuses, in four stages.

- The skeleton is a page's stored entries, with some to spare.
- Hydration loads the items of entries, in rounds: more of them if the page would be short.
- The rules leave out the items that the viewer may not see.
- Presentation cuts the page, finds where the next one begins, and completes the viewer's state.

A `Listing` says how one kind of page does this. The stages are steps, so that a page's other reads
share their trips.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from webapp.core.store import Read, Steps, ask, gather
from webapp.statuses.boost_refs import BoostRef
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.hydration import Hydrated, status_entry, with_memberships
from webapp.statuses.items import Boost, Item, dedupe_boosts, merge_newest_first
from webapp.statuses.lookup import Entry
from webapp.statuses.viewer.viewer_state import EMPTY_STATE

from .timeline import Timeline, completed, no_result, timeline_page

E = TypeVar("E")
T = TypeVar("T", bound=Item)
ALL = sys.maxsize  # entries of a round that reads whatever is left


@dataclass(frozen=True, slots=True)
class Skeleton(Generic[E]):
    """The stored entries of a page, in order, with some to spare.

    `end`: the id below which more entries are stored, None at the end. `cursors`: of each id, if
    the entries are not in the order of ids. `position`: the log id from which the page's live
    stream continues. `key`: the sorted set from which entries without a status are removed, "" for
    none. `loaded`: statuses that the page shows too, newest first.
    """

    entries: Sequence[E]
    end: int | None = None
    cursors: Mapping[int, int] | None = None
    position: str = "0-0"
    key: str = ""
    loaded: Sequence[Any] = ()


def _unchanged(entry: Any) -> Any:
    return entry


def _hidden_everywhere(found: Hydrated) -> Set[int]:
    return found.relationship.hidden_in_timelines


@dataclass(frozen=True, slots=True)
class Listing(Generic[E, T]):
    """A kind of page: how its entries are hydrated, and which items it shows.

    `hydrate`: reads the items of entries, with a relationship that may also cover the members of
    further entries. `rules`: returns the items to show. `rounds`: how many entries each round looks
    at, those shown already among them. `hidden_authors`: those whose further entries are not read.
    `parse`: parses an entry.
    """

    hydrate: Callable[[Sequence[E], Sequence[E]], Read[Hydrated]]
    rules: Callable[[Hydrated], Sequence[T]]
    rounds: Sequence[int] = (ALL,)
    hidden_authors: Callable[[Hydrated], Set[int]] = _hidden_everywhere
    parse: Callable[[E], Entry | BoostRef] = _unchanged


def page(
    listing: Listing[E, T],
    skeleton: Skeleton[E],
    viewer: int | None,
    size: int,
    filters: FilterSet = NO_FILTERS,
) -> Steps[Timeline[T]]:
    """Return a page of `size` items.

    One step for each round. One more for quote cards, recent counts or the removal of entries, and
    one if a round finds posts of closed groups. The page may be short if the rounds end before it
    is full; `next` then continues.
    """
    cut, gone = yield from _cut(listing, skeleton, size, filters)
    cleanup = no_result(("ZREM", skeleton.key, *gone)) if skeleton.key and gone else no_result()
    return (yield from ask(gather(completed(viewer, cut), cleanup)))[0]


def incomplete_page(
    listing: Listing[E, T], skeleton: Skeleton[E], size: int, filters: FilterSet = NO_FILTERS
) -> Steps[Timeline[T]]:
    """Return a page as `page` does, without quote cards and recent counts. One step a round."""
    return (yield from _cut(listing, skeleton, size, filters))[0]


def _cut(
    listing: Listing[E, T], skeleton: Skeleton[E], size: int, filters: FilterSet
) -> Steps[tuple[Timeline[T], Sequence[E]]]:
    """Return the page, and the entries that have no status any more."""
    unread, floor = skeleton.entries, skeleton.end
    visible, items, gone, state = list[T](), list[T](), list[E](), EMPTY_STATE
    for limit in listing.rounds:
        count = max(0, limit - len(visible))
        batch, unread = unread[:count], unread[count:]
        further = unread if limit < listing.rounds[-1] else ()
        found = yield from ask(listing.hydrate(batch, further))
        found = yield from ask(with_memberships(found))
        visible += listing.rules(found)
        gone += [entry for entry, item in zip(batch, found.items, strict=True) if item is None]
        state = state.merge(found.viewer_state)
        if batch or not unread:
            floor = listing.parse(batch[-1])[0] if unread else skeleton.end
        items = _arranged(skeleton.loaded, visible, floor)
        is_full = len(filters.remaining(items)) > size
        if not unread or (is_full and not _is_boosted_again(items, map(listing.parse, unread))):
            break
        hidden = listing.hidden_authors(found)
        unread = [entry for entry in unread if hidden.isdisjoint(_uids(listing.parse(entry)))]
    cut = timeline_page(items, size, skeleton.position, state, floor, filters)
    if skeleton.cursors:
        lowest = skeleton.cursors[cut.next] if cut.next else None
        cut = replace(cut, next=lowest, cursors=skeleton.cursors)
    return cut, gone


def _arranged(loaded: Sequence[T], visible: Sequence[T], floor: int | None) -> list[T]:
    """Return the items in order. Loaded ones below `floor` wait for the entries between them."""
    if not loaded:
        return dedupe_boosts(visible)
    merged = dedupe_boosts(merge_newest_first(loaded, visible))
    return [item for item in merged if item.id >= (floor or 0)]


def _is_boosted_again(items: Sequence[Item], further: Iterable[Entry | BoostRef]) -> bool:
    """Return True if further entries show a status that an item boosts: it may be left out then."""
    boosted = {item.status.id for item in items if isinstance(item, Boost)}
    return bool(boosted) and not boosted.isdisjoint(status_entry(entry)[0] for entry in further)


def _uids(entry: Entry | BoostRef) -> tuple[int, int]:
    """Return who posted an entry, and the author of its status."""
    return entry[1], status_entry(entry)[1]
