"""Events as projections get them."""

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Event
from webapp.core.store import Db, partition_of, to_dict
from webapp.streaming import keys as stream_keys


def event(kind: str, uid: int, /, *, token: int = 1, group: str = "log", **data: object) -> Event:
    """Return an event of a member's partition under a lease's token."""
    fields = {name: str(value) for name, value in data.items()}
    return Event("1-1", partition_of(uid), group, token, kind, "-", fields)


def current_event(db: Db, kind: str, uid: int, /, *, group: str = "log", **data: object) -> Event:
    """Return an event of a member's partition under the current token of its lease."""
    token = db.run(("HGET", event_keys.lease(partition_of(uid), group), "token"))
    return event(kind, uid, token=int(token or 1), group=group, **data)


def waiting_events(db: Db, uid: int) -> int:
    """Return how many events of a member's partition wait for the workers."""
    return int(db.run(("XLEN", event_keys.outbox(partition_of(uid)))))


def event_types(db: Db, uid: int) -> list[str]:
    """Return the types of the events in a partition's outbox."""
    entries = db.run(("XRANGE", event_keys.outbox(partition_of(uid)), "-", "+"))
    return [to_dict(fields)["type"] for _, fields in entries]


def event_log(db: Db) -> list[dict[str, str]]:
    """Return the fields of each entry of the log that streams read, the oldest first."""
    return [to_dict(fields) for _, fields in db.run(("XRANGE", stream_keys.event_log(), "-", "+"))]
