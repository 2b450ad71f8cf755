"""Checking in: a day of the member's own calendar is marked once, and earns points."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from webapp.core.store import Read, Site, read, script

from . import keys
from .month import day_number

CHECK_IN = script("rewards/points/lua/check_in.lua")
REPAIR = script("rewards/points/lua/repair.lua")
CHOOSE = script("rewards/points/lua/choose.lua")
DAY_POINTS, WEEK_POINTS, REPAIR_PRICE = 1, 5, 10
BADGES = (7, 30, 100, 365)  # days in a row
UTC_NAME = "UTC"
REGIONS = tuple(
    "Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific".split()
)
FIELDS = ("last", "streak", "longest", "repaired", "zone", "hidden", "badge_hidden")


@dataclass(frozen=True, slots=True)
class CheckIns:
    """A member's check-ins. `last`: a day; `repaired`: a month (year × 12 + month)."""

    last: int = -1
    streak: int = 0
    longest: int = 0
    repaired: int = 0
    zone: str = UTC_NAME
    hidden: bool = False  # from boards
    badge_hidden: bool = False  # on the profile

    @property
    def today(self) -> date:
        """Return the present day in the member's time zone."""
        return datetime.now(ZoneInfo(self.zone) if self.zone != UTC_NAME else UTC).date()

    @property
    def is_marked(self) -> bool:
        """Return True if today is marked."""
        return self.last >= day_number(self.today)

    @property
    def current(self) -> int:
        """Return the streak, which lasts through the day after its last one."""
        return self.streak if self.last >= day_number(self.today) - 1 else 0

    @property
    def takes_zone(self) -> bool:
        """Return True if the first check-in may tell the member's time zone."""
        return self.last < 0 and self.zone == UTC_NAME

    @property
    def badges(self) -> tuple[int, ...]:
        """Return the badges that the longest streak has won."""
        return tuple(days for days in BADGES if days <= self.longest)

    @property
    def has_repaired(self) -> bool:
        """Return True if this month's repair is made."""
        return self.repaired >= self.today.year * 12 + self.today.month


def check_ins_of(uid: int) -> Read[CheckIns]:
    """Read a member's check-ins."""
    return read(("HMGET", keys.check_in(uid), *FIELDS), _parse)


def check_in(site: Site, uid: int, zone: str, first_zone: str = "") -> int:
    """Mark today. Return the points that it earned, 0 if it was marked already. One trip.

    `first_zone`: for the first check-in, the time zone that the browser tells; it is kept if it is
    one. Raises NotFound, Forbidden (suspended).
    """
    new = first_zone if first_zone in zones() else ""
    points = {"day": DAY_POINTS, "week": WEEK_POINTS, "badges": BADGES}
    return int(site.run(CHECK_IN, uid=uid, offset=_offset(new or zone), zone=new, **points))


def repair(site: Site, uid: int, zone: str) -> int:
    """Mark yesterday for REPAIR_PRICE points, once a month. Return the streak. One trip.

    Raises NotFound, Forbidden (suspended), Conflict (no streak ended the day before yesterday, a
    repair was made this month, or too few points).
    """
    return int(site.run(REPAIR, uid=uid, offset=_offset(zone), price=REPAIR_PRICE, badges=BADGES))


def choose(site: Site, uid: int, zone: str, hidden: bool, badge_hidden: bool) -> None:
    """Save the time zone (UTC if unknown), and what others are not shown. One trip.

    Raises NotFound, Forbidden (suspended), Conflict (the zone changed this week), Unavailable.
    """
    known = zone if zone in zones() else UTC_NAME
    site.run(
        CHOOSE,
        uid=uid,
        zone=known,
        hidden="1" if hidden else "",
        badge_hidden="1" if badge_hidden else "",
        badges=BADGES,
    )


@cache
def zones() -> tuple[str, ...]:
    """Return the names of the time zones that can be chosen."""
    places = (
        one for one in available_timezones() if one.partition("/")[0] in REGIONS and "/" in one
    )
    return (UTC_NAME, *sorted(places))


def _offset(zone: str) -> int:
    """Return the seconds to add to UTC now."""
    offset = datetime.now(ZoneInfo(zone)).utcoffset() if zone in zones() else None
    return int(offset.total_seconds()) if offset else 0


def _parse(fields: list[str | None]) -> CheckIns:
    last, streak, longest, repaired, zone, hidden, badge_hidden = fields
    return CheckIns(
        last=int(last or -1),
        streak=int(streak or 0),
        longest=int(longest or 0),
        repaired=int(repaired or 0),
        zone=zone if zone in zones() else UTC_NAME,
        hidden=bool(hidden),
        badge_hidden=bool(badge_hidden),
    )
