"""Notifications, and the places up to which they and Home were read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from flask import g

from webapp.client_api import notices
from webapp.client_api.declaration import endpoint
from webapp.client_api.entities.account import Account
from webapp.client_api.entities.status import Status
from webapp.client_api.http.blueprint import api_blueprint
from webapp.client_api.http.parameters import Id, Paging, Parameters
from webapp.client_api.http.responses import Listed, format_time
from webapp.client_api.presentation import accounts_of, present_entries
from webapp.core.errors import NotFound
from webapp.core.web.context import db
from webapp.notifications import store
from webapp.notifications.entries import Entry

bp = api_blueprint("notifications")


class NotificationParameters(Paging):
    """Which notifications are wanted, by type and by who caused them."""

    limit: int = 40
    types: tuple[str, ...] = ()
    exclude_types: tuple[str, ...] = ()
    account_id: Id | None = None


class Marks(Parameters):
    """`home` and `notifications`: each with `last_read_id`."""

    home: dict[str, Any] | None = None
    notifications: dict[str, Any] | None = None


class TimelinesParameters(Parameters):
    """The timelines whose markers are wanted."""

    timeline: tuple[str, ...] = ()


class Notification(msgspec.Struct, kw_only=True):
    """Something that somebody did. Its id is when it was noted, in unix microseconds."""

    id: str
    type: str
    created_at: str
    account: Account
    status: Status | None
    group_key: str


class Marker(msgspec.Struct):
    """Up to where a timeline was read."""

    last_read_id: str
    version: int
    updated_at: str


@endpoint(bp, "GET /api/v1/notifications", "read:notifications")
def index(params: NotificationParameters) -> Listed[Notification]:
    """Return what others did, newest first."""
    entries = notices.visible_notices(db(), g.viewer.uid)
    wanted = [entry for entry in entries if _is_in(entry, params)]
    if params.min_id is not None:
        wanted = wanted[-params.size :]
    page = wanted[: params.size]
    older = page[-1].created_us if len(wanted) > params.size else None
    return Listed(_present(page), older, page[0].created_us if page else None)


@endpoint(bp, "GET /api/v1/notifications/<id:number>", "read:notifications")
def show(number: int) -> Notification:
    """Return one notification."""
    if not (found := _present(_numbered(number))):
        raise NotFound("no_notification")
    return found[0]


@endpoint(bp, "POST /api/v1/notifications/clear", "write:notifications")
def clear() -> None:
    """Remove all notifications."""
    notices.remove(db(), g.viewer.uid, db().read(store.entries_of(g.viewer.uid)))


@endpoint(bp, "POST /api/v1/notifications/<id:number>/dismiss", "write:notifications")
def dismiss(number: int) -> None:
    """Remove one notification."""
    notices.remove(db(), g.viewer.uid, _numbered(number))


@endpoint(bp, "GET /api/v1/notifications/unread_count", "read:notifications")
def unread() -> dict[str, int]:
    """Return how many notifications were not seen yet."""
    return {"count": db().read(store.unread_count(g.viewer.uid))}


@endpoint(bp, "GET /api/v1/markers", "read:statuses")
def markers(params: TimelinesParameters) -> dict[str, Marker]:
    """Return up to where timelines were read."""
    found = db().read(notices.markers(g.viewer.uid))
    return {name: _marker(last) for name, last in found.items() if name in params.timeline}


@endpoint(bp, "POST /api/v1/markers", "write:statuses")
def mark(params: Marks) -> dict[str, Marker]:
    """Note up to where timelines were read. Notifications then count as seen."""
    sent = {"home": params.home, "notifications": params.notifications}
    last = {name: str((given or {}).get("last_read_id", "")) for name, given in sent.items()}
    marks = {name: int(text) for name, text in last.items() if text.isdecimal() and len(text) < 17}
    notices.mark(db(), g.viewer.uid, marks)
    if "notifications" in marks:
        store.mark_all(db(), g.viewer.uid)
    found = db().read(notices.markers(g.viewer.uid))
    return {name: _marker(found[name]) for name in marks}


def _is_in(entry: Entry, params: NotificationParameters) -> bool:
    kind = notices.TYPES[entry.kind.name]
    floor = max(params.since_id or 0, params.min_id or 0)
    return (
        (not params.types or kind in params.types)
        and kind not in params.exclude_types
        and params.account_id in (None, entry.actor)
        and entry.created_us > floor
        and (params.max_id is None or entry.created_us < params.max_id)
    )


def _numbered(number: int) -> list[Entry]:
    entries = db().read(store.entries_of(g.viewer.uid))
    found = [entry for entry in entries if entry.created_us == number]
    if not found:
        raise NotFound("no_notification")
    return found


def _present(entries: Sequence[Entry]) -> list[Notification]:
    """Return notifications whose status, if they are about one, may still be seen."""
    uid = g.viewer.uid
    subjects = {entry: subject for entry in entries if (subject := notices.subject_of(entry, uid))}
    statuses = present_entries(subjects.values())
    accounts = db().read(accounts_of(entry.actor for entry in entries))
    return [
        Notification(
            id=str(entry.created_us),
            type=notices.TYPES[entry.kind.name],
            created_at=format_time(datetime.fromtimestamp(entry.created_us / 1_000_000, UTC)),
            account=accounts[entry.actor],
            status=statuses.get(entry.subject),
            group_key=f"ungrouped-{entry.created_us}",
        )
        for entry in entries
        if entry.actor in accounts and (entry not in subjects or entry.subject in statuses)
    ]


def _marker(last: int) -> Marker:
    """Return a marker. It only moves forwards, so its place is its version."""
    return Marker(str(last), last, format_time(datetime.now(UTC)))
