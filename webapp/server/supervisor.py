"""`linnet run`: the store and the site's three processes, started, watched and stopped together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial

from webapp.config import BadSetting, Config
from webapp.core.errors import StoreError
from webapp.core.events import worker as worker_process
from webapp.core.secret_key import with_secret
from webapp.core.store.connection import connect

from . import embedded_store, ports
from .child_process import (
    POLL_SECONDS,
    STORE_DELAY_MAX,
    ChildProcess,
    Process,
    log_line,
    terminate_all,
)
from .data_dir import is_in_place, lock, remember_address
from .liveness import parent_death
from .liveness.disk_watch import DiskWatch
from .liveness.worker_watch import CHECK_SECONDS, SILENT_CHECKS, WorkerWatch

READY_SECONDS = 60.0  # for every child to answer
APPS_STOP_SECONDS = 8.5  # from the signal to stop until web, stream and worker are killed
STORE_STOP_SECONDS = 9.5  # from the signal to stop until the store is killed


def run(config: Config, notice: Callable[[Config], str] = lambda _config: "") -> int:
    """Run the site until a signal ends it, and return the exit code.

    `notice`: what else to say once it is ready, if anything.

    Raises BadSetting or StoreError if it cannot start.
    """
    config = replace(config, data_dir=config.data_dir.absolute())
    _check_ports(config)
    if not config.embedded:
        config = with_secret(config)
        connect(config).close()
    return Supervisor(config, notice).run()


class Supervisor:
    """The children of one `linnet run`."""

    def __init__(
        self, config: Config, notice: Callable[[Config], str] = lambda _config: ""
    ) -> None:
        self.config, self.notice = config, notice
        self.store: ChildProcess | None = None
        self.lock_fd = 0  # of the data folder, with an embedded store
        self.apps: list[ChildProcess] = []
        self.stop_requested_at: float | None = None  # monotonic seconds of the first signal
        self.hung_worker_pid = 0  # found by the thread that watches it
        self.disk: DiskWatch | None = None  # of an embedded store

    def run(self) -> int:
        """Start the children and watch them until a signal comes. Return the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._request_stop)
        try:
            if self.config.embedded:
                self._start_store()
            return 0 if self.stop_requested_at else self._run_apps()
        finally:
            self._stop()

    def _request_stop(self, *_: object) -> None:
        # Only noted: a second Ctrl-C must not interrupt the stopping of the children.
        self.stop_requested_at = self.stop_requested_at or time.monotonic()

    def _start_store(self) -> None:
        folder = self.config.data_dir
        # The supervisor keeps the lock too, so that it holds while the store is restarted.
        lock_fd = self.lock_fd = lock(folder)
        self.config = with_secret(self.config)  # for all children, also those started later
        disk = self.disk = DiskWatch(folder)

        def spawn() -> Process:
            return embedded_store.spawn(folder, lock_fd=lock_fd, writable=not disk.is_full)

        self.store = ChildProcess("store", spawn, STORE_DELAY_MAX)
        embedded_store.await_ready(
            self.store.process, folder, is_cancelled=lambda: self.stop_requested_at is not None
        )

    def _run_apps(self) -> int:
        for name, command in (("web", "serve"), ("stream", "stream"), ("worker", "worker")):
            self.apps.append(ChildProcess(name, partial(_spawn, command, self.config)))
        not_ready = self._await_ready()
        if not_ready and not self.stop_requested_at:
            log_line(
                f"{' and '.join(not_ready)} not ready after {READY_SECONDS:.0f} s,"
                " see the messages above. Stopping."
            )
            return 1
        if not self.stop_requested_at:
            remember_address(self.config, ports.url(self.config.host, self.config.port))
            _announce(self.config, self.notice(self.config))
            threading.Thread(target=self._watch_worker, daemon=True).start()
        while not self.stop_requested_at:
            self._poll()
        return 0

    def _await_ready(self) -> list[str]:
        """Wait until every app has answered once. Return the names of those that have not."""
        web, stream, worker = self.apps
        db = connect(self.config)
        checks = {
            web.name: lambda: ports.is_ready(self.config.host, self.config.port),
            stream.name: lambda: ports.is_ready(self.config.host, self.config.stream_port),
            worker.name: lambda: worker_process.is_alive(db, worker.pid),
        }
        not_ready = list(checks)
        deadline = time.monotonic() + READY_SECONDS
        while not_ready and not self.stop_requested_at and time.monotonic() < deadline:
            self._poll()
            not_ready = [name for name in not_ready if not checks[name]()]
        db.close()
        return not_ready

    def _watch_worker(self) -> None:
        """Look for heartbeats of the worker, for ever. Granian watches the other processes."""
        watch = WorkerWatch(connect(self.config), self.apps[-1].pid)
        while True:
            time.sleep(CHECK_SECONDS)
            pid = self.apps[-1].pid
            self.hung_worker_pid = pid if watch.is_hung(pid) else 0

    def _poll(self) -> None:
        if self.store:
            self._check_data_dir()
        if self.store and self.disk:
            self.disk.check(self.store.pid)
        if self.apps and self.apps[-1].pid == self.hung_worker_pid:
            self._replace_worker()
        for child in (self.store, *self.apps):
            if child:
                child.poll()
        time.sleep(POLL_SECONDS)

    def _replace_worker(self) -> None:
        worker, self.hung_worker_pid = self.apps[-1], 0
        seconds = CHECK_SECONDS * SILENT_CHECKS
        log_line(f"the worker {worker.pid} has not responded for {seconds:g} s; replacing it.")
        worker.kill()

    def _check_data_dir(self) -> None:
        """Raise StoreError if the store's files are gone: its writes would be lost.

        The apps are killed first, so that they acknowledge nothing more.
        """
        folder = self.config.data_dir
        if is_in_place(folder, self.lock_fd) and embedded_store.has_files(folder):
            return
        terminate_all(self.apps, deadline=0)
        raise StoreError(
            f"The data folder {folder} was removed or replaced while the site ran, so the site has"
            " stopped. Put the folder back, from a backup if need be, and start the site again."
        )

    def _stop(self) -> None:
        """End the apps, then the store, which may have writes to finish, within 10 seconds.

        With DRAIN_SECONDS, the pages and streams end so much later.
        """
        drained_at = (self.stop_requested_at or time.monotonic()) + self.config.drain_seconds
        terminate_all(self.apps, drained_at + APPS_STOP_SECONDS)
        terminate_all([self.store] if self.store else [], drained_at + STORE_STOP_SECONDS)


def _check_ports(config: Config) -> None:
    if config.port == config.stream_port:
        raise BadSetting(
            f"The pages and the streams cannot share port {config.port}:"
            " set --port or --stream-port."
        )
    ports.check_available(config.host, config.port, "--port or PORT")
    ports.check_available(config.host, config.stream_port, "--stream-port or STREAM_PORT")


def _spawn(command: str, config: Config) -> Process:
    """Start one of the site's processes. It logs to standard error and ends with this one."""
    return subprocess.Popen(
        parent_death.wrap_command(signal.SIGKILL, [sys.executable, "-m", "webapp.cli", command]),
        env=_environment(config),
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        start_new_session=True,
    )


def _environment(config: Config) -> dict[str, str]:
    """Return the environment with all settings, including those of the command line."""
    settings = {field.name.upper(): str(getattr(config, field.name)) for field in fields(config)}
    return {**os.environ, **settings}


def _announce(config: Config, notice: str) -> None:
    location = f"in {config.data_dir}" if config.embedded else "in the store at REDIS_URL"
    with suppress(OSError):
        print(f"Linnet is ready: {ports.url(config.host, config.port)}", flush=True)
        if notice:
            print(notice, flush=True)
        if config.mail_folder and not config.smtp_url:
            print(f"Its mails are files in {config.mail_folder}.", flush=True)
        print(f"Its data is {location}. Ctrl-C stops it.", flush=True)
