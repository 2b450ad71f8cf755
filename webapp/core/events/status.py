"""The state of the events: how many wait, how many were parked, and who holds the leases."""

from __future__ import annotations

import time
from dataclasses import dataclass

from webapp.core.store.ids import PARTITIONS
from webapp.core.store.reads import Read, collect, gather, read
from webapp.core.store.scripts import script

from . import keys
from .outbox import GROUPS, OUTBOX_GROUPS

BACKLOG = script("core/events/lua/backlog.lua")
LEASES = PARTITIONS * len(GROUPS)
LeaseFields = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Backlog:
    """Events that are not applied yet."""

    unread: int
    pending: int  # read by a worker, but not acknowledged


@dataclass(frozen=True, slots=True)
class Status:
    """The longest outbox, the numbers of bulk and parked events, and the leases that are held."""

    longest_outbox: int
    bulk: int  # events that the group `bulk` has not finished
    longest_bulk: int  # those of one partition
    parked: int
    leases_held: int
    owners: int


def status() -> Read[Status]:
    """Read the state of outboxes and leases."""
    partitions = range(PARTITIONS)
    outboxes = collect(read(("XLEN", keys.outbox(p)), int) for p in partitions)
    bulk = collect(read(("XLEN", keys.bulk_events(p)), int) for p in partitions)
    parked = collect(read(("XLEN", keys.parked_events(p)), int) for p in partitions)
    leases = collect(
        read(("HMGET", keys.lease(p, group), "owner", "until"), tuple)
        for p in partitions
        for group in GROUPS
    )

    def parse(found: tuple[list[int], list[int], list[int], list[LeaseFields]]) -> Status:
        lengths, bulk_lengths, parked_lengths, lease_fields = found
        now = time.time() * 1000
        owners = [owner for owner, expires in lease_fields if owner and int(expires) > now]
        return Status(
            longest_outbox=max(lengths),
            bulk=sum(bulk_lengths),
            longest_bulk=max(bulk_lengths),
            parked=sum(parked_lengths),
            leases_held=len(owners),
            owners=len(set(owners)),
        )

    return gather(outboxes, bulk, parked, leases).map(parse)


def backlog() -> Read[Backlog]:
    """Read how many events wait in outboxes, for all groups of the outbox together."""
    pairs = collect(
        read(BACKLOG(outbox=keys.outbox(p), group=group), tuple)
        for p in range(PARTITIONS)
        for group in OUTBOX_GROUPS
    )

    def parse(counts: list[tuple[int, int]]) -> Backlog:
        return Backlog(sum(unread for unread, _ in counts), sum(pending for _, pending in counts))

    return pairs.map(parse)
