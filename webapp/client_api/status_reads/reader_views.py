"""Read the views of statuses for any number of readers at once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.client_api.entities.status import View
from webapp.client_api.http import site_address
from webapp.core.store import Read, collect, constant, gather
from webapp.core.web import db
from webapp.following.relations import followed_among
from webapp.statuses import ViewerState, filters_of
from webapp.statuses.filters.filter_set import ANY, NO_FILTERS, FilterSet
from webapp.statuses.items import Item, members_shown, status_of
from webapp.statuses.quotes.cards import quote_cards
from webapp.statuses.status import Status as Stored
from webapp.statuses.threads.conversations import muted_among
from webapp.statuses.viewer.viewer_reads import viewer_state
from webapp.statuses.viewer.viewer_state import QuoteCard

from .account_reads import recent_accounts


class Shown(NamedTuple):
    """Items that one reader is shown, with the reader's state of them.

    `viewer`: None for a visitor. `context`: where they are shown, one of the CONTEXTS of filters;
    "" elsewhere, where the app itself knows which filters count. `filters`: those of the context,
    if they were read.
    """

    viewer: int | None
    items: Sequence[Item]
    state: ViewerState
    context: str = ""
    filters: FilterSet | None = None


def reader_views(shown: Sequence[Shown]) -> list[View]:
    """Return the views in which each reader is shown items. One trip.

    One more for members that statuses mention, and one if quotes have no cards yet.
    """
    states = _with_cards(
        [(one.viewer, list(map(status_of, one.items)), one.state) for one in shown]
    )
    quoted = [
        [card.status for card in state.quote_cards.values() if card.status] for state in states
    ]
    items = list(chain.from_iterable(one.items for one in shown))
    statuses = [*map(status_of, items), *chain.from_iterable(quoted)]
    uids = {member.uid for item in items for member in members_shown(item)}
    uids.update(one.author.uid for one in chain.from_iterable(quoted))
    known, claimed, filters, of_quoted, follows, muted = db().fetch(
        recent_accounts(uids, {one.viewer for one in shown}),
        _mentioned_uids(statuses),
        collect(map(_filters, shown)),
        collect(_quoted_state(one.viewer, some) for one, some in zip(shown, quoted, strict=True)),
        collect(followed_among(one.viewer, uids) for one in shown),
        collect(muted_among(one.viewer, map(status_of, one.items)) for one in shown),
    )
    mentioned = _members_by_login(claimed)
    return [
        View(
            viewer=one.viewer,
            state=_with_more(state.with_interactions_of(state.merge(more)), more.quote_cards),
            accounts=known.seen_by(one.viewer, followed),
            mentioned=mentioned,
            base=site_address(),
            filters=filter_set,
            follows=followed,
            muted=silenced,
        )
        for one, state, more, filter_set, followed, silenced in zip(
            shown, states, of_quoted, filters, follows, muted, strict=True
        )
    ]


def _members_by_login(uids: Mapping[str, int | None]) -> dict[str, Member]:
    """Return the members of logins, without suspended ones. One trip."""
    members = db().read(accounts.get_many(uid for uid in uids.values() if uid))
    named = {login: members.get(uid or accounts.NO_UID) for login, uid in uids.items()}
    return {login: one for login, one in named.items() if one and not one.suspended}


def _with_cards(
    readers: Sequence[tuple[int | None, Sequence[Stored], ViewerState]],
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


def _quoted_state(viewer: int | None, quoted: Sequence[Stored]) -> Read[ViewerState]:
    """Read a reader's acts on quoted statuses, and the cards of what these quote in turn."""
    acts = viewer_state(viewer, [(one.id, one.author.uid) for one in quoted])
    return gather(acts, quote_cards(viewer, quoted)).map(
        lambda found: replace(found[0], quote_cards=found[1])
    )


def _with_more(state: ViewerState, cards: Mapping[int, QuoteCard]) -> ViewerState:
    return replace(state, quote_cards={**state.quote_cards, **cards})


def _mentioned_uids(statuses: Sequence[Stored]) -> Read[dict[str, int | None]]:
    """Read the mentioned members of statuses, by login in lower case; None for an unknown login."""
    entities = chain.from_iterable(status.entities for status in statuses)
    logins = sorted({one.text.lower() for one in entities if one.kind == "mention"})
    return collect(map(accounts.claimed_uid, logins)).map(
        lambda uids: dict(zip(logins, uids, strict=True))
    )


def _filters(one: Shown) -> Read[FilterSet]:
    """Read the active filters of a reader."""
    uid, context = one.viewer, one.context
    if one.filters or not uid:
        return constant(one.filters or NO_FILTERS)
    return filters_of(uid).map(lambda filters: FilterSet(filters, context or ANY, uid))
