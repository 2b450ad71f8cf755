"""Limit how many streams one holder has open, over all stream processes.

A fair counting semaphore with time-outs, after Redis in Action, 6.3. A holder is a member, by id,
or a visitor, by address. A new stream always gets a slot; the holder's oldest stream loses its own.
A process refreshes all its slots every REFRESH_SECONDS in one trip, and learns which it has lost.
The slots of a process that died count as free after SLOT_TTL_SECONDS.
"""

import secrets
from collections.abc import Iterator, Mapping
from itertools import chain

from webapp.core.store import Db, Site, script
from webapp.streaming import keys
from webapp.streaming.end_codes import EndCode
from webapp.streaming.hub.api_topics import fingerprint
from webapp.streaming.hub.topics import Topic

ACQUIRE = script("streaming/api_v1/lua/acquire_slot.lua")
REFRESH = script("streaming/api_v1/lua/refresh_slots.lua")
RELEASE = script("streaming/api_v1/lua/release_slots.lua")
REFRESH_SECONDS = 10.0
SLOT_TTL_SECONDS = 30.0  # two refreshes may be lost
KEY_TTL_SECONDS = 3_600  # how long the store may be away before open streams lose their slots
LOST_STATES = {0: EndCode.REPLACED, 2: EndCode.DUPLICATE}  # as the script returns them
BATCH = 250  # slots in one script, so that other commands need not wait for it

SlotHolder = int | str  # a member's id, or a visitor's address as rate limits count it


def acquire(site: Site, holder: SlotHolder, slot: str, limit: int = 0) -> list[str]:
    """Take a slot and return the slots that lost theirs for it.

    `slot` is an id made by `slot_name`; taking it twice counts once. `limit`: how many the holder
    has, 0 for STREAMS_PER_MEMBER. One trip.
    """
    evicted = site.run(
        ACQUIRE,
        holder=holder,
        slot=slot,
        limit=limit or site.config.streams_per_member,
        timeout_ms=int(SLOT_TTL_SECONDS * 1000),
        key_ttl=KEY_TTL_SECONDS,
    )
    return list(map(str, evicted))


def slot_name(topic: Topic) -> str:
    """Return a new slot, unique for ever, that names the request of its stream."""
    return f"{fingerprint(topic)}:{secrets.token_hex(8)}"


def asks_for_same(slot: str, other: str) -> bool:
    """Return True if the streams of two slots have the same topic."""
    return slot.partition(":")[0] == other.partition(":")[0]


def refresh(db: Db, holders: Mapping[str, SlotHolder]) -> dict[str, EndCode]:
    """Note that these slots (slot → holder) are in use. Return those that are lost, and why.

    One trip. Raises Unavailable.
    """
    batches = list(_batches(holders))
    replies = db.trip_all(
        REFRESH(slots_and_seen=names, key_ttl=KEY_TTL_SECONDS, slots=slots)
        for names, slots in batches
    )
    slots_sent = (slot for _, slots in batches for slot in slots)
    states = zip(slots_sent, chain.from_iterable(replies), strict=True)
    return {slot: LOST_STATES[state] for slot, state in states if state in LOST_STATES}


def release(db: Db, holders: Mapping[str, SlotHolder]) -> None:
    """Release slots (slot → holder). One trip.

    Raises Unavailable; the slots then count as free after SLOT_TTL_SECONDS.
    """
    db.trip_all(RELEASE(slots_and_seen=names, slots=slots) for names, slots in _batches(holders))


def _batches(holders: Mapping[str, SlotHolder]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the keys and the slots for each script. All keys of a script share one partition."""
    by_partition: dict[int, list[str]] = {}
    for slot, holder in holders.items():
        by_partition.setdefault(keys.connection_slot_partition(holder), []).append(slot)
    for slots in by_partition.values():
        for start in range(0, len(slots), BATCH):
            batch = slots[start : start + BATCH]
            kinds = keys.connection_slots, keys.connection_slots_seen
            yield [key(holders[slot]) for slot in batch for key in kinds], batch
