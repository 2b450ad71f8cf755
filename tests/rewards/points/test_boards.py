"""Boards: they equal sorting, the earlier of two is ahead, and whoever opts out is nowhere."""

import random

import pytest

from tests.support.world import World
from webapp.core.store import Site
from webapp.following import keys as following_keys
from webapp.rewards.points import boards, check_ins, keys
from webapp.rewards.points.boards import MINUTES, board_of_all, board_of_followed, this_week

LOGINS = [f"bird{number}" for number in range(20)]


def logins(site: Site, uid: int, when: str | None = None) -> list[str]:
    places, _ = board_of_all(site.db, uid, when or str(this_week()))
    return [place.member.login for place in places]


@pytest.mark.parametrize("when", ["week", "all"])
def test_a_board_equals_sorting(world: World, when: str) -> None:
    uids = world.people(*LOGINS)
    generator = random.Random(when)
    scores = {uid: generator.randint(1, 5) * MINUTES - generator.randint(1, 9) for uid in uids}
    for uid, score in scores.items():
        week = this_week()
        world.db.run(("HSET", keys.earned(uid), week, score, "all", score))
        check_ins.choose(world, uid, "UTC", hidden=False, badge_hidden=False)
    world.apply_events()
    expected = sorted(scores, key=lambda uid: (-scores[uid], uid))
    name = str(this_week()) if when == "week" else "all"
    places, rank = board_of_all(world.db, uids[3], name)
    assert [place.member.uid for place in places] == expected
    assert [place.points for place in places] == [scores[uid] // MINUTES for uid in expected]
    assert rank == expected.index(uids[3]) + 1
    for login in LOGINS[5:9]:
        world.follow(uids[3], login)
    places, rank = board_of_followed(world.db, uids[3], name)
    circle = [uid for uid in expected if uid in uids[5:9] or uid == uids[3]]
    assert [place.member.uid for place in places] == circle
    assert rank == circle.index(uids[3]) + 1


def test_a_check_in_counts_for_this_week_and_all_time(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    for uid in (ann, ben):
        check_ins.check_in(world, uid, "UTC")
    world.apply_events()
    assert set(logins(world, ann)) == set(logins(world, ann, "all")) == {"ann", "ben"}
    assert logins(world, ann, str(this_week() - 1)) == []
    assert 0 < world.db.run(("TTL", keys.board(ann, this_week()))) <= 15 * 86_400


def test_a_mute_that_is_over_leaves_nobody_out(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    check_ins.check_in(world, ben, "UTC")
    world.apply_events()
    world.mute(ann, "ben")
    assert logins(world, ann) == []
    world.db.run(("ZADD", following_keys.mutes(ann), 1, ben))
    assert logins(world, ann) == ["ben"]


def test_members_who_opt_out_or_leave_are_on_no_board(world: World) -> None:
    ann, ben, cat, dan = world.people("ann", "ben", "cat", "dan")
    for uid in (ann, ben, cat, dan):
        check_ins.check_in(world, uid, "UTC")
    check_ins.choose(world, ben, "UTC", hidden=True, badge_hidden=False)
    world.suspend(cat)
    world.block(ann, "dan")
    world.do(World.follow, ann, "ben")
    assert logins(world, ann) == ["ann"]
    places, _ = board_of_followed(world.db, ann, str(this_week()))
    assert [place.member.login for place in places] == ["ann"]
    check_ins.choose(world, ben, "UTC", hidden=False, badge_hidden=False)
    world.suspend(cat, suspended=False)
    world.do(World.delete_account, dan, None)
    assert sorted(logins(world, ann)) == ["ann", "ben", "cat"]
    assert not world.db.run(("ZSCORE", keys.board(dan, boards.ALL_TIME), dan))
