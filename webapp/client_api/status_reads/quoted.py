"""What statuses need that quote others: the cards of these, and a reader's acts on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webapp.core.store.reads import Read, collect, gather
from webapp.core.web.context import db
from webapp.statuses.quotes.cards import quote_cards
from webapp.statuses.status import Status
from webapp.statuses.viewer.viewer_reads import viewer_state
from webapp.statuses.viewer.viewer_state import QuoteCard, ViewerState


def with_cards(
    readers: Sequence[tuple[int | None, Sequence[Status], ViewerState]],
) -> list[ViewerState]:
    """Return the state of each reader with the cards of all quotes among the reader's statuses.

    One trip if a page has left some out.
    """
    missing = [
        [one for one in statuses if one.quote and one.id not in state.quote_cards]
        for _, statuses, state in readers
    ]
    states = [state for _, _, state in readers]
    if not any(missing):
        return states
    viewers = [viewer for viewer, _, _ in readers]
    found = db().read(collect(map(quote_cards, viewers, missing)))
    return [_with_more(state, cards) for state, cards in zip(states, found, strict=True)]


def quoted_state(viewer: int | None, quoted: Sequence[Status]) -> Read[ViewerState]:
    """Read a reader's acts on quoted statuses, and the cards of what these quote in turn."""
    acts = viewer_state(viewer, [(one.id, one.author.uid) for one in quoted])
    return gather(acts, quote_cards(viewer, quoted)).map(
        lambda found: replace(found[0], quote_cards=found[1])
    )


def joined(state: ViewerState, quoted: ViewerState) -> ViewerState:
    """Return the state of statuses and of those that they quote."""
    return _with_more(state.with_interactions_of(state.merge(quoted)), quoted.quote_cards)


def _with_more(state: ViewerState, cards: Mapping[int, QuoteCard]) -> ViewerState:
    return replace(state, quote_cards={**state.quote_cards, **cards})
