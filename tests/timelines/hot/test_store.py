"""Hot posts at the store: their order, their pages, races, and workers that die."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.timeline_events import event
from tests.support.timelines import post
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.errors import LeaseLost
from webapp.core.events.outbox import Context, Event
from webapp.core.site import Site
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


def hot_ids(site: Site, viewer: int | None = None, before: int | None = None) -> list[int]:
    """Return the ids on all pages of hot posts below a cursor, in order."""
    ids = list[int]()
    while True:
        page = store.hot(site, before, viewer)
        ids += [status.id for status in page.items]
        before = page.next
        if before is None:
            return ids


def like_all(site: Site, uids: Sequence[int], status_id: int) -> None:
    for uid in uids:
        likes.like(site, uid, status_id)


def test_likes_and_boosts_raise_a_post_and_taking_them_back_lowers_it(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *birds = people("ann", "ben", "cid", "dan")
    ids = post(site, ann, *"abcd")
    apply_events()
    assert hot_ids(site) == ids[::-1]
    like_all(site, birds[:2], ids[1])
    boosts.boost(site, birds[0], ids[2])
    like_all(site, birds, ids[0])
    apply_events()
    assert hot_ids(site) == [ids[0], ids[2], ids[1], ids[3]]
    likes.unlike(site, birds[0], ids[0])
    boosts.unboost(site, birds[0], ids[2])
    apply_events()
    assert hot_ids(site) == [ids[1], ids[0], ids[3], ids[2]]


def test_an_authors_own_like_and_boost_do_not_count(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    ids = post(site, ann, *"ab")
    likes.like(site, ann, ids[0])
    boosts.boost(site, ann, ids[0])
    apply_events()
    assert hot_ids(site) == ids[::-1]


def test_likes_of_suspended_and_deleted_members_do_not_count(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    old, new = post(site, ann, *"ab")
    for uid in (ben, cid):
        likes.like(site, uid, old)
        boosts.boost(site, uid, old)
    apply_events()
    lifecycle.suspend(site, ben)
    lifecycle.suspend(site, cid)
    apply_events()
    assert hot_ids(site) == [new, old]
    lifecycle.suspend(site, ben, False)
    apply_events()
    assert hot_ids(site) == [old, new]
    lifecycle.delete_account(site, ben, None)
    apply_events()
    assert hot_ids(site) == [new, old]


def test_likes_raise_an_old_post_by_a_bounded_time(config: Config) -> None:
    day = 86_400_000 << 12
    assert hot_score(config, 10 * day, 0, 0) == 10 * day
    assert hot_score(config, 10 * day, 48, 0) == 11 * day
    assert hot_score(config, 10 * day, 0, 24) == 11 * day
    assert hot_score(config, 10 * day, 1_000_000, 1_000_000) == 17 * day


def test_an_old_post_becomes_hot_again_after_it_lost_its_place(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    small = with_settings(site, hot_max=2, hot_group_max=1)
    ids = post(small, ann, *(f"{n} #birds" for n in "abc"))
    worker.drain(small)
    assert stored(site.db, keys.hot_statuses()) == ids[:0:-1]
    assert stored(site.db, keys.hot_tagged("birds")) == [ids[2]]
    likes.like(small, ben, ids[0])
    worker.drain(small)
    assert stored(site.db, keys.hot_statuses()) == [ids[0], ids[2]]
    assert stored(site.db, keys.hot_tagged("birds")) == [ids[0]]


def test_replies_to_others_are_hot_under_hashtags_only(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    [first] = post(site, ann, "a")
    reply = statuses.post(site, ben, parse("so do I #birds"), "form", reply=first)
    likes.like(site, ann, reply)
    apply_events()
    assert hot_ids(site) == [first]
    assert [one.id for one in store.hot_tagged(site, "birds").items] == [reply]


def test_pages_neither_repeat_nor_skip_what_does_not_move(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    small = with_settings(site, page_size=2)
    ids = post(small, ann, *"abcdefg")
    like_all(small, (ben, cid), ids[1])
    likes.like(small, ben, ids[4])
    apply_events()
    expected = [ids[1], ids[4], ids[6], ids[5], ids[3], ids[2], ids[0]]
    for viewer in (None, ben):
        assert hot_ids(small, viewer) == expected
    first = store.hot(small)
    [new] = post(small, ben, "x")
    likes.like(small, cid, ids[4])
    apply_events()
    further = hot_ids(small, None, first.next)
    assert [one.id for one in first.items] + further[1:] == expected
    assert further[0] == new, "it ranks below the first page"


def test_an_author_is_shown_once_in_ten_posts_where_there_are_enough_authors(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *birds = people("ann", "ben", "cid", "dan")
    others = [post(site, uid, "a song")[0] for uid in birds]
    anns = post(site, ann, *"abc")
    like_all(site, birds, anns[2])
    apply_events()
    first = store.hot(with_settings(site, page_size=3))
    assert first.items[0].id == anns[2], "the most popular one is the first"
    assert len({status.author.uid for status in first.items}) == 3
    # Where there are too few authors to fill a page, nothing is left out.
    ids = hot_ids(site)
    assert ids[0] == anns[2] and set(ids[:4]) == {anns[2], *others}
    assert set(ids[4:]) == set(anns[:2])


def test_nobody_is_shown_what_they_may_not_see_even_before_events_are_applied(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid, dan, eve = people("ann", "ben", "cid", "dan", "eve")
    by = {uid: post(site, uid, f"{uid} #birds")[0] for uid in (ann, ben, cid, dan)}
    apply_events()
    lifecycle.suspend(site, ann)
    lifecycle.protect(site, ben)
    statuses.delete(site, cid, by[cid])
    blocks.block(site, eve, "dan")
    for is_applied in (False, True):
        if is_applied:
            apply_events()
        for viewer, shown in ((None, [by[dan]]), (eve, [])):
            assert hot_ids(site, viewer) == shown
            tagged = store.hot_tagged(site, "birds", None, viewer)
            assert [status.id for status in tagged.items] == shown


def test_a_deleted_account_leaves_nothing(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    post(site, ann, *(f"the wren sings in the old hedge {n} #birds" for n in range(3)))
    apply_events()
    assert site.db.read(store.hot_languages()) == ["en"]
    lifecycle.delete_account(site, ann, None)
    apply_events()
    assert not [key for key in live_keys(site.db) if key.startswith("hot")]


def test_fifty_likes_and_unlikes_at_the_same_time_leave_the_true_score(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *birds = people("ann", *(f"bird{n}" for n in range(10)))
    [status_id] = post(site, ann, "a #birds")

    def change_mind(n: int) -> None:
        likes.like(site, birds[n % 10], status_id)
        if n % 2:
            likes.unlike(site, birds[n % 10], status_id)

    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            results = [pool.submit(change_mind, n) for n in range(50)]
            drains = [pool.submit(worker.drain, site, f"worker{n}") for n in range(3)]
            for result in (*results, *drains):
                result.result()
            apply_events()
            liked = sum(
                bool(site.db.run(("ZSCORE", f"likes:{key}", status_id)))
                for key in (status_keys.profile_statuses(uid)[8:] for uid in birds)
            )
            for key in (keys.hot_statuses(), keys.hot_tagged("birds")):
                [score] = site.db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))[1:]
                assert int(score) == hot_score(site.config, status_id, liked, 0)


def test_a_reader_overtaken_between_its_trips_corrects_what_it_wrote(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    [status_id] = post(site, ann, "a #birds")
    apply_events()
    likes.like(site, ben, status_id)

    class OvertakenDb(Db):
        """Apply all events of others between the first trip and the second."""

        def __init__(self) -> None:
            self.__dict__.update(site.db.__dict__)
            self.is_overtaken = False

        def trip(self, *commands: object) -> list[object]:  # type: ignore[override]
            replies = site.db.trip(*commands)  # type: ignore[arg-type]
            if not self.is_overtaken:
                self.is_overtaken = True
                statuses.delete(site, ann, status_id)
                apply_events()
            return replies

    data = {"id": str(status_id), "uid": str(ben)}
    late = Event("1-1", 63, "log", 1, "unliked", "-", data)  # from a partition without other events
    projections.sync_statuses(Context(OvertakenDb(), site.config, lambda: None), [late])
    assert stored(site.db, keys.hot_statuses()) == stored(site.db, keys.hot_tagged("birds")) == []


def test_a_worker_that_lost_its_lease_places_nothing(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    [status_id] = post(site, ann, "a")
    apply_events()
    late = event(site.db, "posted", ann, status_id)
    statuses.delete(site, ann, status_id)
    apply_events()
    for projection in (projections.sync_statuses, projections.sync_author):
        with pytest.raises(LeaseLost):
            projection(Context(site.db, site.config, lambda: None), [late])
    assert stored(site.db, keys.hot_statuses()) == []


BULK = {
    "suspended": (bulk_projections.sync_indexed, bulk_projections.sync_liked),
    "restored": (bulk_projections.sync_posts, bulk_projections.sync_liked),
    "account_deleted": (bulk_projections.sync_indexed, bulk_projections.purge_likes),
}


@pytest.mark.parametrize("kind", ["posted", "deleted", *BULK])
def test_a_crash_between_any_two_trips_is_recovered(
    kind: str,
    site: Site,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk_projections, "BATCH", 2)
    for trips in count():
        ann, ben = people(f"ann{trips}", f"ben{trips}")
        tag = f"tag{trips}"
        ids = post(site, ann, *(f"{n} #{tag}" for n in range(3)))
        [liked] = post(site, ben, f"liked #{tag}")
        if kind != "posted":
            likes.like(site, ann, liked)
            apply_events()
        if kind == "deleted":
            for status_id in ids:
                statuses.delete(site, ann, status_id)
        elif kind in ("suspended", "restored"):
            lifecycle.suspend(site, ann)
            apply_events() if kind == "restored" else None
            lifecycle.suspend(site, ann, kind == "suspended")
        elif kind == "account_deleted":
            lifecycle.delete_account(site, ann, None)
        events = [event(site.db, kind, ann, status_id) for status_id in ids]
        steps = (projections.sync_statuses,)
        if kind in BULK:
            steps, events = (projections.sync_author, worker.in_slices(*BULK[kind])), events[:1]
        crashed = False
        try:
            for step in steps:
                step(Context(CrashingDb(site.db, trips), site.config, lambda: None), events)
        except Crashed:
            crashed = True
        apply_events()
        expected = [liked] if kind in ("deleted", "suspended", "account_deleted") else ids[::-1]
        found = stored(site.db, keys.hot_tagged(tag))
        assert sorted(found) == sorted({liked, *expected})
        score = site.db.run(("ZSCORE", keys.hot_tagged(tag), f"{liked}:{ben}"))
        is_counted = kind in ("deleted", "restored")
        assert int(score) == hot_score(site.config, liked, int(is_counted), 0)
        if not crashed:
            assert trips >= 2
            return
