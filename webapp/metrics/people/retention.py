"""Read how many of the members who joined in a week still came after some weeks.

Uids are given in order, so those of a week are a range, and a bitmap of each week says who came.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.accounts import keys as account_keys
from webapp.core.metrics import keys
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, collect, read, to_dict
from webapp.metrics.series import DAY

from .visitors import MONDAY

WEEKS = 8  # after that of joining
BLOCK = 1 << 20  # members of one bitmap, as in `add_active.lua`


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
