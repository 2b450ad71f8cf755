"""The state of the events: how many wait, how many were parked, and who holds the leases."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import BoundedSemaphore
from typing import Any

from webapp.core.errors import Unavailable
from webapp.core.store import PARTITIONS, Db, Read, collect, gather, read, script, to_dict

from . import keys
from .outbox import FANOUT, GROUPS, LOG, OUTBOX_GROUPS

BACKLOG = script("core/events/lua/backlog.lua")
UNAPPLIED = script("core/events/lua/unapplied.lua")
LEASES = PARTITIONS * len(GROUPS)
PARKED_SHOWN = 20
PAUSES = (0.005, 0.01, 0.02, 0.04, 0.08)  # seconds between looks at whether events are applied
WAITING = BoundedSemaphore(2)  # threads of a process that wait so: pages need the others
LeaseFields = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Backlog:
    """Events that are not applied yet."""

    unread: int
    pending: int  # read by a worker, but not acknowledged


@dataclass(frozen=True, slots=True)
class EventStatus:
    """The longest outbox, the numbers of bulk and parked events, and the leases that are held."""

    longest_outbox: int
    bulk: int  # events that the group `bulk` has not finished
    longest_bulk: int  # those of one partition
    parked: int
    leases_held: int
    owners: int


@dataclass(frozen=True, slots=True)
class ParkedEvent:
    """A parked event: when it was parked, the group in which it failed, and why."""

    id: str  # of the entry in its stream
    at: datetime
    partition: int
    group: str
    type: str
    error: str

    @property
    def name(self) -> str:
        """Return its name in a form: its partition and the id of its entry."""
        return f"{self.partition}:{self.id}"


def status() -> Read[EventStatus]:
    """Read the state of outboxes and leases."""
    partitions = range(PARTITIONS)
    outboxes = collect(read(("XLEN", keys.outbox(p)), int) for p in partitions)
    bulk = collect(read(("XLEN", keys.bulk_events(p)), int) for p in partitions)
    parked = collect(read(("XLEN", keys.parked_events(p)), int) for p in partitions)

    def parse(found: tuple[list[int], list[int], list[int], Counter[str]]) -> EventStatus:
        lengths, bulk_lengths, parked_lengths, leases = found
        return EventStatus(
            longest_outbox=max(lengths),
            bulk=sum(bulk_lengths),
            longest_bulk=max(bulk_lengths),
            parked=sum(parked_lengths),
            leases_held=leases.total(),
            owners=len(leases),
        )

    return gather(outboxes, bulk, parked, held_leases()).map(parse)


def held_leases() -> Read[Counter[str]]:
    """Read how many leases each worker holds, by `host:pid`: one for a partition and group."""

    def parse(found: list[LeaseFields]) -> Counter[str]:
        now = time.time() * 1000
        return Counter(owner for owner, expires in found if owner and int(expires) > now)

    return collect(
        read(("HMGET", keys.lease(p, group), "owner", "until"), tuple)
        for p in range(PARTITIONS)
        for group in GROUPS
    ).map(parse)


def backlog() -> Read[Backlog]:
    """Read how many events wait in outboxes, for all groups of the outbox together."""
    pairs = collect(
        read(BACKLOG(partition=p, group=group), tuple)
        for p in range(PARTITIONS)
        for group in OUTBOX_GROUPS
    )

    def parse(counts: list[tuple[int, int]]) -> Backlog:
        return Backlog(sum(unread for unread, _ in counts), sum(pending for _, pending in counts))

    return pairs.map(parse)


def parked_events() -> Read[list[ParkedEvent]]:
    """Read the newest parked events."""

    def parse(found: list[list[ParkedEvent]]) -> list[ParkedEvent]:
        events = (event for page in found for event in page)
        return sorted(events, key=lambda event: event.at, reverse=True)[:PARKED_SHOWN]

    return collect(_newest_parked(partition) for partition in range(PARTITIONS)).map(parse)


def _newest_parked(partition: int) -> Read[list[ParkedEvent]]:
    command = ("XREVRANGE", keys.parked_events(partition), "+", "-", "COUNT", PARKED_SHOWN)

    def parse(entries: Sequence[Any]) -> list[ParkedEvent]:
        return [_parse_parked(partition, id, to_dict(fields)) for id, fields in entries]

    return read(command, parse)


def _parse_parked(partition: int, id: str, fields: dict[str, str]) -> ParkedEvent:
    at = datetime.fromtimestamp(int(id.partition("-")[0]) / 1000, UTC)
    return ParkedEvent(
        id, at, partition, fields.get("group", ""), fields.get("type", ""), fields.get("error", "")
    )


def wait_until_applied(db: Db, partitions: Iterable[int]) -> None:
    """Wait until the present events of partitions are applied, each in turn; 0.2 s at most.

    So members and apps read their own writes. The events of a partition may cause others in the
    next one. A trip for each partition, and one after each of PAUSES; none while two other threads
    wait.
    """
    if not WAITING.acquire(blocking=False):
        return
    pauses = iter(PAUSES)
    try:
        for partition in partitions:
            newest, awaited = "", (LOG, FANOUT)
            while newest := db.run(UNAPPLIED(partition=partition, newest=newest, groups=awaited)):
                if (pause := next(pauses, None)) is None:
                    return
                time.sleep(pause)
    except Unavailable:
        return
    finally:
        WAITING.release()
