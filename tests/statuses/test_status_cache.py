"""Statuses as a process read them just now: shared by its readers for a second, never with who wrote them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.timelines import home_timeline
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.statuses import keys as status_keys
from webapp.statuses import status_cache
from webapp.statuses import store as statuses
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.interactions import likes
from webapp.timelines import store as timelines

People = Callable[..., list[int]]
Settle = Callable[[], None]


@pytest.fixture
def keeping(config: Config) -> Config:
    return replace(config, status_seconds=60)


def post(db: Db, config: Config, uid: int, text: str) -> int:
    return statuses.post(db, config, uid, parse(text), f"form-{text}")


def shown(page: timelines.Timeline) -> list[tuple[str, int]]:
    return [(one.text, page.viewer_state.like_count(one.id, one.likes)) for one in page.items]


def asked(db: Db, monkeypatch: pytest.MonkeyPatch, read: Callable[[], object]) -> set[str]:
    """The statuses that are asked for while something is read."""
    names, trip = set[str](), Db.trip

    def noting(self: Db, *commands: Command) -> list[object]:
        names.update(str(command[1]) for command in commands if command[0] == "HMGET")
        return trip(self, *commands)

    monkeypatch.setattr(Db, "trip", noting)
    read()
    monkeypatch.setattr(Db, "trip", trip)
    return {name for name in names if name.startswith("status:")}


def test_a_second_reader_asks_for_nothing_but_what_they_wrote_themselves(
    db: Db, keeping: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for reader, login in ((ben, "ann"), (cid, "ann"), (cid, "ben")):
        following.follow(db, keeping, reader, login)
    first, second = post(db, keeping, ann, "one"), post(db, keeping, ben, "two")
    settle()
    both, own = (
        {status_keys.status(first), status_keys.status(second)},
        {status_keys.status(second)},
    )
    for reader, expected in ((ben, both), (cid, set[str]()), (ben, own)):
        assert asked(db, monkeypatch, lambda: home_timeline(db, keeping, reader)) == expected  # noqa: B023
    assert asked(db, monkeypatch, lambda: timelines.public(db, keeping, viewer=cid)) == set()
    assert shown(home_timeline(db, keeping, cid)) == [("two", 0), ("one", 0)]


def test_what_others_do_shows_when_the_time_is_over_and_ones_own_acts_at_once(
    db: Db, keeping: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, keeping, ben, "ann")
    status_id = post(db, keeping, ann, "one")
    settle()
    assert shown(home_timeline(db, keeping, ben)) == [("one", 0)]
    likes.like(db, keeping, cid, status_id)
    settle()
    assert shown(home_timeline(db, keeping, ben)) == [("one", 0)]
    assert shown(home_timeline(db, keeping, ann)) == [("one", 1)], "one's own posts are read anew"
    likes.like(db, keeping, ben, status_id)
    assert shown(home_timeline(db, keeping, ben)) == [("one", 2)]
    likes.unlike(db, keeping, ben, status_id)
    later = time.monotonic() + 61
    monkeypatch.setattr(status_cache.time, "monotonic", lambda: later)
    settle()
    db.run(("DEL", interaction_keys.recent_interactions(ben)))
    assert shown(home_timeline(db, keeping, ben)) == [("one", 1)]


def test_what_is_deleted_is_gone_at_once_for_its_author_and_soon_for_all(
    db: Db, keeping: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, keeping, ben, "ann")
    first, _ = post(db, keeping, ann, "one"), post(db, keeping, ann, "two")
    settle()
    for reader in (ann, ben):
        assert len(home_timeline(db, keeping, reader).items) == 2
    statuses.delete(db, keeping, ann, first)
    for page in (home_timeline(db, keeping, ann), timelines.public(db, keeping, viewer=ann)):
        assert shown(page) == [("two", 0)]
    settle()
    for page in (home_timeline(db, keeping, ben), timelines.public(db, keeping, viewer=ben)):
        assert shown(page) == [("two", 0)], "it is on no list any more, kept or not"


def test_the_suspended_are_gone_at_once_from_homes_and_back_at_once(
    db: Db, keeping: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, keeping, ben, "ann")
    post(db, keeping, ann, "one")
    settle()
    assert home_timeline(db, keeping, ben).items
    lifecycle.suspend(db, keeping, ann)
    settle()
    assert not home_timeline(db, keeping, ben).items
    lifecycle.suspend(db, keeping, ann, False)
    settle()
    assert home_timeline(db, keeping, ben).items


def test_a_process_keeps_no_more_than_its_share(
    db: Db, keeping: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_cache, "CACHE_MAX", 5)
    ann, ben = people("ann", "ben")
    for number in range(12):
        post(db, keeping, ann, f"text {number}")
    settle()
    small = replace(keeping, page_size=3)
    before, seen = None, list[str]()
    while True:
        page = timelines.public(db, small, before, ben)
        assert len(status_cache._caches[db]) <= 5
        seen += [one.text for one in page.items]
        if (before := page.next) is None:
            break
    assert seen == [f"text {number}" for number in reversed(range(12))]
