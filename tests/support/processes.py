"""Run the site's processes for tests that kill them: a store, workers, pages and streams."""

import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import webapp
from tests.conftest import BASE
from tests.support import worker
from tests.support.fork_server import fork_server
from webapp.accounts.sessions import store as sessions
from webapp.config import Config, load, socket_path
from webapp.core.errors import Unavailable
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import GROUPS, OUTBOX_GROUPS
from webapp.core.events.worker import owner_name
from webapp.core.store import PARTITIONS, Db, Site
from webapp.core.store.connection import connect
from webapp.core.text.parser import Parsed
from webapp.server import embedded_store

ROOT = Path(webapp.__file__).parents[1]
PATIENCE = 90.0  # seconds; generous, for a machine that is busy with other tests
POLL = 0.02  # seconds between two checks
OUTPUT_MAX = 4_000  # characters of a process's messages shown when a test fails
RETRY_SECONDS = 0.05  # seconds before a request is tried again
TOKEN = re.compile(r'name="csrf_token"[^>]*value="([^"]+)"')
T = TypeVar("T")


def until(condition: Callable[[], T], what: object = "", patience: float = PATIENCE) -> T:
    """Wait for a true value and return it. `what` is the error message, or returns it."""
    deadline = time.monotonic() + patience
    while not (value := condition()):
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(POLL)
    return value


def free_port() -> int:
    """Return a loopback port on which no process listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def status_of(port: int, path: str = "/readyz", method: str = "GET") -> int:
    """Return the status of a response; 0 if there is none."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()


class Program:
    """A `linnet …` process that ends with this one. It writes its messages to a file."""

    def __init__(self, command: str, output: Path, env: dict[str, str]) -> None:
        self.command, self.output = command, output
        self._process = fork_server().start([command], env, output)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def output_tail(self) -> str:
        """The end of its messages."""
        return self.output.read_text(errors="replace")[-OUTPUT_MAX:]

    def send(self, number: signal.Signals) -> None:
        """Send a signal to this process only."""
        self._process.send_signal(number)

    def send_all(self, number: signal.Signals) -> None:
        """Send a signal to this process and its children, which answer a server's requests."""
        for pid in (self.pid, *children(self.pid)):
            os.kill(pid, number)

    def kill(self) -> None:
        """Kill the process with SIGKILL. Its children end with it."""
        self._process.kill()
        self._process.wait(PATIENCE)

    def wait(self) -> int:
        """Wait for the process to end and return its exit code."""
        return self._process.wait(PATIENCE)

    def stop(self) -> int:
        """End the process cleanly and return its exit code."""
        self._process.terminate()
        self._process.send_signal(signal.SIGCONT)
        return self.wait()


class RunningSite:
    """A store in its own folder, a connection to it, and the site's processes."""

    run = Site.run

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder / "store"
        self._outputs = folder
        self.store = embedded_store.start(self.folder, durable=True)
        own = {
            "redis_url": f"unix://{socket_path(self.folder)}",
            "inline_projections": False,
            "data_dir": self.folder,
        }
        self.settings: dict[str, Any] = {**BASE, **own, **settings}
        self.config: Config = load(self.settings, {})
        self.db: Db = connect(self.config)
        self.programs: list[Program] = []

    def start(self, command: str, **settings: Any) -> Program:
        """Start `linnet <command>` with these settings in addition to the site's."""
        ours = {field.name.upper() for field in fields(Config)}
        env = {name: value for name, value in os.environ.items() if name not in ours}
        env |= {name.upper(): str(value) for name, value in {**self.settings, **settings}.items()}
        output = self._outputs / f"{len(self.programs)}-{command}.log"
        self.programs.append(Program(command, output, env))
        return self.programs[-1]

    def worker(self, **settings: Any) -> Program:
        """Start a worker and wait for its first heartbeat."""
        program = self.start("worker", **settings)
        until(
            lambda: self.last_heartbeat(program) or not program.alive, lambda: program.output_tail
        )
        assert program.alive, program.output_tail
        return program

    def serve(self, port: int, **settings: Any) -> Program:
        """Start the pages on this port and wait until they answer."""
        return self._server("serve", port, port=port, **settings)

    def stream(self, port: int, **settings: Any) -> Program:
        """Start the streams on this port and wait until they answer."""
        return self._server("stream", port, stream_port=port, **settings)

    def empty(self) -> None:
        """Empty the store."""
        self.db.on_every_primary("FLUSHALL")
        connect(self.config).close()  # writes the schema version

    def kill_store(self) -> None:
        """Kill the store with SIGKILL."""
        self.store.kill()
        self.store.wait(PATIENCE)

    def start_store(self) -> None:
        """Start the store on the same folder again."""
        self.store = embedded_store.start(self.folder, durable=True)

    def owner(self, program: Program) -> str:
        """Return a worker's name in the store."""
        return owner_name(program.pid)

    def last_heartbeat(self, program: Program) -> float:
        """Return the time of a worker's last heartbeat in unix seconds; 0 if there is none."""
        return float(self.db.run(("ZSCORE", event_keys.workers(), self.owner(program))) or 0)

    def held_leases(self, program: Program) -> set[tuple[str, int]]:
        """Return a worker's unexpired leases as (group, partition)."""
        pairs = [(group, p) for group in GROUPS for p in range(PARTITIONS)]
        *leases, (seconds, micros) = self.db.trip(
            *(("HMGET", event_keys.lease(p, group), "owner", "until") for group, p in pairs),
            ("TIME",),
        )
        now = int(seconds) * 1000 + int(micros) // 1000
        owner = self.owner(program)
        return {
            pair
            for pair, (lease_owner, end) in zip(pairs, leases, strict=True)
            if lease_owner == owner and int(end) > now
        }

    def waiting(self) -> list[str]:
        """Return a line for each group that has not applied all events of a partition."""
        try:
            return [line for p in range(PARTITIONS) for line in self._waiting_in(p)]
        except Unavailable:
            return ["the store does not answer"]

    def until_drained(self, patience: float = PATIENCE) -> None:
        """Wait until all events are applied. Assert that none is parked and outboxes empty."""
        workers = [program for program in self.programs if program.command == "worker"]
        until(
            lambda: not self.waiting(),
            lambda: [*self.waiting(), *(program.output_tail for program in workers)],
            patience,
        )
        assert not any(
            self.db.trip(*(("XLEN", event_keys.parked_events(p)) for p in range(PARTITIONS)))
        )
        worker.sweep(self, range(PARTITIONS))
        assert not any(self.db.trip(*(("XLEN", event_keys.outbox(p)) for p in range(PARTITIONS))))

    def close(self) -> None:
        """End everything that still runs."""
        for program in self.programs:
            if program.alive:
                program.kill()
        self.db.close()
        if self.store.poll() is None:
            embedded_store.stop(self.store, PATIENCE)

    def _server(self, command: str, bind_port: int, **settings: Any) -> Program:
        until(lambda: status_of(bind_port) == 0, f"port {bind_port} is still taken")
        program = self.start(command, **settings)
        until(lambda: status_of(bind_port) == 200 or not program.alive, lambda: program.output_tail)
        assert program.alive, program.output_tail
        return program

    def _waiting_in(self, p: int) -> Iterator[str]:
        newest, groups, bulk = self.db.trip_with_errors(
            [
                ("XREVRANGE", event_keys.outbox(p), "+", "-", "COUNT", 1),
                ("XINFO", "GROUPS", event_keys.outbox(p)),
                ("XLEN", event_keys.bulk_events(p)),
            ]
        )
        if bulk:
            yield f"bulk p={p}: {bulk} unfinished"
        if not newest:
            return
        by_name = (
            {}
            if isinstance(groups, Exception)
            else {group["name"]: group for group in map(_paired, groups)}
        )
        for name in OUTBOX_GROUPS:
            group = by_name.get(name, {"pending": 0, "last-delivered-id": "0-0"})
            if group["pending"] or group["last-delivered-id"] != newest[0][0]:
                position = f"{group['last-delivered-id']} of {newest[0][0]}"
                yield f"{name} p={p}: {group['pending']} unfinished, read up to {position}"


class Browser:
    """A signed-in member who posts until it is acknowledged."""

    def __init__(self, site: RunningSite, port: int, uid: int) -> None:
        self._port = port
        self._cookies = {"linnet": sessions.start(site, uid)}
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._token = ""
        self.statuses: list[int] = []  # of each attempt; 0 for no response

    def post(self, text: str, key: str) -> None:
        """Post once: repeat with the same form key until the post is acknowledged."""
        deadline = time.monotonic() + PATIENCE
        while not self._acknowledged(text, key):
            assert time.monotonic() < deadline, (text, self.statuses[-20:])
            time.sleep(RETRY_SECONDS)

    def close(self) -> None:
        self._connection.close()

    def _acknowledged(self, text: str, key: str) -> bool:
        try:
            if not self._token:
                status, _, page = self._request("GET", "/statuses/new")
                token = TOKEN.search(page)
                if status != 200 or not token:
                    self.statuses.append(status)
                    return False
                self._token = token[1]
            form = {"csrf_token": self._token, "text": text, "key": key}
            status, target, _ = self._request("POST", "/statuses", urlencode(form))
        except (OSError, HTTPException):
            self._connection.close()  # the next request opens another
            self.statuses.append(0)
            return False
        self.statuses.append(status)
        assert status in (303, 503), (status, text)
        # The redirect of a visitor without a session leads to the log-in form.
        assert status != 303 or target == "/home", target
        return status == 303

    def _request(self, method: str, path: str, body: str | None = None) -> tuple[int, str, str]:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        text = response.read().decode()
        for line in response.headers.get_all("Set-Cookie") or []:
            self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
        return response.status, response.headers.get("Location", ""), text


class Posters:
    """Several members who post over HTTP at the same time, until `finish` is called."""

    def __init__(self, site: RunningSite, port: int, authors: dict[int, str]) -> None:
        self.acknowledged: dict[int, list[str]] = {uid: [] for uid in authors}
        self._browsers = {uid: Browser(site, port, uid) for uid in authors}
        self._stop = threading.Event()
        self._failures: list[BaseException] = []
        self._threads = [
            threading.Thread(target=self._run, args=(uid, login), name=login)
            for uid, login in authors.items()
        ]
        for thread in self._threads:
            thread.start()

    @property
    def count(self) -> int:
        """The number of acknowledged posts."""
        return sum(map(len, self.acknowledged.values()))

    @property
    def statuses(self) -> list[int]:
        """The status of each attempt; 0 for no response."""
        return [status for browser in self._browsers.values() for status in list(browser.statuses)]

    def until_more(self, each: int) -> None:
        """Wait until `each` more posts of every member are acknowledged."""
        goals = {uid: len(texts) + each for uid, texts in self.acknowledged.items()}
        until(
            lambda: (
                self._failures
                or all(len(self.acknowledged[uid]) >= goal for uid, goal in goals.items())
            )
        )
        assert not self._failures, self._failures

    def until_answered(self, status: int) -> None:
        """Wait for as many more responses with this status as there are members."""
        goal = self.statuses.count(status) + len(self.acknowledged)
        until(lambda: self._failures or self.statuses.count(status) >= goal)
        assert not self._failures, self._failures

    def finish(self) -> None:
        """Stop after the posts under way are acknowledged."""
        self._stop.set()
        for thread in self._threads:
            thread.join(2 * PATIENCE)
        for browser in self._browsers.values():
            browser.close()
        assert not self._failures, self._failures

    def _run(self, uid: int, login: str) -> None:
        try:
            while not self._stop.is_set():
                number = len(self.acknowledged[uid])
                text = f"{login} says {number}"
                self._browsers[uid].post(text, f"{login}-{number:08}")
                self.acknowledged[uid].append(text)
        except BaseException as error:
            self._failures.append(error)


@contextmanager
def posting(site: RunningSite, port: int, authors: dict[int, str]) -> Iterator[Posters]:
    """Let members post while the block runs; at its end all posts are acknowledged."""
    posters = Posters(site, port, authors)
    try:
        yield posters
    finally:
        posters.finish()


def children(pid: int) -> set[int]:
    """Return the running children of a process."""
    pids = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, *_ = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(parent) == pid and state != "Z":
            pids.add(int(path.parent.name))
    return pids


def plain(text: str) -> Parsed:
    """Return a text to post, of any length, without entities."""
    return Parsed(text, len(text), ())


def _paired(flat: list[Any]) -> dict[str, Any]:
    return dict(zip(flat[::2], flat[1::2], strict=True))
