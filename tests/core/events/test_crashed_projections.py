"""A worker that dies between any two trips leaves nothing that another does not complete.

After each act its projections are applied. Then the store is put back, a worker dies in one of
them, and another applies it again: the store must hold the same. What a member takes back before
a worker comes changes nothing at all.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, count
from typing import Any

import pytest

from tests.support import worker
from tests.support.crashing_db import dies_before_another
from tests.support.further_acts import FURTHER_ACTS, Scene, request
from tests.support.schema import live_keys
from tests.support.store_dump import BOOKKEEPING, dump, shape_of
from tests.support.world import World
from webapp.accounts import lifecycle, profile
from webapp.core.events import keys as event_keys, outbox
from webapp.core.events.outbox import Context, Event, Projection
from webapp.core.store import PARTITIONS, Db
from webapp.core.text.parser import parse
from webapp.lists import store as lists
from webapp.lists.timeline import list_page
from webapp.registry import REGISTRY
from webapp.statuses import Place
from webapp.statuses.edits import editing, pins
from webapp.statuses.polls import keys as poll_keys, voting
from webapp.statuses.quotes import store as quotes
from webapp.statuses.values.poll import Poll
from webapp.timelines.tags import store as tags

# What names an event, who applied it, or when an open page was told.
LEFT_OUT = ("outbox:", "bulk_events:", "log:", "fences:", "tally_throttle:", "saved:")
# What is computed again sooner or later, or forgotten in a minute.
COMPUTED = ("bulk:", "recent_interactions:", "search:", "trend_candidates:")
HERE = Place(52.52, 13.405, "Museum")
# Times of this test in s, ms or µs. The store writes some scores with an exponent.
TIMES = r"-?\b1(?:[78]\d{8}(?:\d{6}|\d{3}|\.\d+)?|\.[78]\d+e\+9)\b"


@pytest.fixture
def scene(world: World, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """The members and what they have done. Lists of more than two take several slices."""
    monkeypatch.setattr(outbox, "BATCH", 2)
    for projection in chain(*REGISTRY.bulk.values()):
        monkeypatch.setattr(sys.modules[projection.__module__], "BATCH", 2, raising=False)
    ann, ben, cid, dan = world.people("ann", "ben", "cid", "dan")
    world.follow(ann, "ben")
    world.follow(ben, "ann")
    world.block(dan, "ann")
    world.block(ann, "dan")
    world.follow_tag(ann, "old")
    posts = [world.post(ann, f"{number} #old @ben", place=HERE) for number in range(3)]
    posts += [world.post(ann, "which?", poll=Poll(("a", "b"), 60))]
    voting.vote(world, ben, posts[3], {0})
    for status_id in posts:
        world.like(ben, status_id)
        world.bookmark(ben, status_id)
    world.boost(ben, posts[0])
    bens = world.post(ben, "look #old @ann", quote=posts[0])
    world.post(ben, "@ann yes", reply=posts[0])
    world.like(ann, bens)
    world.apply_events()
    numbers = [lists.create(world, ann, name, exclusive=True) for name in "xyz"]
    for number in numbers:
        lists.set_memberships(world, ann, "ben", {number: True})
    lists.set_memberships(world, ben, "ann", {lists.create(world, ben, "b"): True})
    world.apply_events()
    for number in numbers:
        list_page(world, ann, number, ann)
    return Scene(world, ann, ben, cid, dan, posts, bens, numbers)


def vote(s: Scene) -> None:
    """Let Cid vote in Ann's poll, a second after Ben."""
    s.world.db.run(("DEL", poll_keys.tally_throttle(s.posts[3])))
    voting.vote(s.world, s.cid, s.posts[3], {0})


ACTS: dict[str, Callable[[Scene], object]] = {
    "posted": lambda s: [
        s.world.post(s.ann, f"{number} #new @ben", place=HERE) for number in range(3)
    ],
    "deleted": lambda s: [s.world.delete(s.ann, one) for one in s.posts],
    "edited": lambda s: editing.edit(s.world, s.ann, s.posts[0], parse("#new"), "", "0"),
    "boosted": lambda s: [s.world.boost(s.ben, one) for one in s.posts[1:]],
    "unboosted": lambda s: s.world.unboost(s.ben, s.posts[0]),
    "liked": lambda s: [s.world.like(s.cid, one) for one in s.posts],
    "unliked": lambda s: [s.world.unlike(s.ben, one) for one in s.posts],
    "voted": vote,
    "quote_detached": lambda s: quotes.detach(s.world, s.ann, s.bens),
    "followed": lambda s: s.world.follow(s.cid, "ben"),
    "unfollowed": lambda s: s.world.unfollow(s.ann, "ben"),
    "blocked": lambda s: s.world.block(s.ben, "ann"),
    "unblocked": lambda s: s.world.unblock(s.dan, "ann"),
    "muted": lambda s: s.world.mute(s.ann, "ben"),
    "list_member_added": lambda s: lists.set_memberships(
        s.world, s.ann, "cid", {s.numbers[0]: True}
    ),
    "list_member_removed": lambda s: lists.set_memberships(
        s.world, s.ann, "ben", {s.numbers[0]: False}
    ),
    "list_deleted": lambda s: lists.delete(s.world, s.ann, s.numbers[0]),
    "profile_edited": lambda s: profile.edit(s.world, s.ann, {"name": "Ann B."}),
    "suspended": lambda s: lifecycle.suspend(s.world, s.ann),
    "restored": lambda s: (
        s.world.do(lifecycle.suspend, s.ann),
        lifecycle.suspend(s.world, s.ann, False),
    ),
    "protected": lambda s: lifecycle.protect(s.world, s.ann),
    "account_deleted": lambda s: lifecycle.delete_account(s.world, s.ann, None),
}

# Two acts, of which the second takes the first back. Ben is protected, and Cid asks to follow him.
TAKEN_BACK: dict[str, tuple[Callable[[Scene], object], Callable[[Scene], object]]] = {
    **{
        f"suspended: {name}": (
            lambda s, name=name: lifecycle.suspend(s.world, getattr(s, name)),
            lambda s, name=name: lifecycle.suspend(s.world, getattr(s, name), False),
        )
        for name in ("ann", "ben", "cid")
    },
    "protected": (ACTS["protected"], lambda s: lifecycle.protect(s.world, s.ann, False)),
    "unprotected": (
        lambda s: lifecycle.protect(s.world, s.ben, False),
        lambda s: lifecycle.protect(s.world, s.ben),
    ),
    "followed": (lambda s: s.world.follow(s.cid, "ann"), lambda s: s.world.unfollow(s.cid, "ann")),
    "requested": (lambda s: s.world.follow(s.dan, "ben"), lambda s: s.world.unfollow(s.dan, "ben")),
    "liked": (ACTS["liked"], lambda s: [s.world.unlike(s.cid, one) for one in s.posts]),
    "boosted": (ACTS["boosted"], lambda s: [s.world.unboost(s.ben, one) for one in s.posts[1:]]),
    "bookmarked": (
        FURTHER_ACTS["bookmarked"],
        lambda s: s.world.unbookmark(s.cid, s.posts[0]),
    ),
    "muted": (lambda s: s.world.mute(s.cid, "ben"), lambda s: s.world.unmute(s.cid, "ben")),
    "blocked": (lambda s: s.world.block(s.cid, "ann"), lambda s: s.world.unblock(s.cid, "ann")),
    "listed": (
        ACTS["list_member_added"],
        lambda s: lists.set_memberships(s.world, s.ann, "cid", {s.numbers[0]: False}),
    ),
    "detached": (ACTS["quote_detached"], lambda s: quotes.reattach(s.world, s.ann, s.bens)),
    "pinned": (FURTHER_ACTS["pinned"], lambda s: pins.unpin(s.world, s.ann, s.posts[0])),
    "tag followed": (FURTHER_ACTS["tags_changed"], lambda s: tags.unfollow(s.world, s.cid, "old")),
}

EVERY_ACT = ACTS | FURTHER_ACTS


@contextmanager
def saved(db: Db) -> Iterator[Callable[[], None]]:
    """Give a function that puts everything back as it is now.

    A copy of a key is on the same server of a Cluster.
    """
    copies = {key: f"saved:{key}" if "{" in key else f"saved:{{{key}}}" for key in live_keys(db)}
    db.trip(*(("COPY", *names) for names in copies.items()))

    def restore() -> None:
        db.trip(*(("DEL", key) for key in {*live_keys(db)}.difference(copies.values())))
        db.trip(*(("COPY", copy, key) for key, copy in copies.items()))

    try:
        yield restore
    finally:
        db.trip(*(("DEL", copy) for copy in copies.values()))


def waiting(scene: Scene, kind: str, group: str) -> list[Event]:
    """Return the events of a type that a partition has for the worker that holds it."""
    for partition in range(PARTITIONS):
        token = scene.world.db.run(("HGET", event_keys.lease(partition, group), "token"))
        entries = scene.world.db.run(("XRANGE", event_keys.outbox(partition), "-", "+"))
        found = [(name, dict(zip(data[::2], data[1::2], strict=True))) for name, data in entries]
        if events := [
            Event(name, partition, group, int(token or 1), kind, "-", data)
            for name, data in found
            if data["type"] == kind
        ]:
            return events
    raise AssertionError(f"nothing {kind}")


def projections_of(kind: str) -> Iterator[tuple[str, Projection]]:
    """Yield the projections of a type of event in their order, each with its group."""
    for group, table in REGISTRY.projections.items():
        yield from ((group, projection) for projection in table.get(kind, ()))
    yield from (("bulk", worker.in_slices(one)) for one in REGISTRY.bulk.get(kind, ()))


@pytest.mark.tables
def test_every_projection_is_applied_after_one_of_the_acts() -> None:
    tables = [*REGISTRY.projections.items(), ("bulk", REGISTRY.bulk)]
    every = {one for _, table in tables for found in table.values() for one in found}
    applied = {one for _, table in tables for kind in EVERY_ACT for one in table.get(kind, ())}
    assert every == applied, "an act is missing in tests/support/further_acts.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [*ACTS, *(pytest.param(kind, marks=pytest.mark.long) for kind in FURTHER_ACTS)]
)
def test_another_worker_completes_what_one_that_died_began(scene: Scene, kind: str) -> None:
    db = scene.world.db
    EVERY_ACT[kind](scene)
    for group, projection in projections_of(kind):
        events = waiting(scene, kind, group)
        with saved(db) as restore:
            projection(Context(db, scene.world.config, lambda: None), events)
            expected = dump(db, LEFT_OUT, TIMES)
            for trips in count():
                restore()
                has_died = dies_before_another(scene.world, trips, events, projection)
                assert dump(db, LEFT_OUT, TIMES) == expected, (projection, trips)
                if not has_died:
                    break


def held(db: Db) -> dict[str, Any]:
    """Return what the store holds, without what any change leaves."""
    found = dump(db, (*LEFT_OUT, *COMPUTED), TIMES)
    for key, value in found.items():
        if key.startswith("user:"):
            value.pop("epoch", None)  # the number of suspensions
    return {key: value for key, value in found.items() if shape_of(key) not in BOOKKEEPING}


def test_what_is_taken_back_before_a_worker_comes_changes_nothing(scene: Scene) -> None:
    scene.world.do(lambda _site: request(scene))
    expected = held(scene.world.db)
    for name, acts in TAKEN_BACK.items():
        for act in acts:
            act(scene)
        scene.world.apply_events()
        assert held(scene.world.db) == expected, name
