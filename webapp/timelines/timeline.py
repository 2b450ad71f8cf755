"""A page of a timeline, as all kinds of them give it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.web.pagination import Page
from webapp.statuses.interactions.boosts import Item
from webapp.statuses.interactions.viewer_state import EMPTY_STATE, ViewerState
from webapp.statuses.quotes import store as quotes
from webapp.statuses.status import Status

T = TypeVar("T", bound=Item)


@dataclass(frozen=True, slots=True)
class Timeline(Page[T], Generic[T]):
    """A page of statuses, on homes and profiles with boosts; `position`: the newest id in the log when it was read,
    from which a stream goes on; `acts`: what the reader did with them; `pinned`: what stands before a profile's first
    page.
    """

    position: str = "0-0"
    viewer_state: ViewerState = EMPTY_STATE
    pinned: tuple[Status, ...] = ()


def timeline_page(
    candidates: Sequence[T],
    size: int,
    position: str,
    viewer_state: ViewerState = EMPTY_STATE,
    next_cursor: int | None = None,
) -> Timeline[T]:
    """The page made of what was found, as `paging.cut` does it."""
    items = tuple(candidates[:size])
    return Timeline(
        items, items[-1].id if len(candidates) > size else next_cursor, position, viewer_state
    )


def with_cards(
    db: Db, viewer: int | None, page: Timeline[T], extra: Sequence[Command] = ()
) -> Timeline[T]:
    """The same with what its statuses quote, in one trip with what `also` is to be sent."""
    viewer_state = quotes.with_quote_cards(
        db, viewer, (*page.pinned, *page.items), page.viewer_state, extra
    )
    return page if viewer_state is page.viewer_state else replace(page, viewer_state=viewer_state)
