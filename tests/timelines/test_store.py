"""Timelines at the store: home, profile and public, on one server and on a Cluster."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.support import paging, worker
from tests.support.settings import with_settings
from tests.support.timelines import home, home_timeline, post, walk
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Site, do_steps, partition_of
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys, store as following
from webapp.statuses import Visibility, store as statuses
from webapp.timelines import store
from webapp.timelines.fanout import deliver
from webapp.timelines.home import stored_home as jobs
from webapp.timelines.rebuild import rebuild


def test_a_post_reaches_its_authors_and_followers_homes(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    world.do(following.follow, ben, "ann")
    [first] = post(world, ann, "hello")
    assert home(world, ann) == [first]
    world.apply_events()
    assert home(world, ben) == [first]
    assert home(world, cat) == []
    assert [status.id for status in store.public(world).items] == [first]


def test_a_follow_adds_an_authors_statuses_and_an_unfollow_removes_them(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    anns, cats = post(world, ann, "one", "two"), post(world, cat, "three")
    world.apply_events()
    following.follow(world, ben, "ann")
    world.do(following.follow, ben, "cat")
    assert home(world, ben) == sorted(anns + cats, reverse=True)
    following.unfollow(world, ben, "ann")
    assert home(world, ben) == cats
    world.apply_events()
    assert home(world, ben) == cats


def test_a_late_delivery_of_an_unfollowed_author_is_hidden(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(following.follow, ben, "ann")
    post(world, ann, "late")
    world.do(following.unfollow, ben, "ann")
    assert home(world, ben) == []


def test_a_deleted_status_is_hidden_before_events_are_applied(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(following.follow, ben, "ann")
    ids = world.do(post, ann, *"abcdefgh")
    for status_id in ids[2:6]:
        statuses.delete(world, ann, status_id)
    small = with_settings(world, page_size=2)
    expected = sorted(set(ids) - set(ids[2:6]), reverse=True)
    assert home(small, ben) == expected
    assert walk(lambda before: store.public(small, before), 2) == expected
    world.apply_events()
    assert home(small, ben) == expected


def test_shared_pages_are_full_though_most_first_entries_are_gone(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    small = with_settings(world, page_size=2)
    visible = post(small, ann, *(f"{number} #birds" for number in range(3)))
    gone = post(small, ann, *(f"gone {number} #birds" for number in range(12)))
    world.apply_events()
    for status_id in gone:
        statuses.delete(small, ann, status_id)
    assert walk(lambda before: store.public(small, before, ben), 2) == visible[::-1]
    assert walk(lambda before: store.tagged(small, "birds", before, ben), 2) == visible[::-1]


def test_a_home_is_full_though_its_first_entries_are_hidden(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    small = with_settings(world, page_size=2)
    for login in ("ann", "cat"):
        following.follow(small, ben, login)
    world.apply_events()
    visible = post(small, cat, *"abc")
    post(small, ann, *(f"hidden {number}" for number in range(12)))
    world.apply_events()
    small.suspend(ann)  # not applied to homes yet
    assert home(small, ben) == visible[::-1]


def test_merged_statuses_stay_visible_when_the_last_entry_of_a_full_home_is_deleted(
    world: World,
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    small = with_settings(world, home_max=4, home_slack=0, merged_seconds=0)
    home_timeline(small, ben)
    following.follow(small, ben, "cat")
    worker.drain(Site(world.db, replace(small.config, push_max_followers=0)))  # cat is merged
    small.do(following.follow, ben, "ann")
    ids = []
    texts = [(ann, "z"), (ann, "a"), (cat, "A"), (cat, "B"), (ann, "b"), (ann, "c"), (ann, "d")]
    for author, text in texts:
        ids += post(small, author, text)
        worker.drain(small)
    _, last, *_ = ids
    assert world.db.run(("ZRANGE", account_keys.home(ben), 0, 1)) == ["more", f"{last}:{ann}"]
    statuses.delete(small, ann, last)
    assert everything(small, ben) == sorted(set(ids) - {last}, reverse=True)


def everything(site: Site, uid: int) -> list[int]:
    """Return the ids on all pages of a home, any of which may be short."""
    return paging.ids(lambda before: home_timeline(site, uid, before))


def test_pages_neither_repeat_nor_skip_while_statuses_arrive(world: World) -> None:
    [ann] = world.people("ann")
    small = with_settings(world, page_size=3)
    ids = post(world, ann, *"abcdefg")
    page = home_timeline(small, ann)
    post(world, ann, *"xyz")
    rest = walk(lambda before: home_timeline(small, ann, before or page.next), 3)
    assert [status.id for status in page.items] + rest == sorted(ids, reverse=True)


def test_a_home_holds_the_newest_statuses_and_refills_after_deletions(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    small = with_settings(world, home_max=6, home_slack=2, page_size=4)
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
    assert world.db.run(("ZCARD", account_keys.home(ben))) <= 6 + 2 + 1
    following.unfollow(small, ben, "cat")
    assert home(small, ben)[:6] == sorted(anns, reverse=True)[:6]
    apply_events()
    for status_id in anns[3:]:
        statuses.delete(small, ann, status_id)
    page = home_timeline(small, ben)
    rest = walk(lambda before: home_timeline(small, ben, before or page.next), 4)
    assert [status.id for status in page.items] + rest == sorted(anns[:3], reverse=True)
    assert home(small, ben) == sorted(anns[:3], reverse=True)


def test_a_home_expires_and_is_rebuilt_at_the_next_visit(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    following.follow(world, ben, "ann")
    before = world.do(post, ann, "before")
    world.db.run(("ZADD", account_keys.active_members(partition_of(ben)), 1, ben))
    assert jobs.expire_inactive(world, partition_of(ben)) == 1
    during = world.do(post, ann, "during")
    assert not world.db.run(("EXISTS", account_keys.home(ben)))
    assert home(world, ben) == during + before
    after = world.do(post, ann, "after")
    assert home(world, ben) == after + during + before


def test_an_author_with_very_many_followers_is_merged_and_shown_once(world: World) -> None:
    star, *fans = world.people("star", "ann", "ben", "cat")
    small = with_settings(world, push_max_followers=2, page_size=3, merged_seconds=0)
    pushed = post(small, star, "pushed")
    for fan in fans:
        small.do(following.follow, fan, "star")
    merged = small.do(post, star, *"abcde")
    own = post(small, fans[0], "mine")
    expected = sorted(pushed + merged + own, reverse=True)
    assert home(small, fans[0]) == expected
    assert not [
        entry
        for entry in world.db.run(("ZRANGE", account_keys.home(fans[1]), 0, -1))
        if int(entry.split(":")[0]) in merged
    ]
    statuses.delete(small, star, merged[2])
    assert home(small, fans[0]) == [status_id for status_id in expected if status_id != merged[2]]
    following.unfollow(small, fans[0], "star")
    assert home(small, fans[0]) == own


@pytest.mark.parametrize("home_max", [5, 40])
def test_a_rebuild_finds_the_newest_of_uneven_profiles(world: World, home_max: int) -> None:
    reader, busy, quiet = world.people("reader", "busy", "quiet")
    small = with_settings(world, home_max=home_max, home_slack=0, page_size=4)
    following.follow(small, reader, "busy")
    small.do(following.follow, reader, "quiet")
    ids = post(small, quiet, "old")
    ids += post(small, busy, *(f"n{number}" for number in range(50)))
    worker.drain(small)
    world.db.trip(
        ("ZREM", account_keys.active_members(partition_of(reader)), reader),
        ("DEL", account_keys.home(reader)),
    )
    found = walk(lambda before: home_timeline(small, reader, before), 4)
    assert found == sorted(ids, reverse=True)[:home_max]


def test_a_follow_during_a_rebuild_is_not_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    old = post(world, ann, "a", "b")
    following.follow(world, ben, "cat")
    cats = world.do(post, cat, "c")
    world.db.trip(
        ("ZREM", account_keys.active_members(partition_of(ben)), ben),
        ("DEL", account_keys.home(ben)),
    )
    page_from_candidates = rebuild.page_from_candidates

    def follow_then_build(*args: Any, **kwargs: Any) -> Any:
        if not world.db.run(("ZSCORE", following_keys.following(ben), ann)):
            world.do(following.follow, ben, "ann")
        return page_from_candidates(*args, **kwargs)

    monkeypatch.setattr(rebuild, "page_from_candidates", follow_then_build)
    assert home(world, ben) == cats, "the home as it was when the read began"
    assert home(world, ben) == sorted(old + cats, reverse=True)


def test_concurrent_visits_after_expiry_all_see_the_whole_home(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    following.follow(world, ben, "ann")
    ids = world.do(post, ann, *"abcdefgh")
    for _ in range(5):
        world.db.trip(
            ("ZREM", account_keys.active_members(partition_of(ben)), ben),
            ("DEL", account_keys.home(ben)),
        )
        with ThreadPoolExecutor(8) as pool:
            for visible in pool.map(lambda _: home(world, ben), range(16)):
                assert visible == ids[::-1]


def test_an_idempotency_key_counts_for_one_text_only(world: World) -> None:
    [ann] = world.people("ann")
    first = statuses.post(world, ann, parse("one"), "the-form")
    assert statuses.post(world, ann, parse("one"), "the-form") == first
    assert statuses.post(world, ann, parse("two"), "the-form") != first


def test_a_home_stays_bounded_though_few_deliveries_trim_it(world: World) -> None:
    names = [f"m{number}" for number in range(9)]
    author, *readers = world.people(*names)
    small = with_settings(world, home_max=20, home_slack=16)
    for reader in readers:
        following.follow(small, reader, "m0")
    worker.drain(small)
    largest = 0
    for number in range(8):
        small.do(post, author, *(f"{number} {text}" for text in range(40)))
        largest = max(
            largest, *(world.db.run(("ZCARD", account_keys.home(reader))) for reader in readers)
        )
        assert min(world.db.run(("ZCARD", account_keys.home(reader))) for reader in readers) >= 20
    # Of 320: a hundred deliveries in a row without a trim practically never happen.
    assert largest < 20 + 16 + 100


@pytest.mark.parametrize("batch_size", [1, 2, 3, 4, 2_000])
def test_a_batch_of_several_authors_reaches_the_followers_of_each(
    batch_size: int, world: World
) -> None:
    small = replace(world.config, fanout_batch=batch_size)
    ann, ben, *fans = world.people("ann", "ben", *(f"fan{n}" for n in range(6)))
    for fan in fans[:4]:
        following.follow(world, fan, "ann")
    for fan in fans[3:]:
        following.follow(world, fan, "ben")
    world.apply_events()
    first, second = post(world, ann, "one", "two")
    [third] = post(world, ben, "three")
    reply = world.post(ann, "so do I", reply=third)
    mentioning = world.post(ann, "for @fan1 and @fan5", visibility=Visibility.MENTIONED)
    posted = [
        event("posted", ann, first),
        event("posted", ben, third),
        event("posted", ann, second),
        event("posted", ann, reply, reply_to_uid=str(ben)),
        event("posted", ann, mentioning, visibility="m", mentioned=f" {fans[1]} {fans[5]} "),
        event("posted", ben, third + 64),  # deleted
    ]
    for _ in "12":
        do_steps(world.db, deliver.deliver(Context(world.db, small, lambda: None), posted))
    delivered = [
        {
            entry.partition(":")[0]
            for entry in world.db.run(("ZRANGE", account_keys.home(fan), 0, -1))
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
    do_steps(world.db, deliver.retract(Context(world.db, small, lambda: None), deleted))
    assert not any(world.db.trip(*(("EXISTS", account_keys.home(fan)) for fan in fans)))


def event(kind: str, author: int, status_id: int, **data: str) -> Event:
    return Event(
        "1-1", 0, "fanout", 10**6, kind, "-", {"id": str(status_id), "author": str(author), **data}
    )
