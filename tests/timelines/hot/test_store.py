"""Hot posts at the store: their order, their pages, races, and workers that die."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.schema import live_keys
from tests.support.timeline_events import event
from tests.support.timelines import post
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.errors import LeaseLost
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.following.blocks import store as blocks
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.interactions import boosts, likes
from webapp.timelines.entries import id_of
from webapp.timelines.hot import bulk_projections, keys, projections, store
from webapp.timelines.hot.standing import hot_score


def stored(db: Db, key: str) -> list[int]:
    """Return the ids stored at `key`, the most popular first."""
    return [id_of(entry) for entry in db.run(("ZRANGE", key, 0, -1, "REV"))]


def hot_ids(
    db: Db, config: Config, viewer: int | None = None, before: int | None = None
) -> list[int]:
    """Return the ids on all pages of hot posts below a cursor, in order."""
    ids = list[int]()
    while True:
        page = store.hot(db, config, before, viewer)
        ids += [status.id for status in page.items]
        before = page.next
        if before is None:
            return ids


def like_all(db: Db, config: Config, uids: Sequence[int], status_id: int) -> None:
    for uid in uids:
        likes.like(db, config, uid, status_id)


def test_likes_and_boosts_raise_a_post_and_taking_them_back_lowers_it(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, *birds = people("ann", "ben", "cid", "dan")
    ids = post(db, config, ann, *"abcd")
    apply_events()
    assert hot_ids(db, config) == ids[::-1]
    like_all(db, config, birds[:2], ids[1])
    boosts.boost(db, config, birds[0], ids[2])
    like_all(db, config, birds, ids[0])
    apply_events()
    assert hot_ids(db, config) == [ids[0], ids[2], ids[1], ids[3]]
    likes.unlike(db, config, birds[0], ids[0])
    boosts.unboost(db, config, birds[0], ids[2])
    apply_events()
    assert hot_ids(db, config) == [ids[1], ids[0], ids[3], ids[2]]


def test_an_authors_own_like_and_boost_do_not_count(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    ids = post(db, config, ann, *"ab")
    likes.like(db, config, ann, ids[0])
    boosts.boost(db, config, ann, ids[0])
    apply_events()
    assert hot_ids(db, config) == ids[::-1]


def test_likes_of_suspended_and_deleted_members_do_not_count(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    old, new = post(db, config, ann, *"ab")
    for uid in (ben, cid):
        likes.like(db, config, uid, old)
        boosts.boost(db, config, uid, old)
    apply_events()
    lifecycle.suspend(db, config, ben)
    lifecycle.suspend(db, config, cid)
    apply_events()
    assert hot_ids(db, config) == [new, old]
    lifecycle.suspend(db, config, ben, False)
    apply_events()
    assert hot_ids(db, config) == [old, new]
    lifecycle.delete_account(db, config, ben, None)
    apply_events()
    assert hot_ids(db, config) == [new, old]


def test_likes_raise_an_old_post_by_a_bounded_time(config: Config) -> None:
    day = 86_400_000 << 12
    assert hot_score(config, 10 * day, 0, 0) == 10 * day
    assert hot_score(config, 10 * day, 48, 0) == 11 * day
    assert hot_score(config, 10 * day, 0, 24) == 11 * day
    assert hot_score(config, 10 * day, 1_000_000, 1_000_000) == 17 * day


def test_an_old_post_becomes_hot_again_after_it_lost_its_place(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    small = replace(config, hot_max=2, hot_group_max=1)
    ids = post(db, small, ann, *(f"{n} #birds" for n in "abc"))
    worker.drain(db, small)
    assert stored(db, keys.hot_statuses()) == ids[:0:-1]
    assert stored(db, keys.hot_tagged("birds")) == [ids[2]]
    likes.like(db, small, ben, ids[0])
    worker.drain(db, small)
    assert stored(db, keys.hot_statuses()) == [ids[0], ids[2]]
    assert stored(db, keys.hot_tagged("birds")) == [ids[0]]


def test_replies_to_others_are_hot_under_hashtags_only(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    [first] = post(db, config, ann, "a")
    reply = statuses.post(db, config, ben, parse("so do I #birds"), "form", reply=first)
    likes.like(db, config, ann, reply)
    apply_events()
    assert hot_ids(db, config) == [first]
    assert [one.id for one in store.hot_tagged(db, config, "birds").items] == [reply]


def test_pages_neither_repeat_nor_skip_what_does_not_move(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    small = replace(config, page_size=2)
    ids = post(db, small, ann, *"abcdefg")
    like_all(db, small, (ben, cid), ids[1])
    likes.like(db, small, ben, ids[4])
    apply_events()
    expected = [ids[1], ids[4], ids[6], ids[5], ids[3], ids[2], ids[0]]
    for viewer in (None, ben):
        assert hot_ids(db, small, viewer) == expected
    first = store.hot(db, small)
    new = post(db, small, ben, *"xyz")
    likes.like(db, small, cid, ids[4])
    apply_events()
    further = hot_ids(db, small, None, first.next)
    assert [one.id for one in first.items] + further[3:] == expected
    assert further[:3] == new[::-1], "they rank below the first page"


def test_nobody_is_shown_what_they_may_not_see_even_before_events_are_applied(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid, dan, eve = people("ann", "ben", "cid", "dan", "eve")
    by = {uid: post(db, config, uid, f"{uid} #birds")[0] for uid in (ann, ben, cid, dan)}
    apply_events()
    lifecycle.suspend(db, config, ann)
    lifecycle.protect(db, config, ben)
    statuses.delete(db, config, cid, by[cid])
    blocks.block(db, config, eve, "dan")
    for is_applied in (False, True):
        if is_applied:
            apply_events()
        for viewer, shown in ((None, [by[dan]]), (eve, [])):
            assert hot_ids(db, config, viewer) == shown
            tagged = store.hot_tagged(db, config, "birds", None, viewer)
            assert [status.id for status in tagged.items] == shown


def test_a_deleted_account_leaves_nothing(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    post(db, config, ann, *(f"the wren sings in the old hedge {n} #birds" for n in range(3)))
    apply_events()
    assert db.read(store.hot_languages()) == ["en"]
    lifecycle.delete_account(db, config, ann, None)
    apply_events()
    assert not [key for key in live_keys(db) if key.startswith("hot")]


def test_fifty_likes_and_unlikes_at_the_same_time_leave_the_true_score(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, *birds = people("ann", *(f"bird{n}" for n in range(10)))
    [status_id] = post(db, config, ann, "a #birds")

    def change_mind(n: int) -> None:
        likes.like(db, config, birds[n % 10], status_id)
        if n % 2:
            likes.unlike(db, config, birds[n % 10], status_id)

    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            results = [pool.submit(change_mind, n) for n in range(50)]
            drains = [pool.submit(worker.drain, db, config, f"worker{n}") for n in range(3)]
            for result in (*results, *drains):
                result.result()
            apply_events()
            liked = sum(
                bool(db.run(("ZSCORE", f"likes:{key}", status_id)))
                for key in (status_keys.profile_statuses(uid)[8:] for uid in birds)
            )
            for key in (keys.hot_statuses(), keys.hot_tagged("birds")):
                [score] = db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))[1:]
                assert int(score) == hot_score(config, status_id, liked, 0)


def test_a_reader_overtaken_between_its_trips_corrects_what_it_wrote(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    [status_id] = post(db, config, ann, "a #birds")
    apply_events()
    likes.like(db, config, ben, status_id)

    class OvertakenDb(Db):
        """Apply all events of others between the first trip and the second."""

        def __init__(self) -> None:
            self.__dict__.update(db.__dict__)
            self.is_overtaken = False

        def trip(self, *commands: object) -> list[object]:  # type: ignore[override]
            replies = db.trip(*commands)  # type: ignore[arg-type]
            if not self.is_overtaken:
                self.is_overtaken = True
                statuses.delete(db, config, ann, status_id)
                apply_events()
            return replies

    data = {"id": str(status_id), "uid": str(ben)}
    late = Event("1-1", 63, "log", 1, "unliked", "-", data)  # from a partition without other events
    projections.sync_statuses(Context(OvertakenDb(), config, lambda: None), [late])
    assert stored(db, keys.hot_statuses()) == stored(db, keys.hot_tagged("birds")) == []


def test_a_worker_that_lost_its_lease_places_nothing(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    [status_id] = post(db, config, ann, "a")
    apply_events()
    late = event(db, "posted", ann, status_id)
    statuses.delete(db, config, ann, status_id)
    apply_events()
    for projection in (projections.sync_statuses, projections.sync_author):
        with pytest.raises(LeaseLost):
            projection(Context(db, config, lambda: None), [late])
    assert stored(db, keys.hot_statuses()) == []


BULK = {
    "suspended": (bulk_projections.sync_indexed, bulk_projections.sync_liked),
    "restored": (bulk_projections.sync_posts, bulk_projections.sync_liked),
    "account_deleted": (bulk_projections.sync_indexed, bulk_projections.purge_likes),
}


@pytest.mark.parametrize("kind", ["posted", "deleted", *BULK])
def test_a_crash_between_any_two_trips_is_recovered(
    kind: str,
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk_projections, "BATCH", 2)
    for trips in count():
        ann, ben = people(f"ann{trips}", f"ben{trips}")
        tag = f"tag{trips}"
        ids = post(db, config, ann, *(f"{n} #{tag}" for n in range(3)))
        [liked] = post(db, config, ben, f"liked #{tag}")
        if kind != "posted":
            likes.like(db, config, ann, liked)
            apply_events()
        if kind == "deleted":
            for status_id in ids:
                statuses.delete(db, config, ann, status_id)
        elif kind in ("suspended", "restored"):
            lifecycle.suspend(db, config, ann)
            apply_events() if kind == "restored" else None
            lifecycle.suspend(db, config, ann, kind == "suspended")
        elif kind == "account_deleted":
            lifecycle.delete_account(db, config, ann, None)
        events = [event(db, kind, ann, status_id) for status_id in ids]
        steps = (projections.sync_statuses,)
        if kind in BULK:
            steps, events = (projections.sync_author, worker.in_slices(*BULK[kind])), events[:1]
        crashed = False
        try:
            for step in steps:
                step(Context(CrashingDb(db, trips), config, lambda: None), events)
        except Crashed:
            crashed = True
        apply_events()
        expected = [liked] if kind in ("deleted", "suspended", "account_deleted") else ids[::-1]
        found = stored(db, keys.hot_tagged(tag))
        assert sorted(found) == sorted({liked, *expected})
        score = db.run(("ZSCORE", keys.hot_tagged(tag), f"{liked}:{ben}"))
        is_counted = kind in ("deleted", "restored")
        assert int(score) == hot_score(config, liked, int(is_counted), 0)
        if not crashed:
            assert trips > 2
            return
