"""Servers that are started, asked and ended one after another: each with a copy of the data it was
filled with.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from redis import Redis

from webapp.config import socket_path
from webapp.server import embedded_store
from webapp.server.liveness import parent_death

ROOT = Path(__file__).parent.parent.parent
PEERS = Path(os.environ.get("PEERS_VENV", ROOT / ".venv-peers")) / "bin"
READY_SECONDS = 60.0  # for a server to answer
END_SECONDS = 20.0  # for a process to end by itself
WORKERS, THREADS = 2, 4  # of each peer; with eight threads, as the site has, they are slower


@dataclass(frozen=True, slots=True)
class Server:
    """Describe a compared server and its requests. `running` yields its address."""

    name: str
    workloads: Sequence[Mapping[str, Any]]
    running: Callable[[], AbstractContextManager[str]]


@contextmanager
def program(command: Sequence[str], **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that ends with the block or with this process."""
    started = subprocess.Popen(
        parent_death.wrap_command(signal.SIGKILL, [str(part) for part in command]),
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | settings,
        stdout=sys.stderr,
    )
    try:
        yield started
    finally:
        started.terminate()
        try:
            started.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


@contextmanager
def store(filled: Path | None = None) -> Iterator[Path]:
    """Run a Valkey that does not write to disk, and yield its folder.

    `filled`: a saved data file to start from.
    """
    with TemporaryDirectory(prefix="peers-") as name:
        folder = Path(name)
        if filled:
            shutil.copy(filled, folder / "dump.rdb")
        started = embedded_store.start(folder, durable=False)
        try:
            yield folder
        finally:
            embedded_store.stop(started)


def keep(folder: Path, to: Path) -> None:
    """Save the data of a running store."""
    Redis(unix_socket_path=str(socket_path(folder))).save()
    shutil.copy(folder / "dump.rdb", to)


def peer(*arguments: str, **settings: str) -> None:
    """Run a module of the peers in their environment to its end."""
    subprocess.run(
        [PEERS / "python", "-m", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | settings,
        check=True,
    )


@contextmanager
def gunicorn(app: str, **settings: str) -> Iterator[str]:
    """Run an app of the peers under gunicorn with threads, and yield its address."""
    port = free_port()
    options = (
        "--worker-class",
        "gthread",
        "--workers",
        WORKERS,
        "--threads",
        THREADS,
        "--log-level",
        "warning",
    )
    command = [
        PEERS / "python",
        "-m",
        "gunicorn",
        app,
        "--bind",
        f"127.0.0.1:{port}",
        *options,
        "--no-control-socket",
    ]
    with program(command, **settings) as started:
        yield ready(started, port)


@contextmanager
def granian(app: str, **settings: str) -> Iterator[str]:
    """Run an app of the peers under Granian's WSGI server, and yield its address."""
    port = free_port()
    options = (
        "--interface",
        "wsgi",
        "--workers",
        WORKERS,
        "--blocking-threads",
        THREADS,
        "--log-level",
        "error",
    )
    command = [PEERS / "python", "-m", "granian", app, "--factory", "--port", port, *options]
    with program(command, **settings) as started:
        yield ready(started, port)


def ready(started: subprocess.Popen[bytes], port: int, path: str = "/public") -> str:
    """Return the address of a server once it answers. Raises RuntimeError otherwise."""
    deadline = time.monotonic() + READY_SECONDS
    while started.poll() is None and time.monotonic() < deadline:
        connection = HTTPConnection("127.0.0.1", port, timeout=READY_SECONDS)
        with suppress(OSError, HTTPException):
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return f"http://127.0.0.1:{port}"
        connection.close()
        time.sleep(0.1)
    raise RuntimeError("a server did not start")


def free_port() -> int:
    """Return a free loopback port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
