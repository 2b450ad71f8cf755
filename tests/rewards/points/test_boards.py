"""Boards: they equal sorting, the earlier of two is ahead, and whoever opts out is nowhere."""

from __future__ import annotations

import random

import pytest

from tests.conftest import ApplyEvents, People
from webapp.accounts import lifecycle
from webapp.core.site import Site
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.rewards.points import boards, check_ins, keys
from webapp.rewards.points.boards import MINUTES, board_of_all, board_of_followed, this_week

LOGINS = [f"bird{number}" for number in range(20)]


def logins(site: Site, uid: int, when: str | None = None) -> list[str]:
    places, _ = board_of_all(site.db, uid, when or str(this_week()))
    return [place.member.login for place in places]


@pytest.mark.parametrize("when", ["week", "all"])
def test_a_board_equals_sorting(
    site: Site, people: People, apply_events: ApplyEvents, when: str
) -> None:
    uids = people(*LOGINS)
    generator = random.Random(when)
    scores = {uid: generator.randint(1, 5) * MINUTES - generator.randint(1, 9) for uid in uids}
    for uid, score in scores.items():
        week = this_week()
        site.db.run(("HSET", keys.earned(uid), week, score, "all", score))
        check_ins.choose(site, uid, "UTC", hidden=False, badge_hidden=False)
    apply_events()
    expected = sorted(scores, key=lambda uid: (-scores[uid], uid))
    name = str(this_week()) if when == "week" else "all"
    places, rank = board_of_all(site.db, uids[3], name)
    assert [place.member.uid for place in places] == expected
    assert [place.points for place in places] == [scores[uid] // MINUTES for uid in expected]
    assert rank == expected.index(uids[3]) + 1
    for login in LOGINS[5:9]:
        following.follow(site, uids[3], login)
    places, rank = board_of_followed(site.db, uids[3], name)
    circle = [uid for uid in expected if uid in uids[5:9] or uid == uids[3]]
    assert [place.member.uid for place in places] == circle
    assert rank == circle.index(uids[3]) + 1


def test_a_check_in_counts_for_this_week_and_all_time(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    for uid in (ann, ben):
        check_ins.check_in(site, uid, "UTC")
    apply_events()
    assert set(logins(site, ann)) == set(logins(site, ann, "all")) == {"ann", "ben"}
    assert logins(site, ann, str(this_week() - 1)) == []
    assert 0 < site.db.run(("TTL", keys.board(ann, this_week()))) <= 15 * 86_400


def test_members_who_opt_out_or_leave_are_on_no_board(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat, dan = people("ann", "ben", "cat", "dan")
    for uid in (ann, ben, cat, dan):
        check_ins.check_in(site, uid, "UTC")
    check_ins.choose(site, ben, "UTC", hidden=True, badge_hidden=False)
    lifecycle.suspend(site, cat)
    blocks.block(site, ann, "dan")
    following.follow(site, ann, "ben")
    apply_events()
    assert logins(site, ann) == ["ann"]
    places, _ = board_of_followed(site.db, ann, str(this_week()))
    assert [place.member.login for place in places] == ["ann"]
    check_ins.choose(site, ben, "UTC", hidden=False, badge_hidden=False)
    lifecycle.suspend(site, cat, suspended=False)
    lifecycle.delete_account(site, dan, None)
    apply_events()
    assert sorted(logins(site, ann)) == ["ann", "ben", "cat"]
    assert not site.db.run(("ZSCORE", keys.board(dan, boards.ALL_TIME), dan))
