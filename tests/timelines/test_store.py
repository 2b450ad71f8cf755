"""Timelines at the store: what home, profile and public show, on one server and on a Cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.support import worker
from tests.support.timelines import home_timeline
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.statuses import store as statuses
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines import jobs, store
from webapp.timelines import keys as timeline_keys
from webapp.timelines.fanout import deliver
from webapp.timelines.rebuild import rebuild

People = Callable[..., list[int]]
Settle = Callable[[], None]


def post(db: Db, config: Config, uid: int, *texts: str) -> list[int]:
    return [
        statuses.post(db, config, uid, parse(text), f"form-{uid}-{text}".replace(" ", "-"))
        for text in texts
    ]


def home(db: Db, config: Config, uid: int) -> list[int]:
    """Every id a member can page to in home, checking that no page but the last is short."""
    return walk(lambda before: home_timeline(db, config, uid, before), config.page_size)


def walk(read: Callable[[int | None], object], size: int) -> list[int]:
    found: list[int] = []
    before = None
    while True:
        page = read(before)
        found += [status.id for status in page.items]  # type: ignore[attr-defined]
        before = page.next  # type: ignore[attr-defined]
        if before is None:
            assert found == sorted(set(found), reverse=True)
            return found
        assert len(page.items) == size  # type: ignore[attr-defined]


def test_a_post_reaches_its_authors_and_followers_homes(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    following.follow(db, config, ben, "ann")
    settle()
    [first] = post(db, config, ann, "hello")
    assert home(db, config, ann) == [first]
    settle()
    assert home(db, config, ben) == [first]
    assert home(db, config, cat) == []
    assert [status.id for status in store.public(db, config).items] == [first]


def test_following_brings_the_newest_and_unfollowing_takes_them_out(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    anns, cats = post(db, config, ann, "one", "two"), post(db, config, cat, "three")
    settle()
    following.follow(db, config, ben, "ann")
    following.follow(db, config, ben, "cat")
    settle()
    assert home(db, config, ben) == sorted(anns + cats, reverse=True)
    following.unfollow(db, config, ben, "ann")
    assert home(db, config, ben) == cats
    settle()
    assert home(db, config, ben) == cats


def test_an_unfollowed_author_is_not_shown_though_the_delivery_comes_late(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    post(db, config, ann, "late")
    following.unfollow(db, config, ben, "ann")
    settle()
    assert home(db, config, ben) == []


def test_a_deleted_status_is_never_shown_whatever_waits(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    ids = post(db, config, ann, *"abcdefgh")
    settle()
    for status_id in ids[2:6]:
        statuses.delete(db, config, ann, status_id)
    small = replace(config, page_size=2)
    expected = sorted(set(ids) - set(ids[2:6]), reverse=True)
    assert home(db, small, ben) == expected
    assert walk(lambda before: store.public(db, small, before), 2) == expected
    settle()
    assert home(db, small, ben) == expected


def test_a_page_of_which_nothing_is_shown_any_more_leads_on_to_what_is(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    small = replace(config, page_size=2)
    for login in ("ann", "cat"):
        following.follow(db, small, ben, login)
    settle()
    there = post(db, small, cat, *"abc")
    post(db, small, ann, *(f"hidden {number}" for number in range(12)))
    settle()
    lifecycle.suspend(db, small, ann)  # which homes are not told of yet
    assert everything(db, small, ben) == there[::-1]


def test_what_is_merged_above_the_end_of_a_full_home_is_shown_though_its_last_entry_is_gone(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    small = replace(config, home_max=4, home_slack=0, merged_seconds=0)
    home_timeline(db, small, ben)
    following.follow(db, small, ben, "cat")
    worker.drain(db, replace(small, push_max_followers=0))  # she is merged
    following.follow(db, small, ben, "ann")
    worker.drain(db, small)
    ids = []
    for author, text in (
        (ann, "z"),
        (ann, "a"),
        (cat, "A"),
        (cat, "B"),
        (ann, "b"),
        (ann, "c"),
        (ann, "d"),
    ):
        ids += post(db, small, author, text)
        worker.drain(db, small)
    _, last, *_ = ids
    assert db.run(("ZRANGE", timeline_keys.home(ben), 0, 1)) == ["more", f"{last}:{ann}"]
    statuses.delete(db, small, ann, last)
    assert everything(db, small, ben) == sorted(set(ids) - {last}, reverse=True)


def everything(db: Db, config: Config, uid: int) -> list[int]:
    """What the pages of a home show, some of which may be short."""
    found, before = list[int](), None
    while True:
        page = home_timeline(db, config, uid, before)
        found += [item.id for item in page.items]
        if (before := page.next) is None:
            return found


def test_pages_neither_repeat_nor_skip_while_statuses_arrive(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    small = replace(config, page_size=3)
    ids = post(db, config, ann, *"abcdefg")
    page = home_timeline(db, small, ann)
    post(db, config, ann, *"xyz")
    rest = walk(lambda before: home_timeline(db, small, ann, before or page.next), 3)
    assert [status.id for status in page.items] + rest == sorted(ids, reverse=True)


def test_a_home_keeps_the_newest_and_refills_when_some_go(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    small = replace(config, home_max=6, home_slack=2, page_size=4)
    settle = lambda: worker.drain(db, small)
    for author in ("ann", "cat"):
        following.follow(db, small, ben, author)
    settle()
    anns = post(db, small, ann, *"abcdefgh")
    cats = post(db, small, cat, *"ABCDEFGHIJ")
    settle()
    shown = home(db, small, ben)
    newest = sorted(anns + cats, reverse=True)
    assert newest[:6] == shown[:6] and len(shown) <= 8
    assert db.run(("ZCARD", timeline_keys.home(ben))) <= 6 + 2 + 1
    following.unfollow(db, small, ben, "cat")
    assert home(db, small, ben)[:6] == sorted(anns, reverse=True)[:6]
    settle()
    for status_id in anns[3:]:
        statuses.delete(db, small, ann, status_id)
    page = home_timeline(db, small, ben)
    below = walk(lambda before: home_timeline(db, small, ben, before or page.next), 4)
    assert [status.id for status in page.items] + below == sorted(anns[:3], reverse=True), (
        "short, and leads on"
    )
    assert home(db, small, ben) == sorted(anns[:3], reverse=True)


def test_a_home_is_dropped_after_long_absence_and_built_at_the_next_visit(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    before = post(db, config, ann, "before")
    settle()
    db.run(("ZADD", timeline_keys.active_members(partition_of(ben)), 1, ben))
    assert jobs.expire_inactive(db, config, partition_of(ben)) == 1
    during = post(db, config, ann, "during")
    settle()
    assert not db.run(("EXISTS", timeline_keys.home(ben)))
    assert home(db, config, ben) == during + before
    after = post(db, config, ann, "after")
    settle()
    assert home(db, config, ben) == after + during + before


def test_an_author_with_very_many_followers_is_merged_and_shown_once(
    db: Db, config: Config, people: People
) -> None:
    star, *fans = people("star", "ann", "ben", "cat")
    small = replace(config, push_max_followers=2, page_size=3, merged_seconds=0)
    pushed = post(db, small, star, "pushed")
    for fan in fans:
        following.follow(db, small, fan, "star")
        worker.drain(db, small)
    merged = post(db, small, star, *"abcde")
    worker.drain(db, small)
    own = post(db, small, fans[0], "mine")
    expected = sorted(pushed + merged + own, reverse=True)
    assert home(db, small, fans[0]) == expected
    assert not [
        entry
        for entry in db.run(("ZRANGE", timeline_keys.home(fans[1]), 0, -1))
        if int(entry.split(":")[0]) in merged
    ]
    statuses.delete(db, small, star, merged[2])
    assert home(db, small, fans[0]) == [
        status_id for status_id in expected if status_id != merged[2]
    ]
    following.unfollow(db, small, fans[0], "star")
    assert home(db, small, fans[0]) == own


def test_a_home_page_takes_two_trips_whatever_it_shows(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    names = [f"m{number}" for number in range(12)]
    reader, *authors = people(*names)
    for name in names[1:]:
        following.follow(db, config, reader, name)
    settle()
    for author in authors:
        post(db, config, author, *"abcd")
    settle()
    home_timeline(db, config, reader)
    for before in (None, home_timeline(db, config, reader).next):
        trips = db.trips
        assert home_timeline(db, config, reader, before).items
        assert db.trips - trips == 2


@pytest.mark.parametrize("kept", [5, 40])
def test_a_rebuild_finds_the_newest_of_uneven_profiles(
    db: Db, config: Config, people: People, settle: Settle, kept: int
) -> None:
    reader, busy, quiet = people("reader", "busy", "quiet")
    small = replace(config, home_max=kept, home_slack=0, page_size=4)
    following.follow(db, small, reader, "busy")
    following.follow(db, small, reader, "quiet")
    worker.drain(db, small)
    ids = post(db, small, quiet, "old") + post(
        db, small, busy, *(f"n{number}" for number in range(50))
    )
    worker.drain(db, small)
    db.trip(
        ("ZREM", timeline_keys.active_members(partition_of(reader)), reader),
        ("DEL", timeline_keys.home(reader)),
    )
    assert (
        walk(lambda before: home_timeline(db, small, reader, before), 4)
        == sorted(ids, reverse=True)[:kept]
    )


def test_a_follow_while_a_home_is_rebuilt_is_not_lost(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    old = post(db, config, ann, "a", "b")
    following.follow(db, config, ben, "cat")
    cats = post(db, config, cat, "c")
    settle()
    db.trip(
        ("ZREM", timeline_keys.active_members(partition_of(ben)), ben),
        ("DEL", timeline_keys.home(ben)),
    )
    built = rebuild.page_from_candidates

    def meanwhile(*args: Any, **more: Any) -> Any:
        if not db.run(("ZSCORE", following_keys.following(ben), ann)):
            following.follow(db, config, ben, "ann")
            settle()
        return built(*args, **more)

    monkeypatch.setattr(rebuild, "page_from_candidates", meanwhile)
    assert home(db, config, ben) == cats, "as it was when it was asked for"
    assert home(db, config, ben) == sorted(old + cats, reverse=True)


def test_many_visits_at_once_after_long_absence_all_see_the_whole_home(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    ids = post(db, config, ann, *"abcdefgh")
    settle()
    for _ in range(5):
        db.trip(
            ("ZREM", timeline_keys.active_members(partition_of(ben)), ben),
            ("DEL", timeline_keys.home(ben)),
        )
        with ThreadPoolExecutor(8) as pool:
            for shown in pool.map(lambda _: home(db, config, ben), range(16)):
                assert shown == ids[::-1]


def test_a_form_key_counts_for_one_text_only(db: Db, config: Config, people: People) -> None:
    [ann] = people("ann")
    first = statuses.post(db, config, ann, parse("one"), "the-form")
    assert statuses.post(db, config, ann, parse("one"), "the-form") == first
    assert statuses.post(db, config, ann, parse("two"), "the-form") != first


def test_a_home_stays_bounded_though_not_every_delivery_looks(
    db: Db, config: Config, people: People
) -> None:
    names = [f"m{number}" for number in range(9)]
    author, *readers = people(*names)
    small = replace(config, home_max=20, home_slack=16)
    for reader in readers:
        following.follow(db, small, reader, "m0")
    worker.drain(db, small)
    largest = 0
    for number in range(8):
        post(db, small, author, *(f"{number} {text}" for text in range(40)))
        worker.drain(db, small)
        largest = max(
            largest, *(db.run(("ZCARD", timeline_keys.home(reader))) for reader in readers)
        )
        assert min(db.run(("ZCARD", timeline_keys.home(reader))) for reader in readers) >= 20
    assert (
        largest < 20 + 16 + 100
    )  # of 320; a hundred deliveries in a row that do not look are not to be seen


@pytest.mark.parametrize("size", [1, 2, 3, 4, 2_000])
def test_a_run_of_several_authors_reaches_the_followers_of_each_however_many_a_script_may_write(
    size: int, db: Db, config: Config, people: People, settle: Settle
) -> None:
    small = replace(config, fanout_batch=size)
    ann, ben, *fans = people("ann", "ben", *(f"fan{n}" for n in range(6)))
    for fan in fans[:4]:
        following.follow(db, config, fan, "ann")
    for fan in fans[3:]:
        following.follow(db, config, fan, "ben")
    settle()
    (one, two), [three] = post(db, config, ann, "one", "two"), post(db, config, ben, "three")
    answer = statuses.post(db, config, ann, parse("so do I"), "answer", reply=three)
    named = statuses.post(
        db, config, ann, parse("for @fan1 and @fan5"), "named", visibility=Visibility.MENTIONED
    )
    told = [event("posted", ann, one), event("posted", ben, three), event("posted", ann, two)]
    told += [
        event("posted", ann, answer, to=str(ben)),
        event("posted", ann, named, vis="m", who=f" {fans[1]} {fans[5]} "),
    ]
    told.append(event("posted", ben, three + 64))  # which is gone by now
    for _ in "12":
        deliver.deliver(Context(db, small, lambda: None), told)
    held = [
        {entry.partition(":")[0] for entry in db.run(("ZRANGE", timeline_keys.home(fan), 0, -1))}
        for fan in fans
    ]
    assert held == [
        {f"{status_id}" for status_id in wanted}
        for wanted in (
            *(
                [one, two],
                [one, two, named],
                [one, two],
                [one, two, three, answer],
                [three],
                [three],
            ),
        )
    ]
    deliver.retract(
        Context(db, small, lambda: None), [replace(one, type="deleted") for one in told]
    )
    assert not any(db.trip(*(("EXISTS", timeline_keys.home(fan)) for fan in fans)))


def event(kind: str, author: int, status_id: int, **data: str) -> Event:
    return Event(
        "1-1", 0, "fanout", 10**6, kind, "-", {"id": str(status_id), "author": str(author), **data}
    )
