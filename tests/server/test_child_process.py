"""The supervisor's children: restarted with growing pauses, and killed if they do not end."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processes import until
from tests.support.running_site import Clock
from webapp.config import load
from webapp.server import child_process, supervisor
from webapp.server.child_process import (
    RESTART_DELAY_MIN,
    STABLE_SECONDS,
    STORE_DELAY_MAX,
    ChildProcess,
    Process,
)
from webapp.server.supervisor import APPS_STOP_SECONDS, STORE_STOP_SECONDS, Supervisor

STUBBORN = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the supervisor and its children."""
    clock = Clock()
    for module in (child_process, supervisor):
        monkeypatch.setattr(module, "time", clock)
    return clock


class RecordedChild(ChildProcess):
    """A child that ignores SIGTERM, and records when it is ended."""

    def __init__(self, name: str, folder: Path, clock: Clock, signals: list[str]) -> None:
        self._clock = clock
        self._signals = signals
        started = folder / name
        super().__init__(name, lambda: spawn_program(STUBBORN, str(started)))
        until(started.exists)

    def terminate(self) -> None:
        self._signals.append(f"terminate {self.name}")
        super().terminate()

    def kill(self) -> None:
        self._signals.append(f"kill {self.name}")
        self.killed_at = self._clock.seconds
        super().kill()


def spawn_program(source: str, *arguments: str) -> Process:
    command = [sys.executable, "-c", source, *arguments]
    return subprocess.Popen(command, start_new_session=True)


class FailingChild(ChildProcess):
    """A child whose program fails. `starts` counts how often it was started."""

    def __init__(self, *delay_max: float) -> None:
        self.starts = 0
        super().__init__("web", self._spawn_failing, *delay_max)

    def _spawn_failing(self) -> Process:
        self.starts += 1
        return spawn_program("raise SystemExit(3)")

    def notice_end(self) -> None:
        """Wait for the program to end, and let the child plan its restart."""
        self.process.wait()
        self.poll()


def logged_pauses(capfd: pytest.CaptureFixture[str]) -> list[float]:
    """Return the pauses before restarts that the log names, in seconds."""
    return [float(text) for text in re.findall(r"again in ([\d.]+) s", capfd.readouterr().err)]


def test_children_that_ignore_sigterm_are_killed_apps_first(tmp_path: Path, clock: Clock) -> None:
    signals: list[str] = []
    store = RecordedChild("store", tmp_path, clock, signals)
    web = RecordedChild("web", tmp_path, clock, signals)
    site = Supervisor(load({"data_dir": tmp_path}, {}))
    site.store = store
    site.apps = [web]
    site._stop()
    assert signals == ["terminate web", "kill web", "terminate store", "kill store"]
    assert web.process.returncode == store.process.returncode == -9
    assert APPS_STOP_SECONDS <= web.killed_at < STORE_STOP_SECONDS <= store.killed_at


def test_a_child_that_keeps_dying_is_restarted_with_growing_pauses(
    capfd: pytest.CaptureFixture[str], clock: Clock
) -> None:
    child = FailingChild()
    pauses = (0.5, 1.0, 2.0)
    for starts, pause in enumerate(pauses, 1):
        child.notice_end()
        clock.sleep(pause - 0.01)
        child.poll()
        assert child.starts == starts
        clock.sleep(0.02)
        child.poll()
        assert child.starts == starts + 1
    child.kill()
    assert logged_pauses(capfd) == list(pauses)


def test_a_child_that_the_system_cannot_start_is_tried_again(
    capfd: pytest.CaptureFixture[str], clock: Clock
) -> None:
    child = FailingChild()
    child.notice_end()
    refused = iter([OSError("Cannot allocate memory")])

    def spawn() -> Process:
        for error in refused:
            raise error
        return spawn_program("")

    child._spawn = spawn
    clock.sleep(0.6)
    child.poll()
    clock.sleep(1.1)
    child.poll()
    assert child.process.wait() == 0
    child.kill()
    assert "web cannot be started (Cannot allocate memory)" in capfd.readouterr().err


def test_the_store_never_waits_more_than_four_seconds_for_its_restart(
    capfd: pytest.CaptureFixture[str], clock: Clock
) -> None:
    child = FailingChild(STORE_DELAY_MAX)
    for pause in (0.5, 1.0, 2.0, 4.0, 4.0, 4.0):
        child.notice_end()
        clock.sleep(pause)
        child.poll()
    child.kill()
    assert logged_pauses(capfd) == [0.5, 1, 2, 4, 4, 4]


def test_a_child_that_was_stable_is_restarted_with_the_shortest_pause(
    capfd: pytest.CaptureFixture[str], clock: Clock
) -> None:
    child = FailingChild()
    for _ in range(2):
        clock.sleep(STABLE_SECONDS)
        child.notice_end()
        clock.sleep(RESTART_DELAY_MIN)
        child.poll()
    child.kill()
    assert child.starts == 3
    assert logged_pauses(capfd) == [RESTART_DELAY_MIN] * 2
