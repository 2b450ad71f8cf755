"""Statuses: opening and deleting one, its thread and its versions."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import reduce
from itertools import chain
from typing import Any

import msgspec
from flask import g
from msgspec import UNSET, UnsetType

from webapp.client_api import uploads
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import Account
from webapp.client_api.entities.content import to_html
from webapp.client_api.entities.media import MediaAttachment, media_attachment
from webapp.client_api.entities.status import Status, with_signed_pictures
from webapp.client_api.entities.status_parts import Poll, poll_of
from webapp.client_api.http import IdsParameters, converted, format_time, invalid, site_address
from webapp.client_api.presentation import (
    load,
    present,
    present_boost,
    present_entries,
    present_one,
)
from webapp.client_api.status_reads.account_reads import accounts_of
from webapp.core.errors import NotFound
from webapp.core.i18n.language_detection import clean_tag
from webapp.core.store import collect
from webapp.core.web import db, site, viewer_uid
from webapp.statuses import BoostRef, ViewerState, entries_of, store
from webapp.statuses.attachments import staging
from webapp.statuses.boost_refs import find_boost
from webapp.statuses.edits import editing
from webapp.statuses.interactions import boosts
from webapp.statuses.quotes import store as quotes
from webapp.statuses.status import Status as Stored
from webapp.statuses.threads import store as threads
from webapp.statuses.threads.store import Thread

from .attachments import EditedMedia
from .posting import PollParameters, parsed_text, quote_policy, warning_line

bp = ApiBlueprint("statuses")
SEVERAL_MAX = 40  # statuses that are asked for by their ids
CONTEXT_MAX, PARTS_MAX = 200, 6  # statuses below one that a part of a context has, and parts


class EditParameters(EditedMedia):
    """Parameters of an edit. Pictures and a poll may be sent if they stay as they are."""

    status: str | None = None
    spoiler_text: str | None = None
    sensitive: bool | None = None
    poll: dict[str, Any] | None = None
    quote_approval_policy: str = ""
    language: str = ""


class Context(msgspec.Struct):
    """The statuses above and below one."""

    ancestors: list[Status]
    descendants: list[Status]


class StatusEdit(msgspec.Struct, kw_only=True):
    """A version of a status. Its pictures and its poll are those of all versions."""

    content: str
    spoiler_text: str
    sensitive: bool
    created_at: str
    account: Account
    media_attachments: list[MediaAttachment]
    poll: Poll | UnsetType = UNSET
    emojis: list[str] = []


class Source(msgspec.Struct):
    """The text of a status as it was written."""

    id: str
    text: str
    spoiler_text: str


@bp.declare("GET /api/v1/statuses", "", public=True)
def several(params: IdsParameters) -> list[Status]:
    """Return some statuses or boosts, without those that the caller may not see."""
    asked = list(dict.fromkeys(params.ids[:SEVERAL_MAX]))
    entries, refs = db().fetch(entries_of(asked), collect(map(find_boost, asked)))
    shown = present_entries([*entries, *filter(None, refs)])
    return [shown[one] for one in asked if one in shown]


@bp.declare("GET /api/v1/statuses/<id:number>", "", public=True)
def show(number: int) -> Status:
    """Return a status, or a boost."""
    try:
        return present_one(number)
    except NotFound:
        ref = db().read(find_boost(number))
        if ref is None:
            raise
    return present_boost(ref)


@bp.declare("DELETE /api/v1/statuses/<id:number>", "write:statuses")
def delete(number: int, delete_media: bool = False) -> Status:
    """Delete one of the caller's statuses, or take a boost back. Return it with its text.

    Its pictures can be posted again for a day, unless `delete_media`.
    """
    ref = db().read(find_boost(number))
    return _delete_status(number, delete_media) if ref is None else _delete_boost(ref)


def _delete_boost(ref: BoostRef) -> Status:
    shown = present_boost(ref)
    if ref.booster_uid != g.viewer.uid:
        raise NotFound("no_status")
    boosts.unboost(site(), g.viewer.uid, ref.status_id)
    return shown


def _delete_status(status_id: int, delete_media: bool) -> Status:
    shown, (status, _) = present_one(status_id), load(status_id)
    uid = g.viewer.uid
    names = store.delete(site(), uid, status_id)
    if delete_media:
        staging.discard(site(), uid, names)
    else:
        with suppress(NotFound):  # the worker removes released pictures
            for picture in status.pictures:
                uploads.remember(db(), uid, picture)
    return msgspec.structs.replace(shown, text=status.text)


@bp.declare("GET /api/v1/statuses/<id:status_id>/source", "read:statuses")
def source(status_id: int) -> Source:
    """Return the text of a status as it was written."""
    status, _ = load(status_id)
    return Source(str(status.id), status.text, status.cw)


@bp.declare("GET /api/v1/statuses/<id:status_id>/context", "", public=True)
def context(status_id: int) -> Context:
    """Return the thread of a status."""
    parts = _parts(status_id)
    state = reduce(ViewerState.merge, (part.viewer_state for part in parts.values()))
    steps = chain.from_iterable((part.status, *part.ancestors) for part in parts.values())
    above = {one.id: one for one in steps if isinstance(one, Stored) and one.id < status_id}
    items = [*(above[number] for number in sorted(above)), *_below(status_id, parts)]
    shown = present(items, state, "thread")
    are_above = [int(one.id) < status_id for one in shown]
    return Context(shown[: sum(are_above)], shown[sum(are_above) :])


def _parts(status_id: int) -> dict[int, Thread]:
    """Return the pages of a thread above and below a status, each by the status it is about."""
    wanted, parts = [status_id], {}
    for number in wanted:  # which grows meanwhile
        size = CONTEXT_MAX if number >= status_id else 1
        parts[number] = part = threads.thread(db(), number, viewer_uid(), (), size)
        deepest = (node.content for node in part.descendants if node.has_more_replies)
        further = [part.earlier] if number <= status_id else []
        wanted += [one.id for one in (*further, *deepest) if isinstance(one, Stored)]
        if len(parts) == PARTS_MAX:
            break
    return parts


def _below(status_id: int, parts: Mapping[int, Thread]) -> Iterator[Stored]:
    """Yield the statuses below one, each before those that answer it."""
    for node in (*parts[status_id].descendants, *parts[status_id].hidden):
        if isinstance(node.content, Stored):
            yield node.content
            if node.content.id in parts:
                yield from _below(node.content.id, parts)


@bp.declare("GET /api/v1/statuses/<id:status_id>/history", "", public=True)
def history(status_id: int) -> list[StatusEdit]:
    """Return all versions of a status, the first one first."""
    found = editing.history(db(), status_id, viewer_uid())
    status, base = with_signed_pictures(found.status), site_address()
    account = db().read(accounts_of([status.author.uid]))[status.author.uid]
    media = [media_attachment(picture, base) for picture in status.pictures]
    poll = poll_of(status, ViewerState(), viewer_uid())  # the vote of the reader is left out
    return [
        StatusEdit(
            content=to_html(version.text, version.entities, base),
            spoiler_text=version.cw,
            sensitive=bool(version.cw) or version.sensitive,
            created_at=format_time(version.created_at),
            account=account,
            media_attachments=media,
            poll=poll or UNSET,
        )
        for version in reversed(found.versions)
    ]


@bp.declare("PUT /api/v1/statuses/<id:status_id>", "write:statuses", limit="post")
def edit(params: EditParameters, status_id: int) -> Status:
    """Edit one of the caller's statuses: its text, its warning, how its pictures are described."""
    status, _ = load(status_id)
    poll = converted(PollParameters, params.poll).options if params.poll else None
    if poll is not None and poll != (status.poll.options if status.poll else ()):
        raise invalid("Poll of a post can't be changed")
    text = status.text if params.status is None else params.status
    parsed = parsed_text(text, is_required=not (status.pictures or status.poll))
    cw = status.cw if params.spoiler_text is None else warning_line(params.spoiler_text)
    pictures = params.described(status.pictures)
    if params.quote_approval_policy:
        policy = quote_policy(params.quote_approval_policy)
        quotes.set_quote_policy(db(), g.viewer.uid, status_id, policy)
    editing.edit(
        site(),
        g.viewer.uid,
        status_id,
        parsed,
        cw,
        status.revision,
        pictures,
        sensitive=params.sensitive,
        language=clean_tag(params.language) or status.lang,
    )
    return present_one(status_id)
