"""What statuses need that quote others: the cards of these, and the caller's acts on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webapp.client_api.callers import viewer_uid
from webapp.core.store.reads import Read, gather
from webapp.core.web.context import db
from webapp.statuses.quotes.cards import quote_cards
from webapp.statuses.status import Status
from webapp.statuses.viewer.viewer_reads import viewer_state
from webapp.statuses.viewer.viewer_state import QuoteCard, ViewerState


def with_cards(statuses: Sequence[Status], state: ViewerState) -> ViewerState:
    """Return a state with the cards of all quotes. One trip if a page has left some out."""
    missing = [one for one in statuses if one.quote and one.id not in state.quote_cards]
    return _with_more(state, db().read(quote_cards(viewer_uid(), missing))) if missing else state


def quoted_state(quoted: Sequence[Status]) -> Read[ViewerState]:
    """Read the caller's acts on quoted statuses, and the cards of what these quote in turn."""
    acts = viewer_state(viewer_uid(), [(one.id, one.author.uid) for one in quoted])
    return gather(acts, quote_cards(viewer_uid(), quoted)).map(
        lambda found: replace(found[0], quote_cards=found[1])
    )


def joined(state: ViewerState, quoted: ViewerState) -> ViewerState:
    """Return the state of statuses and of those that they quote."""
    return _with_more(state.with_interactions_of(state.merge(quoted)), quoted.quote_cards)


def _with_more(state: ViewerState, cards: Mapping[int, QuoteCard]) -> ViewerState:
    return replace(state, quote_cards={**state.quote_cards, **cards})
