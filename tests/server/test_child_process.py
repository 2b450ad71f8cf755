"""The supervisor's children: restarted with growing pauses, and killed when they do not end."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.processes import until
from webapp.config import load
from webapp.server.child_process import ChildProcess, Process
from webapp.server.supervisor import APPS_STOP_SECONDS, STORE_STOP_SECONDS, Supervisor

STUBBORN = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
time.sleep(60)
"""


def spawn_program(source: str, *arguments: str) -> Process:
    command = [sys.executable, "-c", source, *arguments]
    return subprocess.Popen(command, start_new_session=True)


def stubborn_child(name: str, folder: Path) -> ChildProcess:
    """Start a child that ignores SIGTERM, and wait until it does."""
    started = folder / name
    child = ChildProcess(name, lambda: spawn_program(STUBBORN, str(started)))
    until(started.exists)
    return child


def test_children_that_ignore_sigterm_are_killed_apps_first(tmp_path: Path) -> None:
    supervisor = Supervisor(load({"data_dir": tmp_path}, {}))
    supervisor.store = stubborn_child("store", tmp_path)
    supervisor.apps = [stubborn_child("web", tmp_path)]
    started = time.monotonic()
    supervisor._stop()
    seconds = time.monotonic() - started
    assert supervisor.store.process.returncode == supervisor.apps[0].process.returncode == -9
    assert APPS_STOP_SECONDS < STORE_STOP_SECONDS <= seconds < STORE_STOP_SECONDS + 2


def test_a_child_that_keeps_dying_is_restarted_with_growing_pauses(
    capfd: pytest.CaptureFixture[str],
) -> None:
    starts: list[float] = []

    def spawn() -> Process:
        starts.append(time.monotonic())
        return spawn_program("raise SystemExit(3)")

    child = ChildProcess("web", spawn)

    def restarted_thrice() -> bool:
        child.poll()
        return len(starts) == 4

    until(restarted_thrice)
    child.kill()
    pauses = [float(text) for text in re.findall(r"again in ([\d.]+) s", capfd.readouterr().err)]
    assert pauses == [0.5, 1, 2]
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert all(gap >= pause for gap, pause in zip(gaps, pauses, strict=True))


def test_a_child_that_ran_long_enough_is_restarted_with_the_shortest_pause(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.server.child_process.STABLE_SECONDS", 0.0)
    starts: list[float] = []

    def spawn() -> Process:
        starts.append(time.monotonic())
        return spawn_program("raise SystemExit(3)")

    child = ChildProcess("web", spawn)

    def restarted_twice() -> bool:
        child.poll()
        return len(starts) == 3

    until(restarted_twice)
    child.kill()
    assert re.findall(r"again in ([\d.]+) s", capfd.readouterr().err) == ["0.5", "0.5"]
