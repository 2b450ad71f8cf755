"""Notifications, and the places up to which they and Home were read."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.http import Listed, format_time
from webapp.client_api.newer import cut
from webapp.client_api.news import notices
from webapp.client_api.news.notices import Notification, NotificationParameters
from webapp.core.errors import NotFound
from webapp.core.store import parse_id
from webapp.core.store.reads import OptionalCommand
from webapp.core.web import db
from webapp.notifications.entries import Entry
from webapp.timelines.home import frame

bp = ApiBlueprint("notifications")


class Marker(msgspec.Struct):
    """Up to where a timeline was read."""

    last_read_id: str
    version: int
    updated_at: str


@bp.declare("GET /api/v1/notifications", "read:notifications")
def index(params: NotificationParameters) -> Listed[Notification]:
    """Return the caller's notifications, newest first."""
    entries = notices.visible_notices(db(), g.viewer.uid)
    wanted = [entry for entry in entries if params.includes(entry)]
    page = cut(wanted, params, lambda entry: entry.created_us)
    return page.showing(_present(page.items))


@bp.declare("GET /api/v1/notifications/<id:number>", "read:notifications")
def show(number: int) -> Notification:
    """Return one notification."""
    return NotFound.unless(_present(_numbered(number)), "no_notification")[0]


@bp.declare("POST /api/v1/notifications/clear", "write:notifications")
def clear() -> None:
    """Remove all notifications that apps show."""
    notices.remove(db(), g.viewer.uid, notices.visible_notices(db(), g.viewer.uid))


@bp.declare("POST /api/v1/notifications/<id:number>/dismiss", "write:notifications")
def dismiss(number: int) -> None:
    """Remove one notification."""
    notices.remove(db(), g.viewer.uid, _numbered(number))


@bp.declare("GET /api/v1/notifications/unread_count", "read:notifications")
def unread(params: NotificationParameters) -> dict[str, int]:
    """Return how many notifications were not seen yet."""
    unseen = notices.unread_notices(db(), g.viewer.uid)
    return {"count": sum(map(params.includes, unseen))}


@bp.declare("GET /api/v1/markers", "read:statuses")
def markers(timeline: tuple[str, ...] = ()) -> dict[str, Marker]:
    """Return up to where timelines were read. Notifications are read on pages of the site too."""
    uid = g.viewer.uid
    found, seen = db().fetch(frame.markers(uid), notices.seen_up_to(uid))
    if seen > found.get("notifications", 0):
        db().run(OptionalCommand(frame.mark_read_command(uid, notifications=seen)))
        found = db().read(frame.markers(uid))
    asked = {"home", "notifications"}.intersection(timeline, found)
    return {name: _marker(found, name) for name in sorted(asked)}


@bp.declare("POST /api/v1/markers", "write:statuses")
def mark(
    home: dict[str, Any] | None = None, notifications: dict[str, Any] | None = None
) -> dict[str, Marker]:
    """Note up to where timelines were read. Notifications up to there then count as seen.

    Each timeline is sent with `last_read_id`.
    """
    sent = {"home": home, "notifications": notifications}
    last = {name: str((given or {}).get("last_read_id", "")) for name, given in sent.items()}
    marks = {name: number for name, text in last.items() if (number := parse_id(text))}
    frame.mark_read(db(), g.viewer.uid, **marks)
    if "notifications" in marks:
        notices.mark_seen(db(), g.viewer.uid, marks["notifications"])
    found = db().read(frame.markers(g.viewer.uid))
    return {name: _marker(found, name) for name in marks}


def _numbered(number: int) -> list[Entry]:
    entries = notices.visible_notices(db(), g.viewer.uid)
    found = [entry for entry in entries if entry.created_us == number]
    return NotFound.unless(found, "no_notification")


def _present(entries: Sequence[Entry]) -> list[Notification]:
    return notices.present_notices([(g.viewer.uid, entries)])[0]


def _marker(found: Mapping[str, int], name: str) -> Marker:
    at = found.get(f"{name}:at")  # none yet of one that an earlier version wrote
    written = datetime.fromtimestamp(at / 1000, UTC) if at else datetime.now(UTC)
    return Marker(str(found[name]), found.get(f"{name}:version", 0), format_time(written))
