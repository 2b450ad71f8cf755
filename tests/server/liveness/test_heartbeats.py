"""Processes that hang: found by their silence, one after the other, and replaced."""

import asyncio
import os

import pytest

from tests.support.loops import in_loop
from tests.support.running_site import Clock
from webapp.core.errors import Unavailable
from webapp.core.events import keys as event_keys
from webapp.core.events.worker import owner_name
from webapp.core.store import Db
from webapp.server.liveness import heartbeats
from webapp.server.liveness.heartbeats import PID, Heartbeats, beat
from webapp.server.liveness.worker_watch import WorkerWatch

ONE, TWO, THREE = 11, 12, 13  # process ids


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of heartbeats."""
    clock = Clock()
    monkeypatch.setattr(heartbeats, "time", clock)
    return clock


class Pipe:
    """A server's processes, and what their parent finds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heartbeats = Heartbeats()

    def after(self, seconds: int, *beating: int) -> list[int]:
        """Let seconds pass in which these processes beat. Return those found to hang."""
        found = []
        for _ in range(seconds):
            self._clock.sleep(1)
            for pid in beating:
                os.write(self._heartbeats.writer.fileno(), PID.pack(pid))
            found.append(self._heartbeats.find_hung({ONE, TWO, THREE}))
        return [pid for pid in found if pid]


def test_a_process_that_is_silent_for_fifteen_seconds_hangs(clock: Clock) -> None:
    pipe = Pipe(clock)
    assert pipe.after(3, ONE, TWO, THREE) == []
    assert pipe.after(14, ONE, THREE) == []
    assert pipe.after(1, ONE, THREE) == [TWO]
    assert pipe.after(14, ONE, THREE) == [], "its successor gets as long again"


def test_a_process_has_a_minute_to_start(clock: Clock) -> None:
    pipe = Pipe(clock)
    assert pipe.after(60, ONE, TWO) == []
    assert pipe.after(1, ONE, TWO) == [THREE]


def test_processes_that_hang_together_are_found_one_by_one(clock: Clock) -> None:
    pipe = Pipe(clock)
    pipe.after(1, ONE, TWO, THREE)
    assert pipe.after(15, ONE) in ([TWO], [THREE])
    assert pipe.after(14, ONE) == []
    assert len(pipe.after(1, ONE)) == 1


def test_a_pause_of_the_whole_machine_is_not_held_against_them(clock: Clock) -> None:
    pipe = Pipe(clock)
    pipe.after(1, ONE, TWO, THREE)
    clock.sleep(600)
    assert pipe.after(1) == []
    assert pipe.after(20, ONE, TWO, THREE) == []


def test_the_event_loop_beats_at_once_and_every_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "BEAT_SECONDS", 0.001)
    found = Heartbeats()

    async def run() -> None:
        beat(found.writer, asyncio.get_running_loop())
        await asyncio.sleep(0.1)

    in_loop(run())
    beats = os.read(found._reader.fileno(), heartbeats.PIPE_BYTES)
    assert len(beats) > PID.size and set(PID.iter_unpack(beats)) == {(os.getpid(),)}


def test_a_full_pipe_stops_no_event_loop() -> None:
    found = Heartbeats()
    with pytest.raises(BlockingIOError):
        while True:
            os.write(found.writer.fileno(), bytes(4096))
    in_loop(_beat_once(found))


async def _beat_once(found: Heartbeats) -> None:
    beat(found.writer, asyncio.get_running_loop())


def test_a_worker_whose_heartbeats_end_hangs_after_three_checks(
    db: Db, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers, pid = event_keys.workers(), 4711
    watch = WorkerWatch(db, pid)
    assert [watch.is_hung(pid) for _ in range(3)] == [False, False, True]
    db.run(("ZADD", workers, 10**12, owner_name(pid)))
    assert not watch.is_hung(pid)
    db.run(("ZADD", workers, 0, owner_name(pid)))
    with monkeypatch.context() as patch:
        patch.setattr(db, "trip", _unavailable)
        assert not any(watch.is_hung(pid) for _ in range(10)), "the store does not answer"
    assert [watch.is_hung(pid) for _ in range(3)] == [False, False, True]
    successor = [watch.is_hung(pid + 1) for _ in range(12)]
    assert successor == [False] * 11 + [True], "it has a minute to start"
    db.run(("DEL", workers))


def _unavailable(*_: object) -> None:
    raise Unavailable("store_down")
