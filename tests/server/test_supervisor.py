"""`linnet run` for real: started in a folder of its own, killed in parts and as a whole."""

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
PATIENCE = 90.0  # seconds; generous, for a machine that is busy with other tests
PARTS = [("worker", "webapp.cli worker"), ("web", "webapp.cli serve"), ("store", "valkey-server")]
Start = Callable[..., "Site"]


class Running(NamedTuple):
    """A process, told from a later one with the same id by when it was started."""

    pid: int
    began: str


class Site:
    """A `linnet run` in `folder`, with its messages in a file."""

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
                command, cwd=ROOT, env=env, stdout=output, stderr=output
            )

    @property
    def said(self) -> str:
        return self.output.read_text()

    def until_said(self, *words: str) -> None:
        until(
            lambda: all(word in self.said for word in words) or self.process.poll() is not None,
            self.output,
        )
        assert all(word in self.said for word in words), self.said

    def until_ready(self) -> None:
        self.until_said(f"Linnet is ready: {self.url}", str(self.folder))

    def ended(self) -> int:
        """The exit code, once it has ended."""
        return self.process.wait(PATIENCE)

    def part(self, words: str) -> int:
        """The process id of the child of `run` itself with those words in its command line, or 0."""
        children = (pid for pid, (parent, _) in table().items() if parent == self.process.pid)
        return next((pid for pid in children if words in words_of(pid)), 0)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts sites in `tmp_path/site`, on ports that are the same for one test, and ends them with the test."""
    with ExitStack() as stack:
        free = [stack.enter_context(socket.socket()) for _ in range(2)]
        for one in free:
            one.bind(("127.0.0.1", 0))
        ports = (free[0].getsockname()[1], free[1].getsockname()[1])
    sites: list[Site] = []

    def begin(**settings: str) -> Site:
        sites.append(Site(tmp_path / "site", ports, **settings))
        return sites[-1]

    yield begin
    for site in sites:
        site.process.terminate()
    for site in sites:
        site.ended()


def test_run_prints_its_address_once_pages_and_streams_answer(start: Start) -> None:
    site = start()
    site.until_ready()
    assert status(site.port) == 200
    assert status(site.stream_port) == 200


def test_sigterm_ends_every_process(start: Start) -> None:
    site = start()
    site.until_ready()
    processes = family(site.process.pid)
    assert len(processes) >= 7  # store, worker, and a parent and its children for pages and streams
    site.process.terminate()
    assert site.ended() == 0
    assert not alive(processes)


def test_a_second_ctrl_c_leaves_no_process_behind(start: Start) -> None:
    site = start()
    site.until_ready()
    processes = family(site.process.pid)
    for _ in range(3):
        site.process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    assert site.ended() == 0
    assert not alive(processes)


def test_a_signal_during_the_start_leaves_no_process_behind(start: Start) -> None:
    site = start()
    until(lambda: site.part("webapp.cli serve"), site.output)
    processes = family(site.process.pid)
    site.process.terminate()
    assert site.ended() == 0
    assert not alive(processes)


def test_kill_9_of_run_itself_leaves_no_process_behind_and_the_folder_free(start: Start) -> None:
    site = start()
    site.until_ready()
    processes = family(site.process.pid)
    site.process.kill()
    site.ended()
    until(lambda: not alive(processes), site.output)
    start().until_ready()


@pytest.mark.parametrize(("name", "words"), PARTS)
def test_a_killed_part_is_started_again_and_said_so(start: Start, name: str, words: str) -> None:
    site = start()
    site.until_ready()
    first = site.part(words)
    os.kill(first, signal.SIGKILL)
    site.until_said(
        f"linnet: {name} (pid {first}) was ended by SIGKILL; starting it again in 0.5 s."
    )
    until(lambda: site.part(words) not in (0, first), site.output)
    until(lambda: status(site.port) == 200, site.output)


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="only Linux ties processes to CPUs"
)
def test_each_web_process_keeps_to_a_cpu_of_its_own_and_so_does_the_one_after_it(
    start: Start,
) -> None:
    cpus = os.sched_getaffinity(0)
    site = start(WEB_WORKERS=str(len(cpus)))
    site.until_ready()

    def pages() -> dict[int, set[int]]:
        served = (
            pid for pid, (parent, _) in table().items() if parent == site.part("webapp.cli serve")
        )
        return {
            pid: set.union(set(), *cpus) for pid in served if len(cpus := masks(pid)) > 3
        }  # which serves, that is

    def apart() -> bool:
        return sorted(map(tuple, pages().values())) == [(cpu,) for cpu in sorted(cpus)]

    until(apart, site.output)
    killed, where = pages().popitem()
    os.kill(killed, signal.SIGKILL)
    until(lambda: killed not in pages() and apart(), site.output)
    assert where in pages().values()


def masks(pid: int) -> list[set[int]]:
    """The CPUs of each thread of a process, none when it has ended."""
    with suppress(OSError):
        return [os.sched_getaffinity(int(task)) for task in os.listdir(f"/proc/{pid}/task")]
    return []


def test_a_member_is_still_signed_in_and_shown_after_the_next_start(start: Start) -> None:
    site = start()
    site.until_ready()
    browser = build_opener(HTTPCookieProcessor())
    sign_up(browser, site, "ann")
    site.process.terminate()
    site.ended()
    site = start()
    site.until_ready()
    with browser.open(f"{site.url}/@ann") as page:
        assert "@ann" in page.read().decode()
    with browser.open(f"{site.url}/home") as page:
        assert page.url == f"{site.url}/home"  # a stranger would be sent to the log-in form


@pytest.mark.parametrize("option", ["--port", "--stream-port"])
def test_a_taken_port_is_one_line_that_names_it_and_the_option(
    start: Start, tmp_path: Path, option: str
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        socket.create_server(("127.0.0.1", 0)) as free,
    ):
        port, other = taken.getsockname()[1], free.getsockname()[1]
        free.close()
        site = Site(tmp_path / "site", (port, other) if option == "--port" else (other, port))
        assert site.ended() == 1
    assert f"Port {port} " in site.said
    assert option in site.said
    assert len(site.said.splitlines()) == 1


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1:1", "unix:///nowhere/at/all.sock", "what://ever"]
)
def test_a_store_that_cannot_be_reached_is_one_line(start: Start, url: str) -> None:
    site = start(REDIS_URL=url, SECRET_KEY="of this test")
    assert site.ended() == 1
    assert url in site.said
    assert len(site.said.splitlines()) == 1


def test_a_store_elsewhere_without_a_secret_key_is_one_line(start: Start) -> None:
    site = start(REDIS_URL="redis://127.0.0.1:1")
    assert site.ended() == 1
    assert "SECRET_KEY" in site.said
    assert len(site.said.splitlines()) == 1


def test_two_sites_never_run_on_one_folder(start: Start, tmp_path: Path) -> None:
    site = start()
    site.until_ready()
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        ports = (one.getsockname()[1], two.getsockname()[1])
    second = Site(tmp_path / "site", ports)
    assert second.ended() == 1
    assert str(site.folder) in second.said
    assert len(second.said.splitlines()) == 1
    assert status(site.port) == 200


def test_a_folder_with_a_long_name_has_its_socket_elsewhere(tmp_path: Path) -> None:
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
    """Makes an account through the form, as a browser does."""
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
        assert page.url == f"{site.url}/home"


def status(port: int) -> int:
    """The status of a server's own health check; 0 when nobody answers."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def until(condition: Callable[[], object], output: Path) -> None:
    """Waits for something to become true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, output.read_text()
        time.sleep(0.05)


def family(pid: int) -> set[Running]:
    """The processes that `pid` started, and those that they started."""
    now = table()
    found: set[int] = set()
    new = {pid}
    while new:
        new = {one for one, (parent, _) in now.items() if parent in new} - found
        found |= new
    return {Running(one, now[one][1]) for one in found}


def alive(processes: set[Running]) -> set[Running]:
    """Those that still run."""
    return processes & {Running(pid, began) for pid, (_, began) in table().items()}


def table() -> dict[int, tuple[int, str]]:
    """Every process but those that only wait to be collected: id → (its parent's id, when it was started)."""
    found: dict[int, tuple[int, str]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, *rest = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if state != "Z":
            found[int(path.parent.name)] = (int(parent), rest[17])
    return found


def words_of(pid: int) -> str:
    """The command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
