"""Boosts in homes and on profiles: order, deduplication, hiding, and rebuilt homes."""

from dataclasses import replace

import pytest

from tests.support import worker
from tests.support.settings import with_settings
from tests.support.statuses.boosts import all_entries, home_entries, profile_entries
from tests.support.timelines import home_timeline, walk
from tests.support.world import World, post
from webapp.accounts import keys as account_keys
from webapp.core.store import Db, Site, partition_of
from webapp.following import store as following
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import boosts
from webapp.timelines.profile import ProfileQuery, profile_page

Entry = int | tuple[str, int]  # a status id, or the login of a booster and the id


def test_a_home_shows_a_status_once_and_falls_back_to_the_next_boost(world: World) -> None:
    ann, ben, cid, dan = world.people("ann", "ben", "cid", "dan")
    for login in ("ann", "ben", "dan"):
        following.follow(world, cid, login)
    world.apply_events()
    status_id = post(world, ann)
    world.do(boosts.boost, ben, status_id)
    assert home_entries(world, cid) == [status_id]  # the post itself
    world.do(boosts.boost, dan, status_id)
    following.unfollow(world, cid, "ann")
    assert home_entries(world, cid) == [("ben", status_id)]  # now the first boost
    boosts.unboost(world, ben, status_id)
    assert home_entries(world, cid) == []  # this read finds that the boost is gone
    assert home_entries(world, cid) == [("dan", status_id)]
    world.apply_events()
    assert home_entries(world, cid) == [("dan", status_id)]
    world.do(boosts.boost, ben, status_id)
    assert home_entries(world, cid) == [("dan", status_id)]
    world.mute(cid, "dan", 3_600)
    assert home_entries(world, cid) == [("ben", status_id)]


@pytest.mark.parametrize("gap", [39, 40])
def test_boosts_are_deduplicated_within_forty_entries(world: World, gap: int) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for login in ("ann", "ben"):
        following.follow(world, cid, login)
    world.apply_events()
    status_id = post(world, ann)
    later = [post(world, ann, f"other {number}") for number in range(gap)]
    # Ids of one millisecond have no order.
    world.db.run(("SET", status_keys.last_status_id(partition_of(ben)), later[-1]))
    world.do(boosts.boost, ben, status_id)
    boost_entry = [("ben", status_id)] if gap == 40 else []
    for size in (2, 30):
        expected = [*boost_entry, *reversed(later), status_id]
        assert home_entries(with_settings(world, page_size=size), cid) == expected


def test_pages_with_boosts_are_full(world: World) -> None:
    ann, ben, cid, *boosters = world.people(
        "ann", "ben", "cid", *(f"bird{number}" for number in range(6))
    )
    small = with_settings(world, page_size=3)
    for login in ("ann", "ben", *(f"bird{number}" for number in range(6))):
        following.follow(world, cid, login)
    world.apply_events()
    ids = [post(world, ann, f"text {number}") for number in range(4)]
    for uid in (ben, *boosters):
        for status_id in ids:
            boosts.boost(world, uid, status_id)
    world.apply_events()
    assert home_entries(small, cid) == ids[::-1]
    assert profile_entries(small, "ben") == [("ben", status_id) for status_id in reversed(ids)]
    world.suspend(ann, True)
    assert home_entries(small, cid) == [] == profile_entries(small, "ben")
    written = [post(world, ben, f"own {number}") for number in range(4)]
    assert profile_entries(small, "ben") == written[::-1]
    world.do(World.suspend, ann, False)
    expected = [*written[::-1], *(("ben", status_id) for status_id in reversed(ids))]
    assert profile_entries(small, "ben", cid) == expected


def test_a_profile_mixes_posts_and_boosts_and_its_feed_has_only_posts(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    expected: list[Entry] = []
    for number in range(8):
        status_id = post(world, ann, f"ann {number}")
        if number % 3:
            boosts.boost(world, ben, status_id)
            expected.append(("ben", status_id))
        else:
            expected.append(post(world, ben, f"ben {number}"))
    small = with_settings(world, page_size=2)
    assert (
        profile_entries(small, "ben")
        == expected[::-1]
        == profile_entries(small, "ben", ann, replies=True)
    )
    posts = [entry for entry in expected if isinstance(entry, int)]
    read = lambda before: (
        profile_page(small, ProfileQuery("ben", None, before, with_boosts=False)).timeline
    )
    assert walk(read, 2) == posts[::-1]


def test_a_members_boost_of_their_own_status_is_not_repeated(world: World) -> None:
    (ann,) = world.people("ann")
    first = post(world, ann, "first")
    boosts.boost(world, ann, first)
    assert profile_entries(world, "ann") == [first] == home_entries(world, ann)


def test_mutes_blocks_and_suspensions_hide_boosts(
    world: World, author_booster_follower: tuple[int, int, int]
) -> None:
    ann, ben, cid = author_booster_follower
    status_id = post(world, ann)
    world.do(boosts.boost, ben, status_id)
    hide_and_show = (
        (lambda: world.mute(cid, "ann", 60), lambda: world.unmute(cid, "ann")),
        (lambda: world.block(cid, "ann"), lambda: world.unblock(cid, "ann")),
        (lambda: world.block(ann, "cid"), lambda: world.unblock(ann, "cid")),
        (lambda: world.suspend(ann, True), lambda: world.suspend(ann, False)),
        (lambda: world.suspend(ben, True), lambda: world.suspend(ben, False)),
        (lambda: world.mute(cid, "ben", 60), lambda: world.unmute(cid, "ben")),
    )
    for index, (hide, show) in enumerate(hide_and_show):
        hide()
        if index == 2:
            world.apply_events()
        assert home_entries(world, cid) == []
        if index < 4:
            assert profile_entries(world, "ben", cid) == []
        world.apply_events()
        assert home_entries(world, cid) == []
        show()
        world.apply_events()
        assert (
            home_entries(world, cid) == [("ben", status_id)] == profile_entries(world, "ben", cid)
        )
    following.unfollow(world, cid, "ben")
    assert home_entries(world, cid) == []


def test_unfollowing_the_author_keeps_boosts_by_others(
    world: World, author_booster_follower: tuple[int, int, int]
) -> None:
    ann, ben, cid = author_booster_follower
    world.do(following.follow, cid, "ann")
    status_id = post(world, ann)
    world.do(boosts.boost, ben, status_id)
    world.do(following.unfollow, cid, "ann")
    assert home_entries(world, cid) == [("ben", status_id)]


def drop_home(db: Db, uid: int) -> None:
    """Delete a home timeline, as happens to inactive members."""
    db.trip(
        ("ZREM", account_keys.active_members(partition_of(uid)), uid),
        ("DEL", account_keys.home(uid)),
    )


def test_new_follows_and_rebuilt_homes_include_boosts(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    ids = [post(world, ann, f"text {number}") for number in range(5)]
    for status_id in ids:
        boosts.boost(world, ben, status_id)
    own_post = world.do(post, ben, "mine")
    world.do(following.follow, cid, "ben")
    expected = [own_post, *(("ben", status_id) for status_id in reversed(ids))]
    assert home_entries(world, cid) == expected
    entries = world.db.run(("ZRANGE", account_keys.home(cid), 0, -1, "WITHSCORES"))
    drop_home(world.db, cid)
    assert home_entries(world, cid) == expected
    assert world.db.run(("ZRANGE", account_keys.home(cid), 0, -1, "WITHSCORES")) == entries
    drop_home(world.db, cid)
    boosts.unboost(world, ben, ids[2])
    assert home_entries(world, cid) == [entry for entry in expected if entry != ("ben", ids[2])]
    bounded = with_settings(world, home_max=3, home_slack=0, page_size=2)
    drop_home(world.db, cid)
    found = home_entries(bounded, cid)
    assert found == [entry for entry in expected if entry != ("ben", ids[2])][:3]


def test_boosts_of_pull_authors_are_merged_on_read(world: World) -> None:
    merged = with_settings(world, push_max_followers=0, merged_seconds=0, page_size=3)
    ann, ben, cid = world.people("ann", "ben", "cid")
    merged.do(following.follow, cid, "ben")
    ids = [post(world, ann, f"text {number}") for number in range(4)]
    for status_id in ids:
        boosts.boost(merged, ben, status_id)
    worker.drain(merged)
    assert world.db.run(("ZCARD", account_keys.home(cid))) == 0
    assert home_entries(merged, cid) == [("ben", status_id) for status_id in reversed(ids)]
    world.mute(cid, "ann", 60)
    assert list(all_entries(lambda before: home_timeline(merged, cid, before), short=True)) == []
    world.unmute(cid, "ann")
    cached = replace(merged.config, merged_seconds=60)
    assert (
        home_entries(Site(world.db, cached), cid)
        == home_entries(Site(world.db, cached), cid)
        == [("ben", status_id) for status_id in reversed(ids)]
    )
    following.follow(merged, cid, "ann")
    world.apply_events()
    # Boosts of statuses further down are skipped, which may shorten a page.
    found = list(all_entries(lambda before: home_timeline(merged, cid, before), short=True))
    assert found == ids[::-1]


def test_a_home_with_boosts_takes_two_trips(
    world: World, author_booster_follower: tuple[int, int, int]
) -> None:
    ann, ben, cid = author_booster_follower
    for number in range(9):
        boosts.boost(world, ben, post(world, ann, f"text {number}"))
    world.apply_events()
    before = world.db.trips
    assert len(home_timeline(world, cid).items) == 9
    assert world.db.trips - before == 2
