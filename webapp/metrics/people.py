"""Read about how many people looked at posts, from which countries, and who came back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.accounts import keys as account_keys
from webapp.core.metrics import keys
from webapp.core.store import Db, Read, collect, gather, read, to_dict
from webapp.metrics.series import DAY

PERIODS = {"d": 1, "w": 7, "m": 28}  # days, as in `add_visitors.lua`
MONDAY = 3  # days from a Monday to the beginning of unix time
DAYS_SHOWN, COUNTRIES_SHOWN = 7, 20
VISITORS, SIGNUPS = "visitors", "signups"  # what a day counts by country
WEEKS = 8  # after that of joining
BLOCK = 1 << 20  # members of one bitmap, as in `add_active.lua`


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


@dataclass(frozen=True, slots=True)
class Cohort:
    """The members who joined in a week and came in it, and how many of them came in later weeks."""

    monday: datetime
    joined: int
    active: list[int]


def week_of(now: int) -> int:
    """Return the week of a time in unix seconds, as `add_active.lua` counts them."""
    return (now // DAY + MONDAY) // 7


def retention(db: Db, now: int) -> list[Cohort]:
    """Return the cohorts of this week and the WEEKS before, the newest first. Two trips."""
    this_week = week_of(now)
    found, last_uid = db.trip(("HGETALL", keys.first_members()), ("GET", account_keys.last_uid()))
    firsts = {int(week): int(uid) for week, uid in to_dict(found).items()}
    firsts[this_week + 1] = int(last_uid or 0)
    weeks = [week for week in range(this_week, this_week - WEEKS - 1, -1) if week in firsts]
    return db.read(collect(_cohort(week, firsts, this_week) for week in weeks))


def _cohort(week: int, firsts: dict[int, int], this_week: int) -> Read[Cohort]:
    """Read a cohort. Its uids end where those of the next week begin of which that is known."""
    first, last = firsts[week] + 1, firsts[min(other for other in firsts if other > week)]
    monday = datetime.fromtimestamp((week * 7 - MONDAY) * DAY, UTC)
    counts = collect(_active(one, first, last) for one in range(week, this_week + 1))
    return counts.map(lambda found: Cohort(monday, found[0], found[1:]))


def _active(week: int, first: int, last: int) -> Read[int]:
    """Read how many of the uids from `first` to `last` came in a week."""
    counts = []
    for block in range(first // BLOCK, last // BLOCK + 1):
        start, end = max(first - block * BLOCK, 0), min(last - block * BLOCK, BLOCK - 1)
        if start <= end:
            key = keys.active_members(week, block)
            counts.append(read(("BITCOUNT", key, start, end, "BIT"), int))
    return collect(counts).map(sum)
