"""Suggestions as members get them: computed, checked again, dismissed, and removed."""

import threading
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest

from tests.support.concurrently import at_once
from tests.support.crashing_db import dies
from tests.support.world import World
from webapp.accounts import keys as account_keys, profile
from webapp.core.errors import Invalid, NotFound
from webapp.core.store import Db, partition_of
from webapp.core.text.parser import parse
from webapp.explore.suggestions import jobs, keys, popular
from webapp.explore.suggestions.jobs import BATCH, EVERY, SUGGESTIONS_MAX, compute, compute_due
from webapp.explore.suggestions.reasons import Suggestion, Why, pack, unpack
from webapp.explore.suggestions.store import candidates, dismiss, popular_members, suggested
from webapp.following.mutes.store import FOREVER
from webapp.following.requests import store as requests
from webapp.following.store import follow, unfollow
from webapp.statuses import store as statuses


def names(db: Db, viewer: int, limit: int = 50) -> dict[str, str]:
    """Return the logins suggested to a member, in order, with the letters of the reasons."""
    found = suggested(db, viewer, limit, db.read(candidates(viewer)))
    assert len({one.member.uid for one in found}) == len(found) <= limit
    return {one.member.login: one.suggestion.why.value for one in found}


def personal(db: Db, viewer: int) -> list[str]:
    """Return the logins suggested for a reason of the viewer's own."""
    return [login for login, why in names(db, viewer).items() if why in "ftuc"]


def due_of(db: Db, uid: int) -> float | None:
    score = db.run(("ZSCORE", keys.due(partition_of(uid)), uid))
    return None if score is None else float(score)


@pytest.fixture
def chain(world: World) -> list[int]:
    """Ann follows Ben, who follows Cas, Dan and Eve. Ann's suggestions are computed."""
    uids = world.people("ann", "ben", "cas", "dan", "eve")
    follow(world, uids[0], "ben")
    for login in ("cas", "dan", "eve"):
        follow(world, uids[1], login)
    world.apply_events()
    compute(world.db, uids[0])
    return uids


def test_reasons_are_packed_and_unpacked() -> None:
    for one in (
        Suggestion(7, Why.FOLLOWED, via=3, count=2),
        Suggestion(7, Why.COMMON, via=3, count=9),
        Suggestion(7, Why.FOLLOWED_TAG, tag="观鸟"),
        Suggestion(7, Why.USED_TAG, tag="a_b"),
        Suggestion(7, Why.POPULAR),
        Suggestion(7, Why.NEW),
    ):
        assert unpack(pack(one)) == one


def test_a_new_member_gets_others_on_the_first_visit(world: World) -> None:
    [ann] = world.people("ann")
    assert names(world.db, ann) == {}, "alone"
    [ben] = world.people("ben")
    assert names(world.db, ann) == {"ben": "n"} and names(world.db, ben) == {"ann": "n"}
    fans = world.people("cas", "dan", "eve")
    for fan in fans:
        follow(world, fan, "ben")
    for uid in (ben, fans[0]):
        statuses.post(world, uid, parse("hello"), "form-1")
    world.apply_events()
    assert names(world.db, ann) == {"ben": "p", "cas": "a", "eve": "n", "dan": "n"}
    assert list(names(world.db, ann, 1)) == ["ben"]
    assert list(names(world.db, ann, 3)) == ["ben", "cas", "eve"]


def test_the_popular_are_cached_and_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(popular, "POPULAR_MAX", 3)
    uids = world.people(*(f"m{number}" for number in range(6)))
    for uid in uids:
        world.post(uid, "hello")
    world.apply_events()
    names(world.db, uids[0])
    assert len(world.db.read(popular.popular())) == 3
    assert 0 < world.db.run(("TTL", keys.popular())) <= popular.SECONDS


def test_fifty_visits_that_cache_the_popular_leave_one_list_that_expires(db: Db) -> None:
    lists = [
        [Suggestion(first + number, Why.POPULAR) for number in range(popular.POPULAR_MAX)]
        for first in range(1, 51)
    ]
    at_once(8, lambda found: db.read(popular.save(found)), lists)
    assert db.read(popular.popular()) in lists
    assert 0 < db.run(("TTL", keys.popular())) <= popular.SECONDS
    assert len(popular.save(lists[0]).commands) == 1, "nobody can stop between list and expiry"


def test_every_kind_of_reason_is_found(world: World) -> None:
    ann, ben, cas, dan, _, fay, gil, hal = world.people(
        "ann", "ben", "cas", "dan", "eve", "fay", "gil", "hal"
    )
    for uid, login in (
        *((ann, "ben"), (ann, "cas"), (ben, "dan"), (cas, "dan")),
        *((fay, "ben"), (gil, "ben"), (fay, "eve"), (gil, "eve")),
    ):
        follow(world, uid, login)
    world.follow_tag(ann, "reeds")
    statuses.post(world, ann, parse("look #sky"), "form-1")
    statuses.post(world, hal, parse("hi #reeds"), "form-1")
    world.do(statuses.post, fay, parse("hi #sky"), "form-1")
    compute(world.db, ann)
    rows = {
        one.member.login: (one.suggestion.why, one.suggestion.tag, one.suggestion.count, one.via)
        for one in suggested(world.db, ann, 50, world.db.read(candidates(ann)))
    }
    members = {
        one.member.uid: one.member
        for one in suggested(world.db, dan, 50, world.db.read(candidates(dan)))
    }
    assert rows["dan"] == (Why.FOLLOWED, "", 2, members[cas])
    assert rows["hal"] == (Why.FOLLOWED_TAG, "reeds", 0, None)
    assert rows["fay"] == (Why.USED_TAG, "sky", 0, None)
    assert rows["eve"] == (Why.COMMON, "", 2, members[ben])


def test_what_changed_since_is_checked_when_shown(world: World, chain: list[int]) -> None:
    ann, ben, cas, dan, eve = chain
    assert personal(world.db, ann) == ["cas", "dan", "eve"]
    undo = (
        (lambda: follow(world, ann, "cas"), lambda: unfollow(world, ann, "cas")),
        (lambda: world.block(ann, "cas"), lambda: world.unblock(ann, "cas")),
        (lambda: world.block(cas, "ann"), lambda: world.unblock(cas, "ann")),
        (
            lambda: world.mute(ann, "cas", FOREVER, False),
            lambda: world.unmute(ann, "cas"),
        ),
        (lambda: world.suspend(cas), lambda: world.suspend(cas, False)),
        (
            lambda: profile.edit(world, cas, {"hidden_from_search": "1"}),
            lambda: profile.edit(world, cas, {"hidden_from_search": ""}),
        ),
    )
    for do, take_back in undo:
        do()
        world.apply_events()
        assert "cas" not in names(world.db, ann)
        take_back()
        world.apply_events()
        assert "cas" in personal(world.db, ann)
    unfollow(world, ben, "dan")
    assert personal(world.db, ann) == ["cas", "eve"], "the reason does not hold any longer"
    world.delete_account(eve, None)
    assert personal(world.db, ann) == ["cas"]
    world.mute(ann, "ben", FOREVER, False)
    assert personal(world.db, ann) == [], "no reason names whom one mutes"
    assert names(world.db, dan) and "dan" in names(world.db, ann)


def test_protected_members_are_suggested_through_their_followers_only(
    world: World, chain: list[int]
) -> None:
    ann, _, cas, *_ = chain
    world.follow_tag(ann, "reeds")
    world.post(cas, "hi #reeds")
    world.do(World.protect, cas)
    compute(world.db, ann)
    assert names(world.db, ann)["cas"] == "f"
    assert "cas" not in names(world.db, chain[3]), "neither as active nor as new"
    follow(world, ann, "cas")
    assert "cas" not in names(world.db, ann), "requested"
    world.do(requests.answer, cas, "ann", False)
    world.do(unfollow, ann, "ben")
    compute(world.db, ann)
    assert "cas" not in names(world.db, ann)


def test_dismissed_members_never_come_again(world: World, chain: list[int]) -> None:
    ann = chain[0]
    for _ in range(2):
        dismiss(world.db, ann, "Cas")
    assert "cas" not in names(world.db, ann) and "cas" in names(world.db, chain[3])
    compute(world.db, ann)
    assert "cas" not in names(world.db, ann)
    with pytest.raises(Invalid):
        dismiss(world.db, ann, "ann")
    for login in ("nobody", "", "x" * 500, "a:b"):
        with pytest.raises(NotFound):
            dismiss(world.db, ann, login)


def test_fifty_dismissals_at_once_are_all_kept(world: World) -> None:
    [ann] = world.people("ann")
    logins = [f"m{number}" for number in range(50)]
    world.people(*logins)
    at_once(10, lambda login: dismiss(world.db, ann, login), logins)
    assert names(world.db, ann) == {}


def test_a_computation_that_dies_is_repeated(world: World, chain: list[int]) -> None:
    ann = chain[0]
    p = partition_of(ann)
    world.db.trip(("DEL", keys.suggestions(ann)), ("DEL", keys.due(p)))
    for trips in count():
        if not dies(world, trips, lambda site: compute_due(site, p)):
            break
        assert due_of(world.db, ann) is None or personal(world.db, ann) == ["cas", "dan", "eve"]
    assert personal(world.db, ann) == ["cas", "dan", "eve"]


def test_two_workers_write_the_same(world: World, chain: list[int]) -> None:
    ann = chain[0]
    p = partition_of(ann)
    start = threading.Barrier(2)

    def work(_: int) -> None:
        for _ in range(10):
            world.db.run(("DEL", keys.due(p)))
            start.wait()
            compute_due(world, p)

    at_once(2, work, range(2))
    stored = world.db.run(("ZRANGE", keys.suggestions(ann), 0, -1))
    assert [unpack(entry).uid for entry in stored] == chain[2:]
    assert world.db.run(("TTL", keys.suggestions(ann))) > 0


def test_only_members_who_came_lately_are_computed_a_few_at_a_time(world: World) -> None:
    uids = world.people(*(f"m{number}" for number in range(66)))
    p = partition_of(uids[0])
    mine = [uid for uid in uids if partition_of(uid) == p]
    assert len(mine) == 2
    active = account_keys.active_members(p)
    world.db.run(("ZADD", active, 1, mine[0]))  # long ago
    newest = float(world.db.run(("ZSCORE", active, mine[1])))
    world.db.run(("ZADD", active, -newest, mine[1]))  # as after a rebuild
    assert compute_due(world, p) == 1
    assert due_of(world.db, mine[0]) is None and due_of(world.db, mine[1])
    assert compute_due(world, p) == 0, "kept for a day"
    more = [uid + 64 * number for number in range(5, 5 + 2 * BATCH) for uid in mine[:1]]
    world.db.run(("ZADD", active, *(part for uid in more for part in (newest, uid))))
    assert compute_due(world, p) == BATCH
    assert all(due_of(world.db, uid) is None for uid in more), "they have no account"


def test_a_member_for_whom_nothing_can_be_computed_holds_no_others_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = world.people("ann")[0]
    others = [ann + 64 * (number + 1) for number in range(BATCH)]
    visits = [part for uid in others for part in (2e9, uid)]
    world.db.run(("ZADD", account_keys.active_members(ann), *visits))
    choose = jobs.choose

    def fail_for_others(db: Db, uid: int) -> list[Suggestion]:
        assert uid == ann, "a fault"
        return choose(db, uid)

    monkeypatch.setattr(jobs, "choose", fail_for_others)
    for uid in others:
        world.db.run(("HSET", account_keys.user(uid), "login", f"other{uid}"))
    assert compute_due(world, partition_of(ann)) == BATCH
    compute_due(world, partition_of(ann))
    assert due_of(world.db, ann) is not None, "it had its turn"


def test_following_a_few_brings_the_next_computation_nearer(world: World) -> None:
    ann, *_ = world.people("ann", "ben", "cas", "dan")
    world.do(follow, ann, "ben")
    assert due_of(world.db, ann) is None, "who has no suggestions needs no date"
    assert compute_due(world, partition_of(ann)) == 1
    later = due_of(world.db, ann)
    follow(world, ann, "cas")
    world.do(World.follow_tag, ann, "reeds")
    assert due_of(world.db, ann) == (later or 0) - 2 * EVERY / jobs.FOLLOWS
    assert compute_due(world, partition_of(ann)) == 0
    world.do(follow, ann, "dan")
    assert compute_due(world, partition_of(ann)) == 1


def test_nothing_is_left_of_deleted_accounts(world: World, chain: list[int]) -> None:
    ann, ben, *_ = chain
    dismiss(world.db, ann, "cas")
    assert due_of(world.db, ann)
    world.do(World.delete_account, ann, None)
    assert due_of(world.db, ann) is None, "before anything is computed again"
    compute(world.db, ann)
    own = (keys.suggestions(ann), keys.dismissed(ann))
    assert world.db.trip(*(("EXISTS", key) for key in own)) == [0, 0]
    assert due_of(world.db, ann) is None
    assert "ann" not in names(world.db, ben)


def test_lists_are_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, ben = world.people("ann", "ben")
    logins = [f"m{number}" for number in range(SUGGESTIONS_MAX + 5)]
    monkeypatch.setattr("webapp.explore.suggestions.candidates.FOLLOWS", 100)
    world.people(*logins)
    follow(world, ann, "ben")
    for login in logins:
        follow(world, ben, login)
    world.apply_events()
    compute(world.db, ann)
    assert world.db.run(("ZCARD", keys.suggestions(ann))) == SUGGESTIONS_MAX
    assert len(suggested(world.db, ann, 50, world.db.read(candidates(ann)))) == 50


def test_a_short_list_reads_no_more_members_than_it_may_need(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = world.people("ann", "ben")
    logins = [f"m{number}" for number in range(40)]
    uids = world.people(*logins)
    follow(world, ann, "ben")
    for login in logins:
        follow(world, ben, login)
    world.apply_events()
    compute(world.db, ann)
    sent = list[int]()
    send = Db.trip_with_errors

    def counted(self: Db, commands: Sequence[Any]) -> list[Any]:
        sent.append(len(commands))
        return send(self, commands)

    found = world.db.read(candidates(ann))
    world.db.read(popular.save([Suggestion(uids[0], Why.ACTIVE)]))
    found = world.db.read(candidates(ann))
    monkeypatch.setattr(Db, "trip_with_errors", counted)
    shown = suggested(world.db, ann, 3, found)
    assert [one.member.uid for one in shown] == uids[:3]
    assert len(sent) == 2 and sum(sent) <= 40
    for login in logins[:12]:
        follow(world, ann, login)
    shown = suggested(world.db, ann, 3, found)
    assert [one.member.uid for one in shown] == uids[12:15], "the followed take no place of others"


def test_members_who_may_not_be_shown_leave_room_for_others(world: World, chain: list[int]) -> None:
    ann, _, cas, dan, eve = chain
    world.do(World.suspend, cas)
    assert list(names(world.db, ann, 2)) == ["dan", "eve"]
    unfollow(world, chain[1], "dan")
    assert list(names(world.db, ann, 1)) == ["eve"]
    assert {dan, eve} <= set(chain)


def test_visitors_get_popular_members_whom_anybody_may_find(world: World) -> None:
    uids = world.people(*(f"m{number}" for number in range(5)))
    for uid in uids:
        world.post(uid, "hello")
    world.do(follow, uids[0], "m4")

    def shown(limit: int = 50) -> list[str]:
        found = popular_members(world.db, limit, world.db.read(candidates(None)))
        return [one.member.login for one in found]

    assert shown() == ["m4", "m0", "m1", "m2", "m3"] and shown(2) == ["m4", "m0"]
    world.suspend(uids[0])
    world.protect(uids[1])
    profile.edit(world, uids[2], {"hidden_from_search": "1"})
    assert shown() == ["m4", "m3"], "though the cached list has them"
    world.apply_events()
    world.db.run(("DEL", keys.popular()))
    assert shown() == ["m4", "m3"]
