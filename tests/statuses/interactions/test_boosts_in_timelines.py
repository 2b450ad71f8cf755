"""Boosts in homes and on profiles: order, deduplication, hiding, and rebuilt homes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.settings import with_settings
from tests.support.statuses.boosts import all_entries, home_entries, profile_entries
from tests.support.statuses.interactions import post
from tests.support.timelines import home_timeline, walk
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.core.site import Site
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
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")
    for login in ("ann", "ben", "dan"):
        following.follow(site, cid, login)
    apply_events()
    status_id = post(site, ann)
    boosts.boost(site, ben, status_id)
    apply_events()
    assert home_entries(site, cid) == [status_id]  # the post itself
    boosts.boost(site, dan, status_id)
    apply_events()
    following.unfollow(site, cid, "ann")
    assert home_entries(site, cid) == [("ben", status_id)]  # now the first boost
    boosts.unboost(site, ben, status_id)
    assert home_entries(site, cid) == []  # this read finds that the boost is gone
    assert home_entries(site, cid) == [("dan", status_id)]
    apply_events()
    assert home_entries(site, cid) == [("dan", status_id)]
    boosts.boost(site, ben, status_id)
    apply_events()
    assert home_entries(site, cid) == [("dan", status_id)]
    mutes.mute(site, cid, "dan", 3_600)
    assert home_entries(site, cid) == [("ben", status_id)]


@pytest.mark.parametrize("gap", [39, 40])
def test_boosts_are_deduplicated_within_forty_entries(
    site: Site, people: People, apply_events: ApplyEvents, gap: int
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for login in ("ann", "ben"):
        following.follow(site, cid, login)
    apply_events()
    status_id = post(site, ann)
    later = [post(site, ann, f"other {number}") for number in range(gap)]
    site.db.run(
        ("SET", status_keys.last_status_id(partition_of(ben)), later[-1])
    )  # ids of one millisecond have no order
    boosts.boost(site, ben, status_id)
    apply_events()
    boost_entry = [("ben", status_id)] if gap == 40 else []
    for size in (2, 30):
        assert home_entries(with_settings(site, page_size=size), cid) == [
            *boost_entry,
            *reversed(later),
            status_id,
        ]


def test_pages_with_boosts_are_full(site: Site, people: People, apply_events: ApplyEvents) -> None:
    ann, ben, cid, *boosters = people(
        "ann", "ben", "cid", *(f"bird{number}" for number in range(6))
    )
    small = with_settings(site, page_size=3)
    for login in ("ann", "ben", *(f"bird{number}" for number in range(6))):
        following.follow(site, cid, login)
    apply_events()
    ids = [post(site, ann, f"text {number}") for number in range(4)]
    for uid in (ben, *boosters):
        for status_id in ids:
            boosts.boost(site, uid, status_id)
    apply_events()
    assert home_entries(small, cid) == ids[::-1]
    assert profile_entries(small, "ben") == [("ben", status_id) for status_id in reversed(ids)]
    lifecycle.suspend(site, ann, True)
    assert home_entries(small, cid) == [] == profile_entries(small, "ben")
    written = [post(site, ben, f"own {number}") for number in range(4)]
    assert profile_entries(small, "ben") == written[::-1]
    lifecycle.suspend(site, ann, False)
    apply_events()
    assert profile_entries(small, "ben", cid) == [
        *written[::-1],
        *(("ben", status_id) for status_id in reversed(ids)),
    ]


def test_a_profile_mixes_posts_and_boosts_and_its_feed_has_only_posts(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    expected: list[Entry] = []
    for number in range(8):
        status_id = post(site, ann, f"ann {number}")
        if number % 3:
            boosts.boost(site, ben, status_id)
            expected.append(("ben", status_id))
        else:
            expected.append(post(site, ben, f"ben {number}"))
    small = with_settings(site, page_size=2)
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


def test_a_members_boost_of_their_own_status_is_not_repeated(site: Site, people: People) -> None:
    (ann,) = people("ann")
    first = post(site, ann, "first")
    boosts.boost(site, ann, first)
    assert profile_entries(site, "ann") == [first] == home_entries(site, ann)


def test_mutes_blocks_and_suspensions_hide_boosts(
    site: Site, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    status_id = post(site, ann)
    boosts.boost(site, ben, status_id)
    apply_events()
    hide_and_show = (
        (
            lambda: mutes.mute(site, cid, "ann", 60),
            lambda: mutes.unmute(site, cid, "ann"),
        ),
        (
            lambda: blocks.block(site, cid, "ann"),
            lambda: blocks.unblock(site, cid, "ann"),
        ),
        (
            lambda: blocks.block(site, ann, "cid"),
            lambda: blocks.unblock(site, ann, "cid"),
        ),
        (
            lambda: lifecycle.suspend(site, ann, True),
            lambda: lifecycle.suspend(site, ann, False),
        ),
        (
            lambda: lifecycle.suspend(site, ben, True),
            lambda: lifecycle.suspend(site, ben, False),
        ),
        (
            lambda: mutes.mute(site, cid, "ben", 60),
            lambda: mutes.unmute(site, cid, "ben"),
        ),
    )
    for index, (hide, show) in enumerate(hide_and_show):
        hide()
        if index == 2:
            apply_events()
        assert home_entries(site, cid) == []
        if index < 4:
            assert profile_entries(site, "ben", cid) == []
        apply_events()
        assert home_entries(site, cid) == []
        show()
        apply_events()
        assert home_entries(site, cid) == [("ben", status_id)] == profile_entries(site, "ben", cid)
    following.unfollow(site, cid, "ben")
    assert home_entries(site, cid) == []


def test_unfollowing_the_author_keeps_boosts_by_others(
    site: Site, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    following.follow(site, cid, "ann")
    apply_events()
    status_id = post(site, ann)
    boosts.boost(site, ben, status_id)
    apply_events()
    following.unfollow(site, cid, "ann")
    apply_events()
    assert home_entries(site, cid) == [("ben", status_id)]


def drop_home(db: Db, uid: int) -> None:
    """Delete a home timeline, as happens to inactive members."""
    db.trip(
        ("ZREM", account_keys.active_members(partition_of(uid)), uid),
        ("DEL", account_keys.home(uid)),
    )


def test_new_follows_and_rebuilt_homes_include_boosts(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    ids = [post(site, ann, f"text {number}") for number in range(5)]
    for status_id in ids:
        boosts.boost(site, ben, status_id)
    own_post = post(site, ben, "mine")
    apply_events()
    following.follow(site, cid, "ben")
    apply_events()
    expected = [own_post, *(("ben", status_id) for status_id in reversed(ids))]
    assert home_entries(site, cid) == expected
    entries = site.db.run(("ZRANGE", account_keys.home(cid), 0, -1, "WITHSCORES"))
    drop_home(site.db, cid)
    assert home_entries(site, cid) == expected
    assert site.db.run(("ZRANGE", account_keys.home(cid), 0, -1, "WITHSCORES")) == entries
    drop_home(site.db, cid)
    boosts.unboost(site, ben, ids[2])
    assert home_entries(site, cid) == [entry for entry in expected if entry != ("ben", ids[2])]
    bounded = with_settings(site, home_max=3, home_slack=0, page_size=2)
    drop_home(site.db, cid)
    assert (
        home_entries(bounded, cid) == [entry for entry in expected if entry != ("ben", ids[2])][:3]
    )


def test_boosts_of_pull_authors_are_merged_on_read(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    merged = with_settings(site, push_max_followers=0, merged_seconds=0, page_size=3)
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(merged, cid, "ben")
    worker.drain(merged)
    ids = [post(site, ann, f"text {number}") for number in range(4)]
    for status_id in ids:
        boosts.boost(merged, ben, status_id)
    worker.drain(merged)
    assert site.db.run(("ZCARD", account_keys.home(cid))) == 0
    assert home_entries(merged, cid) == [("ben", status_id) for status_id in reversed(ids)]
    mutes.mute(site, cid, "ann", 60)
    assert list(all_entries(lambda before: home_timeline(merged, cid, before), short=True)) == []
    mutes.unmute(site, cid, "ann")
    cached = replace(merged.config, merged_seconds=60)
    assert (
        home_entries(Site(site.db, cached), cid)
        == home_entries(Site(site.db, cached), cid)
        == [("ben", status_id) for status_id in reversed(ids)]
    )
    following.follow(merged, cid, "ann")
    apply_events()
    # Boosts of statuses further down are skipped, which may shorten a page.
    assert (
        list(all_entries(lambda before: home_timeline(merged, cid, before), short=True))
        == ids[::-1]
    )


def test_a_home_with_boosts_takes_two_trips(
    site: Site, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    for number in range(9):
        boosts.boost(site, ben, post(site, ann, f"text {number}"))
    apply_events()
    before = site.db.trips
    assert len(home_timeline(site, cid).items) == 9
    assert site.db.trips - before == 2
