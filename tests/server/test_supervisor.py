"""`linnet run` as a real process: started in a folder of its own, killed in parts and whole."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import fields
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest

import webapp
from webapp.config import Config
from webapp.server import embedded_store
from webapp.server.data_dir import SOCKET_PATH_MAX, socket_path

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
ROOT = Path(webapp.__file__).parents[1]
PATIENCE = 90.0  # seconds, enough for a busy machine
CHILDREN = [
    ("worker", "webapp.cli worker"),
    ("web", "webapp.cli serve"),
    ("store", "valkey-server"),
]
Start = Callable[..., "Site"]
CPU_COUNT = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


class ProcessId(NamedTuple):
    """A process id with the time of its start, since ids are reused."""

    pid: int
    started: str


class Site:
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
    """Sites in `folder/site`, one after the other on the same ports."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with ExitStack() as stack:
            sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
            for each in sockets:
                each.bind(("127.0.0.1", 0))
            self._ports = (sockets[0].getsockname()[1], sockets[1].getsockname()[1])
        self._started: list[Site] = []

    def start(self, **settings: str) -> Site:
        """Start a site."""
        self._started.append(Site(self._folder / "site", self._ports, **settings))
        return self._started[-1]

    def ready(self) -> Site:
        """Return the site that runs, or start one. Wait until its pages and streams respond."""
        if not self._started or self._started[-1].process.poll() is not None:
            self.start(WEB_WORKERS=str(CPU_COUNT))
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
def site(sites: Sites) -> Site:
    """Return a site that responds. Other tests may have used it; this one may end it."""
    return sites.ready()


def test_run_prints_its_url_when_pages_and_streams_respond(site: Site) -> None:
    assert f"Linnet is ready: {site.url}" in site.messages
    assert status(site.port) == 200
    assert status(site.stream_port) == 200


def test_nothing_in_the_data_folder_is_open_to_other_users(site: Site) -> None:
    paths = [site.folder, *site.folder.rglob("*")]
    assert {path.name for path in paths} >= {"secret_key", "valkey.log", "address", "lock"}
    assert not [path for path in paths if path.lstat().st_mode & 0o077]


def test_sigterm_ends_every_process(site: Site) -> None:
    processes = descendants(site.process.pid)
    assert len(processes) >= 7  # store, worker, and a parent and its children for pages and streams
    site.process.terminate()
    assert site.wait() == 0
    assert not alive(processes)


def test_repeated_interrupts_leave_no_process_behind(site: Site) -> None:
    processes = descendants(site.process.pid)
    for _ in range(3):
        site.process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    assert site.wait() == 0
    assert not alive(processes)


def test_a_signal_during_the_start_leaves_no_process_behind(start: Start) -> None:
    site = start()
    until(lambda: site.child("webapp.cli serve"), site.output)
    processes = descendants(site.process.pid)
    site.process.terminate()
    assert site.wait() == 0
    assert not alive(processes)


def test_sigkill_of_run_leaves_no_process_behind_and_unlocks_the_folder(
    sites: Sites, site: Site
) -> None:
    processes = descendants(site.process.pid)
    site.process.kill()
    site.wait()
    until(lambda: not alive(processes), site.output)
    sites.ready()


@pytest.mark.parametrize(("name", "words"), CHILDREN)
def test_a_killed_child_is_restarted_and_reported(site: Site, name: str, words: str) -> None:
    first = site.child(words)
    os.kill(first, signal.SIGKILL)
    site.until_printed(
        f"linnet: {name} (pid {first}) was ended by SIGKILL; starting it again in 0.5 s."
    )
    until(lambda: site.child(words) not in (0, first), site.output)
    until(lambda: status(site.port) == 200, site.output)


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="only Linux ties processes to CPUs"
)
def test_each_web_process_and_its_successor_is_pinned_to_one_cpu(site: Site) -> None:
    cpus = os.sched_getaffinity(0)

    def cpus_by_process() -> dict[int, set[int]]:
        children = (
            pid
            for pid, (parent, _) in process_table().items()
            if parent == site.child("webapp.cli serve")
        )
        affinities = {pid: thread_cpus(pid) for pid in children}
        # Only those with several threads serve already.
        return {pid: set.union(*cpus) for pid, cpus in affinities.items() if len(cpus) > 3}

    def pinned_apart() -> bool:
        return sorted(map(tuple, cpus_by_process().values())) == [(cpu,) for cpu in sorted(cpus)]

    until(pinned_apart, site.output)
    killed, freed = cpus_by_process().popitem()
    os.kill(killed, signal.SIGKILL)
    until(lambda: killed not in cpus_by_process() and pinned_apart(), site.output)
    assert freed in cpus_by_process().values()


def thread_cpus(pid: int) -> list[set[int]]:
    """Return the CPUs of each thread of a process, or nothing after its end."""
    with suppress(OSError):
        return [os.sched_getaffinity(int(task)) for task in os.listdir(f"/proc/{pid}/task")]
    return []


def test_accounts_and_sessions_survive_a_restart(sites: Sites, site: Site) -> None:
    browser = build_opener(HTTPCookieProcessor())
    sign_up(browser, site, "ann")
    site.process.terminate()
    site.wait()
    site = sites.ready()
    with browser.open(f"{site.url}/@ann") as page:
        assert "@ann" in page.read().decode()
    with browser.open(f"{site.url}/home") as page:
        assert page.url == f"{site.url}/home", "not redirected to the login form"


@pytest.mark.parametrize("option", ["--port", "--stream-port"])
def test_a_used_port_is_a_one_line_error_with_the_option(
    start: Start, tmp_path: Path, option: str
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as used,
        socket.create_server(("127.0.0.1", 0)) as free,
    ):
        port, other = used.getsockname()[1], free.getsockname()[1]
        free.close()
        site = Site(tmp_path / "site", (port, other) if option == "--port" else (other, port))
        assert site.wait() == 1
    assert f"Port {port} " in site.messages
    assert option in site.messages
    assert len(site.messages.splitlines()) == 1


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1:1", "unix:///nowhere/at/all.sock", "what://ever"]
)
def test_an_unreachable_store_is_a_one_line_error(start: Start, url: str) -> None:
    site = start(REDIS_URL=url, SECRET_KEY="of this test")
    assert site.wait() == 1
    assert url in site.messages
    assert len(site.messages.splitlines()) == 1


def test_an_external_store_without_a_secret_key_is_a_one_line_error(start: Start) -> None:
    site = start(REDIS_URL="redis://127.0.0.1:1")
    assert site.wait() == 1
    assert "SECRET_KEY" in site.messages
    assert len(site.messages.splitlines()) == 1


def test_a_folder_is_used_by_one_site_only(site: Site) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as first_socket,
        socket.create_server(("127.0.0.1", 0)) as second_socket,
    ):
        ports = (first_socket.getsockname()[1], second_socket.getsockname()[1])
    second = Site(site.folder, ports)
    assert second.wait() == 1
    assert str(site.folder) in second.messages
    assert len(second.messages.splitlines()) == 1
    assert status(site.port) == 200


def test_the_socket_of_a_folder_with_a_long_path_is_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    process = embedded_store.start(folder, durable=False)
    try:
        assert embedded_store.is_running(folder)
        assert len(str(socket_path(folder))) <= SOCKET_PATH_MAX
    finally:
        embedded_store.stop(process)
    assert not embedded_store.is_running(folder)
    socket_path(folder).parent.rmdir()


def sign_up(browser: OpenerDirector, site: Site, login: str) -> None:
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
