"""From items and members of the site to entities, with all that they name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from webapp.accounts import store as accounts
from webapp.core.store.reads import Read, collect, constant, distinct, gather
from webapp.core.web.context import db
from webapp.core.web.pagination import Page
from webapp.following.profiles import Profile, profile
from webapp.statuses.boost_refs import BoostRef
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.filters.store import filters_of
from webapp.statuses.hydration import complete, hydrate, hydrate_items, status_entry
from webapp.statuses.items import Item, members_shown, status_of
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.lookup import Entry, entries_of
from webapp.statuses.status import Status as Stored
from webapp.statuses.viewer.viewer_reads import viewer_state
from webapp.statuses.viewer.viewer_state import ViewerState
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship

from .callers import viewer_uid
from .entities.account import Account, account
from .entities.status import Status, View, status_entity
from .http.parameters import Paging
from .http.responses import Listed, site_address

T = TypeVar("T", bound=Item)


class Shown(NamedTuple):
    """Items that one reader is shown, with the reader's state of them. `viewer`: None: a visitor.

    `context`: where they are shown, one of the CONTEXTS of filters; "" for none.
    """

    viewer: int | None
    items: Sequence[Item]
    state: ViewerState
    context: str = ""


def present(items: Sequence[Item], state: ViewerState, context: str = "") -> list[Status]:
    """Return items as the caller sees them. Trips as `present_each`."""
    return present_each([Shown(viewer_uid(), items, state, context)])[0]


def present_each(shown: Sequence[Shown]) -> list[list[Status]]:
    """Return items as each reader sees them. One trip, and one more for members they mention.

    An item is the same object for all readers who see no difference.
    """
    alike: dict[object, Status] = {}
    views = _views(shown)
    return [_entities(one.items, view, alike) for one, view in zip(shown, views, strict=True)]


def _entities(items: Sequence[Item], view: View, alike: dict[object, Status]) -> list[Status]:
    """Return the entities of items. `alike`: those that readers without a part in them share."""
    found = []
    for item in items:
        if view.filters.hides(status_of(item)) or not _has_accounts(item, view):
            continue
        if key := _key_of_others(item, view):
            entity = alike.get(key) or alike.setdefault(key, status_entity(item, view))
        else:
            entity = status_entity(item, view)
        found.append(entity)
    return found


def _key_of_others(item: Item, view: View) -> object:
    """Return a key that is equal for readers who see the same of an item.

    None for a reader who wrote it, has acted on it or filters it.
    """
    status, state = status_of(item), view.state
    acted = status.id in state.interacted_ids() or status.id in state.votes
    if acted or status.author.uid == view.viewer or view.filters.matching(status):
        return None
    card = state.quote_cards.get(status.id)
    return item.id, bool(view.viewer), card and (card.status and card.status.id, card.muted)


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
    found = page.items[0] if page.items else None
    status = page.relationship.require_visible(found if isinstance(found, Stored) else None)
    return status, page.viewer_state


class Wanted(NamedTuple):
    """Entries that one reader is to be shown as statuses. `viewer`: None for a visitor.

    `context`: as of Shown. `on_request`: with those that only timelines leave out. `only_media`:
    only statuses with pictures.
    """

    viewer: int | None
    entries: tuple[Entry | BoostRef, ...]
    context: str = ""
    on_request: bool = False
    only_media: bool = False


def present_entries(entries: Iterable[Entry], context: str = "") -> dict[int, Status]:
    """Return the statuses of entries that the caller may open, by id. Trips as `present_wanted`.

    `context`: as of Shown.
    """
    distinct_entries = tuple(dict.fromkeys(entries))
    return present_wanted([Wanted(viewer_uid(), distinct_entries, context, on_request=True)])[0]


def present_wanted(wanted: Sequence[Wanted]) -> list[dict[int, Status]]:
    """Return, for each reader, those entries that the reader may see, by the id of the item.

    Four trips at most for all readers. What is the same for all of them is read once.
    """
    entries = list(dict.fromkeys(chain.from_iterable(one.entries for one in wanted)))
    parts = distinct(collect(map(_reader_parts, wanted)))
    items, found = db().fetch(hydrate_items(entries), parts)
    item_of = dict(zip(entries, items, strict=True))
    visible = [
        [item for entry in one.entries if (item := item_of[entry]) and _may_show(one, item, part)]
        for one, (_, part) in zip(wanted, found, strict=True)
    ]
    readers = list(zip(wanted, visible, (state for state, _ in found), strict=True))
    states = db().read(collect(complete(one.viewer, shown, state) for one, shown, state in readers))
    shown = [
        Shown(one.viewer, items, state, one.context)
        for (one, items, _), state in zip(readers, states, strict=True)
    ]
    return [{int(one.id): one for one in statuses} for statuses in present_each(shown)]


def _reader_parts(one: Wanted) -> Read[tuple[ViewerState, Relationship]]:
    """Read a reader's state of entries, and the relationship to those whom they show."""
    pairs = [status_entry(entry) for entry in one.entries]
    boosters = {entry.booster_uid for entry in one.entries if isinstance(entry, BoostRef)}
    uids = boosters.union(author for _, author in pairs)
    return gather(viewer_state(one.viewer, pairs), relationship(one.viewer, uids))


def _may_show(one: Wanted, item: Item, relation: Relationship) -> bool:
    if one.only_media and not status_of(item).pictures:
        return False
    if one.on_request:
        return relation.is_visible(item)
    return relation.is_visible_in_timelines(item)


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


def _views(shown: Sequence[Shown]) -> list[View]:
    items = list(chain.from_iterable(one.items for one in shown))
    statuses = [status_of(item) for item in items]
    cards = chain.from_iterable(one.state.quote_cards.values() for one in shown)
    quoted = [card.status for card in cards if card.status]
    uids = {member.uid for item in items for member in members_shown(item)}
    logins = {
        entity.text.lower()
        for status in statuses
        for entity in status.entities
        if entity.kind == "mention"
    }
    claims = collect(map(accounts.claimed_uid, sorted(logins)))
    uids.update(one.author.uid for one in quoted)
    filters_read = collect(_filters(one.viewer, one.context) for one in shown)
    found, claimed, filters = db().fetch(accounts_of(uids), claims, filters_read)
    members = db().read(accounts.get_many(uid for uid in claimed if uid))
    mentioned = {one.login.lower(): one for one in members.values() if not one.suspended}
    base = site_address()
    return [
        View(one.viewer, one.state, found, mentioned, base, filter_set)
        for one, filter_set in zip(shown, filters, strict=True)
    ]


def _filters(uid: int | None, context: str) -> Read[FilterSet]:
    """Read a reader's active filters of a context."""
    if not uid or not context:
        return constant(NO_FILTERS)
    return filters_of(uid).map(lambda filters: FilterSet(filters, context, uid))


def _has_accounts(item: Item, view: View) -> bool:
    return all(member.uid in view.accounts for member in members_shown(item))
