"""One partition's consumer for the group `bulk`: it applies one event after another, in slices.

A slice is bounded. Between two slices the worker renews its leases, serves other partitions and may
stop. The store remembers how far an event is, so another worker continues there.
"""

import time
from typing import Any

from webapp.core.errors import LeaseLost, Unavailable
from webapp.core.events import attempts
from webapp.core.events.consumer import IsStopping
from webapp.core.events.outbox import BULK, BulkProjection, Context, Event, Heartbeat
from webapp.core.events.registry import Registry
from webapp.core.logs import log, request_id
from webapp.core.store import Command, Site, Steps, script, to_dict
from webapp.core.store.replies import typed_error

READ_BULK = script("core/events/lua/read_bulk.lua")
SAVE_PROGRESS = script("core/events/lua/save_progress.lua")
DONE = "done"  # the position of an event that needs no further slice


class BulkConsumer:
    """One partition's bulk events, held under a lease's token."""

    group = BULK

    def __init__(self, site: Site, registry: Registry, partition: int, token: int) -> None:
        self._site, self._bulk = site, registry.bulk
        self.partition, self.token = partition, token
        self._retry_at = 0.0

    @property
    def ready(self) -> bool:
        """Return False during the pause after a failure."""
        return time.monotonic() >= self._retry_at

    def command(self) -> Command:
        """Return the command that reads the first event. Its reply goes to `apply`."""
        return READ_BULK(partition=self.partition, BULK=BULK, token=self.token)

    def reread_pending(self) -> None:
        """Do nothing: each read begins with the first event."""

    def apply_in_steps(
        self, reply: Any, heartbeat: Heartbeat, is_stopping: IsStopping
    ) -> Steps[bool]:
        """Do as `apply`, without a step: a slice takes trips of its own. A stopped worker waits."""
        yield from ()
        return not is_stopping() and self.apply(reply, heartbeat)

    def apply(self, reply: Any, heartbeat: Heartbeat) -> bool:
        """Apply one slice of the event in the reply to `command`. Return True if there may be more.

        Raises LeaseLost, Unavailable.
        """
        if isinstance(reply, Exception):
            raise typed_error(reply)
        if not reply:
            return False
        event_id, fields, position, attempt = reply
        data = to_dict(fields)
        kind, rid = data.pop("type"), data.pop("rid", "-")
        event = Event(event_id, self.partition, BULK, self.token, kind, rid, data)
        token = request_id.set(rid)
        try:
            return self._attempt(event, position, int(attempt), heartbeat)
        finally:
            request_id.reset(token)

    def _attempt(self, event: Event, position: str, attempt: int, heartbeat: Heartbeat) -> bool:
        """Apply one slice. Return False if it failed and waits for its next attempt."""
        if attempt > self._site.config.attempts_max:
            attempts.park(self._site.db, event, "its worker died", self._site.config.parked_max)
            self._save(event, DONE)
            return True
        try:
            self._save(event, self._apply_slice(event, position, heartbeat))
        except LeaseLost:
            raise
        except Unavailable:
            self._save(event, position)  # forgets the attempt: the event was not the cause
            raise
        except Exception as error:
            pause = attempts.handle_failure(self._site, event, error, attempt)
            if pause is not None:
                self._retry_at = time.monotonic() + pause
                return False
            self._save(event, DONE)
        return True

    def _apply_slice(self, event: Event, position: str, heartbeat: Heartbeat) -> str:
        """Continue at `position` until one projection has more to do. Return the new position."""
        context = Context(self._site.db, self._site.config, heartbeat)
        projections = {name_of(one): one for one in self._bulk.get(event.type, ())}
        name, _, cursor = position.partition(" ")
        names = list(projections)
        if name not in projections:  # at the beginning, or another version of the site began
            name, cursor = next(iter(names), ""), ""
        for current in names[names.index(name) :] if name else ():
            next_cursor = projections[current](context, event, cursor)
            if next_cursor is not None:
                return f"{current} {next_cursor}"
            heartbeat()
            cursor = ""
        return DONE

    def _save(self, event: Event, position: str) -> None:
        """Save how far an event is. One trip. Raises LeaseLost."""
        command = SAVE_PROGRESS(
            partition=self.partition,
            BULK=BULK,
            token=self.token,
            event_id=event.id,
            position=position,
        )
        self._site.db.run(command)
        if position == DONE:
            log.info("applied %s %s p=%d id=%s", *attempts.describe(event))


def name_of(projection: BulkProjection) -> str:
    """Return the name of a projection in a position."""
    return f"{projection.__module__}.{projection.__qualname__}"
