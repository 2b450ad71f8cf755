"""A page of a timeline, as all kinds of timelines return it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from webapp.core.store import Command, Read, constant
from webapp.core.web import Page
from webapp.statuses.filters.filter_set import FilterSet
from webapp.statuses.hydration import complete
from webapp.statuses.items import Item, status_of
from webapp.statuses.status import Status
from webapp.statuses.viewer.viewer_state import EMPTY_STATE, ViewerState

T = TypeVar("T", bound=Item)


@dataclass(frozen=True, slots=True)
class Timeline(Page[T], Generic[T]):
    """A page of statuses, and of boosts on homes, lists and profiles.

    `position`: the log id from which a live stream of the page continues; pages that differ in
    nothing else are equal. `pinned`: statuses before the first page of a profile. `cursors`: of
    each id, if the page is not in the order of ids. `counts`: those of its statuses, which are
    equal without them.
    """

    position: str = field(default="0-0", compare=False)
    viewer_state: ViewerState = EMPTY_STATE
    pinned: tuple[Status, ...] = ()
    cursors: Mapping[int, int] | None = field(default=None, compare=False, repr=False)
    counts: tuple[object, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        items: tuple[Item, ...] = (*self.pinned, *self.items)
        object.__setattr__(self, "counts", tuple(status_of(item).counts for item in items))

    def cursor_of(self, item: Item) -> int:
        """Return the cursor of an item of the page: pages go on below it, or above it."""
        return self.cursors[item.id] if self.cursors else item.id


def timeline_page(
    candidates: Sequence[T],
    size: int,
    position: str,
    viewer_state: ViewerState,
    next_cursor: int | None,
    filters: FilterSet,
) -> Timeline[T]:
    """Return a page of the first `size` candidates that `filters` do not hide, in their order.

    `next_cursor`: where the next page begins if there are no further candidates; None if nowhere.
    """
    candidates = filters.of_page(candidates)
    remaining = filters.remaining(candidates)
    items = tuple(remaining[:size])
    if len(remaining) > size:
        next_cursor = items[-1].id
    page = Timeline(items, next_cursor, position, viewer_state)
    if len(remaining) == len(candidates):
        return page
    remaining_ids = {item.id for item in remaining}
    end = candidates.index(items[-1]) if len(remaining) > size else len(candidates)
    hidden = (item for item in candidates[:end] if item.id not in remaining_ids)
    return replace(page, filtered=tuple(status_of(item).id for item in hidden))


def completed(viewer: int | None, page: Timeline[T]) -> Read[Timeline[T]]:
    """Read a page's quote cards and recent counts. It has no commands if there are none."""
    state = complete(viewer, (*page.pinned, *page.items), page.viewer_state)
    if not state.commands:
        return constant(page)
    return state.map(lambda viewer_state: replace(page, viewer_state=viewer_state))


def no_result(*commands: Command) -> Read[None]:
    """Return a read that only sends commands, such as a cleanup that can wait for a trip."""
    return Read(commands, lambda _: None)
