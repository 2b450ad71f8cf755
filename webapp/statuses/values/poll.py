"""Polls, votes and tallies, and how statuses store them."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import orjson

from webapp.core.store import ids

OPTIONS_MIN: Final = 2
OPTIONS_MAX: Final = 4
OPTION_MAX: Final = 50  # characters of an option
DURATIONS_MINUTES: Final = (5, 30, 60, 360, 1_440, 4_320, 10_080)  # that forms offer
MINUTES_MIN, MINUTES_MAX = DURATIONS_MINUTES[0], DURATIONS_MINUTES[-1]  # that a poll may last

# How often each option was chosen, then how many members voted; empty before the first vote.
Tally = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Poll:
    """A poll. `minutes`: how long it lasts. `ends_at`: in UTC, once it is posted."""

    options: tuple[str, ...]
    minutes: int
    multiple: bool = False
    ends_at: datetime | None = None


def pack_poll(poll: Poll | None) -> str:
    """Return a poll as stored: JSON; "" for none."""
    return orjson.dumps([poll.options, poll.minutes, int(poll.multiple)]).decode() if poll else ""


def unpack_poll(stored: str | None, status_id: int) -> Poll | None:
    """Parse the stored poll of a status. It begins when the status was posted."""
    if not stored:
        return None
    options, minutes, multiple = orjson.loads(stored)
    return Poll(
        tuple(options),
        minutes,
        bool(multiple),
        ids.created_at(status_id) + timedelta(minutes=minutes),
    )


def unpack_tally(stored: str | None) -> Tally:
    """Parse a stored tally."""
    return tuple(map(int, stored.split())) if stored else ()


def add_vote(tally: Tally, bits: int) -> Tally:
    """Return a tally with one more vote, the same tally for no bits."""
    if not bits:
        return tally
    counts = tally or (0,) * (OPTIONS_MAX + 1)
    return (
        *(count + includes_option(bits, at) for at, count in enumerate(counts[:-1])),
        counts[-1] + 1,
    )


def pack_vote(options: Collection[int]) -> int:
    """Return options, by index from 0, as the bits of a vote."""
    return sum(1 << at for at in set(options))


def includes_option(bits: int, index: int) -> bool:
    """Return True if a vote is for the option of this index."""
    return bool(bits >> index & 1)
