"""How many streams one holder has at once, over all stream processes: a fair counting semaphore with time-outs and
refresh (after Redis in Action, 6.3).

A holder is a member, by id, or a visitor, by address. A seat's id is its process's to choose, unique for good. A new
stream always gets a seat: the oldest loses its own. A process says every REFRESH_SECONDS, for all its seats in one
trip, that they are in use, and learns which are lost; those of a process that died make room after LIFE_SECONDS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .. import keys
from ..config import Config
from ..db import Db
from ..scripts import script

TAKE = script("streaming/take_seat.lua")
REFRESH = script("streaming/refresh_seats.lua")
LEAVE = script("streaming/leave_seats.lua")
REFRESH_SECONDS = 10.0
LIFE_SECONDS = 30.0  # after which a silent seat is free: two refreshes may be lost
KEPT_SECONDS = 3_600  # how long a store may be away until streams that stayed open lose their seats
BATCH = 250  # seats one script refreshes or gives up, so that others need not wait for it

Holder = int | str  # a member's id, or a visitor's address as rate limits count it


def take(db: Db, config: Config, holder: Holder, seat: str) -> list[str]:
    """Takes a seat, again if it is held already; returns the seats that lost theirs. Raises Unavailable."""
    names = [keys.seats(holder), keys.seats_seen(holder)]
    lost = db.run(TAKE(names, seat, config.streams_per_member, int(LIFE_SECONDS * 1000), KEPT_SECONDS))
    return [str(one) for one in lost]


def refresh(db: Db, held: Mapping[str, Holder]) -> set[str]:
    """Says that these seats (seat → holder) are in use; returns those that still are. One trip. Raises Unavailable."""
    batches = list(_batches(held))
    answers = db.trip(*(REFRESH(names, KEPT_SECONDS, *seats) for names, seats in batches))
    asked = (seat for _, seats in batches for seat in seats)
    found = (there for answer in answers for there in answer)
    return {seat for seat, there in zip(asked, found, strict=True) if there}


def leave(db: Db, held: Mapping[str, Holder]) -> None:
    """Gives seats (seat → holder) up. One trip. Raises Unavailable; they are free after LIFE_SECONDS then."""
    db.trip(*(LEAVE(names, *seats) for names, seats in _batches(held)))


def _batches(held: Mapping[str, Holder]) -> Iterator[tuple[list[str], list[str]]]:
    """The keys and the seats of one script each, those of one partition together."""
    parts: dict[int, list[str]] = {}
    for seat, holder in held.items():
        parts.setdefault(keys.seat_partition(holder), []).append(seat)
    for seats in parts.values():
        for start in range(0, len(seats), BATCH):
            batch = seats[start : start + BATCH]
            yield [key(held[seat]) for seat in batch for key in (keys.seats, keys.seats_seen)], batch
