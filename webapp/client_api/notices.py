"""A member's notifications one by one, as apps show them, and up to where they were read."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.store.client import Db
from webapp.core.store.reads import Read, read
from webapp.notifications import keys as notification_keys
from webapp.notifications.entries import Entry
from webapp.notifications.store import entries_of, hidden_actors
from webapp.statuses.lookup import Entry as StatusEntry
from webapp.timelines import keys as timeline_keys

TYPES = {  # of clients, by the kind of the site; kinds without one are left out
    "mention": "mention",
    "reply": "mention",
    "quote": "mention",
    "like": "favourite",
    "boost": "reblog",
    "follow": "follow",
    "request": "follow_request",
    "poll": "poll",
    "post": "status",
}


def visible_notices(db: Db, uid: int) -> list[Entry]:
    """Return a member's notifications that apps show, newest first. Two trips."""
    known = [entry for entry in db.read(entries_of(uid)) if entry.kind.name in TYPES]
    hidden, _ = hidden_actors(db, uid, {entry.actor for entry in known})
    return [entry for entry in known if entry.actor not in hidden]


def subject_of(entry: Entry, uid: int) -> StatusEntry | None:
    """Return the status that a notification is about, None for none."""
    author = uid if entry.kind.about_own_status else entry.actor
    return (entry.subject, author) if entry.subject else None


def remove(db: Db, uid: int, entries: Sequence[Entry]) -> None:
    """Remove notifications. Safe to repeat. One trip."""
    if entries:
        texts = [entry.text for entry in entries]
        db.trip(
            ("ZREM", notification_keys.notifications(uid), *texts),
            ("SREM", notification_keys.unread_notifications(uid), *texts),
        )


def markers(uid: int) -> Read[dict[str, int]]:
    """Read up to where a member has read, by timeline."""
    return read(("ZRANGE", timeline_keys.markers(uid), 0, -1, "WITHSCORES"), _parse_markers)


def mark(db: Db, uid: int, marks: dict[str, int]) -> None:
    """Note up to where a member has read some timelines. A mark never goes back. One trip."""
    entries = [part for name, last in marks.items() for part in (last, name)]
    if entries:
        db.run(("ZADD", timeline_keys.markers(uid), "GT", *entries))


def _parse_markers(flat: Sequence[str]) -> dict[str, int]:
    return {name: int(last) for name, last in zip(flat[::2], flat[1::2], strict=True)}
