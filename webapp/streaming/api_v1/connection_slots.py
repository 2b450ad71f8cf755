"""How many streams one holder has at once, over all stream processes: a fair counting semaphore with time-outs and
refresh (after Redis in Action, 6.3).

A holder is a member, by id, or a visitor, by address. A seat's id is its process's to choose, unique for good. A new
stream always gets a seat: the oldest loses its own. A process says every REFRESH_SECONDS, for all its seats in one
trip, that they are in use, and learns which are lost; those of a process that died make room after LIFE_SECONDS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.scripts import script
from webapp.streaming import keys as stream_keys

ACQUIRE = script("streaming/api_v1/lua/acquire_slot.lua")
REFRESH = script("streaming/api_v1/lua/refresh_slots.lua")
RELEASE = script("streaming/api_v1/lua/release_slots.lua")
REFRESH_SECONDS = 10.0
SLOT_TTL_SECONDS = 30.0  # after which a silent seat is free: two refreshes may be lost
KEY_TTL_SECONDS = (
    3_600  # how long a store may be away until streams that stayed open lose their seats
)
BATCH = 250  # seats one script refreshes or gives up, so that others need not wait for it

SlotHolder = int | str  # a member's id, or a visitor's address as rate limits count it


def acquire(db: Db, config: Config, holder: SlotHolder, slot: str) -> list[str]:
    """Takes a seat, again if it is held already; returns the seats that lost theirs. Raises Unavailable."""
    names = [stream_keys.connection_slots(holder), stream_keys.connection_slots_seen(holder)]
    evicted = db.run(
        ACQUIRE(
            names, slot, config.streams_per_member, int(SLOT_TTL_SECONDS * 1000), KEY_TTL_SECONDS
        )
    )
    return [str(one) for one in evicted]


def refresh(db: Db, holders: Mapping[str, SlotHolder]) -> set[str]:
    """Says that these seats (seat → holder) are in use; returns those that still are. One trip. Raises Unavailable."""
    batches = list(_batches(holders))
    replies = db.trip(*(REFRESH(names, KEY_TTL_SECONDS, *slots) for names, slots in batches))
    slots_sent = (slot for _, slots in batches for slot in slots)
    alive_flags = (alive for reply in replies for alive in reply)
    return {slot for slot, alive in zip(slots_sent, alive_flags, strict=True) if alive}


def release(db: Db, holders: Mapping[str, SlotHolder]) -> None:
    """Gives seats (seat → holder) up. One trip. Raises Unavailable; they are free after LIFE_SECONDS then."""
    db.trip(*(RELEASE(names, *slots) for names, slots in _batches(holders)))


def _batches(holders: Mapping[str, SlotHolder]) -> Iterator[tuple[list[str], list[str]]]:
    """The keys and the seats of one script each, those of one partition together."""
    by_partition: dict[int, list[str]] = {}
    for slot, holder in holders.items():
        by_partition.setdefault(stream_keys.connection_slot_partition(holder), []).append(slot)
    for slots in by_partition.values():
        for start in range(0, len(slots), BATCH):
            batch = slots[start : start + BATCH]
            yield (
                [
                    key(holders[slot])
                    for slot in batch
                    for key in (stream_keys.connection_slots, stream_keys.connection_slots_seen)
                ],
                batch,
            )
