"""Automatic deletion: which posts go, in slices, across crashes and changes of the rule."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from tests.conftest import PASSWORD, ApplyEvents, People
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.interactions import post
from tests.support.statuses.pictures import Stage, files
from tests.support.statuses.pictures import stage as stage
from tests.support.statuses.polls import post_poll
from webapp.accounts import lifecycle
from webapp.core.errors import Forbidden, NotFound
from webapp.core.site import Site
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.auto_delete import deletion, keys, store
from webapp.statuses.auto_delete.store import DAY_MS, KINDS, Rule
from webapp.statuses.edits import pins
from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.statuses.values.visibility import Visibility

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
    site: Site, people: People, apply_events: ApplyEvents, later: Later
) -> None:
    ann, ben = people("ann", "ben")
    theirs = post(site, ben)
    for number in range(4):
        post(site, ann, f"text {number}")
        options = {"reply": theirs} if number % 2 else {"visibility": Visibility.FOLLOWERS}
        statuses.post(site, ann, parse("hm"), f"form {number}", **options)  # type: ignore[arg-type]
    boosts.boost(site, ann, theirs)
    apply_events()
    assert store.save(site, ann, WEEK) and not store.save(site, ann, WEEK)
    assert run(site, ann) == 0, "the rule is an hour away"
    later(6.9)
    assert run(site, ann) == 0 and len(remaining(site, ann)) == 8
    later(7.5)
    assert site.db.read(store.count_old(ann, WEEK)) == 8
    assert run(site, ann) == 3, "a slice"
    assert run_until_done(site, ann) == 5
    assert remaining(site, ann) == []
    apply_events()
    assert statuses.get(site.db, theirs).replies == 0, "as after any deletion"
    assert statuses.get(site.db, theirs).boosts == 1 and remaining(site, ben) == [theirs]
    young = post(site, ann, "young")
    later(14)
    assert run_until_done(site, ann) == 1 and young not in remaining(site, ann)


def test_exceptions_stay_until_they_are_none(
    site: Site, people: People, later: Later, stage: Stage, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    plain = [post(site, ann, f"text {number}") for number in range(7)]
    pinned, bookmarked, liked = (post(site, ann, kind) for kind in KINDS[:3])
    pins.pin(site, ann, pinned)
    bookmarks.bookmark(site, ann, bookmarked)
    likes.like(site, ann, liked)
    pictures = [stage(ann, "red")[0]]
    picture = statuses.post(site, ann, parse("look"), "form", pictures=pictures)
    poll = post_poll(site, ann)
    kept = [pinned, bookmarked, liked, picture, poll]
    store.save(site, ann, Rule(7, ALL))
    later(8)
    assert run_until_done(site, ann) == len(plain) and remaining(site, ann) == kept
    likes.unlike(site, ann, liked)
    later(9)
    assert run_until_done(site, ann) == 1 and remaining(site, ann) == [kept[0], kept[1], *kept[3:]]
    store.save(site, ann, Rule(7, frozenset({"pinned"})))
    later(10)
    assert run_until_done(site, ann) == 3 and remaining(site, ann) == [pinned]
    assert files(site.config) == set(), "the pictures went too"


def test_a_crash_at_any_step_neither_loses_nor_repeats_anything(
    site: Site, people: People, apply_events: ApplyEvents, later: Later
) -> None:
    trips = 0
    while True:
        [ann] = people(f"ann{trips}")
        later(0)
        ids = [post(site, ann, f"text {number}") for number in range(8)]
        pins.pin(site, ann, ids[4])
        store.save(site, ann, Rule(7, frozenset({"pinned"})))
        later(8)
        crashing = CrashingDb(site.db, trips)
        try:
            run_until_done(Site(crashing, site.config), ann)
        except Crashed:
            run_until_done(site, ann)
        assert remaining(site, ann) == [ids[4]]
        apply_events()
        if crashing.survived:
            break
        trips += 1
    assert trips > 15


def test_a_change_of_the_rule_or_of_what_it_keeps_holds_at_once(
    site: Site, people: People, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = people("ann")
    ids = [post(site, ann, f"text {number}") for number in range(9)]
    acts: list[Callable[[], object]] = [
        lambda: pins.pin(site, ann, ids[1]),
        lambda: lifecycle.suspend(site, ann),
        lambda: store.save(site, ann, None),
        lambda: store.save(site, ann, Rule(30, frozenset())),
    ]
    store.save(site, ann, Rule(7, frozenset({"pinned"})))
    later(8)
    deleted, delete = list[int](), deletion.delete

    def delete_after_an_act(*arguments: object) -> tuple[str, ...]:
        if deleted and acts:
            acts.pop(0)()
        names = delete(*arguments)  # type: ignore[arg-type]
        deleted.append(int(arguments[2]))  # type: ignore[call-overload]
        return names

    monkeypatch.setattr(deletion, "delete", delete_after_an_act)
    assert run(site, ann) == 1 and deleted == ids[:1], "the next one was pinned"
    assert run(site, ann) == 0, "suspended"
    assert run(site, ann) == 0 and remaining(site, ann) == ids[1:]
    lifecycle.suspend(site, ann, False)
    later(8.5)
    assert run(site, ann) == 0 and site.db.read(store.rule_of(ann)) is None, "off"
    assert site.db.run(("ZCARD", keys.auto_delete_due(partition_of(ann)))) == 0
    store.save(site, ann, WEEK)
    later(9)
    assert run(site, ann) == 0 and remaining(site, ann) == ids[1:], "another rule"
    later(9.01)
    assert run(site, ann) == 0, "the new rule waits for an hour"


def test_fifty_runs_at_once_delete_each_post_once(
    site: Site, people: People, apply_events: ApplyEvents, later: Later
) -> None:
    [ann] = people("ann")
    ids = [post(site, ann, f"text {number}") for number in range(12)]
    store.save(site, ann, Rule(7, ALL))
    likes.like(site, ann, ids[6])
    later(8)
    with ThreadPoolExecutor(50) as threads:
        list(threads.map(lambda _: run(site, ann), range(50)))
    run_until_done(site, ann)
    assert remaining(site, ann) == [ids[6]]
    apply_events()


def test_waiting_events_stop_a_run_and_the_end_of_the_account_the_rule(
    site: Site, people: People, apply_events: ApplyEvents, later: Later
) -> None:
    [ann] = people("ann")
    ids = [post(site, ann, f"text {number}") for number in range(4)]
    store.save(site, ann, WEEK)
    later(8)
    assert run(with_settings(site, outbox_max=1), ann) == 0 and remaining(site, ann) == ids
    assert run_until_done(site, ann) == 4
    lifecycle.suspend(site, ann)
    with pytest.raises(Forbidden):
        store.save(site, ann, None)
    lifecycle.suspend(site, ann, False)
    lifecycle.delete_account(site, ann, PASSWORD)
    apply_events()
    assert keys.auto_delete(ann) not in live_keys(site.db)
    later(9)
    run(site, ann)
    assert keys.auto_delete_due(partition_of(ann)) not in live_keys(site.db)
    with pytest.raises(NotFound):
        store.save(site, ann, WEEK)
