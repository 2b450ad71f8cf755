"""Scheduled statuses, which are drafts with a time."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import visibility_name
from webapp.client_api.entities.media import MediaAttachment, media_attachment, media_id
from webapp.client_api.http import Listed, Paging, format_time, invalid, site_address
from webapp.core.errors import NotFound
from webapp.core.text.parser import Unacceptable
from webapp.core.web import db, site
from webapp.statuses import Picture
from webapp.statuses.attachments import staging
from webapp.statuses.drafts import store as drafts
from webapp.statuses.drafts.schedule_forms import SCHEDULE_MAX
from webapp.statuses.drafts.store import Draft
from webapp.statuses.polls.forms import poll_from_fields

bp = ApiBlueprint("scheduled")
SOONEST_SECONDS = 300


class ScheduledStatus(msgspec.Struct):
    """A status to be posted."""

    id: str
    scheduled_at: str
    params: dict[str, Any]
    media_attachments: list[MediaAttachment]


@bp.declare("GET /api/v1/scheduled_statuses", "read:statuses")
def index(params: Paging) -> Listed[ScheduledStatus]:
    """Return the caller's scheduled statuses, the next first. A cursor is the id of one of them."""
    found = drafts.list_all(db(), g.viewer.uid)[0]
    places: dict[int | None, int] = {_number(one): at for at, one in enumerate(found)}
    part = found[places.get(params.max_id, -1) + 1 : places.get(params.floor)]
    page = part[-params.size :] if params.min_id is not None else part[: params.size]
    older = _number(page[-1]) if page and page[-1] is not part[-1] else None
    shown = [_entity(one) for one in page]
    return Listed(shown, older, _number(page[0]) if page else None)


@bp.declare("GET /api/v1/scheduled_statuses/<id:number>", "read:statuses")
def show(number: int) -> ScheduledStatus:
    """Return a scheduled status."""
    return _entity(_numbered(number))


@bp.declare("PUT /api/v1/scheduled_statuses/<id:number>", "write:statuses", limit="draft")
def change(number: int, scheduled_at: str = "") -> ScheduledStatus:
    """Change when a status is posted."""
    found = _numbered(number)
    fields, pictures = dict(found.fields), list(found.pictures)
    return schedule(found.form_key, fields, scheduled_at, pictures, found.saved_ms)


@bp.declare("DELETE /api/v1/scheduled_statuses/<id:number>", "write:statuses")
def delete(number: int) -> None:
    """Delete a scheduled status."""
    names = drafts.delete(db(), g.viewer.uid, _numbered(number).form_key)
    staging.discard(site(), g.viewer.uid, names)


def schedule(
    form_key: str, fields: dict[str, str], when: str, pictures: list[Picture], expected: str = ""
) -> ScheduledStatus:
    """Save a status to be posted at a time. `expected`: as of `drafts.save`."""
    due = parse_time(when)
    drafts.save(site(), g.viewer.uid, form_key, fields, due, pictures, expected=expected)
    return _entity(drafts.get(db(), g.viewer.uid, form_key))


def parse_time(text: str) -> datetime:
    """Return a time in ISO 8601, at least five minutes and at most a year away. Raises Invalid."""
    due = read_time(text)
    seconds = (due - datetime.now(UTC)).total_seconds()
    if seconds < SOONEST_SECONDS:
        raise invalid("Scheduled at The scheduled date must be in the future")
    if seconds > SCHEDULE_MAX.total_seconds():
        raise invalid("Scheduled at The scheduled date must be within a year")
    return due


def read_time(text: str) -> datetime:
    """Return a time in ISO 8601, in UTC if it names no zone. Raises Invalid."""
    try:
        due = datetime.fromisoformat(text)
    except ValueError:
        raise invalid("Scheduled at is invalid") from None
    return due if due.tzinfo else due.replace(tzinfo=UTC)


def _numbered(number: int) -> Draft:
    scheduled, _ = drafts.list_all(db(), g.viewer.uid)
    found = (one for one in scheduled if _number(one) == number)
    return NotFound.unless(next(found, None), "no_draft")


def _number(draft: Draft) -> int:
    """Return the number by which clients know a draft, made from its key."""
    return int.from_bytes(draft.form_key.encode()[:6].rjust(6, b"0")) + 1


def _poll(fields: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the poll of a draft, None if it has none that is valid."""
    try:
        poll = poll_from_fields(fields)
    except (ValueError, Unacceptable):
        return None
    if poll is None:
        return None
    return {
        "options": list(poll.options),
        "expires_in": poll.minutes * 60,
        "multiple": poll.multiple,
        "hide_totals": False,
    }


def _entity(draft: Draft) -> ScheduledStatus:
    fields = draft.fields
    # That of a reply in a closed group is not stored: it is always its parent's.
    visibility = fields.get("visibility") or ("group" if fields.get("reply") else "")
    params = {
        "text": fields.get("text", ""),
        "poll": _poll(fields),
        "media_ids": [str(media_id(one)) for one in draft.pictures] or None,
        "sensitive": bool(fields.get("sensitive")),
        "spoiler_text": fields.get("cw") or None,
        "visibility": visibility_name(visibility),
        "in_reply_to_id": fields.get("reply") or None,
        "language": None,
        "application_id": 0,
        "scheduled_at": None,
        "idempotency": None,
        "with_rate_limit": False,
    }
    base = site_address()
    media = [media_attachment(picture, base) for picture in draft.pictures]
    when = format_time(draft.due) if draft.due else ""
    return ScheduledStatus(str(_number(draft)), when, params, media)
