"""Boosts in the store: homes, profiles, deduplication, limits, and races."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.boosts import home_entries, profile_entries
from tests.support.statuses.interactions import post
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.core.errors import Forbidden, NotFound, Unavailable
from webapp.core.events import keys as event_keys
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.following.blocks import store as blocks
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.values.visibility import Visibility


def booster_ids(db: Db, status_id: int) -> set[int]:
    """Return the uids of the boosters of a status. Fail unless its stored count agrees."""
    uids, number = db.trip(
        ("ZRANGE", interaction_keys.boosters(status_id), 0, -1),
        ("HGET", status_keys.status(status_id), "boosts"),
    )
    assert int(number or 0) == len(uids) and number != "0"
    return set(map(int, uids))


def boosted_ids(db: Db, uid: int) -> list[int]:
    """Return the statuses in a member's own list of boosts, oldest first."""
    return [
        int(name.partition(":")[0])
        for name in db.run(("ZRANGE", interaction_keys.member_boosts(uid), 0, -1))
    ]


def test_boosts_enter_and_leave_the_homes_of_followers(
    site: Site, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    status_id = post(site, ann)
    boosts.boost(site, ben, status_id)
    assert profile_entries(site, "ben") == [("ben", status_id)], "before projections run"
    assert home_entries(site, ben) == [], "nobody is shown their own boosts"
    apply_events()
    assert home_entries(site, cid) == [("ben", status_id)]
    assert home_entries(site, ann) == [status_id]
    assert booster_ids(site.db, status_id) == {ben}
    assert boosted_ids(site.db, ben) == [status_id]
    boosts.unboost(site, ben, status_id)
    assert home_entries(site, cid) == home_entries(site, ben) == profile_entries(site, "ben") == []
    apply_events()
    assert booster_ids(site.db, status_id) == set() and boosted_ids(site.db, ben) == []
    assert site.db.run(("ZCARD", account_keys.home(cid))) == 0
    assert not {interaction_keys.boosters(status_id), interaction_keys.member_boosts(ben)} & set(
        live_keys(site.db)
    )


def test_boosting_twice_emits_one_event(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    status_id, outbox = post(site, ann), event_keys.outbox(partition_of(ben))
    for action, expected_events in (
        (boosts.boost, 1),
        (boosts.boost, 0),
        (boosts.unboost, 1),
        (boosts.unboost, 0),
    ):
        before = site.db.run(("XLEN", outbox))
        action(site, ben, status_id)
        assert site.db.run(("XLEN", outbox)) - before == expected_events


def test_a_boost_is_ordered_after_its_status_and_before_later_posts(
    site: Site, people: People
) -> None:
    ann, ben = people("ann", "ben")
    for number in range(5):
        boosted = post(site, ann, f"one {number}")
        boosts.boost(site, ben, boosted)
        post_id = post(site, ben, f"two {number}")
        boost_id = int(
            site.db.run(("ZSCORE", interaction_keys.member_boosts(ben), f"{boosted}:{ann}"))
        )
        assert boosted < boost_id < post_id and boost_id % 64 == partition_of(ben)


def test_forbidden_boosts_write_nothing(site: Site, people: People) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")

    def refused(uid: int, status_id: int, error: type[Exception]) -> None:
        before = site.db.run(("ZCARD", account_keys.home(uid)))
        with pytest.raises(error):
            boosts.boost(site, uid, status_id)
        assert boosted_ids(site.db, uid) == []
        assert site.db.run(("ZCARD", account_keys.home(uid))) == before

    restricted = statuses.post(
        site, ann, parse("psst @ben"), "form-psst", visibility=Visibility.MENTIONED
    )
    refused(ben, restricted, Forbidden)
    refused(cid, restricted, NotFound)
    refused(ann, restricted, Forbidden)
    unlisted = statuses.post(
        site, cid, parse("quietly"), "form-quiet", visibility=Visibility.UNLISTED
    )
    boosts.boost(site, dan, unlisted)
    refused(ben, 4096, NotFound)
    blocks.block(site, ann, "ben")
    open_ = statuses.post(site, ann, parse("hello"), "form-hello")
    refused(ben, open_, Forbidden)
    blocks.block(site, dan, "ann")
    with pytest.raises(Forbidden):
        boosts.boost(site, dan, open_)
    lifecycle.suspend(site, cid, True)
    refused(cid, open_, Forbidden)
    refused(ben, unlisted, Forbidden)


def test_deleting_a_status_deletes_its_boosts(
    site: Site, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    status_id, second_status = post(site, ann), post(site, ann, "late")
    boosts.boost(site, ben, status_id)
    apply_events()
    boosts.boost(site, ben, second_status)
    for deleted in (status_id, second_status):
        statuses.delete(site, ann, deleted)
    assert home_entries(site, cid) == home_entries(site, ben) == profile_entries(site, "ben") == []
    apply_events()
    assert boosted_ids(site.db, ben) == []
    assert not any(key.startswith(("boost", "home")) for key in live_keys(site.db))
    boosts.unboost(site, ben, second_status)


def test_deleting_an_account_deletes_boosts_by_and_of_it(
    site: Site, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    status_id, follower_status = post(site, ann), post(site, cid)
    boosts.boost(site, ben, status_id)
    sleep(0.002)  # ids of one millisecond have no order
    boosts.boost(site, cid, status_id)
    boosts.boost(site, ben, follower_status)
    apply_events()
    lifecycle.delete_account(site, ben, None)
    assert home_entries(site, cid) == [
        follower_status
    ]  # this read finds that the other boost is gone
    assert home_entries(site, cid) == [follower_status]
    apply_events()
    assert booster_ids(site.db, follower_status) == set()
    assert booster_ids(site.db, status_id) == {cid}
    assert boosted_ids(site.db, ben) == []
    lifecycle.delete_account(site, ann, None)
    assert home_entries(site, cid) == [follower_status]
    apply_events()
    assert boosted_ids(site.db, cid) == []
    assert not any(key.startswith("boost") for key in live_keys(site.db))


def test_a_boost_over_the_limit_removes_the_oldest(
    site: Site, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    bounded = with_settings(site, boosts_max=2)
    ids = [post(site, ann, f"text {number}") for number in range(4)]
    for status_id in ids:
        boosts.boost(bounded, ben, status_id)
        apply_events()
    assert boosted_ids(site.db, ben) == ids[2:]
    assert [booster_ids(site.db, status_id) for status_id in ids] == [
        set(),
        set(),
        {ben},
        {ben},
    ]
    remaining = [("ben", ids[3]), ("ben", ids[2])]
    assert home_entries(site, cid) == profile_entries(site, "ben") == remaining
    assert site.db.run(("ZCARD", account_keys.home(cid))) == 2


def test_concurrent_boosts_and_unboosts_are_counted_exactly(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *crowd = people("ann", *(f"bird{number}" for number in range(50)))
    status_id = post(site, ann)

    def action(uid: int) -> None:
        for _ in range(4):
            random.choice((boosts.boost, boosts.unboost))(site, uid, status_id)

    with ThreadPoolExecutor(10) as pool:
        drains = pool.submit(apply_events)
        list(pool.map(action, crowd))
        drains.result()
    apply_events()
    expected_uids = {uid for uid in crowd if boosted_ids(site.db, uid)}
    assert booster_ids(site.db, status_id) == expected_uids
    for uid in (ann, *crowd[:3]):
        assert statuses.get_with_state(site.db, status_id, uid)[1].boost_count(status_id, 0) in (
            len(expected_uids),
            int(uid in expected_uids),
        )


def test_concurrent_boosts_by_one_member_count_once(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(site, ann)
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: boosts.boost(site, ben, status_id), range(50)))
    assert boosted_ids(site.db, ben) == [status_id]


def test_late_deliveries_do_not_undo_newer_boosts(
    site: Site, author_booster_follower: tuple[int, int, int], apply_events: ApplyEvents
) -> None:
    ann, ben, cid = author_booster_follower
    status_id = post(site, ann)
    for _ in range(3):
        boosts.boost(site, ben, status_id)
        boosts.unboost(site, ben, status_id)
    boosts.boost(site, ben, status_id)
    apply_events()
    assert site.db.run(("ZCARD", account_keys.home(cid))) == 1
    assert booster_ids(site.db, status_id) == {ben}
    assert home_entries(site, cid) == [("ben", status_id)]


def test_a_member_sees_their_own_boost_before_projections_run(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(site, ann)

    def boost_state(viewer: int) -> tuple[bool, int]:
        status, hide_and_show = statuses.get_with_state(site.db, status_id, viewer)
        return status_id in hide_and_show.boosted, hide_and_show.boost_count(
            status_id, status.boosts
        )

    boosts.boost(site, ben, status_id)
    likes.like(site, ben, status_id)
    assert boost_state(ben) == (True, 1) and boost_state(ann) == (False, 0)
    boosts.unboost(site, ben, status_id)
    assert boost_state(ben) == (False, 0)


def test_a_full_outbox_refuses_boosts_without_changes(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(site, ann)
    with pytest.raises(Unavailable):
        boosts.boost(with_settings(site, outbox_max=0), ben, status_id)
    assert boosted_ids(site.db, ben) == []
    boosts.boost(site, ben, status_id)
    with pytest.raises(Unavailable):
        boosts.unboost(with_settings(site, outbox_max=0), ben, status_id)
    assert boosted_ids(site.db, ben) == [status_id]
