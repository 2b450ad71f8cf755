"""A poll, as the status that asks it carries it, and what was counted of it. voting.py is what members do with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import orjson

from webapp.core.store import ids

OPTIONS_MIN: Final = 2
OPTIONS_MAX: Final = 4
OPTION_MAX: Final = 50  # characters of an option
DURATIONS_MINUTES: Final = (
    5,
    30,
    60,
    360,
    1_440,
    4_320,
    10_080,
)  # that a poll may last, a week at most

# How often each option was chosen, and at the end by how many members; nothing before the first vote.
Tally = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Poll:
    """What one may choose from, how many minutes from its status's posting on, and whether several of them. `ends`: in
    UTC, once it is posted.
    """

    options: tuple[str, ...]
    minutes: int
    multiple: bool = False
    ends_at: datetime | None = None


def pack_poll(poll: Poll | None) -> str:
    """A poll as it is stored: JSON; nothing for none."""
    return orjson.dumps([poll.options, poll.minutes, int(poll.multiple)]).decode() if poll else ""


def unpack_poll(stored: str | None, status_id: int) -> Poll | None:
    """The poll of a status in its stored form. Its time begins with the status, whose id tells when that was."""
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
    """What was counted, in its stored form."""
    return tuple(map(int, stored.split())) if stored else ()


def add_vote(tally: Tally, bits: int) -> Tally:
    """The same with one more vote; of so many options as the bits need where it is the first. No bits: no vote."""
    if not bits:
        return tally
    counts = tally or (0,) * (OPTIONS_MAX + 1)
    return (
        *(count + includes_option(bits, at) for at, count in enumerate(counts[:-1])),
        counts[-1] + 1,
    )


def pack_vote(options: Collection[int]) -> int:
    """Options, by their places from 0, as a vote is stored."""
    return sum(1 << at for at in set(options))


def includes_option(bits: int, index: int) -> bool:
    """Whether a vote is for the option at this place."""
    return bool(bits >> index & 1)
