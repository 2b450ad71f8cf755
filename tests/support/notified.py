"""Notifications as their members read them."""

from webapp.core.store import Db
from webapp.notifications import keys as notification_keys, store
from webapp.notifications.kinds import KINDS

Entry = tuple[str, int, int]  # kind, uid of its actor, id of its subject


def notified(db: Db, uid: int) -> list[Entry]:
    """Return what others did, newest first. Check that the list holds all unread entries."""
    entries, unread = db.trip(
        ("ZRANGE", notification_keys.notifications(uid), 0, -1, "REV"),
        ("SMEMBERS", notification_keys.unread_notifications(uid)),
    )
    assert set(unread) <= set(entries)
    parts = [entry.split(":") for entry in entries if not KINDS[entry.split(":")[0]].about_own]
    return [(kind, int(actor), int(subject)) for kind, actor, subject in parts]


def unread(db: Db, uid: int) -> int:
    return int(db.read(store.unread_count(uid)))
