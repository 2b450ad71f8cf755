"""A child process of `linnet run`: restarted when it dies, stopped with its own children."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

RESTART_DELAY_MIN = 0.5  # seconds before the first restart; doubled each time
RESTART_DELAY_MAX = 30.0
STORE_DELAY_MAX = 4.0  # nothing works without the store
STABLE_SECONDS = 60.0  # after running this long, a child restarts with the shortest delay
POLL_SECONDS = 0.1

Process = subprocess.Popen[bytes]


class ChildProcess:
    """A child in a session of its own. Its process group is all that it started."""

    def __init__(
        self, name: str, spawn: Callable[[], Process], delay_max: float = RESTART_DELAY_MAX
    ) -> None:
        self.name = name
        self._spawn = spawn
        self._delay_max = delay_max
        self._restart_delay = RESTART_DELAY_MIN
        self._restart_at: float | None = None  # monotonic seconds, None while it runs
        self._start()

    @property
    def pid(self) -> int:
        """Return the process id. A restart changes it."""
        return self.process.pid

    def poll(self) -> None:
        """Notice that the process has ended and, after the delay, start it again."""
        if self._restart_at is not None:
            if time.monotonic() >= self._restart_at:
                self._start_again()
        elif self.process.poll() is not None:
            self.kill()
            self._plan_restart(_describe_exit(self.process))

    def terminate(self) -> None:
        """Ask the process to end. It passes that on to its children."""
        if self.process.poll() is None:
            self.process.terminate()

    def kill(self) -> None:
        """Kill the process and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()

    def _start(self) -> None:
        self._started_at = time.monotonic()
        self.process = self._spawn()
        self._restart_at = None

    def _start_again(self) -> None:
        try:
            self._start()
        except OSError as error:  # too little memory, or too many processes
            self._plan_restart(f"cannot be started ({error})")

    def _plan_restart(self, reason: str) -> None:
        now = time.monotonic()
        if now - self._started_at >= STABLE_SECONDS:
            self._restart_delay = RESTART_DELAY_MIN
        delay = self._restart_delay
        log_line(f"{self.name} {reason}; starting it again in {delay:g} s.")
        self._restart_at = now + delay
        self._restart_delay = min(delay * 2, self._delay_max)


def terminate_all(children: list[ChildProcess], deadline: float) -> None:
    """End children together. Kill those that still run at `deadline` (monotonic seconds)."""
    for child in children:
        child.terminate()
    while time.monotonic() < deadline and any(child.process.poll() is None for child in children):
        time.sleep(POLL_SECONDS)
    for child in children:
        child.kill()


def log_line(line: str) -> None:
    """Print a line for the operator, with the time in UTC. A closed terminal is no error."""
    with suppress(OSError):
        now = datetime.now(UTC)
        print(f"{now:%Y-%m-%d %H:%M:%S} linnet: {line}", file=sys.stderr, flush=True)


def _describe_exit(process: Process) -> str:
    code = process.returncode
    if code >= 0:
        return f"(pid {process.pid}) ended with exit code {code}"
    return f"(pid {process.pid}) was ended by {signal.Signals(-code).name}"
