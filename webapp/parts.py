"""One child process of `linnet run`: started, started again when it dies, stopped with everything it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

PAUSE_MIN, PAUSE_MAX = 0.5, 30.0  # seconds before a part is started again; doubles each time
SETTLED_SECONDS = 60.0  # a part that ran this long starts again with the shortest pause
TICK = 0.1  # seconds between two looks

Process = subprocess.Popen[bytes]


class Part:
    """A child in a session of its own, so that its process group is everything it started."""

    def __init__(self, name: str, spawn: Callable[[], Process]) -> None:
        self.name = name
        self._spawn = spawn
        self._pause = PAUSE_MIN
        self._due: float | None = None  # monotonic seconds; while it is down: when it is started again
        self._start()

    @property
    def pid(self) -> int:
        """The process's id; another one after each restart."""
        return self.process.pid

    def look(self) -> None:
        """Notices that the process has died and, when its pause is over, starts it again."""
        if self._due is not None:
            if time.monotonic() >= self._due:
                self._start()
        elif self.process.poll() is not None:
            self.kill()
            now = time.monotonic()
            if now - self._started >= SETTLED_SECONDS:
                self._pause = PAUSE_MIN
            say(f"{self.name} {_ending(self.process)}; starting it again in {self._pause:g} s.")
            self._due = now + self._pause
            self._pause = min(self._pause * 2, PAUSE_MAX)

    def end(self) -> None:
        """Asks the process to end; it tells the processes it started."""
        if self.process.poll() is None:
            self.process.terminate()

    def kill(self) -> None:
        """Ends the process and whatever it started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()

    def _start(self) -> None:
        self.process = self._spawn()
        self._started = time.monotonic()
        self._due = None


def end_all(parts: list[Part], deadline: float) -> None:
    """Ends the parts together: cleanly or, at `deadline` (monotonic seconds), by force."""
    for part in parts:
        part.end()
    while time.monotonic() < deadline and any(part.process.poll() is None for part in parts):
        time.sleep(TICK)
    for part in parts:
        part.kill()


def say(line: str) -> None:
    """One line for the operator; a terminal that is gone does not keep us from stopping the children."""
    with suppress(OSError):
        print(f"linnet: {line}", file=sys.stderr, flush=True)


def _ending(process: Process) -> str:
    code = process.returncode
    if code >= 0:
        return f"(pid {process.pid}) ended with exit code {code}"
    return f"(pid {process.pid}) was ended by {signal.Signals(-code).name}"
