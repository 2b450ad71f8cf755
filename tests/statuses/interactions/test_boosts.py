"""Boosts in the store: homes, profiles, deduplication, limits, and races."""

import random
from functools import partial
from operator import call
from time import sleep

import pytest

from tests.support.concurrently import at_once
from tests.support.events import waiting_events
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.boosts import home_entries, profile_entries
from tests.support.statuses.interactions import booster_ids
from tests.support.world import World, post
from webapp.accounts import keys as account_keys
from webapp.core.errors import Forbidden, NotFound, Unavailable
from webapp.core.store import Db, partition_of
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.interactions import boosts, keys as interaction_keys


def boosted_ids(db: Db, uid: int) -> list[int]:
    """Return the statuses in a member's own list of boosts, oldest first."""
    return [
        int(name.partition(":")[0])
        for name in db.run(("ZRANGE", interaction_keys.member_boosts(uid), 0, -1))
    ]


def test_boosts_enter_and_leave_the_homes_of_followers(
    world: World, author_booster_follower: tuple[int, int, int]
) -> None:
    ann, ben, cid = author_booster_follower
    status_id = post(world, ann)
    boosts.boost(world, ben, status_id)
    assert profile_entries(world, "ben") == [("ben", status_id)], "before projections run"
    assert home_entries(world, ben) == [], "nobody is shown their own boosts"
    world.apply_events()
    assert home_entries(world, cid) == [("ben", status_id)]
    assert home_entries(world, ann) == [status_id]
    assert booster_ids(world.db, status_id) == {ben}
    assert boosted_ids(world.db, ben) == [status_id]
    boosts.unboost(world, ben, status_id)
    assert (
        home_entries(world, cid) == home_entries(world, ben) == profile_entries(world, "ben") == []
    )
    world.apply_events()
    assert booster_ids(world.db, status_id) == set() and boosted_ids(world.db, ben) == []
    assert world.db.run(("ZCARD", account_keys.home(cid))) == 0
    assert not {interaction_keys.boosters(status_id), interaction_keys.member_boosts(ben)} & set(
        live_keys(world.db)
    )


def test_boosting_twice_emits_one_event(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = post(world, ann)
    for action, expected_events in (
        (boosts.boost, 1),
        (boosts.boost, 0),
        (boosts.unboost, 1),
        (boosts.unboost, 0),
    ):
        before = waiting_events(world.db, ben)
        action(world, ben, status_id)
        assert waiting_events(world.db, ben) - before == expected_events


def test_a_boost_is_ordered_after_its_status_and_before_later_posts(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    for number in range(5):
        boosted = post(world, ann, f"one {number}")
        boosts.boost(world, ben, boosted)
        post_id = post(world, ben, f"two {number}")
        boost_id = int(
            world.db.run(("ZSCORE", interaction_keys.member_boosts(ben), f"{boosted}:{ann}"))
        )
        assert boosted < boost_id < post_id and boost_id % 64 == partition_of(ben)


def test_forbidden_boosts_write_nothing(world: World) -> None:
    ann, ben, cid, dan = world.people("ann", "ben", "cid", "dan")

    def refused(uid: int, status_id: int, error: type[Exception]) -> None:
        before = world.db.run(("ZCARD", account_keys.home(uid)))
        world.refuses(error, boosts.boost, uid, status_id)
        assert boosted_ids(world.db, uid) == []
        assert world.db.run(("ZCARD", account_keys.home(uid))) == before

    restricted = world.post(ann, "psst @ben", visibility=Visibility.MENTIONED)
    refused(ben, restricted, Forbidden)
    refused(cid, restricted, NotFound)
    refused(ann, restricted, Forbidden)
    unlisted = world.post(cid, "quietly", visibility=Visibility.UNLISTED)
    boosts.boost(world, dan, unlisted)
    refused(ben, 4096, NotFound)
    world.block(ann, "ben")
    open_ = world.post(ann, "hello")
    refused(ben, open_, Forbidden)
    world.block(dan, "ann")
    world.refuses(Forbidden, boosts.boost, dan, open_)
    world.suspend(cid, True)
    refused(cid, open_, Forbidden)
    refused(ben, unlisted, Forbidden)


def test_deleting_a_status_deletes_its_boosts(
    world: World, author_booster_follower: tuple[int, int, int]
) -> None:
    ann, ben, cid = author_booster_follower
    status_id, second_status = post(world, ann), post(world, ann, "late")
    world.do(boosts.boost, ben, status_id)
    boosts.boost(world, ben, second_status)
    for deleted in (status_id, second_status):
        statuses.delete(world, ann, deleted)
    assert (
        home_entries(world, cid) == home_entries(world, ben) == profile_entries(world, "ben") == []
    )
    world.apply_events()
    assert boosted_ids(world.db, ben) == []
    assert not any(key.startswith(("boost", "home")) for key in live_keys(world.db))
    boosts.unboost(world, ben, second_status)


def test_deleting_an_account_deletes_boosts_by_and_of_it(
    world: World, author_booster_follower: tuple[int, int, int]
) -> None:
    ann, ben, cid = author_booster_follower
    status_id, follower_status = post(world, ann), post(world, cid)
    boosts.boost(world, ben, status_id)
    sleep(0.002)  # ids of one millisecond have no order
    boosts.boost(world, cid, status_id)
    world.do(boosts.boost, ben, follower_status)
    world.delete_account(ben, None)
    # This read finds that the other boost is gone.
    assert home_entries(world, cid) == [follower_status]
    assert home_entries(world, cid) == [follower_status]
    world.apply_events()
    assert booster_ids(world.db, follower_status) == set()
    assert booster_ids(world.db, status_id) == {cid}
    assert boosted_ids(world.db, ben) == []
    world.delete_account(ann, None)
    assert home_entries(world, cid) == [follower_status]
    world.apply_events()
    assert boosted_ids(world.db, cid) == []
    assert not any(key.startswith("boost") for key in live_keys(world.db))


def test_a_boost_over_the_limit_removes_the_oldest(
    world: World, author_booster_follower: tuple[int, int, int]
) -> None:
    ann, ben, cid = author_booster_follower
    bounded = with_settings(world, boosts_max=2)
    ids = [post(world, ann, f"text {number}") for number in range(4)]
    for status_id in ids:
        boosts.boost(bounded, ben, status_id)
        world.apply_events()
    assert boosted_ids(world.db, ben) == ids[2:]
    assert [booster_ids(world.db, status_id) for status_id in ids] == [set(), set(), {ben}, {ben}]
    remaining = [("ben", ids[3]), ("ben", ids[2])]
    assert home_entries(world, cid) == profile_entries(world, "ben") == remaining
    assert world.db.run(("ZCARD", account_keys.home(cid))) == 2


def test_concurrent_boosts_and_unboosts_are_counted_exactly(world: World) -> None:
    ann, *crowd = world.people("ann", *(f"bird{number}" for number in range(50)))
    status_id = post(world, ann)

    def action(uid: int) -> None:
        for _ in range(4):
            random.choice((boosts.boost, boosts.unboost))(world, uid, status_id)

    at_once(10, call, [world.apply_events, *(partial(action, uid) for uid in crowd)])
    world.apply_events()
    expected_uids = {uid for uid in crowd if boosted_ids(world.db, uid)}
    assert booster_ids(world.db, status_id) == expected_uids
    for uid in (ann, *crowd[:3]):
        found = statuses.get_with_state(world.db, status_id, uid)[1].boost_count(status_id, 0)
        assert found in (len(expected_uids), int(uid in expected_uids))


def test_concurrent_boosts_by_one_member_count_once(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = post(world, ann)
    at_once(10, lambda _: boosts.boost(world, ben, status_id), range(50))
    assert boosted_ids(world.db, ben) == [status_id]


def test_late_deliveries_do_not_undo_newer_boosts(
    world: World, author_booster_follower: tuple[int, int, int]
) -> None:
    ann, ben, cid = author_booster_follower
    status_id = post(world, ann)
    for _ in range(3):
        boosts.boost(world, ben, status_id)
        boosts.unboost(world, ben, status_id)
    world.do(boosts.boost, ben, status_id)
    assert world.db.run(("ZCARD", account_keys.home(cid))) == 1
    assert booster_ids(world.db, status_id) == {ben}
    assert home_entries(world, cid) == [("ben", status_id)]


def test_a_member_sees_their_own_boost_before_projections_run(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = post(world, ann)

    def boost_state(viewer: int) -> tuple[bool, int]:
        status, hide_and_show = statuses.get_with_state(world.db, status_id, viewer)
        return status_id in hide_and_show.boosted, hide_and_show.boost_count(
            status_id, status.boosts
        )

    boosts.boost(world, ben, status_id)
    world.like(ben, status_id)
    assert boost_state(ben) == (True, 1) and boost_state(ann) == (False, 0)
    boosts.unboost(world, ben, status_id)
    assert boost_state(ben) == (False, 0)


def test_a_full_outbox_refuses_boosts_without_changes(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = post(world, ann)
    with pytest.raises(Unavailable):
        boosts.boost(with_settings(world, outbox_max=0), ben, status_id)
    assert boosted_ids(world.db, ben) == []
    boosts.boost(world, ben, status_id)
    with pytest.raises(Unavailable):
        boosts.unboost(with_settings(world, outbox_max=0), ben, status_id)
    assert boosted_ids(world.db, ben) == [status_id]
