"""Events are applied in order despite failures, and waiting ones are bounded."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from tests.conftest import empty_store
from tests.support import worker
from tests.support.event_groups import run_groups
from tests.support.events import waiting_events
from tests.support.processes import PATIENCE, until
from tests.support.settings import with_settings
from tests.support.timelines import home, post
from tests.support.world import World
from webapp import registry
from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.errors import LeaseLost, Unavailable
from webapp.core.events import attempts, keys as event_keys
from webapp.core.events.attempts import retry_parked
from webapp.core.events.group_loop import GATHER_SECONDS, GroupLoop, Pause, WakeupListener
from webapp.core.events.leases import LEASE, Leases
from webapp.core.events.outbox import (
    DISCOVERY,
    GROUPS,
    OUTBOX_GROUPS,
    Context,
    Event,
    in_steps,
    request_id,
)
from webapp.core.events.registry import Registry
from webapp.core.events.schedule import precedence
from webapp.core.events.schedule.precedence import Precedence
from webapp.core.events.schedule.scheduled import Scheduled
from webapp.core.store import PARTITIONS, Site, Steps, partition_of, send
from webapp.core.store.connection import connect
from webapp.core.store.schema import partition_tag
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.following.requests import store as requests
from webapp.statuses import store as statuses
from webapp.streaming import keys as stream_keys
from webapp.timelines import store as timelines


def idle_loop(world: World) -> GroupLoop:
    """Return a loop of the group `log` that holds all partitions and has applied all events."""
    world.apply_events()
    loop = worker.group_loop(world, "log", "one")
    loop.acquire()
    while loop.poll(range(PARTITIONS)):
        pass
    return loop


def fail_projection(
    monkeypatch: pytest.MonkeyPatch, group: str, event_type: str, times: int
) -> list[str]:
    """Let a group's projection of an event type fail this many times.

    Return the ids of the events that it is tried with, which grow.
    """
    tried: list[str] = []

    def projection(context: Context, events: Sequence[Event]) -> None:
        if len(events) == 1:
            tried.append(events[0].id)
        if len(events) > 1 or len(tried) <= times:
            raise RuntimeError("not today")

    table = {name: dict(by_type) for name, by_type in registry.REGISTRY.projections.items()}
    table[group][event_type] = (projection, *table[group].get(event_type, ()))
    worker.use_projections(monkeypatch, table)
    return tried


def test_a_failed_event_is_retried_before_later_ones(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    tried = fail_projection(monkeypatch, "fanout", "posted", 3)
    first, second = post(world, ann, "one", "two")
    for _ in range(5):
        world.apply_events()
    assert len(tried) == 5 and tried[:4] == [tried[0]] * 4
    assert home(world, ben) == [second, first]
    assert not world.db.run(("XLEN", event_keys.parked_events(partition_of(ann))))
    assert not world.db.run(("EXISTS", event_keys.event_attempts(partition_of(ann))))


def test_an_event_that_keeps_failing_is_parked_and_later_ones_are_applied(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    tried = fail_projection(monkeypatch, "fanout", "posted", world.config.attempts_max)
    first, second = post(world, ann, "one", "two")
    for _ in range(world.config.attempts_max + 1):
        world.apply_events()
    assert tried[: world.config.attempts_max] == [tried[0]] * world.config.attempts_max
    assert home(world, ben) == [second]
    [[_, fields]] = world.db.run(("XRANGE", event_keys.parked_events(partition_of(ann)), "-", "+"))
    parked = dict(zip(fields[::2], fields[1::2], strict=True))
    assert parked["group"] == "fanout"
    assert parked["id"] == str(first)
    assert "not today" in parked["error"]
    assert [status.id for status in timelines.public(world).items] == [second, first]

    log = world.db.run(("XLEN", stream_keys.event_log()))
    assert retry_parked(world.db) == 1
    world.apply_events()
    assert home(world, ben) == [second, first]
    assert not world.db.run(("XLEN", event_keys.parked_events(partition_of(ann))))
    log_length = world.db.run(("XLEN", stream_keys.event_log()))
    assert log_length == log, "the other group does not see the event again"


def test_a_worker_that_dies_after_parking_an_event_leaves_nothing_of_it_behind(
    world: World,
) -> None:
    [ann] = world.people("ann")
    world.apply_events()
    post(world, ann, "hello")
    partition = partition_of(ann)
    reader = worker.consumer(world, "log", partition, 1_000)
    world.db.run(("HSET", event_keys.lease(partition, "log"), "token", reader.token))
    _, [(entry_id, _)] = world.db.run(reader.command())
    event = Event(entry_id, partition, "log", reader.token, "posted", "-", {})
    attempts.record(world.db, event)
    attempts.park(world.db, event, "it fails", 9)
    outbox, parked = event_keys.outbox(partition), event_keys.parked_events(partition)
    assert world.db.run(("XPENDING", outbox, "log"))[0] == 0
    assert not world.db.run(("EXISTS", event_keys.event_attempts(partition)))
    world.db.run(("XTRIM", outbox, "MAXLEN", 0))
    attempts.park(world.db, event, "it is gone", 9)
    assert world.db.run(("XLEN", parked)) == 1


def test_an_event_that_kills_its_workers_is_parked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class WorkerKilled(BaseException):
        pass

    def kill_worker(context: Context, events: Sequence[Event]) -> None:
        raise WorkerKilled

    [ann] = world.people("ann")
    world.apply_events()
    log = registry.REGISTRY.projections["log"]
    worker.use_projections(monkeypatch, {"log": log, "fanout": {"posted": (kill_worker,)}})
    post(world, ann, "deadly")
    crashes = 0
    for _ in range(world.config.attempts_max + 3):
        try:
            run_groups(world, "fanout")
        except WorkerKilled:
            crashes += 1
    assert crashes == world.config.attempts_max + 1
    assert world.db.run(("XLEN", event_keys.parked_events(partition_of(ann)))) == 1


def test_a_failing_fan_out_does_not_delay_the_public_timeline(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    fail_projection(monkeypatch, "fanout", "posted", 10**9)
    ids = world.do(post, ann, "one", "two")
    assert [status.id for status in timelines.public(world).items] == ids[::-1]


def test_draining_applies_events_that_applied_events_emit(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.apply_events()
    post(world, ann, "hello")
    world.follow(ann, "ben")
    world.protect(ben)
    # Ben's protection is applied before Ann's follow, which becomes a request.
    for group in GROUPS:
        loop = worker.group_loop(world, group, "first")
        loop.acquire()
        while loop.poll({partition_of(ben)}):
            pass
        loop.release()
    world.do(worker.sweep, [partition_of(ben)])
    assert not any(
        world.db.trip(*(("XLEN", event_keys.outbox(partition)) for partition in range(PARTITIONS)))
    )
    assert [requester.uid for requester in requests.page(world.db, ben).items] == [ann]


def test_a_full_outbox_refuses_statuses_until_events_are_applied(world: World) -> None:
    [ann] = world.people("ann")
    small = with_settings(world, outbox_max=3)
    worker.drain(small)
    ids = post(small, ann, "a", "b", "c")
    small.refuses(Unavailable, post, ann, "d", match="overloaded")
    assert home(small, ann) == ids[::-1], "a refused status leaves nothing behind"
    retried = statuses.post(small, ann, parse("a"), f"form-{ann}-a")
    assert retried == ids[0], "a retry still gets its id"
    worker.drain(small)
    assert waiting_events(world.db, ann) == 0
    post(small, ann, "d")


def test_an_outbox_is_trimmed_only_as_far_as_all_groups_have_applied(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    fail_projection(monkeypatch, "fanout", "posted", 2)
    [first] = world.do(post, ann, "one")
    assert waiting_events(world.db, ann) == 1
    for _ in range(2):
        world.apply_events()
    assert home(world, ben) == [first]


def test_a_partition_has_one_owner_until_its_lease_expires(world: World) -> None:
    key, take = event_keys.lease(3, "log"), partial(LEASE, partition=3, group="log")
    assert world.db.run(take(owner="one", duration=60_000)) == 1
    assert world.db.run(take(owner="two", duration=60_000)) == 0
    assert world.db.run(take(owner="one", duration=60_000)) == 1
    world.db.run(("HSET", key, "until", 0))
    assert world.db.run(take(owner="two", duration=60_000)) == 2
    assert world.db.run(take(owner="one", duration=60_000)) == 0
    assert world.db.run(take(owner="one", duration=0)) == 0
    assert world.db.run(take(owner="two", duration=0)) == 0
    assert world.db.run(take(owner="one", duration=60_000)) == 3


def test_workers_share_the_partitions_evenly(world: World) -> None:
    first, second = (Leases(world, "log", owner) for owner in ("one", "two"))
    first.rebalance()
    assert len(first.held) == PARTITIONS
    second.rebalance()
    assert not second.held
    first.rebalance()
    second.rebalance()
    assert len(first.held) == len(second.held) == PARTITIONS // 2
    assert not first.held.keys() & second.held.keys()
    first.release()
    second.rebalance()
    assert len(second.held) == PARTITIONS


@pytest.mark.parametrize("seconds", [-61, 61])
def test_a_silent_worker_keeps_no_share(world: World, seconds: int) -> None:
    """One of the future beat before the clock was set back."""
    assert world.config.lease_seconds < 60
    world.db.run(("ZADD", event_keys.workers(), time.time() + seconds, "gone"))
    leases = Leases(world, "log", "one")
    leases.rebalance()
    assert len(leases.held) == PARTITIONS


def test_a_worker_that_lost_its_lease_writes_nothing(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    partition = partition_of(ann)
    old = worker.consumer(world, "fanout", partition, 1_000)
    new = worker.consumer(world, "fanout", partition, 1_001)
    post(world, ann, "one")
    world.db.run(("HSET", event_keys.lease(partition, "fanout"), "token", old.token))
    reply = world.db.trip_with_errors([old.command()])[0]
    world.db.run(("HSET", event_keys.lease(partition, "fanout"), "token", new.token))
    new.apply(world.db.trip_with_errors([new.command()])[0], lambda: None)
    for late in (reply, world.db.trip_with_errors([old.command()])[0]):
        with pytest.raises(LeaseLost):
            old.apply(late, lambda: None)
    assert len(home(world, ben)) == 1


def test_a_failover_that_lost_newer_tokens_of_a_lease_stops_no_partition(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.apply_events()
    loop = worker.group_loop(world, "fanout", "one")
    loop.acquire()
    partition = partition_of(ann)
    newer = loop._leases.held[partition] + 2
    world.db.run(("HSET", event_keys.fences(partition_tag(ben)), f"fanout:{partition}", newer))
    world.follow(ann, "ben")
    for _ in range(4):
        loop.poll([partition])
        loop.acquire()
    assert world.db.run(("ZCARD", following_keys.followers(ben))) == 1
    loop.release()


@pytest.mark.cluster
def test_on_a_cluster_an_event_is_applied_once_replicas_have_its_consequences(
    cluster: str, settings: Config
) -> None:
    """Another primary may lose them, and the event would still count as applied."""
    config = replace(settings, redis_url=cluster)
    empty_store(config)
    world = World(connect(config), config)
    [ann] = world.people("ann")
    loop = worker.group_loop(world, "log", "one")
    loop.acquire()
    loop._site = Site(world.db, replace(config, write_replicas=1))
    pending = ("XPENDING", event_keys.outbox(partition_of(ann)), "log")
    with pytest.raises(Unavailable, match="not_replicated"):
        loop._turn(Pause(threading.Event()), {partition_of(ann)})
    world.db.wait_for_replicas(0)
    assert world.db.run(pending)[0] == 1
    world.db.close()


def test_a_long_projection_stops_when_its_lease_is_lost(world: World) -> None:
    leases = Leases(world, "fanout", "one")
    leases.rebalance()
    world.db.run(
        ("HSET", event_keys.lease(5, "fanout"), "owner", "two", "token", 9, "until", 10**15)
    )
    for partition, lost in ((5, True), (6, False)):
        leases._rebalanced_at = 0.0  # long enough ago to renew
        with pytest.raises(LeaseLost) if lost else nullcontext():
            leases.renew(partition)


def test_a_new_status_wakes_the_partitions_worker(world: World) -> None:
    [ann] = world.people("ann")
    listener = WakeupListener(world.db, "log")
    listener.wait(PATIENCE)  # until it is subscribed: earlier messages are lost
    post(world, ann, "hello")
    woken: set[int] = set()
    deadline = time.monotonic() + PATIENCE
    while partition_of(ann) not in woken and time.monotonic() < deadline:
        woken |= listener.wait(1)
    listener.close()
    assert partition_of(ann) in woken


def test_the_first_event_waits_for_nothing_and_later_ones_gather(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    loop, waits, turns = GroupLoop(world, registry.REGISTRY, "log", "one"), [], []
    monkeypatch.setattr(WakeupListener, "wait", lambda *_: turns.pop())
    monkeypatch.setattr(threading.Event, "wait", lambda _, seconds: waits.append(seconds))
    post(world, ann, "hello")
    for woken, expected in (({partition_of(ann)}, [GATHER_SECONDS]), (set(), [GATHER_SECONDS])):
        turns.append(woken)
        assert not loop._turn(WakeupListener(world.db, "log"), set())
        assert waits == expected
    loop.release()


def test_discovery_gives_way_to_deliveries_for_some_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    world.apply_events()
    loop = GroupLoop(world, registry.REGISTRY, DISCOVERY, "one", waited := Precedence())
    loop.acquire()
    turn = threading.Thread(target=loop.poll, args=({partition_of(ann)},))
    monkeypatch.setattr(precedence, "YIELD_SECONDS", PATIENCE)
    post(world, ann, "hello")
    with waited.working():
        turn.start()
        turn.join(0.1)
        assert turn.is_alive()
    turn.join(PATIENCE)
    assert not turn.is_alive()
    monkeypatch.setattr(precedence, "YIELD_SECONDS", 0)
    post(world, ann, "once more")
    with waited.working():
        loop.poll({partition_of(ann)})
    assert world.db.run(("XPENDING", event_keys.outbox(ann), DISCOVERY))[0] == 0
    loop.release()


def test_log_lines_of_an_event_carry_its_request_id(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    world.apply_events()
    request_ids: list[str] = []
    monkeypatch.setattr(
        logging.getLogger("linnet"), "info", lambda *_: request_ids.append(request_id.get())
    )
    token = request_id.set("request-42")
    post(world, ann, "hello")
    request_id.reset(token)
    world.apply_events()
    assert request_ids == ["request-42"] * len(OUTBOX_GROUPS)


def test_a_running_worker_applies_events(world: World) -> None:
    stop = threading.Event()
    loops = [worker.group_loop(world, group, "thread") for group in GROUPS]
    threads = [threading.Thread(target=loop.run, args=(stop,)) for loop in loops]
    for thread in threads:
        thread.start()
    try:
        ann, ben = world.people("ann", "ben")
        world.follow(ben, "ann")
        ids = post(world, ann, *"abc")
        until(lambda: home(world, ben) == ids[::-1] and len(timelines.public(world).items) == 3)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not world.db.run(("ZCARD", event_keys.workers()))


def test_a_home_entry_of_an_author_who_is_not_followed_is_hidden_and_removed(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    [status_id] = post(world, ann, "stray")
    world.db.run(("ZADD", account_keys.home(ben), status_id, f"{status_id}:{ann}"))
    assert home(world, ben) == []
    assert not world.db.run(("EXISTS", account_keys.home(ben)))


def test_a_store_outage_and_a_lost_lease_do_not_count_as_attempts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    world.apply_events()
    errors = [Unavailable("store_down"), LeaseLost()] * world.config.attempts_max

    def projection(context: Context, events: Sequence[Event]) -> None:
        if errors:
            raise errors.pop()

    worker.use_projections(monkeypatch, {"log": {}, "fanout": {"posted": (projection,)}})
    post(world, ann, "hello")
    while errors:
        with suppress(Unavailable):
            world.apply_events()
    world.apply_events()
    assert not world.db.run(("XLEN", event_keys.parked_events(partition_of(ann))))
    assert not waiting_events(world.db, ann)


def test_events_of_a_lost_reply_are_read_again(world: World) -> None:
    [ann] = world.people("ann")
    loop = idle_loop(world)
    ids = post(world, ann, "hello")
    consumer = loop._consumers[partition_of(ann)]
    [lost_reply] = world.db.trip_with_errors([consumer.command()])
    assert lost_reply[1], "the store has delivered the events"
    consumer.reread_pending()
    while loop.poll([partition_of(ann)]):
        pass
    assert [status.id for status in timelines.public(world).items] == ids
    loop.release()


def test_a_group_that_a_failover_lost_is_made_again(world: World) -> None:
    [ann] = world.people("ann")
    loop = idle_loop(world)
    world.db.run(("XGROUP", "DESTROY", event_keys.outbox(partition_of(ann)), "log"))
    ids = post(world, ann, "hello")
    loop.poll([partition_of(ann)])
    assert [status.id for status in timelines.public(world).items] == ids
    loop.release()


def test_partitions_share_trips_but_not_failures(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    uids = world.people("ann", "ben", "cleo")
    world.apply_events()
    for uid in uids:
        post(world, uid, "hello")
    done: list[int] = []

    @in_steps
    def note(context: Context, events: Sequence[Event]) -> Steps[None]:
        yield from send(("GET", "no{0}"), ("GET", "no{0}"))
        author = int(events[0].data["author"])
        if author == uids[1]:
            raise RuntimeError("not today")
        yield from send(("GET", "no{0}"))
        done.append(author)

    worker.use_projections(monkeypatch, {"log": {}, "fanout": {"posted": (note,)}})
    loop = worker.group_loop(world, "fanout", "one")
    loop.acquire()
    loop.poll(range(PARTITIONS))
    assert sorted(done) == sorted({uids[0], uids[2]})
    pending = [
        world.db.run(("XPENDING", event_keys.outbox(p), "fanout"))[0]
        for p in map(partition_of, uids)
    ]
    assert pending == [0, 1, 0]
    loop.release()
    world.apply_events()


def test_partitions_take_no_more_trips_than_one(world: World) -> None:
    uids = world.people("ann", "ben", "cleo", "dan")
    world.apply_events()

    def trips(authors: Sequence[int]) -> int:
        for uid in authors:
            post(world, uid, "hello")
        loop = worker.group_loop(world, "fanout", "one")
        loop.acquire()
        before = world.db.trips
        loop.poll(map(partition_of, authors))
        taken = world.db.trips - before
        loop.release()
        return taken

    trips(uids)  # some things a process reads once
    assert trips(uids) == trips(uids[:1])


def test_a_group_that_an_upgrade_adds_gets_the_events_that_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    world.apply_events()
    partition = partition_of(ann)
    outbox = event_keys.outbox(partition)
    world.db.run(("XGROUP", "DESTROY", outbox, DISCOVERY))  # as the version before left it
    ids = post(world, ann, "one", "two")
    seen: list[int] = []

    def note(context: Context, events: Sequence[Event]) -> None:
        seen.extend(int(event.data["id"]) for event in events)

    worker.use_projections(monkeypatch, {DISCOVERY: {"posted": (note,)}})
    for group in ("log", "fanout", DISCOVERY):
        worker.sweep(world, [partition])
        assert world.db.run(("XLEN", outbox)) == 2
        loop = worker.group_loop(world, group, "one")
        loop.acquire([partition])
        assert not loop.poll([partition])
        loop.release()
    worker.sweep(world, [partition])
    assert seen == ids
    assert not world.db.run(("XLEN", outbox))


@pytest.mark.parametrize("error", [OSError("the disk of pictures"), Unavailable("read_only")])
def test_a_job_that_fails_keeps_no_other_from_its_turn(world: World, error: Exception) -> None:
    done = []

    def fail(*_arguments: object) -> None:
        raise error

    jobs = Registry(
        projections={group: {} for group in OUTBOX_GROUPS},
        due_jobs=(fail, lambda *_: done.append("due")),
        scheduled=(Scheduled("row", 60, lambda _site: done.append("row")),),
        partition_jobs=(fail, lambda *_: done.append("partition")),
    )
    loop = GroupLoop(world, jobs, DISCOVERY, "worker")
    loop.acquire()
    loop._run_jobs()
    assert done == ["due", "row", "partition"]


def test_jobs_go_on_while_the_events_of_one_server_cannot_be_applied(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    jobs = Registry(
        projections={group: {} for group in OUTBOX_GROUPS},
        due_jobs=(lambda *_: done.append("due"),),
    )
    loop = GroupLoop(world, jobs, DISCOVERY, "worker")
    loop.acquire()

    def refuse(_partitions: object) -> set[int]:
        raise Unavailable("not_replicated")

    monkeypatch.setattr(loop, "poll", refuse)
    with pytest.raises(Unavailable):
        loop._turn(SimpleNamespace(wait=lambda _seconds: set()), set())  # type: ignore[arg-type]
    assert done == ["due"]


def test_deliveries_do_not_wait_for_discovery(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")

    def fail(context: Context, events: Sequence[Event]) -> None:
        raise RuntimeError("not today")

    discovery = {**registry.REGISTRY.projections[DISCOVERY], "posted": (fail,)}
    worker.use_projections(monkeypatch, {**registry.REGISTRY.projections, DISCOVERY: discovery})
    ids = world.do(post, ann, "hello")
    assert home(world, ben) == ids
    found = waiting_events(world.db, ann)
    assert found == 1, "discovery has it to do"


def test_another_process_does_not_apply_what_one_applies_without_a_worker(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    world.apply_events()
    applied: list[int] = []

    def apply(context: Context, events: Sequence[Event]) -> None:
        applied.extend(event.number("id") for event in events)
        with monkeypatch.context() as patch:
            patch.setattr("os.getpid", lambda: -1)
            if not later:
                later.append(world.post(ann))
            world.apply_events()

    later: list[int] = []
    worker.use_projections(monkeypatch, {"fanout": {"posted": (apply,)}})
    first = world.post(ann)
    world.apply_events()
    assert applied == [first, *later]
