"""`linnet run`: the store and the three processes of the site as children, watched, restarted and stopped together."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from http.client import HTTPConnection, HTTPException
from typing import Any

from webapp.config import BadSetting, Config, Rate, with_secret
from webapp.core.events import keys as event_keys
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.errors import Refused

from . import embedded_store, parent_death, ports
from .child_process import POLL_SECONDS, ChildProcess, Process, log_line, terminate_all
from .data_dir import lock

READY_SECONDS = 60.0  # for every part to answer
APPS_STOP_SECONDS = (
    6.0  # from the signal to stop until what is left of web, stream and worker is killed
)
STORE_STOP_SECONDS = 8.0  # from the signal to stop until the store is killed
ANSWER_SECONDS = 1.0  # for a part to answer a health check
HEARTBEAT_AGE_MAX = 5.0  # the age of a live worker's last beat, at most


def run(config: Config) -> int:
    """Runs the site until a signal ends it; the exit code. Raises BadSetting or StoreError when it cannot begin."""
    config = replace(config, data_dir=config.data_dir.absolute())
    _check_ports(config)
    if not config.embedded:
        with_secret(config)
        connect(config).close()
    return Supervisor(config).run()


class Supervisor:
    """The children of one `linnet run`."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.store: ChildProcess | None = None
        self.apps: list[ChildProcess] = []
        self.stop_requested_at: float | None = None  # monotonic seconds of the first signal

    def run(self) -> int:
        """Starts everything, says so, and watches it until a signal comes; the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._request_stop)
        try:
            if self.config.embedded:
                self._start_store()
            return 0 if self.stop_requested_at else self._run_apps()
        finally:
            self._stop()

    def _request_stop(self, *_: object) -> None:
        # Only noted: a second Ctrl-C must not cut short the stopping of the children.
        self.stop_requested_at = self.stop_requested_at or time.monotonic()

    def _start_store(self) -> None:
        folder = self.config.data_dir
        # Held by us too, so that nobody takes the folder while the store is being restarted.
        lock_fd = lock(folder)
        self.store = ChildProcess("store", partial(embedded_store.spawn, folder, lock_fd=lock_fd))
        embedded_store.await_ready(
            self.store.process, folder, is_cancelled=lambda: self.stop_requested_at is not None
        )

    def _run_apps(self) -> int:
        db = connect(self.config)
        for name, command in (("web", "serve"), ("stream", "stream"), ("worker", "worker")):
            self.apps.append(ChildProcess(name, partial(_spawn, command, self.config)))
        not_ready = self._await_ready(db)
        db.close()
        if not_ready and not self.stop_requested_at:
            log_line(
                f"{' and '.join(not_ready)} not ready after {READY_SECONDS:.0f} s, see the messages above. Stopping."
            )
            return 1
        if not self.stop_requested_at:
            _announce(self.config)
        while not self.stop_requested_at:
            self._poll()
        return 0

    def _await_ready(self, db: Db) -> list[str]:
        """Waits until every part has answered once; the names of those that have not."""
        web, stream, worker = self.apps
        checks: dict[str, Callable[[], bool]] = {
            web.name: partial(_is_ready, self.config.host, self.config.port),
            stream.name: partial(_is_ready, self.config.host, self.config.stream_port),
            worker.name: lambda: _has_heartbeat(db, worker.pid),
        }
        not_ready = list(checks)
        deadline = time.monotonic() + READY_SECONDS
        while not_ready and not self.stop_requested_at and time.monotonic() < deadline:
            self._poll()
            not_ready = [name for name in not_ready if not checks[name]()]
        return not_ready

    def _poll(self) -> None:
        for child in (self.store, *self.apps):
            if child:
                child.poll()
        time.sleep(POLL_SECONDS)

    def _stop(self) -> None:
        """Ends the apps and then the store, which may have writes to finish: less than 10 s after the signal."""
        requested_at = self.stop_requested_at or time.monotonic()
        terminate_all(self.apps, requested_at + APPS_STOP_SECONDS)
        terminate_all([self.store] if self.store else [], requested_at + STORE_STOP_SECONDS)


def _check_ports(config: Config) -> None:
    if config.port == config.stream_port:
        raise BadSetting(
            f"The pages and the streams cannot share port {config.port}: set --port or --stream-port."
        )
    ports.check_available(config.host, config.port, "--port or PORT")
    ports.check_available(config.host, config.stream_port, "--stream-port or STREAM_PORT")


def _spawn(command: str, config: Config) -> Process:
    """Starts one of the site's processes, which writes to our standard error and ends when we do."""
    return subprocess.Popen(
        parent_death.wrap_command(signal.SIGKILL, [sys.executable, "-m", "webapp.cli", command]),
        env=_environment(config),
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        start_new_session=True,
    )


def _environment(config: Config) -> dict[str, str]:
    """Our environment with the settings as they are, whether they came from it or from the command line."""
    values = {field.name.upper(): getattr(config, field.name) for field in fields(Config)}
    return {**os.environ, **{name: _env_value(value) for name, value in values.items()}}


def _env_value(value: Any) -> str:
    return f"{value.burst}/{value.period}" if isinstance(value, Rate) else str(value)


def _is_ready(host: str, port: int) -> bool:
    """Whether the server there says that it is ready."""
    connection = HTTPConnection(ports.reachable_host(host), port, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _has_heartbeat(db: Db, pid: int) -> bool:
    """Whether the worker with that process id has been heard of lately."""
    with suppress(Refused):
        last_heartbeat = db.run(("ZSCORE", event_keys.workers(), f"{socket.gethostname()}:{pid}"))
        return (
            last_heartbeat is not None and time.time() - float(last_heartbeat) < HEARTBEAT_AGE_MAX
        )
    return False


def _announce(config: Config) -> None:
    location = f"in {config.data_dir}" if config.embedded else "in the store at REDIS_URL"
    with suppress(OSError):
        print(f"Linnet is ready: {ports.url(config.host, config.port)}", flush=True)
        print(f"Its data is {location}. Ctrl-C stops it.", flush=True)
