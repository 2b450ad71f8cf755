"""Read about how many people looked at posts, in days and weeks, and from which countries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.core.metrics import keys
from webapp.core.store.reads import Read, collect, gather, read, to_dict
from webapp.metrics.series import DAY

PERIODS = {"d": 1, "w": 7, "m": 28}  # days, as in `add_visitors.lua`
MONDAY = 3  # days from a Monday to the beginning of unix time
DAYS_SHOWN, COUNTRIES_SHOWN = 7, 20
VISITORS, SIGNUPS = "visitors", "signups"  # what a day counts by country


@dataclass(frozen=True, slots=True)
class Visitors:
    """About how many people looked at posts in a period, and in the one before."""

    days: int
    now: int
    before: int


@dataclass(frozen=True, slots=True)
class Countries:
    """Visitors and sign-ups by country on the last days, the newest first.

    `rows`: two letters of a country, "" for unknown, and the pairs of its days; the countries with
    most visitors.
    """

    days: list[datetime]
    rows: list[tuple[str, list[tuple[int, int]]]]


def visitors(now: int) -> Read[tuple[list[Visitors], Countries]]:
    """Read the visitors of today, this week and these four weeks (UTC), within 2 per cent."""
    day = now // DAY + MONDAY
    names = [f"{name}{day // days - ago}" for name, days in PERIODS.items() for ago in (0, 1)]
    counts = collect(read(("PFCOUNT", keys.visitors(name)), int) for name in names)
    periods = counts.map(
        lambda found: [
            Visitors(days, found[2 * index], found[2 * index + 1])
            for index, days in enumerate(PERIODS.values())
        ]
    )
    return gather(periods, _countries(range(now // DAY, now // DAY - DAYS_SHOWN, -1)))


def _countries(days: Sequence[int]) -> Read[Countries]:
    """Read the visitors and sign-ups of days since 1970."""

    def parse(found: list[list[str]]) -> Countries:
        counts = [
            Counter({name: int(count) for name, count in to_dict(flat).items()}) for flat in found
        ]
        totals: Counter[str] = Counter()
        for one in counts:
            for name, count in one.items():
                totals[name.partition(":")[2]] += count
        rows = [
            (code, [(one[f"{VISITORS}:{code}"], one[f"{SIGNUPS}:{code}"]) for one in counts])
            for code, _ in totals.most_common(COUNTRIES_SHOWN)
        ]
        return Countries([datetime.fromtimestamp(day * DAY, UTC) for day in days], rows)

    return collect(read(("HGETALL", keys.countries(day)), list) for day in days).map(parse)
