"""Apply the events of acts in this process, through the site's own projections.

A worker takes the events of one partition after the other. Here they are taken in the order of the
acts, over all partitions, and consecutive ones of a type share trips. So each list gets its entries
in the order, and at the times, that a worker would have given them which was never late.
"""

import os
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import TracebackType
from typing import Self

from webapp.core.errors import LeaseLost
from webapp.core.events import keys
from webapp.core.events.consumer import count_events
from webapp.core.events.leases import Leases
from webapp.core.events.outbox import BULK, GROUPS, OUTBOX_GROUPS, Context, Event, Projection
from webapp.core.logs import request_id
from webapp.core.reporter import Reporter
from webapp.core.store import PARTITIONS, Site, to_dict
from webapp.registry import REGISTRY
from webapp.statuses.live_counts import keys as live_count_keys
from webapp.streaming.log import projections as stream

from .clock import DatedToken, PastDb, event_time

RUN_MAX = 100  # events applied together
TRIES = 3  # to take the leases: a worker may take one that was just set free
# Live pages and streams do not get old events.
LEFT_OUT: tuple[Projection, ...] = (stream.append, stream.append_tallies)


@dataclass(frozen=True, slots=True)
class Applier(Site):
    """Applies events under the leases of all partitions, which it takes from running workers."""

    db: PastDb
    leases: dict[str, Leases]  # by group; they go by the real time
    reporter: Reporter

    @classmethod
    def over(cls, site: Site, db: PastDb) -> Self:
        """Return an applier of the acts done through `db` on a site."""
        owner = f"demo:{socket.gethostname()}:{os.getpid()}"
        leases = {group: Leases(site, group, owner) for group in GROUPS}
        return cls(db, site.config, leases, Reporter(Site(db, site.config), "demo"))

    def __enter__(self) -> Self:
        """Take all leases. A worker that held one notices before it writes.

        Raises LeaseLost if workers are quicker each time.
        """
        for group, leases in self.leases.items():
            for _ in range(TRIES):
                free = [p for p in range(PARTITIONS) if p not in leases.held]
                self.db.trip_all(("HSET", keys.lease(p, group), "until", 0) for p in free)
                leases.acquire(range(PARTITIONS))
        self._require_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give all leases up. Workers apply the rest."""
        request_id.set("-")  # acts have set their own
        for leases in self.leases.values():
            leases.release()
        self.reporter.stop()

    def apply(self) -> None:
        """Apply all waiting events, and those that they cause. Report the figures of that time.

        Raises LeaseLost, Unavailable.
        """
        for leases in self.leases.values():
            if leases.is_due():
                leases.acquire(range(PARTITIONS))
        self._require_all()
        while events := self._waiting():
            for run in _runs(events):
                self._apply_run(run)
                count_events(run)
            self._drop(events)
        self.reporter.flush()

    def _require_all(self) -> None:
        if any(len(leases.held) < PARTITIONS for leases in self.leases.values()):
            raise LeaseLost

    def _waiting(self) -> list[Event]:
        """Return the waiting events, in the order of their acts. One trip."""
        outboxes = self.db.trip_all(
            ("XRANGE", keys.outbox(partition), "-", "+") for partition in range(PARTITIONS)
        )
        events = [
            self._event(partition, entry_id, to_dict(fields))
            for partition, entries in enumerate(outboxes)
            for entry_id, fields in entries
        ]
        return sorted(events, key=_time_of)

    def _event(self, partition: int, entry_id: str, data: dict[str, str]) -> Event:
        return Event(entry_id, partition, "", 0, data.pop("type"), data.pop("rid"), data)

    def _apply_run(self, run: Sequence[Event]) -> None:
        context = Context(self.db, self.config, lambda: None)
        for group in OUTBOX_GROUPS:
            events = [self._held(event, group) for event in run]
            for projection in REGISTRY.projections[group].get(run[0].type, ()):
                if projection not in LEFT_OUT:
                    projection(context, events)
        for event in run:
            request_id.set(event.rid)
            for slices in REGISTRY.bulk.get(event.type, ()):
                cursor: str | None = ""
                while cursor is not None:
                    cursor = slices(context, self._held(event, BULK), cursor)

    def _held(self, event: Event, group: str) -> Event:
        """Return the event for one group, with the token of its lease."""
        token = self.leases[group].held[event.partition]
        return replace(event, group=group, token=DatedToken(token, _time_of(event)))

    def _drop(self, events: Sequence[Event]) -> None:
        """Drop applied events, and the changes of counts that open pages are not told of."""
        by_partition = groupby(
            sorted(events, key=lambda one: one.partition), lambda one: one.partition
        )
        self.db.trip(
            *(
                ("XDEL", keys.outbox(partition), *(event.id for event in group))
                for partition, group in by_partition
            ),
            *(("DEL", live_count_keys.changed_counts(one)) for one in range(PARTITIONS)),
        )


def _time_of(event: Event) -> int:
    """Return when an event happened, in unix µs: now, if a member of a running site caused it."""
    return event_time(event.rid) or time.time_ns() // 1000


def _runs(events: Sequence[Event]) -> Iterator[list[Event]]:
    """Yield consecutive events of one type."""
    for _, grouped in groupby(events, lambda event: event.type):
        run = list(grouped)
        yield from (run[start : start + RUN_MAX] for start in range(0, len(run), RUN_MAX))
