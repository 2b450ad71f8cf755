"""Check-ins: streaks equal a model over random days, zones and leap years."""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest

from tests.support.concurrently import at_once
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.core.errors import Conflict, Forbidden
from webapp.core.store import Site
from webapp.rewards.points import check_ins, keys, ledger
from webapp.rewards.points.month import EPOCH, breaks_streak, day_number, month_of


def today() -> int:
    return day_number(datetime.now(UTC).date())


def check_in_on(site: Site, uid: int, day: int) -> int:
    """Check in as if today were another day: the time zone is that many days away."""
    offset = (day - today()) * 86_400
    command = check_ins.CHECK_IN(
        site.config, uid=uid, offset=offset, zone="", day=1, week=5, badges=check_ins.BADGES
    )
    return int(site.db.run(command))


def streaks(days: set[int]) -> Iterator[tuple[int, int]]:
    """Yield each day and the days in a row that end there."""
    streak = 0
    for day in sorted(days):
        streak = streak + 1 if day - 1 in days else 1
        yield day, streak


@pytest.mark.parametrize("start", [date(2027, 12, 1), date(2028, 2, 1), date(2100, 2, 1)])
def test_streaks_and_points_equal_a_model(world: World, start: date) -> None:
    (ann,) = world.people("ann")
    generator = random.Random(start.toordinal())
    first = day_number(start)
    days = {first + n for n in range(90) if generator.random() < 0.9}
    longest = points = 0
    for day, streak in streaks(days):
        gained = 1 + 5 * (streak % 7 == 0)
        assert check_in_on(world, ann, day) == gained
        assert check_in_on(world, ann, day) == 0, "once a day"
        assert check_in_on(world, ann, day - 1) == 0, "no day is earlier than the last"
        longest, points = max(longest, streak), points + gained
        found = world.db.read(check_ins.check_ins_of(ann))
        assert (found.last, found.streak, found.longest) == (day, streak, longest)
        assert world.db.read(ledger.balance_of(ann)) == points
    for month in {(EPOCH + timedelta(day)).replace(day=1) for day in days}:
        marked = world.db.read(month_of(ann, month, 0)).marked
        seen = {day_number(day) for day in marked}
        assert seen == {day for day in days if (EPOCH + timedelta(day)).replace(day=1) == month}


def test_a_streak_of_years_is_counted_whole(world: World) -> None:
    (ann,) = world.people("ann")
    first = day_number(date(2027, 1, 1))
    for year in (2027, 2028, 2029):
        world.db.run(("SETBIT", keys.check_ins(ann, year), 367, 0))
        days = 365 + (year == 2028)
        world.db.trip(*(("SETBIT", keys.check_ins(ann, year), day, 1) for day in range(days)))
    check_in_on(world, ann, first + 365 + 366 + 365)
    assert world.db.read(check_ins.check_ins_of(ann)).streak == 365 + 366 + 365 + 1


def test_fifty_clicks_at_once_are_one_check_in(world: World) -> None:
    (ann,) = world.people("ann")
    gained = at_once(50, lambda _: check_ins.check_in(world, ann, "UTC"), range(50))
    assert sorted(gained) == [0] * 49 + [1]


def test_a_change_of_zone_gives_no_day_twice(world: World) -> None:
    (ann,) = world.people("ann")
    gained = [
        check_ins.check_in(world, ann, zone)
        for zone in ("Pacific/Kiritimati", "UTC", "Pacific/Midway", "Pacific/Kiritimati")
    ]
    assert gained == [1, 0, 0, 0]


def test_a_zone_is_changed_once_a_week_and_an_unknown_one_is_utc(world: World) -> None:
    (ann,) = world.people("ann")
    check_ins.choose(world, ann, "Asia/Shanghai", hidden=False, badge_hidden=False)
    world.refuses(
        Conflict,
        check_ins.choose,
        ann,
        "Mars/Olympus",
        hidden=False,
        badge_hidden=False,
        match="zone_early",
    )
    check_ins.choose(world, ann, "Asia/Shanghai", hidden=True, badge_hidden=False)
    assert world.db.read(check_ins.check_ins_of(ann)).hidden
    world.db.run(("HINCRBY", keys.check_in(ann), "zone_changed", -8 * 86_400))
    check_ins.choose(world, ann, "Mars/Olympus", hidden=False, badge_hidden=False)
    assert world.db.read(check_ins.check_ins_of(ann)).zone == "UTC"


def test_yesterday_is_repaired_once_a_month_for_points(world: World) -> None:
    (ann,) = world.people("ann")
    now = datetime.now(UTC).date()
    for day in (6, 5, 4, 3, 2):
        check_in_on(world, ann, today() - day)
    assert world.db.read(breaks_streak(ann, now - timedelta(1)))
    world.refuses(Conflict, check_ins.repair, ann, "UTC", match="funds")
    ledger.book(world, ann, 10, "gift", "first")
    check_ins.check_in(world, ann, "UTC")
    assert check_ins.repair(world, ann, "UTC") == 7
    assert world.db.run(("HGET", account_keys.user(ann), "streak_badge")) == "7"
    found = world.db.read(check_ins.check_ins_of(ann))
    assert (found.streak, found.longest, found.last) == (7, 7, today())
    assert world.db.read(ledger.balance_of(ann)) == 6
    world.refuses(Conflict, check_ins.repair, ann, "UTC", match="no_repair")
    yesterday = now - timedelta(1)
    bit = yesterday.timetuple().tm_yday - 1
    world.db.run(("SETBIT", keys.check_ins(ann, yesterday.year), bit, 0))
    world.refuses(Conflict, check_ins.repair, ann, "UTC", match="repaired")


def test_a_suspended_member_does_not_check_in(world: World) -> None:
    (ann,) = world.people("ann")
    world.suspend(ann)
    world.refuses(Forbidden, check_ins.check_in, ann, "UTC", match="suspended")
    world.refuses(Forbidden, check_ins.repair, ann, "UTC", match="suspended")
