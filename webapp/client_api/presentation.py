"""From items and members of the site to entities, with all that they name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from webapp.accounts import store as accounts
from webapp.core.store.reads import Read, collect, constant
from webapp.core.web.context import db
from webapp.core.web.pagination import Page
from webapp.following.profiles import Profile, profile
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.filters.store import filters_of
from webapp.statuses.hydration import admitted, complete, hydrate
from webapp.statuses.items import Item, members_shown, status_of
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.lookup import Entry, entries_of
from webapp.statuses.status import Status as Stored
from webapp.statuses.viewer.viewer_state import ViewerState

from .callers import viewer_uid
from .entities.account import Account, account
from .entities.status import Status, View, status_entity
from .http.parameters import Paging
from .http.responses import Listed, site_address

T = TypeVar("T", bound=Item)


def present(items: Sequence[Item], state: ViewerState, context: str = "") -> list[Status]:
    """Return items as the caller sees them. One trip, and one more for members they mention.

    `context`: where they are shown, one of the CONTEXTS of filters; "" for none.
    """
    view = _view(items, state, context)
    shown = [item for item in items if not view.filters.hides(status_of(item))]
    return [status_entity(item, view) for item in shown if _has_accounts(item, view)]


def present_page(
    page: Timeline[T], paging: Paging | None = None, context: str = ""
) -> Listed[Status]:
    """Return a page of a timeline, cut to what the caller asked for. Trips as `present`."""
    items = list(page.items)
    newest = items[0].id if items else None
    older = page.next
    if paging and (floor := paging.floor):
        above = [item for item in items if item.id > floor]
        older = older if len(above) == len(items) else None
        items = above[-paging.size :] if paging.min_id is not None else above
        newest = items[0].id if items else floor
    return Listed(present(items, page.viewer_state, context), older, newest)


def present_one(status_id: int) -> Status:
    """Return one status. Five trips at most. Raises NotFound, also if the caller may not see it."""
    status, state = load(status_id)
    return present([status], db().read(complete(viewer_uid(), [status], state)))[0]


def load(status_id: int) -> tuple[Stored, ViewerState]:
    """Return a status that the caller may open, and the caller's state. Two trips."""
    page = db().read(hydrate(db().read(entries_of([status_id])), viewer_uid()))
    page = db().read(admitted(page))
    found = page.items[0] if page.items else None
    status = page.relationship.require_visible(found if isinstance(found, Stored) else None)
    return status, page.viewer_state


def present_entries(entries: Iterable[Entry]) -> dict[int, Status]:
    """Return the statuses of entries that the caller may open, by id. Four trips at most."""
    page = db().read(hydrate(list(dict.fromkeys(entries)), viewer_uid()))
    page = db().read(admitted(page))
    state = db().read(complete(viewer_uid(), page.visible, page.viewer_state))
    return {int(one.id): one for one in present(page.visible, state)}


def accounts_of(uids: Iterable[int]) -> Read[dict[int, Account]]:
    """Read members as accounts, by uid. Those that are gone or suspended are left out."""
    wanted, base = list(dict.fromkeys(uids)), site_address()

    def parse(found: list[Profile | None]) -> dict[int, Account]:
        known = [one for one in found if one and not one.member.suspended]
        return {one.member.uid: account(one, base) for one in known}

    return collect(map(profile, wanted)).map(parse)


def present_members(page: Page[accounts.Member]) -> Listed[Account]:
    """Return a page of members. One trip."""
    found = db().read(accounts_of(member.uid for member in page.items))
    return Listed(list(found.values()), page.next)


def _view(items: Sequence[Item], state: ViewerState, context: str) -> View:
    statuses = [status_of(item) for item in items]
    quoted = [card.status for card in state.quote_cards.values() if card.status]
    uids = {member.uid for item in items for member in members_shown(item)}
    logins = {
        entity.text.lower()
        for status in statuses
        for entity in status.entities
        if entity.kind == "mention"
    }
    claims = collect(map(accounts.claimed_uid, sorted(logins)))
    uids.update(one.author.uid for one in quoted)
    found, claimed, filters = db().fetch(accounts_of(uids), claims, _filters(context))
    members = db().read(accounts.get_many(uid for uid in claimed if uid))
    mentioned = {one.login.lower(): one for one in members.values() if not one.suspended}
    return View(viewer_uid(), state, found, mentioned, site_address(), filters)


def _filters(context: str) -> Read[FilterSet]:
    """Read the caller's active filters of a context."""
    uid = viewer_uid()
    if not uid or not context:
        return constant(NO_FILTERS)
    return filters_of(uid).map(lambda filters: FilterSet(filters, context, uid))


def _has_accounts(item: Item, view: View) -> bool:
    return all(member.uid in view.accounts for member in members_shown(item))
