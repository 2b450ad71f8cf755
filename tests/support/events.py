"""Events as projections get them."""

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Event
from webapp.core.store import Db, partition_of


def event(kind: str, uid: int, /, *, token: int = 1, group: str = "log", **data: object) -> Event:
    """Return an event of a member's partition under a lease's token."""
    fields = {name: str(value) for name, value in data.items()}
    return Event("1-1", partition_of(uid), group, token, kind, "-", fields)


def current_event(db: Db, kind: str, uid: int, /, *, group: str = "log", **data: object) -> Event:
    """Return an event of a member's partition under the current token of its lease."""
    token = db.run(("HGET", event_keys.lease(partition_of(uid), group), "token"))
    return event(kind, uid, token=int(token or 1), group=group, **data)
