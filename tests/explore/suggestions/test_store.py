"""Suggestions as members get them: computed, checked again, dismissed, and removed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.crashing_db import Crashed, CrashingDb
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle, profile
from webapp.config import Config
from webapp.core.errors import Invalid, NotFound
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.explore.suggestions import keys, popular, projections
from webapp.explore.suggestions.jobs import BATCH, EVERY, SUGGESTIONS_MAX, compute, compute_due
from webapp.explore.suggestions.reasons import Suggestion, Why, pack, unpack
from webapp.explore.suggestions.store import candidates, dismiss, popular_members, suggested
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.mutes.mute import FOREVER
from webapp.following.requests import store as requests
from webapp.following.store import follow, unfollow
from webapp.statuses import store as statuses
from webapp.timelines.tags import store as tags


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
def chain(site: Site, people: People, apply_events: ApplyEvents) -> list[int]:
    """Ann follows Ben, who follows Cas, Dan and Eve. Ann's suggestions are computed."""
    uids = people("ann", "ben", "cas", "dan", "eve")
    follow(site, uids[0], "ben")
    for login in ("cas", "dan", "eve"):
        follow(site, uids[1], login)
    apply_events()
    compute(site.db, uids[0])
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


def test_a_new_member_gets_others_on_the_first_visit(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    assert names(site.db, ann) == {}, "alone"
    [ben] = people("ben")
    assert names(site.db, ann) == {"ben": "n"} and names(site.db, ben) == {"ann": "n"}
    fans = people("cas", "dan", "eve")
    for fan in fans:
        follow(site, fan, "ben")
    for uid in (ben, fans[0]):
        statuses.post(site, uid, parse("hello"), "form-1")
    apply_events()
    assert names(site.db, ann) == {"ben": "p", "cas": "a", "eve": "n", "dan": "n"}
    assert list(names(site.db, ann, 1)) == ["ben"]
    assert list(names(site.db, ann, 3)) == ["ben", "cas", "eve"]


def test_the_popular_are_cached_and_bounded(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(popular, "POPULAR_MAX", 3)
    uids = people(*(f"m{number}" for number in range(6)))
    for uid in uids:
        statuses.post(site, uid, parse("hello"), f"form-{uid}")
    apply_events()
    names(site.db, uids[0])
    assert len(site.db.read(popular.popular())) == 3
    assert 0 < site.db.run(("TTL", keys.popular())) <= popular.SECONDS


def test_fifty_visits_that_cache_the_popular_leave_one_list_that_expires(db: Db) -> None:
    lists = [
        [Suggestion(first + number, Why.POPULAR) for number in range(popular.POPULAR_MAX)]
        for first in range(1, 51)
    ]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda found: db.read(popular.save(found)), lists))
    assert db.read(popular.popular()) in lists
    assert 0 < db.run(("TTL", keys.popular())) <= popular.SECONDS
    assert len(popular.save(lists[0]).commands) == 1, "nobody can stop between list and expiry"


def test_every_kind_of_reason_is_found(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cas, dan, _, fay, gil, hal = people(
        "ann", "ben", "cas", "dan", "eve", "fay", "gil", "hal"
    )
    for uid, login in (
        *((ann, "ben"), (ann, "cas"), (ben, "dan"), (cas, "dan")),
        *((fay, "ben"), (gil, "ben"), (fay, "eve"), (gil, "eve")),
    ):
        follow(site, uid, login)
    tags.follow(site, ann, "reeds")
    statuses.post(site, ann, parse("look #sky"), "form-1")
    statuses.post(site, hal, parse("hi #reeds"), "form-1")
    statuses.post(site, fay, parse("hi #sky"), "form-1")
    apply_events()
    compute(site.db, ann)
    rows = {
        one.member.login: (one.suggestion.why, one.suggestion.tag, one.suggestion.count, one.via)
        for one in suggested(site.db, ann, 50, site.db.read(candidates(ann)))
    }
    members = {
        one.member.uid: one.member
        for one in suggested(site.db, dan, 50, site.db.read(candidates(dan)))
    }
    assert rows["dan"] == (Why.FOLLOWED, "", 2, members[cas])
    assert rows["hal"] == (Why.FOLLOWED_TAG, "reeds", 0, None)
    assert rows["fay"] == (Why.USED_TAG, "sky", 0, None)
    assert rows["eve"] == (Why.COMMON, "", 2, members[ben])


def test_what_changed_since_is_checked_when_shown(
    site: Site, chain: list[int], apply_events: ApplyEvents
) -> None:
    ann, ben, cas, dan, eve = chain
    assert personal(site.db, ann) == ["cas", "dan", "eve"]
    undo = (
        (lambda: follow(site, ann, "cas"), lambda: unfollow(site, ann, "cas")),
        (
            lambda: blocks.block(site, ann, "cas"),
            lambda: blocks.unblock(site, ann, "cas"),
        ),
        (
            lambda: blocks.block(site, cas, "ann"),
            lambda: blocks.unblock(site, cas, "ann"),
        ),
        (
            lambda: mutes.mute(site, ann, "cas", FOREVER, False),
            lambda: mutes.unmute(site, ann, "cas"),
        ),
        (
            lambda: lifecycle.suspend(site, cas),
            lambda: lifecycle.suspend(site, cas, False),
        ),
        (
            lambda: profile.edit(site, cas, {"hidden_from_search": "1"}),
            lambda: profile.edit(site, cas, {"hidden_from_search": ""}),
        ),
    )
    for do, take_back in undo:
        do()
        apply_events()
        assert "cas" not in names(site.db, ann)
        take_back()
        apply_events()
        assert "cas" in personal(site.db, ann)
    unfollow(site, ben, "dan")
    assert personal(site.db, ann) == ["cas", "eve"], "the reason does not hold any longer"
    lifecycle.delete_account(site, eve, None)
    assert personal(site.db, ann) == ["cas"]
    mutes.mute(site, ann, "ben", FOREVER, False)
    assert personal(site.db, ann) == [], "no reason names whom one mutes"
    assert names(site.db, dan) and "dan" in names(site.db, ann)


def test_protected_members_are_suggested_through_their_followers_only(
    site: Site, chain: list[int], apply_events: ApplyEvents
) -> None:
    ann, _, cas, *_ = chain
    tags.follow(site, ann, "reeds")
    statuses.post(site, cas, parse("hi #reeds"), "form-1")
    lifecycle.protect(site, cas)
    apply_events()
    compute(site.db, ann)
    assert names(site.db, ann)["cas"] == "f"
    assert "cas" not in names(site.db, chain[3]), "neither as active nor as new"
    follow(site, ann, "cas")
    assert "cas" not in names(site.db, ann), "requested"
    requests.answer(site, cas, "ann", False)
    apply_events()
    unfollow(site, ann, "ben")
    apply_events()
    compute(site.db, ann)
    assert "cas" not in names(site.db, ann)


def test_dismissed_members_never_come_again(
    db: Db, config: Config, chain: list[int], apply_events: ApplyEvents
) -> None:
    ann = chain[0]
    for _ in range(2):
        dismiss(db, ann, "Cas")
    assert "cas" not in names(db, ann) and "cas" in names(db, chain[3])
    compute(db, ann)
    assert "cas" not in names(db, ann)
    with pytest.raises(Invalid):
        dismiss(db, ann, "ann")
    for login in ("nobody", "", "x" * 500, "a:b"):
        with pytest.raises(NotFound):
            dismiss(db, ann, login)


def test_fifty_dismissals_at_once_are_all_kept(db: Db, people: People) -> None:
    [ann] = people("ann")
    logins = [f"m{number}" for number in range(50)]
    people(*logins)
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda login: dismiss(db, ann, login), logins))
    assert names(db, ann) == {}


def test_a_computation_that_dies_is_repeated(db: Db, config: Config, chain: list[int]) -> None:
    ann = chain[0]
    p = partition_of(ann)
    db.trip(("DEL", keys.suggestions(ann)), ("DEL", keys.due(p)))
    for trips in range(20):
        crashing = CrashingDb(db, trips)
        try:
            compute_due(Site(crashing, config), p)
        except Crashed:
            assert due_of(db, ann) is None or personal(db, ann) == ["cas", "dan", "eve"]
        if crashing.survived:
            break
    assert crashing.survived
    assert personal(db, ann) == ["cas", "dan", "eve"]


def test_two_workers_write_the_same(site: Site, chain: list[int]) -> None:
    ann = chain[0]
    p = partition_of(ann)
    start = threading.Barrier(2)

    def work(_: int) -> None:
        for _ in range(10):
            site.db.run(("DEL", keys.due(p)))
            start.wait()
            compute_due(site, p)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    stored = site.db.run(("ZRANGE", keys.suggestions(ann), 0, -1))
    assert [unpack(entry).uid for entry in stored] == chain[2:]
    assert site.db.run(("TTL", keys.suggestions(ann))) > 0


def test_only_members_who_came_lately_are_computed_a_few_at_a_time(
    site: Site, people: People
) -> None:
    uids = people(*(f"m{number}" for number in range(66)))
    p = partition_of(uids[0])
    mine = [uid for uid in uids if partition_of(uid) == p]
    assert len(mine) == 2
    active = account_keys.active_members(p)
    site.db.run(("ZADD", active, 1, mine[0]))  # long ago
    newest = float(site.db.run(("ZSCORE", active, mine[1])))
    site.db.run(("ZADD", active, -newest, mine[1]))  # as after a rebuild
    assert compute_due(site, p) == 1
    assert due_of(site.db, mine[0]) is None and due_of(site.db, mine[1])
    assert compute_due(site, p) == 0, "kept for a day"
    more = [uid + 64 * number for number in range(5, 5 + 2 * BATCH) for uid in mine[:1]]
    site.db.run(("ZADD", active, *(part for uid in more for part in (newest, uid))))
    assert compute_due(site, p) == BATCH
    assert all(due_of(site.db, uid) is None for uid in more), "they have no account"


def test_following_a_few_brings_the_next_computation_nearer(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *_ = people("ann", "ben", "cas", "dan")
    follow(site, ann, "ben")
    apply_events()
    assert due_of(site.db, ann) is None, "who has no suggestions needs no date"
    assert compute_due(site, partition_of(ann)) == 1
    later = due_of(site.db, ann)
    follow(site, ann, "cas")
    tags.follow(site, ann, "reeds")
    apply_events()
    assert due_of(site.db, ann) == (later or 0) - 2 * EVERY / projections.FOLLOWS
    assert compute_due(site, partition_of(ann)) == 0
    follow(site, ann, "dan")
    apply_events()
    assert compute_due(site, partition_of(ann)) == 1


def test_nothing_is_left_of_deleted_accounts(
    site: Site, chain: list[int], apply_events: ApplyEvents
) -> None:
    ann, ben, *_ = chain
    dismiss(site.db, ann, "cas")
    assert due_of(site.db, ann)
    lifecycle.delete_account(site, ann, None)
    apply_events()
    assert due_of(site.db, ann) is None, "before anything is computed again"
    compute(site.db, ann)
    own = (keys.suggestions(ann), keys.dismissed(ann))
    assert site.db.trip(*(("EXISTS", key) for key in own)) == [0, 0]
    assert due_of(site.db, ann) is None
    assert "ann" not in names(site.db, ben)


def test_lists_are_bounded(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = people("ann", "ben")
    logins = [f"m{number}" for number in range(SUGGESTIONS_MAX + 5)]
    monkeypatch.setattr("webapp.explore.suggestions.candidates.FOLLOWS", 100)
    people(*logins)
    follow(site, ann, "ben")
    for login in logins:
        follow(site, ben, login)
    apply_events()
    compute(site.db, ann)
    assert site.db.run(("ZCARD", keys.suggestions(ann))) == SUGGESTIONS_MAX
    assert len(suggested(site.db, ann, 50, site.db.read(candidates(ann)))) == 50


def test_a_short_list_reads_no_more_members_than_it_may_need(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = people("ann", "ben")
    logins = [f"m{number}" for number in range(40)]
    uids = people(*logins)
    follow(site, ann, "ben")
    for login in logins:
        follow(site, ben, login)
    apply_events()
    compute(site.db, ann)
    sent = list[int]()
    send = Db.trip_with_errors

    def counted(self: Db, commands: Sequence[Any]) -> list[Any]:
        sent.append(len(commands))
        return send(self, commands)

    found = site.db.read(candidates(ann))
    site.db.read(popular.save([Suggestion(uids[0], Why.ACTIVE)]))
    found = site.db.read(candidates(ann))
    monkeypatch.setattr(Db, "trip_with_errors", counted)
    shown = suggested(site.db, ann, 3, found)
    assert [one.member.uid for one in shown] == uids[:3]
    assert len(sent) == 2 and sum(sent) <= 40
    for login in logins[:12]:
        follow(site, ann, login)
    shown = suggested(site.db, ann, 3, found)
    assert [one.member.uid for one in shown] == uids[12:15], "the followed take no place of others"


def test_members_who_may_not_be_shown_leave_room_for_others(
    site: Site, chain: list[int], apply_events: ApplyEvents
) -> None:
    ann, _, cas, dan, eve = chain
    lifecycle.suspend(site, cas)
    apply_events()
    assert list(names(site.db, ann, 2)) == ["dan", "eve"]
    unfollow(site, chain[1], "dan")
    assert list(names(site.db, ann, 1)) == ["eve"]
    assert {dan, eve} <= set(chain)


def test_visitors_get_popular_members_whom_anybody_may_find(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    uids = people(*(f"m{number}" for number in range(5)))
    for uid in uids:
        statuses.post(site, uid, parse("hello"), f"form-{uid}")
    follow(site, uids[0], "m4")
    apply_events()

    def shown(limit: int = 50) -> list[str]:
        found = popular_members(site.db, limit, site.db.read(candidates(None)))
        return [one.member.login for one in found]

    assert shown() == ["m4", "m0", "m1", "m2", "m3"] and shown(2) == ["m4", "m0"]
    lifecycle.suspend(site, uids[0])
    lifecycle.protect(site, uids[1])
    profile.edit(site, uids[2], {"hidden_from_search": "1"})
    assert shown() == ["m4", "m3"], "though the cached list has them"
    apply_events()
    site.db.run(("DEL", keys.popular()))
    assert shown() == ["m4", "m3"]
