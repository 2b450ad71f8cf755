"""A whole site, started as its operator does."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import fields
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode
from urllib.request import OpenerDirector

import pytest

import webapp
from webapp.config import Config

ROOT = Path(webapp.__file__).parents[1]
PATIENCE = 90.0  # seconds, enough for a busy machine
Start = Callable[..., "SupervisedSite"]
CPU_COUNT = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


class Clock:
    """A clock that stands still until somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class ProcessId(NamedTuple):
    """A process id with the time of its start, since ids are reused."""

    pid: int
    started: str


class SupervisedSite:
    """A `linnet run` in a folder, with its output in a file."""

    def __init__(self, folder: Path, ports: tuple[int, int], **settings: str) -> None:
        self.folder = folder
        self.port, self.stream_port = ports
        self.url = f"http://127.0.0.1:{self.port}"
        self.output = folder.parent / f"{folder.name}.{time.monotonic_ns()}.log"
        ours = {field.name.upper() for field in fields(Config)}
        env = {name: value for name, value in os.environ.items() if name not in ours} | settings
        options = (
            "--port",
            str(self.port),
            "--stream-port",
            str(self.stream_port),
            "--data-dir",
            str(folder),
        )
        with self.output.open("wb") as output:
            command = [sys.executable, "-m", "webapp.cli", "run", *options]
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=env, stdout=output, stderr=output, umask=0o022
            )

    @property
    def messages(self) -> str:
        return self.output.read_text()

    def until_printed(self, *texts: str) -> None:
        until(
            lambda: all(text in self.messages for text in texts) or self.process.poll() is not None,
            self.output,
        )
        assert all(text in self.messages for text in texts), self.messages

    def until_ready(self) -> None:
        self.until_printed(f"Linnet is ready: {self.url}", str(self.folder))

    def wait(self) -> int:
        """Wait for the end. Return the exit code."""
        return self.process.wait(PATIENCE)

    def child(self, words: str) -> int:
        """Return the id of the direct child with these words in its command line, or 0."""
        children = (
            pid for pid, (parent, _) in process_table().items() if parent == self.process.pid
        )
        return next((pid for pid in children if words in command_line(pid)), 0)


class Sites:
    """Sites in `folder/site`, one after the other on the same ports.

    `settings`: of those that `ready` starts.
    """

    def __init__(self, folder: Path, **settings: str) -> None:
        self._folder = folder
        self._settings = {"WEB_WORKERS": str(CPU_COUNT), **settings}
        with ExitStack() as stack:
            sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
            for each in sockets:
                each.bind(("127.0.0.1", 0))
            self._ports = (sockets[0].getsockname()[1], sockets[1].getsockname()[1])
        self._started: list[SupervisedSite] = []

    def start(self, **settings: str) -> SupervisedSite:
        """Start a site."""
        self._started.append(SupervisedSite(self._folder / "site", self._ports, **settings))
        return self._started[-1]

    def ready(self) -> SupervisedSite:
        """Return the site that runs, or start one. Wait until its pages and streams respond."""
        if not self._started or self._started[-1].process.poll() is not None:
            self.start(**self._settings)
        site = self._started[-1]
        site.until_ready()
        until(lambda: status(site.port) == status(site.stream_port) == 200, site.output)
        return site

    def end(self) -> None:
        """End all that still run."""
        for site in self._started:
            site.process.terminate()
        for site in self._started:
            site.wait()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a site, always on the same folder and ports."""
    sites = Sites(tmp_path)
    yield sites.start
    sites.end()


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    """Return the sites in the folder that tests share."""
    sites = Sites(tmp_path_factory.mktemp("run"))
    yield sites
    sites.end()


@pytest.fixture
def site(sites: Sites) -> SupervisedSite:
    """Return a site that responds. Other tests may have used it; this one may end it."""
    return sites.ready()


def sign_up(browser: OpenerDirector, site: SupervisedSite, login: str) -> None:
    """Create an account through the form, as a browser does."""
    with browser.open(f"{site.url}/signup") as page:
        token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.read().decode())
    assert token
    form = {
        "csrf_token": token[1],
        "login": login,
        "name": login.title(),
        "password": "correct horse battery",
    }
    with browser.open(f"{site.url}/signup", urlencode(form).encode()) as page:
        assert page.url.startswith(f"{site.url}/welcome/")


def status(port: int) -> int:
    """Return the status of a server's health check, or 0 without a response."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def until(condition: Callable[[], object], output: Path) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, output.read_text()
        time.sleep(0.05)


def descendants(pid: int) -> set[ProcessId]:
    """Return the processes that `pid` started, and all that they started."""
    processes = process_table()
    seen: set[int] = set()
    new = {pid}
    while new:
        new = {child for child, (parent, _) in processes.items() if parent in new} - seen
        seen |= new
    return {ProcessId(child, processes[child][1]) for child in seen}


def alive(processes: set[ProcessId]) -> set[ProcessId]:
    """Return those that still run."""
    return processes & {ProcessId(pid, started) for pid, (_, started) in process_table().items()}


def process_table() -> dict[int, tuple[int, str]]:
    """Return each process but zombies, by id, as (id of its parent, time of its start)."""
    processes: dict[int, tuple[int, str]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, *rest = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if state != "Z":
            processes[int(path.parent.name)] = (int(parent), rest[17])
    return processes


def command_line(pid: int) -> str:
    """Return the command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
