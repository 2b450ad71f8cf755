"""Statuses: writing, opening and deleting one, its thread, and what the caller does with it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
from flask import g, request

from webapp.client_api import uploads
from webapp.client_api.blueprint import api_blueprint
from webapp.client_api.callers import viewer_uid
from webapp.client_api.declaration import endpoint
from webapp.client_api.entities.account import Account
from webapp.client_api.entities.content import to_html
from webapp.client_api.entities.media import media_id
from webapp.client_api.entities.status import Status
from webapp.client_api.parameters import Id, Paging, Parameters, invalid
from webapp.client_api.presentation import (
    accounts_of,
    load,
    present,
    present_members,
    present_one,
    present_page,
)
from webapp.client_api.responses import Listed, format_time, site_address
from webapp.core.errors import NotFound
from webapp.core.net.proxies import posting_network
from webapp.core.site import Site
from webapp.core.text.cleaning import clean_line
from webapp.core.text.parser import Parsed, Unacceptable, parse
from webapp.core.web.context import config, db, site
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.statuses import store
from webapp.statuses.attachments import staging
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import bookmarks, boosts, likers, likes
from webapp.statuses.polls import voting
from webapp.statuses.polls.forms import OPTION_FIELDS
from webapp.statuses.status import Status as Stored
from webapp.statuses.threads import store as threads
from webapp.statuses.values.pictures import Picture
from webapp.statuses.values.poll import (
    DURATIONS_MINUTES,
    OPTION_MAX,
    OPTIONS_MAX,
    OPTIONS_MIN,
    Poll,
)
from webapp.statuses.values.visibility import Visibility, allowed_for_reply
from webapp.timelines.profile_tabs.store import Tab, tab_page

from .scheduled import ScheduledStatus, schedule
from .timelines import sized

bp = api_blueprint("statuses")
VISIBILITIES = {
    "public": Visibility.PUBLIC,
    "unlisted": Visibility.UNLISTED,
    "private": Visibility.FOLLOWERS,
    "direct": Visibility.MENTIONED,
}
CONTEXT_MAX = 200  # statuses below one that a context has


class PollParameters(Parameters):
    """A poll. `expires_in`: seconds."""

    options: tuple[str, ...] = ()
    expires_in: int = 86_400
    multiple: bool = False


class StatusParameters(Parameters):
    """A new status."""

    status: str = ""
    in_reply_to_id: Id | None = None
    media_ids: tuple[Id, ...] = ()
    sensitive: bool = False
    spoiler_text: str = ""
    visibility: str = ""
    language: str = ""
    quoted_status_id: Id | None = None
    scheduled_at: str = ""
    poll: dict[str, Any] | None = None


class EditParameters(Parameters):
    """What to change of a status."""

    status: str | None = None
    spoiler_text: str | None = None
    media_attributes: Any = None


class VoteParameters(Parameters):
    """The answers that are chosen, by index."""

    choices: tuple[int, ...] = ()


class Context(msgspec.Struct):
    """The statuses above and below one."""

    ancestors: list[Status]
    descendants: list[Status]


class StatusEdit(msgspec.Struct, kw_only=True):
    """A version of a status."""

    content: str
    spoiler_text: str
    sensitive: bool
    created_at: str
    account: Account
    media_attachments: list[Any] = []
    emojis: list[str] = []


class Source(msgspec.Struct):
    """The text of a status as it was written."""

    id: str
    text: str
    spoiler_text: str


@endpoint(bp, "POST /api/v1/statuses", "write:statuses")
def create(params: StatusParameters) -> Status | ScheduledStatus:
    """Post a status, now or at a time. The same Idempotency-Key gives the same status."""
    if params.scheduled_at:
        return _scheduled(params)
    parsed = _parsed(params.status, is_required=not (params.media_ids or params.poll))
    options = StatusOptions(
        reply=params.in_reply_to_id,
        cw=_warning(params.spoiler_text),
        pictures=uploads.of_member(db(), g.viewer.uid, params.media_ids),
        visibility=_visibility(params),
        poll=_poll(params.poll),
        quote=params.quoted_status_id,
        network=posting_network(config()),
        host=request.host,
    )
    rate = config().limit_post
    return present_one(store.post(site(), g.viewer.uid, parsed, _form_key(), None, rate, **options))


@endpoint(bp, "GET /api/v1/statuses/<id:status_id>", "", public=True)
def show(status_id: int) -> Status:
    """Return a status."""
    return present_one(status_id)


@endpoint(bp, "DELETE /api/v1/statuses/<id:status_id>", "write:statuses")
def delete(status_id: int) -> Status:
    """Delete one of the caller's statuses. Return it with its text, to be written again."""
    shown, (status, _) = present_one(status_id), load(status_id)
    names = store.delete(site(), g.viewer.uid, status_id)
    staging.discard(site(), g.viewer.uid, names)
    return msgspec.structs.replace(shown, text=status.text)


@endpoint(bp, "GET /api/v1/statuses/<id:status_id>/source", "read:statuses")
def source(status_id: int) -> Source:
    """Return the text of a status as it was written."""
    status, _ = load(status_id)
    return Source(str(status.id), status.text, status.cw)


@endpoint(bp, "GET /api/v1/statuses/<id:status_id>/context", "", public=True)
def context(status_id: int) -> Context:
    """Return the thread of a status."""
    thread = threads.thread(db(), status_id, viewer_uid(), (), CONTEXT_MAX)
    items = _thread_items(thread)
    shown = {int(one.id): one for one in present(items, thread.viewer_state, "thread")}
    above = [shown[item.id] for item in items if item.id < status_id and item.id in shown]
    below = [shown[item.id] for item in items if item.id > status_id and item.id in shown]
    return Context(above, below)


def _thread_items(thread: threads.Thread) -> list[Stored]:
    return [one for one in thread.statuses if one.id != thread.status.id]


def _act(name: str, scope: str, act: Callable[[Site, int, int], object]) -> None:
    """Declare an act of the caller on a status, which is returned with the act counted."""

    def acted(status_id: int) -> Status:
        act(site(), g.viewer.uid, status_id)
        return present_one(status_id)

    acted.__name__ = name
    acted.__doc__ = f"{name.capitalize()} a status."
    endpoint(bp, f"POST /api/v1/statuses/<id:status_id>/{name}", scope, limit="like")(acted)


_act("favourite", "write:favourites", likes.like)
_act("unfavourite", "write:favourites", likes.unlike)
_act("unreblog", "write:statuses", boosts.unboost)
_act("bookmark", "write:bookmarks", bookmarks.bookmark)
_act("unbookmark", "write:bookmarks", bookmarks.unbookmark)
_act("pin", "write:accounts", pins.pin)
_act("unpin", "write:accounts", pins.unpin)


@endpoint(bp, "POST /api/v1/statuses/<id:status_id>/reblog", "write:statuses", limit="like")
def reblog(status_id: int) -> Status:
    """Boost a status. Return the boost."""
    boosts.boost(site(), g.viewer.uid, status_id, posting_network(config()))
    return present_one(status_id)


@endpoint(bp, "GET /api/v1/statuses/<id:status_id>/favourited_by", "", public=True)
def favourited_by(params: Paging, status_id: int) -> Listed[Any]:
    """Return who likes a status."""
    found = likers.likers(db(), status_id, params.max_id, params.size, viewer_uid())
    return present_members(found.page)


@endpoint(bp, "GET /api/v1/statuses/<id:status_id>/reblogged_by", "", public=True)
def reblogged_by(params: Paging, status_id: int) -> Listed[Any]:
    """Return who boosts a status."""
    found = likers.likers(db(), status_id, params.max_id, params.size, viewer_uid(), "boosts")
    return present_members(found.page)


@endpoint(bp, "GET /api/v1/bookmarks", "read:bookmarks")
def bookmarked(params: Paging) -> Listed[Status]:
    """Return the caller's bookmarks."""
    page = bookmarks.bookmarks_page(db(), g.viewer.uid, params.max_id, params.size)
    return present_page(page)


@endpoint(bp, "GET /api/v1/favourites", "read:favourites")
def favourites(params: Paging) -> Listed[Status]:
    """Return what the caller likes."""
    liked = tab_page(sized(params), Tab.LIKES, g.viewer.uid, g.viewer, params.max_id)
    return present_page(liked.timeline)


@endpoint(bp, "POST /api/v1/polls/<id:status_id>/votes", "write:statuses")
def vote(params: VoteParameters, status_id: int) -> Any:
    """Vote in a poll."""
    voting.vote(site(), g.viewer.uid, status_id, params.choices)
    return present_one(status_id).poll


@endpoint(bp, "GET /api/v1/polls/<id:status_id>", "", public=True)
def poll(status_id: int) -> Any:
    """Return a poll."""
    found = present_one(status_id).poll
    if found is None:
        raise NotFound("no_status")
    return found


def _scheduled(params: StatusParameters) -> ScheduledStatus:
    """Save a status to be posted at a time, as the form of a scheduled post is saved."""
    consume_for_viewer("draft")
    _parsed(params.status, is_required=not (params.media_ids or params.poll))
    poll = _poll(params.poll)
    fields = {
        "text": params.status,
        "cw": _warning(params.spoiler_text),
        "visibility": (_visibility(params) or Visibility.PUBLIC).slug,
        "reply": str(params.in_reply_to_id or ""),
        "quote": str(params.quoted_status_id or ""),
    }
    if poll:
        fields |= dict(zip(OPTION_FIELDS, poll.options, strict=False))
        fields |= {"poll_minutes": str(poll.minutes), "poll_multiple": "y" * poll.multiple}
    pictures = uploads.of_member(db(), g.viewer.uid, params.media_ids)
    return schedule(_form_key(), fields, params.scheduled_at, pictures)


@endpoint(bp, "GET /api/v1/statuses/<id:status_id>/history", "", public=True)
def history(status_id: int) -> list[StatusEdit]:
    """Return all versions of a status, the first one first."""
    found = editing.history(db(), status_id, viewer_uid())
    account = db().read(accounts_of([found.status.author.uid]))[found.status.author.uid]
    return [
        StatusEdit(
            content=to_html(version.text, version.entities, site_address()),
            spoiler_text=version.cw,
            sensitive=bool(version.cw),
            created_at=format_time(version.created_at),
            account=account,
        )
        for version in reversed(found.versions)
    ]


@endpoint(bp, "PUT /api/v1/statuses/<id:status_id>", "write:statuses", limit="post")
def edit(params: EditParameters, status_id: int) -> Status:
    """Edit one of the caller's statuses: its text, its warning, descriptions of its pictures."""
    status, _ = load(status_id)
    text = status.text if params.status is None else params.status
    parsed = _parsed(text, is_required=not (status.pictures or status.poll))
    cw = status.cw if params.spoiler_text is None else _warning(params.spoiler_text)
    pictures = _described(status, params.media_attributes)
    editing.edit(site(), g.viewer.uid, status_id, parsed, cw, status.revision, pictures)
    return present_one(status_id)


def _described(status: Stored, sent: Any) -> list[Picture]:
    """Return the pictures of a status with the descriptions that were sent for them."""
    rows = sent.values() if isinstance(sent, dict) else sent if isinstance(sent, list) else ()
    known = [row for row in rows if isinstance(row, dict)]
    texts = {str(row.get("id")): str(row.get("description") or "") for row in known}
    pictures = [(one, texts.get(str(media_id(one)))) for one in status.pictures]
    limit = config().alt_max
    return [one if alt is None else replace(one, alt=alt[:limit]) for one, alt in pictures]


def _parsed(text: str, is_required: bool) -> Parsed:
    try:
        return parse(text, config().status_max, is_required)
    except Unacceptable as error:
        if error.reason == "empty":
            raise invalid("Text can't be blank") from None
        if error.reason == "too_long":
            limit = config().status_max
            raise invalid(f"Text character limit of {limit} exceeded") from None
        raise invalid("Text has characters that can't be posted") from None


def _warning(text: str) -> str:
    try:
        return clean_line(text, config().cw_max)
    except Unacceptable:
        raise invalid("Content warning is too long") from None


def _visibility(params: StatusParameters) -> Visibility | None:
    """Return the visibility. A reply is narrowed to what its parent allows, never refused."""
    if params.visibility and params.visibility not in VISIBILITIES:
        raise invalid("Visibility is not included in the list")
    wanted = VISIBILITIES.get(params.visibility)
    if wanted is None or params.in_reply_to_id is None:
        return wanted
    allowed = allowed_for_reply(load(params.in_reply_to_id)[0].visibility)
    return wanted if wanted in allowed else allowed[0]


def _poll(sent: dict[str, Any] | None) -> Poll | None:
    """Return the poll of a new status, with the nearest duration that polls have."""
    if not sent:
        return None
    try:
        given = msgspec.convert(sent, PollParameters, strict=False)
    except msgspec.ValidationError as error:
        raise invalid(f"Poll {error}") from None
    options = [option.strip() for option in given.options]
    if not OPTIONS_MIN <= len(options) <= OPTIONS_MAX or len(set(options)) < len(options):
        raise invalid(f"Poll needs {OPTIONS_MIN} to {OPTIONS_MAX} different options")
    if not all(0 < len(option) <= OPTION_MAX for option in options):
        raise invalid(f"Poll options have 1 to {OPTION_MAX} characters")
    minutes = min(DURATIONS_MINUTES, key=lambda one: abs(one * 60 - given.expires_in))
    return Poll(tuple(options), minutes, given.multiple)


def _form_key() -> str:
    """Return the key that makes a repeated request the same status."""
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        return secrets.token_urlsafe(12)
    return hashlib.sha256(key[:255].encode("utf-8", "replace")).hexdigest()
