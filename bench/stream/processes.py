"""Run the site's processes on a measurement's store; create tokens and read memory use."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from bench.site import Site, add_members
from tests.support.processes import children, free_port
from webapp.accounts import lifecycle
from webapp.accounts.tokens import store as tokens
from webapp.core.events import keys as event_keys
from webapp.core.store import Db
from webapp.server.liveness import parent_death

FIRST_READER = 100  # member ids from here on are the clients'
READY_SECONDS = 60.0  # for a process to answer
END_SECONDS = 20.0  # for a process to end by itself
SETTINGS = {
    "SECRET_KEY": "bench",
    "LOG_LEVEL": "WARNING",
    "WEB_WORKERS": "1",
    "LIMIT_POST": "1000000/1",
    "LIMIT_STREAM": "1000000/1",
    "LIMIT_CHAT": "1000000/1",
    "OUTBOX_MAX": "100000000",  # where nobody delivers to homes
}
RESIDENT = re.compile(r"VmRSS:\s+(\d+) kB")


class Program:
    """Hold a started process of the site, or of a reference."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self._process, self.port = process, port

    def memory(self) -> int:
        """Return the bytes in memory of the process that serves: a child of Granian's own.

        Granian's own loads the app's modules too, and is larger while there are few clients.
        """
        return max(map(_resident, children(self._process.pid)))

    def busy(self) -> float:
        """Return the processor seconds used so far, with children."""
        return sum(map(_busy, self._pids))

    @property
    def _pids(self) -> tuple[int, ...]:
        return self._process.pid, *children(self._process.pid)

    @property
    def running(self) -> bool:
        """Return whether the process still runs."""
        return self._process.poll() is None


@contextmanager
def program(here: Site, port_setting: str, *command: str) -> Iterator[Program]:
    """Run `python -m <command>` on a port of its own, named by `port_setting`, for the block."""
    port = free_port()
    place = {
        "REDIS_URL": here.config.store_url,
        "DATA_DIR": str(here.config.data_dir),
        port_setting: str(port),
    }
    process = subprocess.Popen(
        parent_death.wrap_command(signal.SIGKILL, [sys.executable, "-m", *command]),
        cwd=Path(__file__).parents[2],
        env=os.environ | SETTINGS | place,
    )
    try:
        yield Program(process, port)
    finally:
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def stream(here: Site) -> Iterator[Program]:
    """Run the stream process until it is ready."""
    with program(here, "STREAM_PORT", "webapp.cli", "stream") as started:
        await_ready(started)
        yield started


@contextmanager
def web(here: Site) -> Iterator[Program]:
    """Run one web process until it is ready."""
    with program(here, "PORT", "webapp.cli", "serve") as started:
        await_ready(started)
        yield started


@contextmanager
def worker(here: Site) -> Iterator[Program]:
    """Run a worker until it has started."""
    with program(here, "PORT", "webapp.cli", "worker") as started:
        deadline = time.monotonic() + READY_SECONDS
        while not here.db.run(("ZCARD", event_keys.workers())):
            if not started.running or time.monotonic() > deadline:
                raise RuntimeError("the worker did not start")
            time.sleep(0.1)
        yield started


@contextmanager
def reference(here: Site) -> Iterator[Program]:
    """Run the bare ASGI app of `bench.stream.reference` under the same server."""
    with program(here, "STREAM_PORT", "bench.stream.reference") as started:
        await_ready(started)
        yield started


def await_ready(started: Program) -> None:
    """Wait until a server answers. Raises RuntimeError otherwise."""
    deadline = time.monotonic() + READY_SECONDS
    while started.running and time.monotonic() < deadline:
        with suppress(OSError, HTTPException):
            if ask(started.port, "GET", "/readyz") == 200:
                return
        time.sleep(0.1)
    raise RuntimeError("the server did not start")


def ask(port: int, method: str, path: str) -> int:
    """Return the status of a response that ends."""
    connection = HTTPConnection("127.0.0.1", port, timeout=READY_SECONDS)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def bearers(here: Site, uids: Sequence[int], *rights: str) -> list[str]:
    """Create these members and return a token for each."""
    add_members(here.db, uids)
    for uid in uids:
        _grant(here.db, uid, rights)
    return [tokens.create(here, uid, "bench") for uid in uids]


def _grant(db: Db, uid: int, rights: Sequence[str]) -> None:
    for right in rights:
        lifecycle.grant(db, uid, right)


def _busy(pid: int) -> float:
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _resident(pid: int) -> int:
    with suppress(OSError):
        found = RESIDENT.search(Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) * 1024 if found else 0
    return 0
