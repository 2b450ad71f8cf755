"""Home, the public timeline, hashtags and lists."""

from __future__ import annotations

from collections.abc import Sequence

from flask import g

from webapp.accounts import keys as account_keys
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.status import Status
from webapp.client_api.http import Listed, Paging
from webapp.client_api.newer import sized
from webapp.client_api.presentation import present_list
from webapp.core.store import Read, Site, constant, gather
from webapp.core.text.parser import tag_name
from webapp.core.web import Requester, db, viewer_uid
from webapp.lists import keys as list_keys
from webapp.lists.timeline import list_page
from webapp.statuses import Filter, FilterSet, Item, Timeline, filters_of
from webapp.statuses.private_mentions import keys as mention_keys
from webapp.statuses.private_mentions.store import private_page
from webapp.statuses.status import Status as Stored
from webapp.statuses.values.card import normalise
from webapp.timelines import keys as timeline_keys, store
from webapp.timelines.home.snapshot import HomeSnapshot, home_snapshot
from webapp.timelines.home_page import home_page
from webapp.timelines.trends import keys as trend_keys
from webapp.timelines.trends.link_timeline import link_page

bp = ApiBlueprint("timelines")
TAGS_MAX = 4  # further hashtags of each kind


def early_home(
    caller: Requester, params: Paging
) -> Read[tuple[HomeSnapshot | None, Sequence[Filter]]]:
    """Read a home and the filters with the token, except a page just above an id."""
    if caller.uid is None:
        return constant((None, ()))
    early: Read[HomeSnapshot | None] = constant(None)
    if params.min_id is None:
        early = home_snapshot(sized(params.size), caller.uid, params.max_id, caller.session_key)
    return gather(early, filters_of(caller.uid))


@bp.declare("GET /api/v1/timelines/home", "read:statuses", prefetch=early_home)
def home(params: Paging) -> Listed[Status]:
    """Return the posts of those whom the caller follows."""
    (early, filters), uid = g.prefetched(), g.viewer.uid
    active = FilterSet(filters, "home", uid)

    def load(own_site: Site, before: int | None) -> Timeline[Item]:
        snapshot = early if early and early.before == before else None
        snapshot = snapshot or db().read(home_snapshot(own_site, uid, before))
        return home_page(own_site, snapshot, active)

    return present_list(params, [account_keys.home(uid)], load, "home", filters=active)


@bp.declare("GET /api/v1/timelines/public", "", public=True)
def public(
    params: Paging, local: bool = False, remote: bool = False, only_media: bool = False
) -> Listed[Status]:
    """Return the newest public posts.

    `remote`: posts of other servers, of which there are none. `only_media`: with pictures alone.
    """
    if remote and not local:
        return Listed([])
    return present_list(
        params,
        [timeline_keys.public_timeline()],
        lambda own_site, before: store.public(own_site, before, viewer_uid()),
        "public",
        has_pictures if only_media else None,
    )


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
        return is_tagged and (has_pictures(status) or not only_media)

    return present_list(
        params,
        [timeline_keys.hashtag_statuses(one) for one in (first, *others)],
        lambda own_site, before: store.tagged(own_site, first, before, viewer_uid(), others),
        "public",
        shows if wanted or unwanted or only_media else None,
    )


@bp.declare("GET /api/v1/timelines/link", "", public=True)
def of_link(params: Paging, url: str = "") -> Listed[Status]:
    """Return the newest posts with a link that trends. `url`: its address."""
    link = normalise(url)
    return present_list(
        params,
        [trend_keys.trend_uses(link)],
        lambda own_site, before: link_page(own_site, link, before, viewer_uid()),
        "public",
    )


@bp.declare("GET /api/v1/timelines/list/<id:number>", "read:lists")
def of_list(params: Paging, number: int) -> Listed[Status]:
    """Return the posts of the members of one of the caller's lists."""
    uid = g.viewer.uid
    return present_list(
        params,
        [list_keys.list_home(uid, number)],
        lambda own_site, before: list_page(own_site, uid, number, uid, before)[1],
        "home",
    )


@bp.declare("GET /api/v1/timelines/direct", "read:statuses")
def direct(params: Paging) -> Listed[Status]:
    """Return the caller's private mentions, as older clients ask for them."""
    uid = g.viewer.uid
    return present_list(
        params,
        [mention_keys.private_mentions(uid)],
        lambda own_site, before: private_page(own_site, uid, before),
    )


def tags_of(status: Stored) -> set[str]:
    """Return the hashtags of a status, folded."""
    return {tag_name(one.text) for one in status.entities if one.kind == "hashtag"}


def has_pictures(status: Stored) -> bool:
    """Return True if a status has pictures."""
    return bool(status.pictures)


def _folded(names: Sequence[str]) -> list[str]:
    return list(filter(None, map(tag_name, names[:TAGS_MAX])))
