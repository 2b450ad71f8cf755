"""The state of the events: how many wait, how many were parked, and who holds the leases."""

from __future__ import annotations

import time
from dataclasses import dataclass

from redis.exceptions import RedisError

from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.reads import Command, Read, collect, gather, read, to_dict

from . import keys
from .outbox import GROUPS

LEASES = PARTITIONS * len(GROUPS)


@dataclass(frozen=True, slots=True)
class Backlog:
    """Events that are not applied yet."""

    unread: int
    pending: int  # read by a worker, but not acknowledged


@dataclass(frozen=True, slots=True)
class Status:
    """The longest outbox, the number of parked events, and the leases that are held."""

    longest_outbox: int
    parked: int
    leases_held: int
    owners: int


def status() -> Read[Status]:
    """Read the state of outboxes and leases."""
    partitions = range(PARTITIONS)
    outboxes = collect(read(("XLEN", keys.outbox(p)), int) for p in partitions)
    parked = collect(read(("XLEN", keys.parked_events(p)), int) for p in partitions)
    leases = collect(
        read(("HMGET", keys.lease(p, group), "owner", "until"), tuple)
        for p in partitions
        for group in GROUPS
    )

    def parse(found: tuple[list[int], list[int], list[tuple[str | None, str]]]) -> Status:
        lengths, parked_lengths, lease_fields = found
        now = time.time() * 1000
        owners = [owner for owner, expires in lease_fields if owner and int(expires) > now]
        return Status(max(lengths), sum(parked_lengths), len(owners), len(set(owners)))

    return gather(outboxes, parked, leases).map(parse)


def backlog(db: Db) -> Backlog:
    """Return how many events wait. One trip. Raises Unavailable."""
    commands: list[Command] = [("XINFO", "GROUPS", keys.outbox(p)) for p in range(PARTITIONS)]
    unread = pending = 0
    for groups in db.trip_with_errors(commands):
        if isinstance(groups, RedisError):  # there is no outbox yet
            continue
        for fields in groups:
            group = to_dict(fields)
            unread += int(group.get("lag") or 0)
            pending += int(group["pending"])
    return Backlog(unread, pending)
