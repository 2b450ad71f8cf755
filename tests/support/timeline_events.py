"""Events of timelines."""

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Event
from webapp.core.store import Db, partition_of


def event(db: Db, kind: str, uid: int, status_id: int = 0, token: int | None = None) -> Event:
    """Return an event of the member's partition with its current lease token, or this one."""
    lease_token = (
        db.run(("HGET", event_keys.lease(partition_of(uid), "log"), "token"))
        if token is None
        else token
    )
    data = {"id": str(status_id), "author": str(uid), "uid": str(uid)}
    return Event("1-1", partition_of(uid), "log", int(lease_token or 1), kind, "-", data)
