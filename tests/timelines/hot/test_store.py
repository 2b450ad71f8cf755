"""Hot posts at the store: their order, their pages, races, and workers that die."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import call

from tests.support import paging, worker
from tests.support.concurrently import at_once
from tests.support.settings import with_settings
from tests.support.timelines import post
from tests.support.world import World
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Db, Site
from webapp.statuses import Status, Timeline, keys as status_keys
from webapp.statuses.interactions import likes
from webapp.timelines.entries import id_of
from webapp.timelines.hot import keys, projections, store
from webapp.timelines.hot.standing import hot_score
from webapp.timelines.shared import shared_page


def stored(db: Db, key: str) -> list[int]:
    """Return the ids stored at `key`, the most popular first."""
    return [id_of(entry) for entry in db.run(("ZRANGE", key, 0, -1, "REV"))]


def hot(site: Site, viewer: int | None = None, before: int | None = None) -> Timeline[Status]:
    return store.spread_page(site, viewer, site.db.read(store.hot_entries(site.config, before)))


def hot_tagged_ids(site: Site, viewer: int | None = None) -> list[int]:
    found = site.db.read(store.hot_tagged_entries(site.config, "birds", None))
    return [one.id for one in shared_page(site, viewer, found).items]


def hot_ids(site: Site, viewer: int | None = None, before: int | None = None) -> list[int]:
    """Return the ids on all pages of hot posts below a cursor, in order."""
    return paging.ids(lambda cursor: hot(site, viewer, cursor or before))


def like_all(site: Site, uids: Sequence[int], status_id: int) -> None:
    for uid in uids:
        likes.like(site, uid, status_id)


def test_likes_and_boosts_raise_a_post_and_taking_them_back_lowers_it(world: World) -> None:
    ann, *birds = world.people("ann", "ben", "cid", "dan")
    ids = world.do(post, ann, *"abcd")
    assert hot_ids(world) == ids[::-1]
    like_all(world, birds[:2], ids[1])
    world.boost(birds[0], ids[2])
    world.do(like_all, birds, ids[0])
    assert hot_ids(world) == [ids[0], ids[2], ids[1], ids[3]]
    likes.unlike(world, birds[0], ids[0])
    world.do(World.unboost, birds[0], ids[2])
    assert hot_ids(world) == [ids[1], ids[0], ids[3], ids[2]]


def test_an_authors_own_like_and_boost_do_not_count(world: World) -> None:
    [ann] = world.people("ann")
    ids = post(world, ann, *"ab")
    likes.like(world, ann, ids[0])
    world.do(World.boost, ann, ids[0])
    assert hot_ids(world) == ids[::-1]


def test_likes_of_suspended_and_deleted_members_do_not_count(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    old, new = post(world, ann, *"ab")
    for uid in (ben, cid):
        likes.like(world, uid, old)
        world.boost(uid, old)
    world.apply_events()
    world.suspend(ben)
    world.do(World.suspend, cid)
    assert hot_ids(world) == [new, old]
    world.do(World.suspend, ben, False)
    assert hot_ids(world) == [old, new]
    world.do(World.delete_account, ben, None)
    assert hot_ids(world) == [new, old]


def test_likes_raise_an_old_post_by_a_bounded_time(config: Config) -> None:
    day = 86_400_000 << 12
    assert hot_score(config, 10 * day, 0, 0) == 10 * day
    assert hot_score(config, 10 * day, 48, 0) == 11 * day
    assert hot_score(config, 10 * day, 0, 24) == 11 * day
    assert hot_score(config, 10 * day, 1_000_000, 1_000_000) == 17 * day


def test_an_old_post_becomes_hot_again_after_it_lost_its_place(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    small = with_settings(world, hot_max=2, hot_group_max=1)
    ids = small.do(post, ann, *(f"{n} #birds" for n in "abc"))
    assert stored(world.db, keys.hot_statuses()) == ids[:0:-1]
    assert stored(world.db, keys.hot_tagged("birds")) == [ids[2]]
    small.do(likes.like, ben, ids[0])
    assert stored(world.db, keys.hot_statuses()) == [ids[0], ids[2]]
    assert stored(world.db, keys.hot_tagged("birds")) == [ids[0]]


def test_replies_to_others_are_hot_under_hashtags_only(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    [first] = post(world, ann, "a")
    reply = world.post(ben, "so do I #birds", reply=first)
    world.do(likes.like, ann, reply)
    assert hot_ids(world) == [first]
    assert hot_tagged_ids(world) == [reply]


def test_pages_neither_repeat_nor_skip_what_does_not_move(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    small = with_settings(world, page_size=2)
    ids = post(small, ann, *"abcdefg")
    like_all(small, (ben, cid), ids[1])
    likes.like(small, ben, ids[4])
    world.apply_events()
    expected = [ids[1], ids[4], ids[6], ids[5], ids[3], ids[2], ids[0]]
    for viewer in (None, ben):
        assert hot_ids(small, viewer) == expected
    first = hot(small)
    [new] = post(small, ben, "x")
    likes.like(small, cid, ids[4])
    world.apply_events()
    further = hot_ids(small, None, first.next)
    assert [one.id for one in first.items] + further[1:] == expected
    assert further[0] == new, "it ranks below the first page"


def test_an_author_is_shown_once_in_ten_posts_where_there_are_enough_authors(world: World) -> None:
    ann, *birds = world.people("ann", "ben", "cid", "dan")
    others = [post(world, uid, "a song")[0] for uid in birds]
    anns = post(world, ann, *"abc")
    world.do(like_all, birds, anns[2])
    first = hot(with_settings(world, page_size=3))
    assert first.items[0].id == anns[2], "the most popular one is the first"
    assert len({status.author.uid for status in first.items}) == 3
    # Where there are too few authors to fill a page, nothing is left out.
    ids = hot_ids(world)
    assert ids[0] == anns[2] and set(ids[:4]) == {anns[2], *others}
    assert set(ids[4:]) == set(anns[:2])


def test_nobody_is_shown_what_they_may_not_see_even_before_events_are_applied(world: World) -> None:
    ann, ben, cid, dan, eve = world.people("ann", "ben", "cid", "dan", "eve")
    by = {uid: post(world, uid, f"{uid} #birds")[0] for uid in (ann, ben, cid, dan)}
    world.apply_events()
    world.suspend(ann)
    world.protect(ben)
    world.delete(cid, by[cid])
    world.block(eve, "dan")
    for is_applied in (False, True):
        if is_applied:
            world.apply_events()
        for viewer, shown in ((None, [by[dan]]), (eve, [])):
            assert hot_ids(world, viewer) == shown
            assert hot_tagged_ids(world, viewer) == shown


def test_fifty_likes_and_unlikes_at_the_same_time_leave_the_true_score(world: World) -> None:
    ann, *birds = world.people("ann", *(f"bird{n}" for n in range(10)))
    [status_id] = post(world, ann, "a #birds")

    def change_mind(n: int) -> None:
        likes.like(world, birds[n % 10], status_id)
        if n % 2:
            likes.unlike(world, birds[n % 10], status_id)

    acts = [partial(change_mind, n) for n in range(50)]
    acts += [partial(worker.drain, world, f"worker{n}") for n in range(3)]
    for _ in range(5):
        at_once(8, call, acts)
        world.apply_events()
        liked = sum(
            bool(world.db.run(("ZSCORE", f"likes:{key}", status_id)))
            for key in (status_keys.profile_statuses(uid)[8:] for uid in birds)
        )
        for key in (keys.hot_statuses(), keys.hot_tagged("birds")):
            [score] = world.db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))[1:]
            assert int(score) == hot_score(world.config, status_id, liked, 0)


def test_a_reader_overtaken_between_its_trips_corrects_what_it_wrote(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    [status_id] = world.do(post, ann, "a #birds")
    likes.like(world, ben, status_id)

    class OvertakenDb(Db):
        """Apply all events of others between the first trip and the second."""

        def __init__(self) -> None:
            self.__dict__.update(world.db.__dict__)
            self.is_overtaken = False

        def trip(self, *commands: object) -> list[object]:  # type: ignore[override]
            replies = world.db.trip(*commands)  # type: ignore[arg-type]
            if not self.is_overtaken:
                self.is_overtaken = True
                world.do(World.delete, ann, status_id)
            return replies

    data = {"id": str(status_id), "uid": str(ben)}
    late = Event("1-1", 63, "log", 1, "unliked", "-", data)  # from a partition without other events
    projections.sync_statuses(Context(OvertakenDb(), world.config, lambda: None), [late])
    assert stored(world.db, keys.hot_statuses()) == stored(world.db, keys.hot_tagged("birds")) == []
