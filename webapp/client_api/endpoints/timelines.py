"""Home, the public timeline, hashtags and lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from flask import g
from msgspec import structs

from webapp.accounts import keys as account_keys
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.status import Status
from webapp.client_api.http import Listed, Paging
from webapp.client_api.newer import window
from webapp.client_api.presentation import present_page
from webapp.core.store import Read, Site, constant, gather
from webapp.core.text.parser import tag_name
from webapp.core.web import Requester, db, site, viewer_uid
from webapp.lists import keys as list_keys
from webapp.lists.timeline import list_page
from webapp.statuses import Filter, FilterSet, Item, Timeline, filters_of, status_of
from webapp.statuses.private_mentions import keys as mention_keys
from webapp.statuses.private_mentions.store import private_page
from webapp.statuses.status import Status as Stored
from webapp.statuses.values.card import normalise
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store
from webapp.timelines.home.snapshot import HomeSnapshot, home_snapshot
from webapp.timelines.home_page import home_page
from webapp.timelines.trends import keys as trend_keys
from webapp.timelines.trends.link_timeline import link_page

bp = ApiBlueprint("timelines")
T = TypeVar("T", bound=Item)
NARROWED_FACTOR = 3  # pages of entries
FURTHER_MAX = 4  # pages that are read besides, down to an id or to something that is shown
TAGS_MAX = 4  # further hashtags of each kind


def sized(paging: Paging, size: int = 0) -> Site:
    """Return the site with pages of the size that the caller wants, or of another `size`."""
    return Site(site().db, replace(site().config, page_size=size or paging.size))


def placed(paging: Paging, *keys: str, is_narrowed: bool = False) -> tuple[Site, int | None]:
    """Return the site with pages of as many entries as one looks at, and the cursor above it.

    `keys`: as of `window`. `is_narrowed`: many entries may be none of those that were asked for.
    """
    size = NARROWED_FACTOR * paging.size if is_narrowed else 0
    before, size = window(paging, *keys, size=size)
    return sized(paging, size), before


HomeReads = tuple[HomeSnapshot, tuple[Filter, ...]]


def early_home(caller: Requester, params: Paging) -> Read[HomeReads | None]:
    """Read a home and the filters with the token, except a page just above an id."""
    if caller.uid is None or params.min_id is not None:
        return constant(None)
    snapshot = home_snapshot(sized(params), caller.uid, params.max_id, caller.session_key)
    return gather(snapshot, filters_of(caller.uid))


@bp.declare("GET /api/v1/timelines/home", "read:statuses", prefetch=early_home)
def home(params: Paging) -> Listed[Status]:
    """Return the posts of those whom the caller follows."""
    own_site, uid, floor = sized(params), g.viewer.uid, params.min_id or 0
    before, found = None, g.prefetched()
    if found is None:
        before, _ = window(params, account_keys.home(uid), most=2 * params.size)
        found = db().fetch(home_snapshot(own_site, uid, before), filters_of(uid))
    snapshot, filters = found
    active = FilterSet(filters, "home", uid)

    def load(before: int | None) -> Timeline[Item]:
        return home_page(own_site, db().read(home_snapshot(own_site, uid, before)), active)

    page = home_page(own_site, snapshot, active)
    for _ in range(0 if params.min_id is None else FURTHER_MAX):
        if page.next and page.next > floor:  # hashtags and large authors may fill it above `min_id`
            below = load(page.next)
            state = page.viewer_state.merge(below.viewer_state)
            page = replace(below, items=(*page.items, *below.items), viewer_state=state)
        elif before in (None, params.max_id) or any(one.id > floor for one in page.items):
            break
        else:  # further boosts of one status, which are not shown, may fill it too
            floor = before - 1
            above = structs.replace(params, min_id=floor)
            before, _ = window(above, account_keys.home(uid), most=2 * params.size)
            page = load(before)
    return present_page(page, params, "home", active)


@bp.declare("GET /api/v1/timelines/public", "", public=True)
def public(
    params: Paging, local: bool = False, remote: bool = False, only_media: bool = False
) -> Listed[Status]:
    """Return the newest public posts.

    `remote`: posts of other servers, of which there are none. `only_media`: with pictures alone.
    """
    if remote and not local:
        return Listed([])
    key = timeline_keys.public_timeline()
    own_site, before = placed(params, key, is_narrowed=only_media)

    def load(before: int | None) -> Timeline[Stored]:
        return store.public(own_site, before, viewer_uid())

    page = load(before)
    if only_media:
        page = narrowed(page, lambda status: bool(status.pictures), params, load)
    return present_page(page, params, "public")


@bp.declare("GET /api/v1/timelines/tag/<name>", "", public=True)
def tag(
    params: Paging,
    name: str,
    any: tuple[str, ...] = (),
    all: tuple[str, ...] = (),
    none: tuple[str, ...] = (),
    local: bool = False,
    remote: bool = False,
    only_media: bool = False,
) -> Listed[Status]:
    """Return the newest public posts with a hashtag.

    `any`: further ones, of which a post may have one instead. `all`: those that it must have too.
    `none`: those that it may not have. `remote`: posts of other servers, of which there are none.
    """
    if remote and not local:
        return Listed([])
    first, others, wanted, unwanted = tag_name(name), _folded(any), _folded(all), _folded(none)

    def shows(status: Stored) -> bool:
        names = tags_of(status)
        is_tagged = names.issuperset(wanted) and names.isdisjoint(unwanted)
        return is_tagged and bool(status.pictures or not only_media)

    tag_keys = (timeline_keys.hashtag_statuses(one) for one in (first, *others))
    is_narrowed = bool(wanted or unwanted or only_media)
    own_site, before = placed(params, *tag_keys, is_narrowed=is_narrowed)

    def load(before: int | None) -> Timeline[Stored]:
        return store.tagged(own_site, first, before, viewer_uid(), others)

    return present_page(narrowed(load(before), shows, params, load), params, "public")


@bp.declare("GET /api/v1/timelines/link", "", public=True)
def of_link(params: Paging, url: str = "") -> Listed[Status]:
    """Return the newest posts with a link that trends. `url`: its address."""
    link = normalise(url)
    own_site, before = placed(params, trend_keys.trend_uses(link))
    page = link_page(own_site, link, before, viewer_uid())
    return present_page(page, params, "public")


@bp.declare("GET /api/v1/timelines/list/<id:number>", "read:lists")
def of_list(params: Paging, number: int) -> Listed[Status]:
    """Return the posts of the members of one of the caller's lists."""
    uid = g.viewer.uid
    own_site, before = placed(params, list_keys.list_home(uid, number))
    _, page = list_page(own_site, uid, number, uid, before)
    return present_page(page, params, "home")


@bp.declare("GET /api/v1/timelines/direct", "read:statuses")
def direct(params: Paging) -> Listed[Status]:
    """Return the caller's private mentions, as older clients ask for them."""
    uid = g.viewer.uid
    own_site, before = placed(params, mention_keys.private_mentions(uid))
    return present_page(private_page(own_site, uid, before), params)


def tags_of(status: Stored) -> set[str]:
    """Return the hashtags of a status, folded."""
    return {tag_name(one.text) for one in status.entities if one.kind == "hashtag"}


def narrowed(
    page: Timeline[T],
    shows: Callable[[Stored], bool],
    paging: Paging,
    load: Callable[[int | None], Timeline[T]],
) -> Timeline[T]:
    """Return a page without the statuses that were not asked for. It may be short.

    `load`: returns the page below a cursor. Apps take an empty page for the end, so a few further
    ones are looked through for something to show.
    """

    def kept(page: Timeline[T]) -> Timeline[T]:
        return replace(page, items=tuple(one for one in page.items if shows(status_of(one))))

    found = kept(page)
    for _ in range(FURTHER_MAX):
        if found.items or (found.next or 0) <= (paging.floor or 0):
            break
        found = kept(load(found.next))
    return found


def _folded(names: Sequence[str]) -> list[str]:
    return list(filter(None, map(tag_name, names[:TAGS_MAX])))
