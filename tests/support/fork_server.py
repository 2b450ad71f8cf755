"""Start the site's programs from a process that has imported the site.

An import takes most of a program's start, and tests start hundreds. A program gets arguments, an
environment and output of its own, as if a shell had started it.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from functools import cache
from importlib import import_module
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.compiled_templates import use_kept_code
from tests.support.shared_routes import share_routes
from webapp.config import Config
from webapp.core.i18n.catalogs import load_catalog
from webapp.core.logs import log
from webapp.core.rendering.static.assets import site_assets
from webapp.server import embedded_store
from webapp.server.data_dir import shorten_socket_path
from webapp.server.liveness import parent_death

ROOT = Path(__file__).parents[2]
POLL = 0.01  # seconds between two looks at a program that is waited for
# All that `linnet serve`, `stream` and `worker` import.
IMPORTED = (
    "webapp.app",
    "webapp.cli",
    "webapp.core.events.worker",
    "webapp.registry",
    "webapp.server.granian",
    "zxcvbn",
)
EXIT_CODES: dict[int, int] = {}  # of the programs that this process started, by pid


class ForkedProcess:
    """A running program, with the methods of `subprocess.Popen` that tests use."""

    def __init__(self, server: ForkServer, pid: int) -> None:
        self._server = server
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, None while the program runs."""
        if self.returncode is None:
            self.returncode = self._server.ask("exit_code", self.pid)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait for the end and return the exit code. Raises TimeoutError."""
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"process {self.pid} runs after {timeout} seconds")
            time.sleep(POLL)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the program has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """The process that has imported the site. It ends with this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection, theirs = Pipe()
        command = [sys.executable, "-m", "tests.support.fork_server", str(theirs.fileno())]
        # It gets SIGKILL when the thread that starts it ends, so that must be the main one.
        self._process = subprocess.Popen(
            parent_death.wrap_command(signal.SIGKILL, command), cwd=ROOT, pass_fds=[theirs.fileno()]
        )
        theirs.close()
        atexit.register(self._stop)

    def start(self, arguments: list[str], env: dict[str, str], output: Path) -> ForkedProcess:
        """Start `linnet` with these arguments. Its messages go to a file."""
        return ForkedProcess(self, self.ask("start", arguments, env, str(output)))

    def ask(self, request: str, *arguments: Any) -> Any:
        """Send a request and return the response."""
        with self._lock:
            self._connection.send((request, arguments))
            return self._connection.recv()

    def _stop(self) -> None:
        self._connection.close()
        self._process.wait()


@cache
def fork_server() -> ForkServer:
    """Return the fork server of this test process."""
    return ForkServer()


def _serve(connection: Connection) -> None:
    """Answer requests until the other side closes the connection."""
    for module in IMPORTED:
        import_module(module)
    use_kept_code()
    share_routes()
    _make_app()
    # What `serve` does before it answers, half a second, and the first Chinese page.
    site_assets().compress()
    load_catalog("zh_Hans_CN")
    gc.collect()
    gc.freeze()
    while True:
        try:
            request, arguments = connection.recv()
        except EOFError:
            return
        if request == "start":
            connection.send(_start(connection, *arguments))
        else:
            connection.send(_exit_code(*arguments))


def _make_app() -> None:
    """Make an app: those of the programs then find its modules imported and its routes compiled."""
    from webapp.app import create_app

    with TemporaryDirectory() as path:
        folder = Path(path)
        shorten_socket_path(folder)
        store = embedded_store.start(folder, durable=False)
        app = create_app(Config(secret_key="none", redis_url=Config(data_dir=folder).store_url))
        app.url_map.update()
        app.extensions["linnet.db"].close()
        embedded_store.stop(store)
    log.handlers.clear()  # each program says what it logs


def _start(connection: Connection, arguments: list[str], env: dict[str, str], output: str) -> int:
    own_pid = os.getpid()
    if pid := os.fork():
        EXIT_CODES.pop(pid, None)
        return pid
    code = 1
    try:
        connection.close()
        parent_death.set_parent_death_signal(signal.SIGKILL, own_pid)
        log = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.close(log)
        os.environ.clear()
        os.environ.update(env)
        code = _run(arguments)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run(arguments: list[str]) -> int:
    """Run `linnet` and return its exit code."""
    from webapp.cli import main

    sys.argv = ["linnet", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _exit_code(pid: int) -> int | None:
    if pid not in EXIT_CODES:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if not ended:
            return None
        EXIT_CODES[pid] = os.waitstatus_to_exitcode(status)
    return EXIT_CODES[pid]


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
