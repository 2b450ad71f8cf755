"""Events: applied in order, once it matters, whatever fails; and what waits is bounded."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace

import pytest

from tests.support import worker
from tests.support.processes import PATIENCE, until
from tests.timelines.test_store import home, post
from webapp import registry
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.attempts import retry_parked
from webapp.core.events.consumer import sweep_command
from webapp.core.events.leases import LEASE, Leases
from webapp.core.events.outbox import GROUPS, Context, Event, request_id
from webapp.core.events.wakeups import WakeupListener
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.errors import LeaseLost, Unavailable
from webapp.following import store as following
from webapp.following.requests import store as requests
from webapp.statuses import store as statuses
from webapp.streaming import keys as stream_keys
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store as timelines

People = Callable[..., list[int]]
Settle = Callable[[], None]


def failing(monkeypatch: pytest.MonkeyPatch, group: str, kind: str, times: int) -> list[str]:
    """Lets a group's projection of an event fail so many times; gives the ids that were tried."""
    tried: list[str] = []

    def projection(context: Context, events: Sequence[Event]) -> None:
        if len(events) == 1:
            tried.append(events[0].id)
        if len(events) > 1 or len(tried) <= times:
            raise RuntimeError("not today")

    table = {name: dict(kinds) for name, kinds in registry.REGISTRY.projections.items()}
    table[group][kind] = (projection, *table[group].get(kind, ()))
    worker.use_projections(monkeypatch, table)
    return tried


def test_an_event_that_fails_is_tried_again_before_those_behind_it(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    tried = failing(monkeypatch, "fanout", "posted", 3)
    first, second = post(db, config, ann, "one", "two")
    for _ in range(5):
        settle()
    assert len(tried) == 5 and tried[:4] == [tried[0]] * 4
    assert home(db, config, ben) == [second, first]
    assert not db.run(("XLEN", event_keys.parked_events(partition_of(ann))))
    assert not db.run(("EXISTS", event_keys.event_attempts(partition_of(ann))))


def test_an_event_that_keeps_failing_is_parked_and_those_behind_it_go_on(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    tried = failing(monkeypatch, "fanout", "posted", config.attempts_max)
    first, second = post(db, config, ann, "one", "two")
    for _ in range(config.attempts_max + 1):
        settle()
    assert tried[: config.attempts_max] == [tried[0]] * config.attempts_max
    assert home(db, config, ben) == [second]
    [[_, fields]] = db.run(("XRANGE", event_keys.parked_events(partition_of(ann)), "-", "+"))
    parked = dict(zip(fields[::2], fields[1::2], strict=True))
    assert (
        parked["group"] == "fanout"
        and parked["id"] == str(first)
        and "not today" in parked["error"]
    )
    assert [status.id for status in timelines.public(db, config).items] == [second, first]

    log = db.run(("XLEN", stream_keys.event_log()))
    assert retry_parked(db) == 1
    settle()
    assert home(db, config, ben) == [second, first]
    assert not db.run(("XLEN", event_keys.parked_events(partition_of(ann))))
    assert db.run(("XLEN", stream_keys.event_log())) == log, (
        "the group that had not failed must not see the event again"
    )


def test_an_event_that_kills_its_workers_is_parked_too(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def deadly(context: Context, events: Sequence[Event]) -> None:
        raise Killed

    [ann] = people("ann")
    settle()
    log = registry.REGISTRY.projections["log"]
    worker.use_projections(monkeypatch, {"log": log, "fanout": {"posted": (deadly,)}})
    post(db, config, ann, "deadly")
    deaths = 0
    for _ in range(config.attempts_max + 3):
        try:
            settle()
        except Killed:
            deaths += 1
    assert deaths == config.attempts_max + 1
    assert db.run(("XLEN", event_keys.parked_events(partition_of(ann)))) == 1


def test_a_long_fan_out_that_fails_keeps_nobody_from_the_public_timeline(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = people("ann")
    failing(monkeypatch, "fanout", "posted", 10**9)
    ids = post(db, config, ann, "one", "two")
    settle()
    assert [status.id for status in timelines.public(db, config).items] == ids[::-1]


def test_draining_goes_on_where_what_was_applied_tells_of_as_much_again(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    settle()
    post(db, config, ann, "hello")
    following.follow(db, config, ann, "ben")
    lifecycle.protect(db, config, ben)
    for group in (
        GROUPS
    ):  # that Ben is protected is applied before that Ann follows, which becomes a request
        loop = worker.group_loop(db, config, group, "first")
        loop.acquire()
        while loop.poll({partition_of(ben)}):
            pass
        loop.release()
    db.run(sweep_command(partition_of(ben)))
    settle()
    assert not any(db.trip(*(("XLEN", event_keys.outbox(p)) for p in range(PARTITIONS))))
    assert [asker.uid for asker in requests.page(db, ben).items] == [ann]


def test_what_waits_is_bounded_and_what_was_applied_makes_room(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    small = replace(config, outbox_max=3)
    worker.drain(db, small)
    ids = post(db, small, ann, "a", "b", "c")
    with pytest.raises(Unavailable, match="overloaded"):
        post(db, small, ann, "d")
    assert home(db, small, ann) == ids[::-1], "a refused post leaves nothing behind"
    assert statuses.post(db, small, ann, parse("a"), f"form-{ann}-a") == ids[0], (
        "a retried one is still answered"
    )
    worker.drain(db, small)
    assert db.run(("XLEN", event_keys.outbox(partition_of(ann)))) == 0
    post(db, small, ann, "d")


def test_an_outbox_is_not_trimmed_below_what_one_group_has_not_applied(
    db: Db, config: Config, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    worker.drain(db, config)
    failing(monkeypatch, "fanout", "posted", 2)
    [first] = post(db, config, ann, "one")
    worker.drain(db, config)
    assert db.run(("XLEN", event_keys.outbox(partition_of(ann)))) == 1
    for _ in range(2):
        worker.drain(db, config)
    assert home(db, config, ben) == [first]


def test_a_partition_has_one_owner_and_a_silent_one_loses_it(db: Db, config: Config) -> None:
    key = event_keys.lease(3, "log")
    assert db.run(LEASE(lease=key, owner="one", duration=60_000)) == 1
    assert db.run(LEASE(lease=key, owner="two", duration=60_000)) == 0
    assert db.run(LEASE(lease=key, owner="one", duration=60_000)) == 1
    db.run(("HSET", key, "until", 0))
    assert db.run(LEASE(lease=key, owner="two", duration=60_000)) == 2
    assert db.run(LEASE(lease=key, owner="one", duration=60_000)) == 0
    assert db.run(LEASE(lease=key, owner="one", duration=0)) == 0
    assert db.run(LEASE(lease=key, owner="two", duration=0)) == 0
    assert db.run(LEASE(lease=key, owner="one", duration=60_000)) == 3


def test_workers_share_the_partitions_evenly(db: Db, config: Config) -> None:
    one, two = (Leases(db, config, "log", owner) for owner in ("one", "two"))
    one.rebalance()
    assert len(one.held) == PARTITIONS
    two.rebalance()
    assert not two.held
    one.rebalance()
    two.rebalance()
    assert len(one.held) == len(two.held) == PARTITIONS // 2
    assert not one.held.keys() & two.held.keys()
    one.release()
    two.rebalance()
    assert len(two.held) == PARTITIONS


def test_a_worker_that_lost_its_lease_can_write_no_more(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    partition = partition_of(ann)
    old = worker.consumer(db, config, "fanout", partition, 1_000)
    new = worker.consumer(db, config, "fanout", partition, 1_001)
    post(db, config, ann, "one")
    db.run(("HSET", event_keys.lease(partition, "fanout"), "token", old.token))
    old.apply(db.trip_with_errors([old.command()])[0], lambda: None)  # nothing was left unfinished
    reply = db.trip_with_errors([old.command()])[0]
    db.run(("HSET", event_keys.lease(partition, "fanout"), "token", new.token))
    new.apply(db.trip_with_errors([new.command()])[0], lambda: None)
    for late in (reply, db.trip_with_errors([old.command()])[0]):
        with pytest.raises(LeaseLost):
            old.apply(late, lambda: None)
    assert len(home(db, config, ben)) == 1


def test_a_long_work_stops_when_its_lease_is_gone(db: Db, config: Config) -> None:
    leases = Leases(db, config, "fanout", "one")
    leases.rebalance()
    db.run(("HSET", event_keys.lease(5, "fanout"), "owner", "two", "token", 9, "until", 10**15))
    for partition, lost in ((5, True), (6, False)):
        leases._rebalanced_at = 0.0  # a third of its life ago
        with pytest.raises(LeaseLost) if lost else nullcontext():
            leases.renew(partition)


def test_posting_wakes_the_partitions_worker(db: Db, config: Config, people: People) -> None:
    [ann] = people("ann")
    listener = WakeupListener(db)
    listener.wait(PATIENCE)  # until it is subscribed: messages sent before that are lost
    post(db, config, ann, "hello")
    woken: set[int] = set()
    deadline = time.monotonic() + PATIENCE
    while partition_of(ann) not in woken and time.monotonic() < deadline:
        woken |= listener.wait(1)
    listener.close()
    assert partition_of(ann) in woken


def test_an_events_log_lines_carry_the_id_of_its_request(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = people("ann")
    settle()
    seen: list[str] = []
    monkeypatch.setattr(
        logging.getLogger("linnet"), "info", lambda *_: seen.append(request_id.get())
    )
    token = request_id.set("request-42")
    post(db, config, ann, "hello")
    request_id.reset(token)
    settle()
    assert seen == ["request-42", "request-42"]


def test_a_running_worker_applies_what_members_do(db: Db, config: Config, people: People) -> None:
    stop = threading.Event()
    loops = [worker.group_loop(db, config, group, "thread") for group in GROUPS]
    threads = [threading.Thread(target=loop.run, args=(stop,)) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        ann, ben = people("ann", "ben")
        following.follow(db, config, ben, "ann")
        ids = post(db, config, ann, *"abc")
        until(
            lambda: (
                home(db, config, ben) == ids[::-1] and len(timelines.public(db, config).items) == 3
            )
        )
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not db.run(("ZCARD", event_keys.workers()))


def test_a_stray_entry_of_somebody_not_followed_is_neither_shown_nor_kept(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    [status_id] = post(db, config, ann, "stray")
    db.run(("ZADD", timeline_keys.home(ben), status_id, f"{status_id}:{ann}"))
    assert home(db, config, ben) == []
    assert not db.run(("EXISTS", timeline_keys.home(ben)))


def test_a_silent_store_and_a_lost_lease_are_no_attempts(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = people("ann")
    settle()
    errors = [Unavailable("store_down"), LeaseLost()] * config.attempts_max

    def projection(context: Context, events: Sequence[Event]) -> None:
        if errors:
            raise errors.pop()

    worker.use_projections(monkeypatch, {"log": {}, "fanout": {"posted": (projection,)}})
    post(db, config, ann, "hello")
    while errors:
        with suppress(Unavailable):
            settle()
    settle()
    assert not db.run(("XLEN", event_keys.parked_events(partition_of(ann))))
    assert not db.run(("XLEN", event_keys.outbox(partition_of(ann))))


def test_what_was_in_hand_when_the_store_fell_silent_is_read_again(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    [ann] = people("ann")
    settle()
    loop = worker.group_loop(db, config, "log", "one")
    loop.acquire()
    while loop.poll(range(PARTITIONS)):
        pass
    ids = post(db, config, ann, "hello")
    box = loop._consumers[partition_of(ann)]
    assert db.trip_with_errors([box.command()])[
        0
    ]  # delivered by the store, but the reply never arrived
    box.reread_pending()
    while loop.poll([partition_of(ann)]):
        pass
    assert [status.id for status in timelines.public(db, config).items] == ids
    loop.release()
