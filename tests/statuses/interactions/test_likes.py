"""Likes in the store: projections, counts, limits, lists of likers, and races."""

import random
from dataclasses import fields, replace
from functools import partial
from operator import call

import pytest

from tests.support.concurrently import at_once
from tests.support.events import event, waiting_events
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.interactions import like_state, liked_ids, liker_ids
from tests.support.timelines import home_timeline
from tests.support.world import World, post
from webapp.core.errors import Forbidden, NotFound, Unavailable
from webapp.statuses import by_ids, keys as status_keys, store as statuses
from webapp.statuses.hydration import complete
from webapp.statuses.interactions import (
    bookmarks,
    keys as interaction_keys,
    like_projections,
    likers,
    likes,
)
from webapp.statuses.viewer.viewer_state import QuoteCard, ViewerState
from webapp.timelines import store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page


def test_likes_and_unlikes_change_the_count_for_everybody(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = post(world, ann)
    assert likes.like(world, ben, status_id).uid == ann
    world.do(likes.like, ann, status_id)
    assert liker_ids(world.db, status_id) == {ann, ben}
    assert liked_ids(world.db, ben) == liked_ids(world.db, ann) == [status_id]
    assert like_state(world.db, status_id, ben) == (2, True, False)
    assert like_state(world.db, status_id, cid) == (2, False, False)
    assert like_state(world.db, status_id, None) == (2, False, False)
    world.do(likes.unlike, ben, status_id)
    assert liker_ids(world.db, status_id) == {ann} and liked_ids(world.db, ben) == []
    world.do(likes.unlike, ann, status_id)
    assert liker_ids(world.db, status_id) == set()
    assert like_state(world.db, status_id, ann) == (0, False, False)
    assert not {interaction_keys.likers(status_id), interaction_keys.member_likes(ann)} & set(
        live_keys(world.db)
    )


def test_liking_twice_emits_one_event(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = post(world, ann)
    for act, expected_events in (
        (likes.like, 1),
        (likes.like, 0),
        (likes.unlike, 1),
        (likes.unlike, 0),
    ):
        before = waiting_events(world.db, ben)
        act(world, ben, status_id)
        before_again = world.db.run(
            ("ZRANGE", interaction_keys.member_likes(ben), 0, -1, "WITHSCORES")
        )
        assert waiting_events(world.db, ben) - before == expected_events
        act(world, ben, status_id)
        found = world.db.run(("ZRANGE", interaction_keys.member_likes(ben), 0, -1, "WITHSCORES"))
        assert found == before_again


def test_a_member_sees_their_own_like_before_projections_run(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.follow(ben, "ann")
    status_id = post(world, ann)
    world.do(likes.like, cid, status_id)
    member = world.status(status_id).author
    viewer = replace(member, uid=ben, login="ben")

    def pages() -> set[tuple[int, bool]]:
        timelines_read = [
            home_timeline(world, ben),
            timelines.public(world, viewer=ben),
            profile_page(world, ProfileQuery("ann", viewer)).timeline,
        ]
        found = {
            (
                page.viewer_state.like_count(status.id, status.likes),
                status.id in page.viewer_state.liked,
            )
            for page in timelines_read
            for status in page.items
        }
        return found | {like_state(world.db, status_id, ben)[:2]}

    for like_or_unlike, expected in (
        (likes.like, (2, True)),
        (likes.unlike, (1, False)),
        (likes.like, (2, True)),
    ):
        like_or_unlike(world, ben, status_id)
        assert pages() == {expected}
        world.apply_events()
        assert pages() == {expected}
        assert like_state(world.db, status_id, cid) == (expected[0], True, False)


def test_recent_interactions_cost_pages_at_most_one_more_trip(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for login in ("ann", "cid"):
        world.follow(ben, login)
    world.follow(cid, "ann")  # Ann's profile then shows Cid to Ben as a mutual follower
    ids = [post(world, ann, f"text {number}") for number in range(9)]
    world.apply_events()
    for status_id in ids[::2]:
        likes.like(world, ben, status_id)
        bookmarks.bookmark(world, ben, status_id)
    world.apply_events()
    viewer = replace(world.status(ids[0]).author, uid=ben, login="ben")
    reads = (  # each with its trips, and those with recent interactions
        (lambda: home_timeline(world, ben), 2, 3),
        (lambda: timelines.public(world, viewer=ben), 2, 3),
        # Cid is read in the same trip as the recent counts.
        (lambda: profile_page(world, ProfileQuery("ann", viewer)), 4, 4),
        (lambda: statuses.get_with_state(world.db, ids[0], ben), 2, 3),
        (
            lambda: world.db.read(
                complete(ben, *by_ids.fetch(world.db, dict.fromkeys(ids, 0), ben))
            ),
            2,
            3,
        ),
        (lambda: bookmarks.bookmarks_page(world.db, ben, None, 30), 3, 4),
    )
    for are_recent in (True, False):
        for read, trips_without, trips_with in reads:
            trips = world.db.trips
            read()
            assert world.db.trips - trips == (trips_with if are_recent else trips_without)
        # As expiry does after a minute.
        world.db.run(("DEL", interaction_keys.recent_interactions(ben)))
    for read_or_write in (
        lambda: likers.likers(world.db, ids[0], None, 30, ben),
        lambda: likes.like(world, ben, ids[1]),
    ):
        trips = world.db.trips
        read_or_write()
        assert world.db.trips - trips == 3


def test_recent_interactions_expire_after_a_minute(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    first, second = post(world, ann, "one"), post(world, ann, "two")
    likes.like(world, ben, first)
    assert 0 < world.db.run(("TTL", interaction_keys.recent_interactions(ben))) <= 60
    world.db.run(
        (
            "ZADD",
            interaction_keys.recent_interactions(ben),
            "XX",
            int(world.db.run(("ZSCORE", interaction_keys.recent_interactions(ben), first)))
            - 60_001,
            first,
        )
    )
    likes.like(world, ben, second)
    expected = [str(second)]
    assert world.db.run(("ZRANGE", interaction_keys.recent_interactions(ben), 0, -1)) == expected


def test_statuses_of_pull_authors_show_the_viewers_likes(world: World) -> None:
    world = with_settings(world, push_max_followers=1, merged_seconds=60)
    ann, ben, cid = world.people("ann", "ben", "cid")
    for uid in (ben, cid):
        world.do(World.follow, uid, "ann")
    status_id = post(world, ann)
    world.do(likes.like, ben, status_id)
    for _ in range(2):  # from the store, then from the cache
        for viewer, liked in ((ben, True), (cid, False)):
            page = home_timeline(world, viewer)
            assert [status.id for status in page.items] == [status_id]
            assert (
                status_id in page.viewer_state.liked,
                page.viewer_state.like_count(status_id, page.items[0].likes),
            ) == (liked, 1)


def test_forbidden_likes_write_nothing(world: World) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    status_id, by_ben, by_dot = post(world, ann), post(world, ben), post(world, dot)
    deleted = post(world, ann, "goes")
    statuses.delete(world, ann, deleted)
    world.block(ann, "ben")  # without running projections
    world.suspend(cid)
    world.suspend(dot)

    def refused(kind: type[Exception], uid: int, about: int, **settings: int) -> str:
        with pytest.raises(kind) as refusal:
            likes.like(with_settings(world, **settings), uid, about)
        assert liked_ids(world.db, uid) == []
        return str(getattr(refusal.value, "sentence", ""))

    assert (
        refused(Forbidden, ben, status_id)
        == refused(Forbidden, ann, by_ben)
        == "You can’t like this post."
    )
    world.apply_events()
    assert (
        refused(Forbidden, ben, status_id)
        == refused(Forbidden, ann, by_ben)
        == "You can’t like this post."
    )
    refused(Forbidden, cid, status_id)
    refused(Forbidden, ann, by_dot)
    refused(NotFound, ben, deleted)
    refused(NotFound, ben, 2**53 - 1)
    likes.unlike(world, ben, deleted)
    world.delete_account(cid, None)
    refused(NotFound, cid, status_id)
    post(world, ben, "waits")
    refused(Unavailable, ben, by_ben, outbox_max=1)


def test_a_like_over_the_limit_removes_the_oldest(world: World) -> None:
    bounded = with_settings(world, likes_max=3)
    ann, ben = world.people("ann", "ben")
    ids = [post(world, ann, f"text {number}") for number in range(5)]
    for status_id in ids:
        likes.like(bounded, ben, status_id)
        world.apply_events()
    assert liked_ids(world.db, ben) == ids[2:]
    expected = [set(), set(), {ben}, {ben}, {ben}]
    assert [liker_ids(world.db, status_id) for status_id in ids] == expected
    likes.like(with_settings(world, likes_max=1), ben, ids[0])
    world.apply_events()
    assert liked_ids(world.db, ben) == [ids[0]]
    expected = [{ben}, set(), set(), set(), set()]
    assert [liker_ids(world.db, status_id) for status_id in ids] == expected


def test_concurrent_likes_and_unlikes_are_counted_exactly(world: World) -> None:
    members = world.crowd(50)
    ids = [post(world, uid) for uid in members[:2]]
    chance = random.Random(7)
    clicks = [
        partial(chance.choice((likes.like, likes.unlike)), world, uid, chance.choice(ids))
        for uid in members
        for _ in range(4)
    ]
    chance.shuffle(clicks)
    assert len(clicks) == 200
    at_once(50, call, [*clicks, world.apply_events])
    world.apply_events()
    for status_id in ids:
        expected_uids = {uid for uid in members if status_id in liked_ids(world.db, uid)}
        assert liker_ids(world.db, status_id) == expected_uids
        assert 0 < len(expected_uids) < 50
        assert like_state(world.db, status_id, None)[0] == len(expected_uids)
        assert all(
            like_state(world.db, status_id, uid)[:2] == (len(expected_uids), uid in expected_uids)
            for uid in members
        )


def test_projections_of_likes_are_idempotent_in_any_order(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id, other = post(world, ann), post(world, ann, "other")
    context = world.context
    likes.like(world, ben, status_id)
    likes.unlike(world, ben, status_id)
    likes.like(world, ben, other)
    liked_event, unliked_event = (
        event("liked", ben, uid=ben, id=status_id, author=0),
        event("unliked", ben, uid=ben, id=status_id, author=0),
    )
    for run in (
        [unliked_event],
        [liked_event],
        [liked_event, liked_event],
        [unliked_event, liked_event],
        [event("unliked", ben, uid=ben, id=other, author=0)],
    ):
        like_projections.sync_likers(context, run)
        like_projections.sync_likers(context, run)
    assert (liker_ids(world.db, status_id), liker_ids(world.db, other)) == (set(), {ben})


def test_deleting_a_status_deletes_its_likes(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = post(world, ann)
    world.do(likes.like, ben, status_id)
    likes.like(world, cid, status_id)  # not applied before the deletion
    statuses.delete(world, ann, status_id)
    assert not world.db.run(("EXISTS", interaction_keys.likers(status_id)))
    world.apply_events()
    world.do(likes.unlike, ben, status_id)
    assert not any(
        world.db.trip(
            ("EXISTS", interaction_keys.likers(status_id)),
            ("EXISTS", status_keys.status(status_id)),
        )
    )
    with pytest.raises(NotFound):
        likers.likers(world.db, status_id, None, 30, None)


def test_concurrent_likes_and_deletions_leave_no_orphaned_lists(world: World) -> None:
    ann, *members = world.people("ann", *(f"bird{number}" for number in range(8)))
    ids = [post(world, ann, f"text {number}") for number in range(6)]

    def like(uid: int, status_id: int) -> None:
        try:
            likes.like(world, uid, status_id)
        except NotFound:
            assert status_id in ids[::2]

    acts = [partial(like, uid, status_id) for status_id in ids for uid in members]
    acts += [partial(world.delete, ann, status_id) for status_id in ids[::2]]
    at_once(16, call, [*acts, world.apply_events])
    world.apply_events()
    found = {key for key in live_keys(world.db) if key.startswith("likers:")}
    assert found == {interaction_keys.likers(status_id) for status_id in ids[1::2]}
    assert all(liker_ids(world.db, status_id) == set(members) for status_id in ids[1::2])
    assert all(
        not world.db.run(("EXISTS", status_keys.status(status_id))) for status_id in ids[::2]
    )


def test_the_state_of_two_pages_has_all_of_both() -> None:
    def state(at: int) -> ViewerState:
        ids, counts = frozenset({at}), {at: 1}
        names, cards = {at: "birds"}, {at: QuoteCard(None)}
        return ViewerState(
            ids, ids, ids, counts, counts, counts, {at: (1,)}, cards, names, tuple(ids)
        )

    merged = state(1).merge(state(2))
    assert all(set(getattr(merged, one.name)) == {1, 2} for one in fields(merged))
