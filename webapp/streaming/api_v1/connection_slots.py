"""Limit how many streams one holder has open, over all stream processes.

A fair counting semaphore with time-outs, after Redis in Action, 6.3. A holder is a member, by id,
or a visitor, by address. A new stream always gets a slot; the holder's oldest stream loses its own.
A process refreshes all its slots every REFRESH_SECONDS in one trip, and learns which it has lost.
The slots of a process that died count as free after SLOT_TTL_SECONDS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.scripts import script
from webapp.streaming import keys

ACQUIRE = script("streaming/api_v1/lua/acquire_slot.lua")
REFRESH = script("streaming/api_v1/lua/refresh_slots.lua")
RELEASE = script("streaming/api_v1/lua/release_slots.lua")
REFRESH_SECONDS = 10.0
SLOT_TTL_SECONDS = 30.0  # two refreshes may be lost
KEY_TTL_SECONDS = 3_600  # how long the store may be away before open streams lose their slots
BATCH = 250  # slots in one script, so that other commands need not wait for it

SlotHolder = int | str  # a member's id, or a visitor's address as rate limits count it


def acquire(db: Db, config: Config, holder: SlotHolder, slot: str) -> list[str]:
    """Take a slot and return the slots that lost theirs for it.

    `slot` is an id that its process chose, unique for good; taking it twice counts once. One trip.
    Raises Unavailable.
    """
    command = ACQUIRE(
        slots=keys.connection_slots(holder),
        seen=keys.connection_slots_seen(holder),
        slot=slot,
        limit=config.streams_per_member,
        timeout_ms=int(SLOT_TTL_SECONDS * 1000),
        key_ttl=KEY_TTL_SECONDS,
    )
    return [str(evicted) for evicted in db.run(command)]


def refresh(db: Db, holders: Mapping[str, SlotHolder]) -> set[str]:
    """Note that these slots (slot → holder) are in use, and return those that still are.

    One trip. Raises Unavailable.
    """
    batches = list(_batches(holders))
    replies = db.trip(
        *(
            REFRESH(slots_and_seen=names, key_ttl=KEY_TTL_SECONDS, slots=slots)
            for names, slots in batches
        )
    )
    slots_sent = (slot for _, slots in batches for slot in slots)
    held_flags = (held for reply in replies for held in reply)
    return {slot for slot, held in zip(slots_sent, held_flags, strict=True) if held}


def release(db: Db, holders: Mapping[str, SlotHolder]) -> None:
    """Release slots (slot → holder). One trip.

    Raises Unavailable; the slots then count as free after SLOT_TTL_SECONDS.
    """
    db.trip(*(RELEASE(slots_and_seen=names, slots=slots) for names, slots in _batches(holders)))


def _batches(holders: Mapping[str, SlotHolder]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the keys and the slots for each script. All keys of a script share one partition."""
    by_partition: dict[int, list[str]] = {}
    for slot, holder in holders.items():
        by_partition.setdefault(keys.connection_slot_partition(holder), []).append(slot)
    for slots in by_partition.values():
        for start in range(0, len(slots), BATCH):
            batch = slots[start : start + BATCH]
            yield [name for slot in batch for name in _key_pair(holders[slot])], batch


def _key_pair(holder: SlotHolder) -> tuple[str, str]:
    return keys.connection_slots(holder), keys.connection_slots_seen(holder)
