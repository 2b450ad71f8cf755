"""One child process of `linnet run`: started, started again when it dies, stopped with everything it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

RESTART_DELAY_MIN, RESTART_DELAY_MAX = (
    0.5,
    30.0,
)  # seconds before a part is started again; doubles each time
STABLE_SECONDS = 60.0  # a part that ran this long starts again with the shortest pause
POLL_SECONDS = 0.1  # seconds between two looks

Process = subprocess.Popen[bytes]


class ChildProcess:
    """A child in a session of its own, so that its process group is everything it started."""

    def __init__(self, name: str, spawn: Callable[[], Process]) -> None:
        self.name = name
        self._spawn = spawn
        self._restart_delay = RESTART_DELAY_MIN
        self._restart_at: float | None = (
            None  # monotonic seconds; while it is down: when it is started again
        )
        self._start()

    @property
    def pid(self) -> int:
        """The process's id; another one after each restart."""
        return self.process.pid

    def poll(self) -> None:
        """Notices that the process has died and, when its pause is over, starts it again."""
        if self._restart_at is not None:
            if time.monotonic() >= self._restart_at:
                self._start()
        elif self.process.poll() is not None:
            self.kill()
            now = time.monotonic()
            if now - self._started >= STABLE_SECONDS:
                self._restart_delay = RESTART_DELAY_MIN
            log_line(
                f"{self.name} {_describe_exit(self.process)}; starting it again in {self._restart_delay:g} s."
            )
            self._restart_at = now + self._restart_delay
            self._restart_delay = min(self._restart_delay * 2, RESTART_DELAY_MAX)

    def terminate(self) -> None:
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
        self._restart_at = None


def terminate_all(children: list[ChildProcess], deadline: float) -> None:
    """Ends the parts together: cleanly or, at `deadline` (monotonic seconds), by force."""
    for child in children:
        child.terminate()
    while time.monotonic() < deadline and any(child.process.poll() is None for child in children):
        time.sleep(POLL_SECONDS)
    for child in children:
        child.kill()


def log_line(line: str) -> None:
    """One line for the operator; a terminal that is gone does not keep us from stopping the children."""
    with suppress(OSError):
        print(f"linnet: {line}", file=sys.stderr, flush=True)


def _describe_exit(process: Process) -> str:
    code = process.returncode
    if code >= 0:
        return f"(pid {process.pid}) ended with exit code {code}"
    return f"(pid {process.pid}) was ended by {signal.Signals(-code).name}"
