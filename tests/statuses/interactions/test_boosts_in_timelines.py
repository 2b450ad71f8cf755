"""Boosts in homes and on profiles: order, deduplication, hiding, and rebuilt homes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.statuses.boosts import all_entries, home_entries, profile_entries
from tests.support.statuses.interactions import post
from tests.support.timelines import home_timeline, walk
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import boosts
from webapp.timelines.profile import ProfileQuery, profile_page

Entry = int | tuple[str, int]  # a status id, or the login of a booster and the id


def test_a_home_shows_a_status_once_and_falls_back_to_the_next_boost(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")
    for login in ("ann", "ben", "dan"):
        following.follow(db, config, cid, login)
    apply_events()
    status_id = post(db, config, ann)
    boosts.boost(db, config, ben, status_id)
    apply_events()
    assert home_entries(db, config, cid) == [status_id]  # the post itself
    boosts.boost(db, config, dan, status_id)
    apply_events()
    following.unfollow(db, config, cid, "ann")
    assert home_entries(db, config, cid) == [("ben", status_id)]  # now the first boost
    boosts.unboost(db, config, ben, status_id)
    assert home_entries(db, config, cid) == []  # this read finds that the boost is gone
    assert home_entries(db, config, cid) == [("dan", status_id)]
    apply_events()
    assert home_entries(db, config, cid) == [("dan", status_id)]
    boosts.boost(db, config, ben, status_id)
    apply_events()
    assert home_entries(db, config, cid) == [("dan", status_id)]
    mutes.mute(db, config, cid, "dan", 3_600)
    assert home_entries(db, config, cid) == [("ben", status_id)]


@pytest.mark.parametrize("gap", [39, 40])
def test_boosts_are_deduplicated_within_forty_entries(
    db: Db, config: Config, people: People, apply_events: ApplyEvents, gap: int
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for login in ("ann", "ben"):
        following.follow(db, config, cid, login)
    apply_events()
    status_id = post(db, config, ann)
    later = [post(db, config, ann, f"other {number}") for number in range(gap)]
    db.run(
        ("SET", status_keys.last_status_id(partition_of(ben)), later[-1])
    )  # ids of one millisecond have no order
    boosts.boost(db, config, ben, status_id)
    apply_events()
    boost_entry = [("ben", status_id)] if gap == 40 else []
    for size in (2, 30):
        assert home_entries(db, replace(config, page_size=size), cid) == [
            *boost_entry,
            *reversed(later),
            status_id,
        ]


def test_pages_with_boosts_are_full(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid, *boosters = people(
        "ann", "ben", "cid", *(f"bird{number}" for number in range(6))
    )
    small = replace(config, page_size=3)
    for login in ("ann", "ben", *(f"bird{number}" for number in range(6))):
        following.follow(db, config, cid, login)
    apply_events()
    ids = [post(db, config, ann, f"text {number}") for number in range(4)]
    for uid in (ben, *boosters):
        for status_id in ids:
            boosts.boost(db, config, uid, status_id)
    apply_events()
    assert home_entries(db, small, cid) == ids[::-1]
    assert profile_entries(db, small, "ben") == [("ben", status_id) for status_id in reversed(ids)]
    lifecycle.suspend(db, config, ann, True)
    assert home_entries(db, small, cid) == [] == profile_entries(db, small, "ben")
    written = [post(db, config, ben, f"own {number}") for number in range(4)]
    assert profile_entries(db, small, "ben") == written[::-1]
    lifecycle.suspend(db, config, ann, False)
    apply_events()
    assert profile_entries(db, small, "ben", cid) == [
        *written[::-1],
        *(("ben", status_id) for status_id in reversed(ids)),
    ]


def test_a_profile_mixes_posts_and_boosts_and_its_feed_has_only_posts(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    expected: list[Entry] = []
    for number in range(8):
        status_id = post(db, config, ann, f"ann {number}")
        if number % 3:
            boosts.boost(db, config, ben, status_id)
            expected.append(("ben", status_id))
        else:
            expected.append(post(db, config, ben, f"ben {number}"))
    small = replace(config, page_size=2)
    assert (
        profile_entries(db, small, "ben")
        == expected[::-1]
        == profile_entries(db, small, "ben", ann, replies=True)
    )
    posts = [entry for entry in expected if isinstance(entry, int)]
    read = lambda before: (
        profile_page(db, small, ProfileQuery("ben", None, before, with_boosts=False)).timeline
    )
    assert walk(read, 2) == posts[::-1]


def test_a_members_boost_of_their_own_status_is_not_repeated(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    first = post(db, config, ann, "first")
    boosts.boost(db, config, ann, first)
    assert profile_entries(db, config, "ann") == [first] == home_entries(db, config, ann)


def test_mutes_blocks_and_suspensions_hide_boosts(
    db: Db, config: Config, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    status_id = post(db, config, ann)
    boosts.boost(db, config, ben, status_id)
    apply_events()
    hide_and_show = (
        (
            lambda: mutes.mute(db, config, cid, "ann", 60),
            lambda: mutes.unmute(db, config, cid, "ann"),
        ),
        (
            lambda: blocks.block(db, config, cid, "ann"),
            lambda: blocks.unblock(db, config, cid, "ann"),
        ),
        (
            lambda: blocks.block(db, config, ann, "cid"),
            lambda: blocks.unblock(db, config, ann, "cid"),
        ),
        (
            lambda: lifecycle.suspend(db, config, ann, True),
            lambda: lifecycle.suspend(db, config, ann, False),
        ),
        (
            lambda: lifecycle.suspend(db, config, ben, True),
            lambda: lifecycle.suspend(db, config, ben, False),
        ),
        (
            lambda: mutes.mute(db, config, cid, "ben", 60),
            lambda: mutes.unmute(db, config, cid, "ben"),
        ),
    )
    for index, (hide, show) in enumerate(hide_and_show):
        hide()
        if index == 2:
            apply_events()
        assert home_entries(db, config, cid) == []
        if index < 4:
            assert profile_entries(db, config, "ben", cid) == []
        apply_events()
        assert home_entries(db, config, cid) == []
        show()
        apply_events()
        assert (
            home_entries(db, config, cid)
            == [("ben", status_id)]
            == profile_entries(db, config, "ben", cid)
        )
    following.unfollow(db, config, cid, "ben")
    assert home_entries(db, config, cid) == []


def test_unfollowing_the_author_keeps_boosts_by_others(
    db: Db, config: Config, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    following.follow(db, config, cid, "ann")
    apply_events()
    status_id = post(db, config, ann)
    boosts.boost(db, config, ben, status_id)
    apply_events()
    following.unfollow(db, config, cid, "ann")
    apply_events()
    assert home_entries(db, config, cid) == [("ben", status_id)]


def drop_home(db: Db, uid: int) -> None:
    """Delete a home timeline, as happens to inactive members."""
    db.trip(
        ("ZREM", account_keys.active_members(partition_of(uid)), uid),
        ("DEL", account_keys.home(uid)),
    )


def test_new_follows_and_rebuilt_homes_include_boosts(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    ids = [post(db, config, ann, f"text {number}") for number in range(5)]
    for status_id in ids:
        boosts.boost(db, config, ben, status_id)
    own_post = post(db, config, ben, "mine")
    apply_events()
    following.follow(db, config, cid, "ben")
    apply_events()
    expected = [own_post, *(("ben", status_id) for status_id in reversed(ids))]
    assert home_entries(db, config, cid) == expected
    entries = db.run(("ZRANGE", account_keys.home(cid), 0, -1, "WITHSCORES"))
    drop_home(db, cid)
    assert home_entries(db, config, cid) == expected
    assert db.run(("ZRANGE", account_keys.home(cid), 0, -1, "WITHSCORES")) == entries
    drop_home(db, cid)
    boosts.unboost(db, config, ben, ids[2])
    assert home_entries(db, config, cid) == [
        entry for entry in expected if entry != ("ben", ids[2])
    ]
    bounded = replace(config, home_max=3, home_slack=0, page_size=2)
    drop_home(db, cid)
    assert (
        home_entries(db, bounded, cid)
        == [entry for entry in expected if entry != ("ben", ids[2])][:3]
    )


def test_boosts_of_pull_authors_are_merged_on_read(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    merged = replace(config, push_max_followers=0, merged_seconds=0, page_size=3)
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, merged, cid, "ben")
    worker.drain(db, merged)
    ids = [post(db, config, ann, f"text {number}") for number in range(4)]
    for status_id in ids:
        boosts.boost(db, merged, ben, status_id)
    worker.drain(db, merged)
    assert db.run(("ZCARD", account_keys.home(cid))) == 0
    assert home_entries(db, merged, cid) == [("ben", status_id) for status_id in reversed(ids)]
    mutes.mute(db, config, cid, "ann", 60)
    assert (
        list(all_entries(lambda before: home_timeline(db, merged, cid, before), short=True)) == []
    )
    mutes.unmute(db, config, cid, "ann")
    cached = replace(merged, merged_seconds=60)
    assert (
        home_entries(db, cached, cid)
        == home_entries(db, cached, cid)
        == [("ben", status_id) for status_id in reversed(ids)]
    )
    following.follow(db, merged, cid, "ann")
    apply_events()
    # Boosts of statuses further down are skipped, which may shorten a page.
    assert (
        list(all_entries(lambda before: home_timeline(db, merged, cid, before), short=True))
        == ids[::-1]
    )


def test_a_home_with_boosts_takes_two_trips(
    db: Db, config: Config, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    for number in range(9):
        boosts.boost(db, config, ben, post(db, config, ann, f"text {number}"))
    apply_events()
    before = db.trips
    assert len(home_timeline(db, config, cid).items) == 9
    assert db.trips - before == 2
