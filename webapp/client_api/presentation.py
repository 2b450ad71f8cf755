"""Turn items and members of the site into entities, with all that they name."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from webapp.accounts import store as accounts
from webapp.core.errors import NotFound
from webapp.core.store import Read, Site, collect, gather
from webapp.core.store.reads import distinct
from webapp.core.web import Page, db, viewer_uid
from webapp.statuses import (
    BoostRef,
    FilterSet,
    Relationship,
    Timeline,
    ViewerState,
    relationship,
    store as statuses,
)
from webapp.statuses.hydration import complete, hydrate_items, own_groups, status_entry
from webapp.statuses.items import Item, status_of
from webapp.statuses.lookup import Entry
from webapp.statuses.status import Status as Stored
from webapp.statuses.viewer.viewer_reads import viewer_state

from .entities.account import Account
from .entities.status import Status
from .http import Listed, Paging
from .newer import filled_page, lower_bound, upper_bound
from .status_reads.account_reads import listed_accounts
from .status_reads.boosts import load_boost
from .status_reads.reader_views import Shown, reader_views
from .status_reads.shared_entities import shared_entities

T = TypeVar("T", bound=Item)


def present(
    items: Sequence[Item], state: ViewerState, context: str = "", filters: FilterSet | None = None
) -> list[Status]:
    """Return items as the caller sees them. Trips as `present_each`. The rest is as of Shown."""
    return present_each([Shown(viewer_uid(), items, state, context, filters)])[0]


def present_each(shown: Sequence[Shown]) -> list[list[Status]]:
    """Return items as each reader sees them. One trip, and one more for members they mention.

    An item is the same object for all readers who see no difference.
    """
    alike: dict[object, Status] = {}
    views = reader_views(shown)
    return [shared_entities(one.items, view, alike) for one, view in zip(shown, views, strict=True)]


def present_list(
    paging: Paging,
    keys: Sequence[str],
    load: Callable[[Site, int | None], Timeline[T]],
    context: str = "",
    shows: Callable[[Stored], bool] | None = None,
    filters: FilterSet | None = None,
) -> Listed[Status]:
    """Return a page of statuses, cut to what was asked for: see `filled_page` and `present`."""
    page = filled_page(paging, keys, load, shows)
    above = [item for item in page.items if page.cursor_of(item) > (paging.floor or 0)]
    older = page.next if len(above) == len(page.items) else None
    items = above[-paging.size :] if paging.min_id is not None else above[: paging.size]
    if paging.min_id is None and len(above) > paging.size:
        older = page.cursor_of(items[-1])
    newest = page.cursor_of(items[0]) if items else page.first or paging.floor
    return Listed(present(items, page.viewer_state, context, filters), older, newest)


def present_one(status_id: int) -> Status:
    """Return one status. Six trips at most. Raises NotFound, also if the caller may not see it."""
    status, state = load(status_id)
    return present([status], db().read(complete(viewer_uid(), [status], state)))[0]


def present_boost(ref: BoostRef) -> Status:
    """Return a boost. Four trips at most. Raises NotFound, also if the caller may not see it."""
    found = load_boost(ref)
    state = db().read(complete(viewer_uid(), found.visible, found.viewer_state))
    return present(found.visible, state)[0]


def load(status_id: int) -> tuple[Stored, ViewerState]:
    """Return a status that the caller may open, and the caller's state. Three trips at most."""
    return statuses.open_status(db(), status_id, viewer_uid())


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


def present_entries(entries: Iterable[Entry | BoostRef], context: str = "") -> dict[int, Status]:
    """Return the statuses of entries that the caller may open, by id. Trips as `present_wanted`.

    `context`: as of Shown.
    """
    distinct_entries = tuple(dict.fromkeys(entries))
    return present_wanted([Wanted(viewer_uid(), distinct_entries, context, on_request=True)])[0]


def present_wanted(wanted: Sequence[Wanted]) -> list[dict[int, Status]]:
    """Return, for each reader, those entries that the reader may see, by the id of the item.

    Four trips at most for all readers, one more if closed groups have any of the entries. What is
    the same for all of them is read once.
    """
    entries = list(dict.fromkeys(chain.from_iterable(one.entries for one in wanted)))
    parts = distinct(collect(map(_reader_parts, wanted)))
    items, found = db().fetch(hydrate_items(entries), parts)
    item_of = dict(zip(entries, items, strict=True))
    there = [[item for entry in one.entries if (item := item_of[entry])] for one in wanted]
    relations = [relation for _, relation in found]
    groups = db().read(collect(map(own_groups, relations, there)))
    visible = [
        [item for item in some if _may_show(one, item, relation.in_groups(gids))]
        for one, some, relation, gids in zip(wanted, there, relations, groups, strict=True)
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


def shown_member(uid: int) -> accounts.Member:
    """Return a member. One trip. Raises NotFound, also for a suspended one."""
    member = db().read(accounts.get_or_404(uid))
    if member.suspended:
        raise NotFound("no_member")
    return member


def present_people(
    paging: Paging, key: str, load: Callable[[int | None, int, str], Page[accounts.Member]]
) -> Listed[Account]:
    """Return a page of the members of a sorted set. One trip, and those of `load`.

    `load`: takes the cursor, the size and the lower bound of a page.
    """
    page = load(upper_bound(paging, key), paging.size, lower_bound(paging))
    newest = paging.floor if page.first is None else page.first
    return Listed(listed_accounts(member.uid for member in page.items), page.next, newest)
