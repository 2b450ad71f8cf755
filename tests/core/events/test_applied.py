"""Who has written something waits until the worker has applied it, but not for long."""

import pytest

from tests.support.world import World
from webapp.core.events import status
from webapp.core.events.outbox import FANOUT, LOG
from webapp.core.events.status import PAUSES, UNAPPLIED, wait_until_applied
from webapp.core.store import partition_of


def test_events_are_unapplied_until_both_groups_have_them(world: World) -> None:
    [ann] = world.people("ann")
    world.apply_events()
    world.post(ann)
    asked = {"partition": partition_of(ann), "groups": (LOG, FANOUT)}
    newest = world.db.run(UNAPPLIED(newest="", **asked))
    assert newest and world.db.run(UNAPPLIED(newest=newest, **asked)) == newest
    world.apply_events()
    assert world.db.run(UNAPPLIED(newest=newest, **asked)) == ""


def test_nobody_waits_long_for_a_worker_that_does_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(status.time, "sleep", pauses.append)
    [ann] = world.people("ann")
    world.apply_events()
    wait_until_applied(world.db, [partition_of(ann)])
    assert not pauses
    world.post(ann)
    before = world.db.trips
    wait_until_applied(world.db, [partition_of(ann), partition_of(ann) + 1])
    assert tuple(pauses) == PAUSES
    assert world.db.trips - before == len(PAUSES) + 1, "it asks a few times"


def test_only_two_threads_of_a_process_wait(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    [ann] = world.people("ann")
    world.apply_events()
    world.post(ann)
    pauses: list[float] = []
    monkeypatch.setattr(status.time, "sleep", pauses.append)
    with status.WAITING, status.WAITING:
        wait_until_applied(world.db, [partition_of(ann)])
    assert not pauses
    wait_until_applied(world.db, [partition_of(ann)])
    assert pauses
