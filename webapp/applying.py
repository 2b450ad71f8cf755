"""Applying events: one partition's outbox, for one group, in order, each event until it worked or was parked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from redis.exceptions import ResponseError

from . import keys
from .config import Config
from .db import Db, script
from .errors import LeaseLost, Unavailable
from .events import Beat, Context, Event, Projection, request_id
from .following import projections as following
from .logs import log
from .streaming import projections as streaming
from .timelines import projections as timelines

PARK = script("park.lua")
SWEEP = script("sweep.lua")
CONSUMER = "owner"  # one fixed name: a new owner finds its predecessor's unfinished entries under it
BATCH = 100  # events read at once
SWEEP_EVERY = 1_000  # events applied between two sweeps of a busy partition
BACKOFF_SECONDS = 0.2  # before an event that failed is tried again, doubled each time

# What is done for each event, in this order, by each group.
PROJECTIONS: dict[str, dict[str, Sequence[Projection]]] = {
    "log": {
        "posted": (timelines.publish, streaming.append),
        "deleted": (timelines.publish, streaming.append),
    },
    "fanout": {
        "posted": (timelines.push,),
        "deleted": (timelines.take_back,),
        "followed": (following.mirror, timelines.backfill),
        "unfollowed": (following.mirror,),
    },
}


class Outbox:
    """One partition's events for one group, held under a lease's token."""

    def __init__(self, db: Db, config: Config, group: str, partition: int, token: int) -> None:
        self._db, self._config = db, config
        self.group, self.partition, self.token = group, partition, token
        self._key = keys.outbox(partition)
        self._unfinished = True  # a predecessor's entries, or one that failed: read those first
        self._applied = 0
        self._not_before = 0.0

    @property
    def ready(self) -> bool:
        """False while an event that failed is given time."""
        return time.monotonic() >= self._not_before

    def command(self) -> tuple[object, ...]:
        """The command whose reply goes to `apply`."""
        start = "0" if self._unfinished else ">"
        return ("XREADGROUP", "GROUP", self.group, CONSUMER, "COUNT", BATCH, "STREAMS", self._key, start)

    def apply(self, reply: Any, beat: Beat) -> bool:
        """Applies the events in the reply to `command`, in order; True when there may be more. Raises LeaseLost,
        Unavailable.
        """
        if isinstance(reply, ResponseError):  # the outbox, or its group, is not there yet
            self._db.replies([("XGROUP", "CREATE", self._key, self.group, "0", "MKSTREAM")])
            return True
        entries = reply[0][1] if reply else []
        if not entries:
            was, self._unfinished = self._unfinished, False
            return was
        done: list[str] = []
        try:
            for entry_id, fields in entries:
                if not self._try(entry_id, fields, beat):
                    break
                done.append(entry_id)
        finally:
            self._acknowledge(done)
        return len(done) == len(entries)

    def sweep(self) -> None:
        """Drops what both groups have applied."""
        self._applied = 0
        self._db.replies([SWEEP([self._key])])

    def _try(self, entry_id: str, fields: list[str] | None, beat: Beat) -> bool:
        """True when the event is done with: applied, parked, or not for this group."""
        event = self._event(entry_id, fields or [])
        # Attempts after the first are counted as they begin: an event that kills its worker must not go on for ever.
        attempt = self._count(event) if self._unfinished else 0
        if attempt > self._config.attempts_max:
            return self._park(event, "its worker died")
        token = request_id.set(event.rid)
        try:
            self._project(event, beat)
            return True
        except (LeaseLost, Unavailable):
            self._unfinished = True
            raise
        except Exception as error:
            return self._failed(event, error, attempt or self._count(event))
        finally:
            request_id.reset(token)

    def _project(self, event: Event, beat: Beat) -> None:
        only = event.data.get("only")  # an event that was parked in one group comes back for that group
        if not only or only == self.group:
            for projection in PROJECTIONS[self.group].get(event.type, ()):
                projection(Context(self._db, self._config, beat), event)
            log.debug("applied %s %s p=%d id=%s", self.group, event.type, self.partition, event.id)

    def _failed(self, event: Event, error: Exception, attempt: int) -> bool:
        """Parks an event that failed too often; gives any other one time."""
        where = (self.group, event.type, self.partition, event.id)
        log.warning("%s %s p=%d id=%s failed %d times: %r", *where, attempt, error)
        if attempt >= self._config.attempts_max:
            return self._park(event, repr(error)[:500])
        self._unfinished = True
        self._not_before = time.monotonic() + BACKOFF_SECONDS * 2 ** (attempt - 1)
        return False

    def _count(self, event: Event) -> int:
        field = f"{self.group}:{event.id}"
        return int(self._db.run(("HINCRBY", keys.attempts(self.partition), field, 1)))

    def _park(self, event: Event, reason: str) -> bool:
        names = [self._key, keys.parked(self.partition), keys.attempts(self.partition)]
        self._db.run(PARK(names, self.group, event.id, reason, self._config.parked_max))
        log.error("parked %s %s p=%d id=%s: %s", self.group, event.type, self.partition, event.id, reason)
        return True

    def _acknowledge(self, done: list[str]) -> None:
        if not done:
            return
        commands: list[tuple[object, ...]] = [("XACK", self._key, self.group, *done)]
        if self._unfinished:
            commands.append(("HDEL", keys.attempts(self.partition), *(f"{self.group}:{entry_id}" for entry_id in done)))
        self._applied += len(done)
        if self._applied >= SWEEP_EVERY:
            self._applied = 0
            commands.append(SWEEP([self._key]))
        self._db.trip(*commands)

    def _event(self, entry_id: str, fields: list[str]) -> Event:
        data = dict(zip(fields[::2], fields[1::2], strict=True))
        kind, rid = data.pop("type", "dropped"), data.pop("rid", "-")
        return Event(entry_id, self.partition, self.group, self.token, kind, rid, data)
