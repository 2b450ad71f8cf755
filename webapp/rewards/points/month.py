"""A month of a member's check-ins, as a table of weeks."""

from __future__ import annotations

from calendar import Calendar, monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from webapp.core.store import Read, collect, read

from . import keys

EPOCH = date(1970, 1, 1)
FIRST_YEAR = 2026  # no site is older
BITS = 61  # of one number; six make a year, and 63 are the most


@dataclass(frozen=True, slots=True)
class Month:
    """A month. `weeks`: of seven days each, None outside of the month. `marked`: the check-ins."""

    first: date
    weeks: tuple[tuple[date | None, ...], ...]
    marked: frozenset[date]

    @property
    def previous(self) -> str:
        """Return the month before, as addresses name it; "" if there is none."""
        return name_of(self.first - timedelta(1)) if self.first > date(FIRST_YEAR, 1, 1) else ""

    @property
    def next(self) -> str:
        """Return the month after, as addresses name it."""
        return name_of(self.first + timedelta(31))


def day_number(day: date) -> int:
    """Return a day as the store counts it, from 1970."""
    return (day - EPOCH).days


def name_of(day: date) -> str:
    """Return the month of a day, as addresses name it."""
    return f"{day:%Y-%m}"


def first_day(name: str, today: date) -> date:
    """Return the first day of the month that an address names; else of the present month."""
    try:
        first = date.fromisoformat(f"{name}-01")
    except ValueError:
        first = today
    return first.replace(day=1) if FIRST_YEAR <= first.year <= today.year else today.replace(day=1)


def month_of(uid: int, first: date, first_weekday: int) -> Read[Month]:
    """Read a month of a member. `first_weekday`: 0 for Monday."""
    days = monthrange(first.year, first.month)[1]
    place = (first - date(first.year, 1, 1)).days
    weeks = Calendar(first_weekday).monthdatescalendar(first.year, first.month)

    def parse(reply: list[int]) -> Month:
        bits = f"{reply[0]:0{days}b}"
        return Month(
            first,
            tuple(
                tuple(day if day.month == first.month else None for day in week) for week in weeks
            ),
            frozenset(first.replace(day=n) for n, bit in enumerate(bits, 1) if bit == "1"),
        )

    key = keys.check_ins(uid, first.year)
    return read(("BITFIELD_RO", key, "GET", f"u{days}", place), parse)


def marked_days(uid: int, year: int) -> Read[list[date]]:
    """Read the days of a year on which a member checked in."""
    parts = [part for place in range(0, 366, BITS) for part in ("GET", f"u{BITS}", place)]

    def parse(reply: list[int]) -> list[date]:
        bits = "".join(f"{number:0{BITS}b}" for number in reply)
        first = date(year, 1, 1)
        return [first + timedelta(place) for place, bit in enumerate(bits) if bit == "1"]

    return read(("BITFIELD_RO", keys.check_ins(uid, year), *parts), parse)


def breaks_streak(uid: int, day: date) -> Read[bool]:
    """Read whether a member did not check in on a day, but on the day before."""
    days = (day, day - timedelta(1))
    bits = (
        read(("GETBIT", keys.check_ins(uid, one.year), one.timetuple().tm_yday - 1), bool)
        for one in days
    )
    return collect(bits).map(lambda marked: marked == [False, True])
