"""Timelines at the store: home, profile and public, on one server and on a Cluster."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.settings import with_settings
from tests.support.timelines import home, home_timeline, post, walk
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.core.events.outbox import Context, Event
from webapp.core.site import Site
from webapp.core.store.ids import partition_of
from webapp.core.store.steps import do_steps
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.statuses import store as statuses
from webapp.statuses.values.visibility import Visibility
from webapp.timelines import store
from webapp.timelines.fanout import deliver
from webapp.timelines.home import expiry as jobs
from webapp.timelines.rebuild import rebuild


def test_a_post_reaches_its_authors_and_followers_homes(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    following.follow(site, ben, "ann")
    apply_events()
    [first] = post(site, ann, "hello")
    assert home(site, ann) == [first]
    apply_events()
    assert home(site, ben) == [first]
    assert home(site, cat) == []
    assert [status.id for status in store.public(site).items] == [first]


def test_a_follow_adds_an_authors_statuses_and_an_unfollow_removes_them(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    anns, cats = post(site, ann, "one", "two"), post(site, cat, "three")
    apply_events()
    following.follow(site, ben, "ann")
    following.follow(site, ben, "cat")
    apply_events()
    assert home(site, ben) == sorted(anns + cats, reverse=True)
    following.unfollow(site, ben, "ann")
    assert home(site, ben) == cats
    apply_events()
    assert home(site, ben) == cats


def test_a_late_delivery_of_an_unfollowed_author_is_hidden(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    apply_events()
    post(site, ann, "late")
    following.unfollow(site, ben, "ann")
    apply_events()
    assert home(site, ben) == []


def test_a_deleted_status_is_hidden_before_events_are_applied(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    apply_events()
    ids = post(site, ann, *"abcdefgh")
    apply_events()
    for status_id in ids[2:6]:
        statuses.delete(site, ann, status_id)
    small = with_settings(site, page_size=2)
    expected = sorted(set(ids) - set(ids[2:6]), reverse=True)
    assert home(small, ben) == expected
    assert walk(lambda before: store.public(small, before), 2) == expected
    apply_events()
    assert home(small, ben) == expected


def test_shared_pages_are_full_though_most_first_entries_are_gone(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    small = with_settings(site, page_size=2)
    visible = post(small, ann, *(f"{number} #birds" for number in range(3)))
    gone = post(small, ann, *(f"gone {number} #birds" for number in range(12)))
    apply_events()
    for status_id in gone:
        statuses.delete(small, ann, status_id)
    assert walk(lambda before: store.public(small, before, ben), 2) == visible[::-1]
    assert walk(lambda before: store.tagged(small, "birds", before, ben), 2) == visible[::-1]


def test_a_home_is_full_though_its_first_entries_are_hidden(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    small = with_settings(site, page_size=2)
    for login in ("ann", "cat"):
        following.follow(small, ben, login)
    apply_events()
    visible = post(small, cat, *"abc")
    post(small, ann, *(f"hidden {number}" for number in range(12)))
    apply_events()
    lifecycle.suspend(small, ann)  # not applied to homes yet
    assert home(small, ben) == visible[::-1]


def test_merged_statuses_stay_visible_when_the_last_entry_of_a_full_home_is_deleted(
    site: Site, people: People
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    small = with_settings(site, home_max=4, home_slack=0, merged_seconds=0)
    home_timeline(small, ben)
    following.follow(small, ben, "cat")
    worker.drain(Site(site.db, replace(small.config, push_max_followers=0)))  # cat is merged
    following.follow(small, ben, "ann")
    worker.drain(small)
    ids = []
    texts = [(ann, "z"), (ann, "a"), (cat, "A"), (cat, "B"), (ann, "b"), (ann, "c"), (ann, "d")]
    for author, text in texts:
        ids += post(small, author, text)
        worker.drain(small)
    _, last, *_ = ids
    assert site.db.run(("ZRANGE", account_keys.home(ben), 0, 1)) == ["more", f"{last}:{ann}"]
    statuses.delete(small, ann, last)
    assert everything(small, ben) == sorted(set(ids) - {last}, reverse=True)


def everything(site: Site, uid: int) -> list[int]:
    """Return the ids on all pages of a home, any of which may be short."""
    ids, before = list[int](), None
    while True:
        page = home_timeline(site, uid, before)
        ids += [item.id for item in page.items]
        before = page.next
        if before is None:
            return ids


def test_pages_neither_repeat_nor_skip_while_statuses_arrive(site: Site, people: People) -> None:
    [ann] = people("ann")
    small = with_settings(site, page_size=3)
    ids = post(site, ann, *"abcdefg")
    page = home_timeline(small, ann)
    post(site, ann, *"xyz")
    rest = walk(lambda before: home_timeline(small, ann, before or page.next), 3)
    assert [status.id for status in page.items] + rest == sorted(ids, reverse=True)


def test_a_home_holds_the_newest_statuses_and_refills_after_deletions(
    site: Site, people: People
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    small = with_settings(site, home_max=6, home_slack=2, page_size=4)
    apply_events = lambda: worker.drain(small)
    for author in ("ann", "cat"):
        following.follow(small, ben, author)
    apply_events()
    anns = post(small, ann, *"abcdefgh")
    cats = post(small, cat, *"ABCDEFGHIJ")
    apply_events()
    visible = home(small, ben)
    newest = sorted(anns + cats, reverse=True)
    assert newest[:6] == visible[:6] and len(visible) <= 8
    assert site.db.run(("ZCARD", account_keys.home(ben))) <= 6 + 2 + 1
    following.unfollow(small, ben, "cat")
    assert home(small, ben)[:6] == sorted(anns, reverse=True)[:6]
    apply_events()
    for status_id in anns[3:]:
        statuses.delete(small, ann, status_id)
    page = home_timeline(small, ben)
    rest = walk(lambda before: home_timeline(small, ben, before or page.next), 4)
    assert [status.id for status in page.items] + rest == sorted(anns[:3], reverse=True)
    assert home(small, ben) == sorted(anns[:3], reverse=True)


def test_a_home_expires_and_is_rebuilt_at_the_next_visit(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    before = post(site, ann, "before")
    apply_events()
    site.db.run(("ZADD", account_keys.active_members(partition_of(ben)), 1, ben))
    assert jobs.expire_inactive(site, partition_of(ben)) == 1
    during = post(site, ann, "during")
    apply_events()
    assert not site.db.run(("EXISTS", account_keys.home(ben)))
    assert home(site, ben) == during + before
    after = post(site, ann, "after")
    apply_events()
    assert home(site, ben) == after + during + before


def test_an_author_with_very_many_followers_is_merged_and_shown_once(
    site: Site, people: People
) -> None:
    star, *fans = people("star", "ann", "ben", "cat")
    small = with_settings(site, push_max_followers=2, page_size=3, merged_seconds=0)
    pushed = post(small, star, "pushed")
    for fan in fans:
        following.follow(small, fan, "star")
        worker.drain(small)
    merged = post(small, star, *"abcde")
    worker.drain(small)
    own = post(small, fans[0], "mine")
    expected = sorted(pushed + merged + own, reverse=True)
    assert home(small, fans[0]) == expected
    assert not [
        entry
        for entry in site.db.run(("ZRANGE", account_keys.home(fans[1]), 0, -1))
        if int(entry.split(":")[0]) in merged
    ]
    statuses.delete(small, star, merged[2])
    assert home(small, fans[0]) == [status_id for status_id in expected if status_id != merged[2]]
    following.unfollow(small, fans[0], "star")
    assert home(small, fans[0]) == own


def test_a_home_page_takes_two_trips(site: Site, people: People, apply_events: ApplyEvents) -> None:
    names = [f"m{number}" for number in range(12)]
    reader, *authors = people(*names)
    for name in names[1:]:
        following.follow(site, reader, name)
    apply_events()
    for author in authors:
        post(site, author, *"abcd")
    apply_events()
    home_timeline(site, reader)
    for before in (None, home_timeline(site, reader).next):
        trips = site.db.trips
        assert home_timeline(site, reader, before).items
        assert site.db.trips - trips == 2


@pytest.mark.parametrize("home_max", [5, 40])
def test_a_rebuild_finds_the_newest_of_uneven_profiles(
    site: Site, people: People, apply_events: ApplyEvents, home_max: int
) -> None:
    reader, busy, quiet = people("reader", "busy", "quiet")
    small = with_settings(site, home_max=home_max, home_slack=0, page_size=4)
    following.follow(small, reader, "busy")
    following.follow(small, reader, "quiet")
    worker.drain(small)
    ids = post(small, quiet, "old")
    ids += post(small, busy, *(f"n{number}" for number in range(50)))
    worker.drain(small)
    site.db.trip(
        ("ZREM", account_keys.active_members(partition_of(reader)), reader),
        ("DEL", account_keys.home(reader)),
    )
    assert (
        walk(lambda before: home_timeline(small, reader, before), 4)
        == sorted(ids, reverse=True)[:home_max]
    )


def test_a_follow_during_a_rebuild_is_not_lost(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    old = post(site, ann, "a", "b")
    following.follow(site, ben, "cat")
    cats = post(site, cat, "c")
    apply_events()
    site.db.trip(
        ("ZREM", account_keys.active_members(partition_of(ben)), ben),
        ("DEL", account_keys.home(ben)),
    )
    page_from_candidates = rebuild.page_from_candidates

    def follow_then_build(*args: Any, **kwargs: Any) -> Any:
        if not site.db.run(("ZSCORE", following_keys.following(ben), ann)):
            following.follow(site, ben, "ann")
            apply_events()
        return page_from_candidates(*args, **kwargs)

    monkeypatch.setattr(rebuild, "page_from_candidates", follow_then_build)
    assert home(site, ben) == cats, "the home as it was when the read began"
    assert home(site, ben) == sorted(old + cats, reverse=True)


def test_concurrent_visits_after_expiry_all_see_the_whole_home(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    ids = post(site, ann, *"abcdefgh")
    apply_events()
    for _ in range(5):
        site.db.trip(
            ("ZREM", account_keys.active_members(partition_of(ben)), ben),
            ("DEL", account_keys.home(ben)),
        )
        with ThreadPoolExecutor(8) as pool:
            for visible in pool.map(lambda _: home(site, ben), range(16)):
                assert visible == ids[::-1]


def test_an_idempotency_key_counts_for_one_text_only(site: Site, people: People) -> None:
    [ann] = people("ann")
    first = statuses.post(site, ann, parse("one"), "the-form")
    assert statuses.post(site, ann, parse("one"), "the-form") == first
    assert statuses.post(site, ann, parse("two"), "the-form") != first


def test_a_home_stays_bounded_though_few_deliveries_trim_it(site: Site, people: People) -> None:
    names = [f"m{number}" for number in range(9)]
    author, *readers = people(*names)
    small = with_settings(site, home_max=20, home_slack=16)
    for reader in readers:
        following.follow(small, reader, "m0")
    worker.drain(small)
    largest = 0
    for number in range(8):
        post(small, author, *(f"{number} {text}" for text in range(40)))
        worker.drain(small)
        largest = max(
            largest, *(site.db.run(("ZCARD", account_keys.home(reader))) for reader in readers)
        )
        assert min(site.db.run(("ZCARD", account_keys.home(reader))) for reader in readers) >= 20
    # Of 320: a hundred deliveries in a row without a trim practically never happen.
    assert largest < 20 + 16 + 100


@pytest.mark.parametrize("batch_size", [1, 2, 3, 4, 2_000])
def test_a_batch_of_several_authors_reaches_the_followers_of_each(
    batch_size: int, site: Site, people: People, apply_events: ApplyEvents
) -> None:
    small = replace(site.config, fanout_batch=batch_size)
    ann, ben, *fans = people("ann", "ben", *(f"fan{n}" for n in range(6)))
    for fan in fans[:4]:
        following.follow(site, fan, "ann")
    for fan in fans[3:]:
        following.follow(site, fan, "ben")
    apply_events()
    first, second = post(site, ann, "one", "two")
    [third] = post(site, ben, "three")
    reply = statuses.post(site, ann, parse("so do I"), "answer", reply=third)
    mentioning = statuses.post(
        site, ann, parse("for @fan1 and @fan5"), "named", visibility=Visibility.MENTIONED
    )
    posted = [
        event("posted", ann, first),
        event("posted", ben, third),
        event("posted", ann, second),
        event("posted", ann, reply, reply_to_uid=str(ben)),
        event("posted", ann, mentioning, visibility="m", mentioned=f" {fans[1]} {fans[5]} "),
        event("posted", ben, third + 64),  # deleted
    ]
    for _ in "12":
        do_steps(site.db, deliver.deliver(Context(site.db, small, lambda: None), posted))
    delivered = [
        {
            entry.partition(":")[0]
            for entry in site.db.run(("ZRANGE", account_keys.home(fan), 0, -1))
        }
        for fan in fans
    ]
    expected = [
        [first, second],
        [first, second, mentioning],
        [first, second],
        [first, second, third, reply],
        [third],
        [third],
    ]
    assert delivered == [{str(status_id) for status_id in ids} for ids in expected]
    deleted = [replace(each, type="deleted") for each in posted]
    do_steps(site.db, deliver.retract(Context(site.db, small, lambda: None), deleted))
    assert not any(site.db.trip(*(("EXISTS", account_keys.home(fan)) for fan in fans)))


def event(kind: str, author: int, status_id: int, **data: str) -> Event:
    return Event(
        "1-1", 0, "fanout", 10**6, kind, "-", {"id": str(status_id), "author": str(author), **data}
    )
