"""Acts of the caller on statuses: likes, boosts, bookmarks, pins and votes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import g

from webapp.accounts.member import Member
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.status import Status
from webapp.client_api.http import Listed, Paging, PeoplePaging
from webapp.client_api.presentation import (
    load,
    present_boost,
    present_list,
    present_one,
    present_people,
)
from webapp.core.errors import Conflict, NotFound
from webapp.core.net.proxies import posting_network
from webapp.core.store import Site
from webapp.core.web import Page, config, db, site, viewer_uid
from webapp.statuses import BoostRef
from webapp.statuses.edits import pins
from webapp.statuses.interactions import bookmarks, boosts, keys, likers, likes
from webapp.statuses.polls import voting
from webapp.statuses.threads import conversations
from webapp.timelines.profile_tabs.store import Tab, tab_page

bp = ApiBlueprint("acts")


def _act(name: str, scope: str, act: Callable[[Site, int, int], object]) -> None:
    """Declare an act of the caller on a status, which is returned with the act counted."""

    def acted(status_id: int) -> Status:
        act(site(), g.viewer.uid, status_id)
        return present_one(status_id)

    acted.__name__ = name
    acted.__doc__ = f"{name.capitalize()} a status."
    bp.declare(f"POST /api/v1/statuses/<id:status_id>/{name}", scope, limit="like")(acted)


_act("favourite", "write:favourites", likes.like)
_act("unfavourite", "write:favourites", likes.unlike)
_act("unreblog", "write:statuses", boosts.unboost)
_act("bookmark", "write:bookmarks", bookmarks.bookmark)
_act("unbookmark", "write:bookmarks", bookmarks.unbookmark)
_act("mute", "write:mutes", conversations.mute)
_act("unmute", "write:mutes", conversations.unmute)
_act("pin", "write:accounts", pins.pin)
_act("unpin", "write:accounts", pins.unpin)


@bp.declare("POST /api/v1/statuses/<id:status_id>/reblog", "write:statuses", limit="like")
def reblog(status_id: int) -> Status:
    """Boost a status. Return the boost."""
    boosts.boost(site(), g.viewer.uid, status_id, posting_network(config()))
    status, _ = load(status_id)
    return present_boost(BoostRef(0, g.viewer.uid, status_id, status.author.uid))


@bp.declare("GET /api/v1/statuses/<id:status_id>/favourited_by", "", public=True)
def favourited_by(params: PeoplePaging, status_id: int) -> Listed[Any]:
    """Return who likes a status."""
    return _likers(params, status_id, "likes")


@bp.declare("GET /api/v1/statuses/<id:status_id>/reblogged_by", "", public=True)
def reblogged_by(params: PeoplePaging, status_id: int) -> Listed[Any]:
    """Return who boosts a status."""
    return _likers(params, status_id, "boosts")


def _likers(params: PeoplePaging, status_id: int, field: str) -> Listed[Any]:
    key, viewer = likers.LIST_KEYS[field](status_id), viewer_uid()

    def load(before: int | None, size: int, above: str) -> Page[Member]:
        return likers.likers(db(), status_id, before, size, viewer, field, above).page

    return present_people(params, key, load)


@bp.declare("GET /api/v1/bookmarks", "read:bookmarks")
def bookmarked(params: Paging) -> Listed[Status]:
    """Return the caller's bookmarks."""
    uid = g.viewer.uid
    return present_list(
        params,
        [keys.bookmarks(uid)],
        lambda own, before: bookmarks.bookmarks_page(own.db, uid, before, own.config.page_size),
    )


@bp.declare("GET /api/v1/favourites", "read:favourites")
def favourites(params: Paging) -> Listed[Status]:
    """Return the statuses that the caller likes."""
    uid = g.viewer.uid
    return present_list(
        params,
        [keys.member_likes(uid)],
        lambda own, before: tab_page(own, Tab.LIKES, uid, g.viewer, before).timeline,
    )


@bp.declare("POST /api/v1/polls/<id:status_id>/votes", "write:statuses")
def vote(status_id: int, choices: tuple[int, ...] = ()) -> Any:
    """Vote in a poll. `choices`: the answers that are chosen, by index."""
    if not voting.vote(site(), g.viewer.uid, status_id, choices):
        raise Conflict("voted")
    return present_one(status_id).poll


@bp.declare("GET /api/v1/polls/<id:status_id>", "", public=True)
def poll(status_id: int) -> Any:
    """Return a poll."""
    return NotFound.unless(present_one(status_id).poll, "no_status")
