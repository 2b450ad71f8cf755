"""The status cache of a process: shared by viewers for a second, bypassed for the author."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from tests.support.settings import with_settings
from tests.support.timelines import home_timeline
from tests.support.world import World, post
from webapp.accounts import lifecycle
from webapp.core.store import Command, Db, Site
from webapp.following import store as following
from webapp.statuses import keys as status_keys, store as statuses
from webapp.statuses.interactions import keys as interaction_keys, likes
from webapp.timelines import store as timelines
from webapp.timelines.home import status_cache


@pytest.fixture
def cached_config(world: World) -> Site:
    return with_settings(world, status_seconds=60)


def texts_and_likes(page: timelines.Timeline) -> list[tuple[str, int]]:
    return [
        (status.text, page.viewer_state.like_count(status.id, status.likes))
        for status in page.items
    ]


def statuses_read(db: Db, monkeypatch: pytest.MonkeyPatch, read: Callable[[], object]) -> set[str]:
    """Return the keys of the statuses that are read from the store."""
    names, trip = set[str](), Db.trip

    def record_reads(self: Db, *commands: Command) -> list[object]:
        names.update(str(command[1]) for command in commands if command[0] == "HGETALL")
        return trip(self, *commands)

    monkeypatch.setattr(Db, "trip", record_reads)
    read()
    monkeypatch.setattr(Db, "trip", trip)
    return {name for name in names if name.startswith("status:")}


def test_a_second_viewer_reads_only_their_own_statuses(
    world: World, cached_config: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for viewer, login in ((ben, "ann"), (cid, "ann"), (cid, "ben")):
        following.follow(cached_config, viewer, login)
    first, second = (post(cached_config, ann, "one"), post(cached_config, ben, "two"))
    world.apply_events()
    both_keys, own_keys = (
        {status_keys.status(first), status_keys.status(second)},
        {status_keys.status(second)},
    )
    for viewer, expected in ((ben, both_keys), (cid, set[str]()), (ben, own_keys)):
        read = partial(home_timeline, cached_config, viewer)
        assert statuses_read(world.db, monkeypatch, read) == expected
    assert (
        statuses_read(world.db, monkeypatch, lambda: timelines.public(cached_config, viewer=cid))
        == set()
    )
    assert texts_and_likes(home_timeline(cached_config, cid)) == [("two", 0), ("one", 0)]


def test_interactions_of_others_show_after_expiry_and_own_ones_immediately(
    world: World, cached_config: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    following.follow(cached_config, ben, "ann")
    status_id = post(cached_config, ann, "one")
    world.apply_events()
    assert texts_and_likes(home_timeline(cached_config, ben)) == [("one", 0)]
    likes.like(cached_config, cid, status_id)
    world.apply_events()
    assert texts_and_likes(home_timeline(cached_config, ben)) == [("one", 0)]
    found = texts_and_likes(home_timeline(cached_config, ann))
    assert found == [("one", 1)], "own statuses are not cached"
    likes.like(cached_config, ben, status_id)
    assert texts_and_likes(home_timeline(cached_config, ben)) == [("one", 2)]
    likes.unlike(cached_config, ben, status_id)
    later = time.monotonic() + 61
    monkeypatch.setattr("time.monotonic", lambda: later)
    world.apply_events()
    world.db.run(("DEL", interaction_keys.recent_interactions(ben)))
    assert texts_and_likes(home_timeline(cached_config, ben)) == [("one", 1)]


def test_a_deleted_status_is_hidden_from_its_author_immediately(
    world: World, cached_config: Site
) -> None:
    ann, ben = world.people("ann", "ben")
    following.follow(cached_config, ben, "ann")
    first, _ = post(cached_config, ann, "one"), post(cached_config, ann, "two")
    world.apply_events()
    for viewer in (ann, ben):
        assert len(home_timeline(cached_config, viewer).items) == 2
    statuses.delete(cached_config, ann, first)
    for page in (home_timeline(cached_config, ann), timelines.public(cached_config, viewer=ann)):
        assert texts_and_likes(page) == [("two", 0)]
    world.apply_events()
    for page in (home_timeline(cached_config, ben), timelines.public(cached_config, viewer=ben)):
        assert texts_and_likes(page) == [("two", 0)], "no list contains it"


def test_suspensions_show_in_homes_immediately(world: World, cached_config: Site) -> None:
    ann, ben = world.people("ann", "ben")
    following.follow(cached_config, ben, "ann")
    post(cached_config, ann, "one")
    world.apply_events()
    assert home_timeline(cached_config, ben).items
    lifecycle.suspend(cached_config, ann)
    world.apply_events()
    assert not home_timeline(cached_config, ben).items
    lifecycle.suspend(cached_config, ann, False)
    world.apply_events()
    assert home_timeline(cached_config, ben).items


def test_the_cache_is_bounded(
    world: World, cached_config: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status_cache._cache, "_max_size", 5)
    ann, ben = world.people("ann", "ben")
    for number in range(12):
        post(cached_config, ann, f"text {number}")
    world.apply_events()
    small = replace(cached_config.config, page_size=3)
    before = None
    texts: list[str] = []
    while True:
        page = timelines.public(Site(world.db, small), before, ben)
        assert len(status_cache._cache._values[world.db]) <= 5
        texts += [status.text for status in page.items]
        if (before := page.next) is None:
            break
    assert texts == [f"text {number}" for number in reversed(range(12))]
