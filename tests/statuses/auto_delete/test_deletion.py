"""Automatic deletion: which posts go, in slices, across crashes and changes of the rule."""

import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.conftest import PASSWORD
from tests.support.concurrently import at_once
from tests.support.crashing_db import dies
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.pictures import Stage, files, stage as stage
from tests.support.statuses.polls import post_poll
from tests.support.world import World, post
from webapp.accounts import keys as account_keys
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Site, partition_of
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.auto_delete import deletion, keys, store
from webapp.statuses.auto_delete.store import DAY_MS, KINDS, Rule
from webapp.statuses.edits import pins

Later = Callable[[float], None]
ALL = frozenset(KINDS)
WEEK = Rule(7, frozenset())


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Return a function that lets the job and the rules believe that so many days have passed."""

    def pass_days(days: float) -> None:
        clock = SimpleNamespace(time=lambda: time.time() + days * DAY_MS / 1000)
        monkeypatch.setattr(store, "time", clock)
        monkeypatch.setattr(deletion, "time", clock)

    return pass_days


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "POSTS_MAX", 3)
    monkeypatch.setattr(deletion, "SLICE", 5)


def run(site: Site, uid: int) -> int:
    return deletion.delete_due(site, partition_of(uid))


def run_until_done(site: Site, uid: int) -> int:
    """Run the job until the member is not due any more. Return how many posts were deleted."""
    count = 0
    key = keys.auto_delete_due(partition_of(uid))
    while float(site.db.run(("ZSCORE", key, uid)) or "inf") <= deletion.time.time():
        count += run(site, uid)
    return count


def remaining(site: Site, uid: int) -> list[int]:
    """Return the ids of all posts of a member, oldest first."""
    lists = (site.db.run(("ZRANGE", key, 0, -1)) for key in status_keys.authored_lists(uid))
    return sorted(int(entry.partition(":")[0]) for entries in lists for entry in entries)


def test_old_posts_of_every_kind_go_in_slices_and_young_ones_stay(
    world: World, later: Later
) -> None:
    ann, ben = world.people("ann", "ben")
    theirs = post(world, ben)
    for number in range(4):
        post(world, ann, f"text {number}")
        options = {"reply": theirs} if number % 2 else {"visibility": Visibility.FOLLOWERS}
        world.post(ann, "hm", **options)  # type: ignore[arg-type]
    world.do(World.boost, ann, theirs)
    assert store.save(world, ann, WEEK) and not store.save(world, ann, WEEK)
    assert run(world, ann) == 0, "the rule is an hour away"
    later(6.9)
    assert run(world, ann) == 0 and len(remaining(world, ann)) == 8
    later(7.5)
    assert world.db.read(store.count_old(ann, WEEK)) == 8
    assert run(world, ann) == 3, "a slice"
    assert run_until_done(world, ann) == 5
    assert remaining(world, ann) == []
    world.apply_events()
    assert world.status(theirs).replies == 0, "as after any deletion"
    assert world.status(theirs).boosts == 1 and remaining(world, ben) == [theirs]
    young = post(world, ann, "young")
    later(14)
    assert run_until_done(world, ann) == 1 and young not in remaining(world, ann)


def test_exceptions_stay_until_they_are_none(world: World, later: Later, stage: Stage) -> None:
    [ann] = world.people("ann")
    plain = [post(world, ann, f"text {number}") for number in range(7)]
    pinned, bookmarked, liked = (post(world, ann, kind) for kind in KINDS[:3])
    pins.pin(world, ann, pinned)
    world.bookmark(ann, bookmarked)
    world.like(ann, liked)
    pictures = [stage(ann, "red")[0]]
    picture = world.post(ann, "look", pictures=pictures)
    poll = post_poll(world, ann)
    kept = [pinned, bookmarked, liked, picture, poll]
    store.save(world, ann, Rule(7, ALL))
    later(8)
    assert run_until_done(world, ann) == len(plain) and remaining(world, ann) == kept
    world.unlike(ann, liked)
    later(9)
    assert run_until_done(world, ann) == 1
    assert remaining(world, ann) == [kept[0], kept[1], *kept[3:]]
    store.save(world, ann, Rule(7, frozenset({"pinned"})))
    later(10)
    assert run_until_done(world, ann) == 3 and remaining(world, ann) == [pinned]
    assert files(world.config) == set(), "the pictures went too"


def test_a_crash_at_any_step_neither_loses_nor_repeats_anything(world: World, later: Later) -> None:
    trips = 0
    while True:
        [ann] = world.people(f"ann{trips}")
        later(0)
        ids = [post(world, ann, f"text {number}") for number in range(8)]
        pins.pin(world, ann, ids[4])
        store.save(world, ann, Rule(7, frozenset({"pinned"})))
        later(8)
        crashed = dies(world, trips, lambda site, ann=ann: run_until_done(site, ann))
        if crashed:
            run_until_done(world, ann)
        assert remaining(world, ann) == [ids[4]]
        world.apply_events()
        if not crashed:
            break
        trips += 1
    assert trips > 15


def test_a_change_of_the_rule_or_of_what_it_keeps_holds_at_once(
    world: World, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    ids = [post(world, ann, f"text {number}") for number in range(9)]
    acts: list[Callable[[], object]] = [
        lambda: pins.pin(world, ann, ids[1]),
        lambda: world.suspend(ann),
        lambda: store.save(world, ann, None),
        lambda: store.save(world, ann, Rule(30, frozenset())),
    ]
    store.save(world, ann, Rule(7, frozenset({"pinned"})))
    later(8)
    deleted, delete = list[int](), deletion.delete

    def delete_after_an_act(*arguments: object) -> tuple[str, ...]:
        if deleted and acts:
            acts.pop(0)()
        names = delete(*arguments)  # type: ignore[arg-type]
        deleted.append(int(arguments[2]))  # type: ignore[call-overload]
        return names

    monkeypatch.setattr(deletion, "delete", delete_after_an_act)
    assert run(world, ann) == 1 and deleted == ids[:1], "the next one was pinned"
    assert run(world, ann) == 0, "suspended"
    assert run(world, ann) == 0 and remaining(world, ann) == ids[1:]
    world.suspend(ann, False)
    later(8.5)
    assert run(world, ann) == 0 and world.db.read(store.rule_of(ann)) is None, "off"
    assert world.db.run(("ZCARD", keys.auto_delete_due(partition_of(ann)))) == 0
    store.save(world, ann, WEEK)
    later(9)
    assert run(world, ann) == 0 and remaining(world, ann) == ids[1:], "another rule"
    later(9.01)
    assert run(world, ann) == 0, "the new rule waits for an hour"


def test_fifty_runs_at_once_delete_each_post_once(world: World, later: Later) -> None:
    [ann] = world.people("ann")
    ids = [post(world, ann, f"text {number}") for number in range(12)]
    store.save(world, ann, Rule(7, ALL))
    world.like(ann, ids[6])
    later(8)
    at_once(50, lambda _: run(world, ann), range(50))
    run_until_done(world, ann)
    assert remaining(world, ann) == [ids[6]]
    world.apply_events()


def test_waiting_events_stop_a_run_and_the_end_of_the_account_the_rule(
    world: World, later: Later
) -> None:
    [ann] = world.people("ann")
    ids = [post(world, ann, f"text {number}") for number in range(4)]
    store.save(world, ann, WEEK)
    later(8)
    assert run(with_settings(world, outbox_max=1), ann) == 0 and remaining(world, ann) == ids
    assert run_until_done(world, ann) == 4
    world.suspend(ann)
    world.refuses(Forbidden, store.save, ann, None)
    world.suspend(ann, False)
    world.do(World.delete_account, ann, PASSWORD)
    assert keys.auto_delete(ann) not in live_keys(world.db)
    later(9)
    run(world, ann)
    assert keys.auto_delete_due(partition_of(ann)) not in live_keys(world.db)
    world.refuses(NotFound, store.save, ann, WEEK)


def test_a_member_whose_posts_cannot_be_deleted_holds_no_others_up(
    world: World, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = world.people("ann")[0]
    key, delete_some = keys.auto_delete_due(partition_of(ann)), deletion.delete_some
    world.post(ann)
    store.save(world, ann, WEEK)
    others = [ann + 64 * (number + 1) for number in range(deletion.MEMBERS)]
    for uid in others:
        world.db.run(("HSET", account_keys.user(uid), "login", f"other{uid}"))
        store.save(world, uid, WEEK)
    world.db.run(("ZADD", key, *(part for uid in others for part in (1, uid))))
    later(8)

    def fail_for_others(site: Site, uid: int) -> int:
        assert uid == ann, "a fault"
        return delete_some(site, uid)

    monkeypatch.setattr(deletion, "delete_some", fail_for_others)
    assert run(world, ann) == 0
    assert run(world, ann) == 1, "they are put off"
    assert world.db.run(("ZCARD", key)) == 1 + len(others), "and have another turn"
