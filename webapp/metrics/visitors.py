"""Read about how many people looked at posts, in days and weeks."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.metrics import keys
from webapp.core.store.reads import Read, collect, read

from .series import DAY

PERIODS = {"d": 1, "w": 7, "m": 28}  # days, as in `add_visitors.lua`
MONDAY = 3  # days from a Monday to the beginning of unix time


@dataclass(frozen=True, slots=True)
class Visitors:
    """About how many people looked at posts in a period, and in the one before."""

    days: int
    now: int
    before: int


def visitors(now: int) -> Read[list[Visitors]]:
    """Read the visitors of today, this week and these four weeks (UTC), within 2 per cent."""
    day = now // DAY + MONDAY
    names = [f"{name}{day // days - ago}" for name, days in PERIODS.items() for ago in (0, 1)]
    counts = collect(read(("PFCOUNT", keys.visitors(name)), int) for name in names)
    return counts.map(
        lambda found: [
            Visitors(days, found[2 * index], found[2 * index + 1])
            for index, days in enumerate(PERIODS.values())
        ]
    )
