"""Long work is done in slices, which other groups, other partitions and shutdown come between."""

import threading
from collections.abc import Sequence

import pytest

from tests.support import worker
from tests.support.event_groups import acquired, run_groups
from tests.support.events import waiting_events
from tests.support.processes import until
from tests.support.settings import with_settings
from tests.support.timelines import post
from tests.support.world import World
from webapp import registry
from webapp.core.errors import LeaseLost, Unavailable
from webapp.core.events import keys as event_keys
from webapp.core.events.attempts import retry_parked
from webapp.core.events.bulk_consumer import BulkConsumer, name_of
from webapp.core.events.outbox import BULK, OUTBOX_GROUPS, Context, Event
from webapp.core.store import PARTITIONS, Db, partition_of
from webapp.streaming import keys as stream_keys

SLICES = 5


class WorkerKilled(BaseException):
    """Raised where a worker process dies."""


class Counting:
    """A bulk projection of SLICES slices, which records its events and cursors."""

    def __init__(self, error_at: str = "", errors: Sequence[BaseException] = ()) -> None:
        self.seen: list[tuple[str, str]] = []
        self.error_at, self.errors = error_at, list(errors)

    def projection(self, context: Context, event: Event, cursor: str) -> str | None:
        self.seen.append((event.data["uid"], cursor))
        if cursor == self.error_at and self.errors:
            raise self.errors.pop()
        done = int(cursor or 0) + 1
        return str(done) if done < SLICES else None

    def cursors(self, uid: int) -> list[str]:
        return [cursor for seen_uid, cursor in self.seen if seen_uid == str(uid)]


ALL_CURSORS = ["", *map(str, range(1, SLICES))]


def use(monkeypatch: pytest.MonkeyPatch, *counting: Counting) -> None:
    """Let protection cause these bulk projections, and nothing else cause any."""
    # Projections have names of their own, as functions do.
    projections = []
    for index, one in enumerate(counting):

        def projection(
            context: Context, event: Event, cursor: str, one: Counting = one
        ) -> str | None:
            return one.projection(context, event, cursor)

        projection.__qualname__ = f"projection{index}"
        projections.append(projection)
    bulk = {"protected": tuple(projections)}
    worker.use_projections(monkeypatch, registry.REGISTRY.projections, bulk)


def test_no_two_projections_of_an_event_have_one_name() -> None:
    for projections in registry.REGISTRY.bulk.values():
        assert len({name_of(one) for one in projections}) == len(projections)


def protect_ann(world: World, monkeypatch: pytest.MonkeyPatch, *counting: Counting) -> int:
    """Protect a new member, whose event these projections get. Return the uid."""
    use(monkeypatch, *counting)
    [ann] = world.people("ann")
    world.apply_events()
    world.protect(ann)
    return ann


def bulk_length(db: Db, uid: int) -> int:
    return int(db.run(("XLEN", event_keys.bulk_events(partition_of(uid)))))


def test_an_event_is_handed_over_once_both_other_groups_have_applied_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting()
    ann = protect_ann(world, monkeypatch, counting)
    for group in OUTBOX_GROUPS:
        assert not bulk_length(world.db, ann)
        run_groups(world, group)
    assert bulk_length(world.db, ann) == 1 and not counting.seen
    assert not waiting_events(world.db, ann)
    world.apply_events()
    assert counting.cursors(ann) == ALL_CURSORS
    assert not bulk_length(world.db, ann)
    for key in (event_keys.bulk_progress, event_keys.event_attempts):
        assert not world.db.run(("EXISTS", key(partition_of(ann))))


def test_a_sweep_looks_at_each_event_that_it_drops(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.use_projections(monkeypatch, {}, {"protected": (Counting().projection,)})
    [ann] = world.people("ann")
    world.apply_events()
    outbox = event_keys.outbox(partition_of(ann))
    world.db.trip(*[("XADD", outbox, "*", "type", "posted")] * 501)  # more than one call drops
    world.protect(ann)
    parked = ("only", "log", "type", "protected", "uid", ann)  # put back for another group
    world.db.run(("XADD", outbox, "*", *parked))
    first, *others = OUTBOX_GROUPS
    world.db.trip(*(("XGROUP", "SETID", outbox, group, "$") for group in others))
    world.db.run(("XGROUP", "DESTROY", outbox, first))
    worker.sweep(world, [partition_of(ann)])
    assert world.db.run(("XLEN", outbox)) >= 503, "a group that is not there has applied nothing"
    world.db.run(("XGROUP", "CREATE", outbox, first, "$"))
    for _ in range(2):
        worker.sweep(world, [partition_of(ann)])
    assert bulk_length(world.db, ann) == 1 and not world.db.run(("XLEN", outbox))
    world.apply_events()


def test_a_poll_does_one_slice_of_each_partition_and_the_first_event_ends_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting()
    use(monkeypatch, counting)
    ann, ben = world.people("ann", "ben")
    world.apply_events()
    for uid in (ann, ben):
        world.protect(uid)
    world.protect(ann, False)
    world.protect(ann)
    run_groups(world, *OUTBOX_GROUPS)
    loop = acquired(world, BULK, "one")
    for number in range(1, 2 * SLICES + 1):
        assert loop.poll(range(PARTITIONS))
        assert len(counting.cursors(ann)) == number
        assert len(counting.cursors(ben)) == min(number, SLICES)
    assert counting.cursors(ann) == ALL_CURSORS * 2
    loop.release()


def test_a_new_owner_continues_at_the_last_saved_slice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Counting(), Counting("2", [WorkerKilled()])
    ann = protect_ann(world, monkeypatch, first, second)
    run_groups(world, *OUTBOX_GROUPS)
    killed = acquired(world, BULK, "killed")
    with pytest.raises(WorkerKilled):
        while killed.poll(range(PARTITIONS)):
            pass
    world.db.run(("HSET", event_keys.lease(partition_of(ann), BULK), "until", 0))
    heir = acquired(world, BULK, "heir")
    while heir.poll([partition_of(ann)]):
        pass
    heir.release()
    assert first.cursors(ann) == ALL_CURSORS, "its slices are not repeated"
    assert second.cursors(ann) == ["", "1", "2", "2", "3", "4"]
    assert not bulk_length(world.db, ann)


def test_a_worker_that_lost_its_lease_changes_no_progress(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, Counting())
    [ann] = world.people("ann")
    world.apply_events()
    world.protect(ann)
    run_groups(world, *OUTBOX_GROUPS)
    partition = partition_of(ann)
    old, new = (worker.bulk_consumer(world, partition, token) for token in (1_000, 1_001))
    grant_lease(world.db, old)
    late = world.db.trip_with_errors([old.command()])[0]
    grant_lease(world.db, new)
    for _ in range(3):
        assert new.apply(world.db.trip_with_errors([new.command()])[0], lambda: None)
    progress = world.db.run(("HGETALL", event_keys.bulk_progress(partition)))
    refused = world.db.trip_with_errors([old.command()])[0]
    assert "LEASELOST" in str(refused), "it counts no attempt"
    for reply in (late, refused):
        with pytest.raises(LeaseLost):
            old.apply(reply, lambda: None)
    assert world.db.run(("HGETALL", event_keys.bulk_progress(partition))) == progress
    assert progress[1].endswith(" 3") and bulk_length(world.db, ann) == 1


def grant_lease(db: Db, consumer: BulkConsumer) -> None:
    """Give a consumer the lease of its partition."""
    db.run(("HSET", event_keys.lease(consumer.partition, BULK), "token", consumer.token))


def test_a_slice_that_fails_is_retried_then_parked_and_put_back_for_this_group_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = [RuntimeError("not today")] * (world.config.attempts_max + 1)
    counting = Counting("3", errors)
    ann = protect_ann(world, monkeypatch, counting)
    for _ in range(world.config.attempts_max):
        world.apply_events()
    assert counting.cursors(ann) == ["", "1", "2", *["3"] * world.config.attempts_max]
    parked = event_keys.parked_events(partition_of(ann))
    assert world.db.run(("XLEN", parked)) == 1 and not bulk_length(world.db, ann)
    log_length = world.db.run(("XLEN", stream_keys.event_log()))
    assert retry_parked(world.db) == 1
    for _ in range(2):
        world.apply_events()
    assert counting.cursors(ann)[-SLICES:-1] == ["1", "2", "3", "3"]
    found = world.db.run(("XLEN", stream_keys.event_log()))
    assert found == log_length, "only this group sees it again"
    assert not world.db.run(("XLEN", parked)) and not bulk_length(world.db, ann)


def test_an_event_that_kills_its_workers_is_parked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting("1", [WorkerKilled()] * 100)
    ann = protect_ann(world, monkeypatch, counting)
    crashes = 0
    for _ in range(world.config.attempts_max + 3):
        try:
            world.apply_events()
        except WorkerKilled:
            crashes += 1
    assert crashes == world.config.attempts_max
    assert world.db.run(("XLEN", event_keys.parked_events(partition_of(ann)))) == 1


def test_a_store_outage_does_not_count_as_an_attempt(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting("1", [Unavailable("store_down")] * world.config.attempts_max * 2)
    ann = protect_ann(world, monkeypatch, counting)
    while counting.errors:
        with pytest.raises(Unavailable):
            world.apply_events()
    world.apply_events()
    assert not world.db.run(("XLEN", event_keys.parked_events(partition_of(ann))))
    assert not bulk_length(world.db, ann)


def test_events_stay_in_the_outbox_while_too_many_wait_for_the_group(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting()
    use(monkeypatch, counting)
    [ann] = world.people("ann")
    world.apply_events()
    small = with_settings(world, outbox_max=2)
    for protected in (True, False, True, False, True, False):
        world.protect(ann, protected)
    run_groups(small, *OUTBOX_GROUPS)
    worker.sweep(small, [partition_of(ann)])
    assert bulk_length(world.db, ann) == 2
    found = waiting_events(world.db, ann)
    assert found == 2, "the third, and one behind"
    world.apply_events()
    assert counting.cursors(ann) == ALL_CURSORS * 3


def test_a_running_worker_stops_between_two_slices(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()
    counted: list[str] = []

    def projection(context: Context, event: Event, cursor: str) -> str | None:
        counted.append(cursor)
        begun.set()
        may_end.wait(10)
        return str(len(counted)) if len(counted) < SLICES else None

    world.people("ann")
    world.apply_events()
    worker.use_projections(monkeypatch, registry.REGISTRY.projections, {"protected": (projection,)})
    world.protect(1)
    run_groups(world, *OUTBOX_GROUPS)
    stop = threading.Event()
    thread = threading.Thread(target=worker.group_loop(world, BULK, "a").run, args=(stop,))
    thread.start()
    assert begun.wait(10)
    stop.set()
    may_end.set()
    thread.join()
    assert counted == [""]
    heir_stop = threading.Event()
    heir = threading.Thread(target=worker.group_loop(world, BULK, "b").run, args=(heir_stop,))
    heir.start()
    until(lambda: not bulk_length(world.db, 1))
    heir_stop.set()
    heir.join()
    assert counted == ALL_CURSORS


def test_a_post_is_no_bulk_event(world: World) -> None:
    [ann] = world.people("ann")
    world.apply_events()
    post(world, ann, "hello")
    run_groups(world, *OUTBOX_GROUPS)
    worker.sweep(world, [partition_of(ann)])
    assert not bulk_length(world.db, ann)
