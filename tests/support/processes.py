"""The site's processes for tests that kill them: a store, workers, pages and streams, each ended by its own id."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
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
from webapp.accounts.sessions import store as sessions
from webapp.config import Config, load
from webapp.core.events import keys as event_keys
from webapp.core.events.consumer import sweep_command
from webapp.core.events.outbox import GROUPS
from webapp.core.events.worker import owner_name
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.store.ids import PARTITIONS
from webapp.core.text.parser import Parsed
from webapp.errors import Unavailable
from webapp.server import embedded_store, parent_death
from webapp.server.data_dir import socket_path

ROOT = Path(webapp.__file__).parents[1]
PATIENCE = 90.0  # seconds; generous, for a machine that is busy with other tests
POLL = 0.02  # seconds between two looks
SAID_MAX = 4_000  # characters of a process's messages shown when a test fails
AGAIN = 0.05  # seconds before a request is tried again
TOKEN = re.compile(r'name="csrf_token"[^>]*value="([^"]+)"')
T = TypeVar("T")


def until(condition: Callable[[], T], what: object = "", patience: float = PATIENCE) -> T:
    """Waits for something to become true, and gives it. `what` is shown, or called and shown, when it does not."""
    deadline = time.monotonic() + patience
    while not (value := condition()):
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(POLL)
    return value


def free_port() -> int:
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def status_of(port: int, path: str = "/readyz", method: str = "GET") -> int:
    """The status that a path answers; 0 when nobody does."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()


class Program:
    """One `linnet …` process, which ends with this one; its messages are in a file."""

    def __init__(self, command: str, output: Path, env: dict[str, str]) -> None:
        self.command, self.output = command, output
        with output.open("wb") as said:
            program = [sys.executable, "-m", "webapp.cli", command]
            self._process = subprocess.Popen(
                parent_death.wrap_command(signal.SIGKILL, program),
                cwd=ROOT,
                env=env,
                stdout=said,
                stderr=said,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def said(self) -> str:
        """The last it said."""
        return self.output.read_text(errors="replace")[-SAID_MAX:]

    def send(self, number: signal.Signals) -> None:
        """Sends a signal to this process alone."""
        self._process.send_signal(number)

    def send_all(self, number: signal.Signals) -> None:
        """Sends a signal to this process and those it started: a server's requests are answered by a child."""
        for pid in (self.pid, *children(self.pid)):
            os.kill(pid, number)

    def kill(self) -> None:
        """`kill -9`. What the process started is bound to it and ends too."""
        self._process.kill()
        self._process.wait(PATIENCE)

    def ended(self) -> int:
        """The exit code, once it has ended."""
        return self._process.wait(PATIENCE)

    def stop(self) -> int:
        """Ends it cleanly; the exit code."""
        self._process.terminate()
        self._process.send_signal(signal.SIGCONT)
        return self.ended()


class Site:
    """A store in a folder of its own, a connection to it, and the processes started beside it."""

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
        """Starts `linnet <command>` with these settings besides the site's."""
        ours = {field.name.upper() for field in fields(Config)}
        env = {name: value for name, value in os.environ.items() if name not in ours}
        env |= {name.upper(): str(value) for name, value in {**self.settings, **settings}.items()}
        output = self._outputs / f"{len(self.programs)}-{command}.log"
        self.programs.append(Program(command, output, env))
        return self.programs[-1]

    def worker(self, **settings: Any) -> Program:
        """A worker that has begun to work."""
        program = self.start("worker", **settings)
        until(lambda: self.beat(program) or not program.alive, lambda: program.said)
        assert program.alive, program.said
        return program

    def serve(self, port: int, **settings: Any) -> Program:
        """The pages on this port, ready."""
        return self._server("serve", port, port=port, **settings)

    def stream(self, port: int, **settings: Any) -> Program:
        """The streams on this port, ready."""
        return self._server("stream", port, stream_port=port, **settings)

    def empty(self) -> None:
        """Forgets everything in the store."""
        self.db.on_every_primary("FLUSHALL")
        connect(self.config).close()  # which marks it as ours

    def kill_store(self) -> None:
        """`kill -9` of the store."""
        self.store.kill()
        self.store.wait(PATIENCE)

    def start_store(self) -> None:
        """Starts the store on the same folder again."""
        self.store = embedded_store.start(self.folder, durable=True)

    def owner(self, program: Program) -> str:
        """What a worker calls itself in the store."""
        return owner_name(program.pid)

    def beat(self, program: Program) -> float:
        """When a worker was last heard of, in unix seconds; 0 when it never was."""
        return float(self.db.run(("ZSCORE", event_keys.workers(), self.owner(program))) or 0)

    def holds(self, program: Program) -> set[tuple[str, int]]:
        """The leases of a worker that have not run out: (group, partition) each."""
        pairs = [(group, p) for group in GROUPS for p in range(PARTITIONS)]
        *held, (seconds, micros) = self.db.trip(
            *(("HMGET", event_keys.lease(p, group), "owner", "until") for group, p in pairs),
            ("TIME",),
        )
        now = int(seconds) * 1000 + int(micros) // 1000
        owner = self.owner(program)
        return {
            pair
            for pair, (who, end) in zip(pairs, held, strict=True)
            if who == owner and int(end) > now
        }

    def waiting(self) -> list[str]:
        """The outboxes with events that some group has not applied, and what was set aside; readable, for messages."""
        try:
            return [line for p in range(PARTITIONS) for line in self._waiting_in(p)]
        except Unavailable:
            return ["the store does not answer"]

    def until_drained(self, patience: float = PATIENCE) -> None:
        """Waits until everything is applied; nothing may have been parked, and the outboxes can be emptied."""
        workers = [program for program in self.programs if program.command == "worker"]
        until(
            lambda: not self.waiting(),
            lambda: [*self.waiting(), *(one.said for one in workers)],
            patience,
        )
        assert not any(
            self.db.trip(*(("XLEN", event_keys.parked_events(p)) for p in range(PARTITIONS)))
        )
        self.db.trip_with_errors([sweep_command(p) for p in range(PARTITIONS)])
        assert not any(self.db.trip(*(("XLEN", event_keys.outbox(p)) for p in range(PARTITIONS))))

    def close(self) -> None:
        """Ends everything that still runs."""
        for program in self.programs:
            if program.alive:
                program.kill()
        self.db.close()
        if self.store.poll() is None:
            embedded_store.stop(self.store, PATIENCE)

    def _server(self, command: str, at: int, **settings: Any) -> Program:
        until(lambda: status_of(at) == 0, f"port {at} is still taken")
        program = self.start(command, **settings)
        until(lambda: status_of(at) == 200 or not program.alive, lambda: program.said)
        assert program.alive, program.said
        return program

    def _waiting_in(self, p: int) -> Iterator[str]:
        newest, groups = self.db.trip_with_errors(
            [
                ("XREVRANGE", event_keys.outbox(p), "+", "-", "COUNT", 1),
                ("XINFO", "GROUPS", event_keys.outbox(p)),
            ]
        )
        if not newest:
            return
        found = (
            {}
            if isinstance(groups, Exception)
            else {group["name"]: group for group in map(_paired, groups)}
        )
        for name in GROUPS:
            group = found.get(name, {"pending": 0, "last-delivered-id": "0-0"})
            if group["pending"] or group["last-delivered-id"] != newest[0][0]:
                at = group["last-delivered-id"]
                yield f"{name} p={p}: {group['pending']} unfinished, read up to {at} of {newest[0][0]}"


class Browser:
    """A signed-in member who posts until it is acknowledged."""

    def __init__(self, site: Site, port: int, uid: int) -> None:
        self._port = port
        self._cookies = {"linnet": sessions.start(site.db, site.config, uid)}
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._token = ""
        self.answers: list[int] = []  # the status of each attempt, 0 for none

    def post(self, text: str, key: str) -> None:
        """Posts once, trying again with the same form key until the site says that it has it."""
        deadline = time.monotonic() + PATIENCE
        while not self._acknowledged(text, key):
            assert time.monotonic() < deadline, (text, self.answers[-20:])
            time.sleep(AGAIN)

    def close(self) -> None:
        self._connection.close()

    def _acknowledged(self, text: str, key: str) -> bool:
        try:
            if not self._token:
                status, _, page = self._ask("GET", "/statuses/new")
                found = TOKEN.search(page)
                if status != 200 or not found:
                    self.answers.append(status)
                    return False
                self._token = found[1]
            form = {"csrf_token": self._token, "text": text, "key": key}
            status, target, _ = self._ask("POST", "/statuses", urlencode(form))
        except (OSError, HTTPException):
            self._connection.close()  # the next request opens another
            self.answers.append(0)
            return False
        self.answers.append(status)
        assert status in (303, 503), (status, text)
        assert status != 303 or target == "/home", (
            target
        )  # a stranger would be sent to the log-in form
        return status == 303

    def _ask(self, method: str, path: str, body: str | None = None) -> tuple[int, str, str]:
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
    """Several members who post over HTTP at once, until told that it is enough."""

    def __init__(self, site: Site, port: int, authors: dict[int, str]) -> None:
        self.acknowledged: dict[int, list[str]] = {uid: [] for uid in authors}
        self._browsers = {uid: Browser(site, port, uid) for uid in authors}
        self._enough = threading.Event()
        self._failures: list[BaseException] = []
        self._threads = [
            threading.Thread(target=self._run, args=(uid, login), name=login)
            for uid, login in authors.items()
        ]
        for thread in self._threads:
            thread.start()

    @property
    def count(self) -> int:
        """How many posts have been acknowledged."""
        return sum(map(len, self.acknowledged.values()))

    @property
    def answers(self) -> list[int]:
        """What every attempt was answered; 0 for nothing."""
        return [answer for browser in self._browsers.values() for answer in list(browser.answers)]

    def until_more(self, each: int) -> None:
        """Waits until every member has had so many more posts acknowledged."""
        goals = {uid: len(texts) + each for uid, texts in self.acknowledged.items()}
        until(
            lambda: (
                self._failures
                or all(len(self.acknowledged[uid]) >= goal for uid, goal in goals.items())
            )
        )
        assert not self._failures, self._failures

    def until_answered(self, answer: int) -> None:
        """Waits until this has been answered as often again as there are members."""
        goal = self.answers.count(answer) + len(self.acknowledged)
        until(lambda: self._failures or self.answers.count(answer) >= goal)
        assert not self._failures, self._failures

    def finish(self) -> None:
        """Ends when what is in hand is acknowledged."""
        self._enough.set()
        for thread in self._threads:
            thread.join(2 * PATIENCE)
        for browser in self._browsers.values():
            browser.close()
        assert not self._failures, self._failures

    def _run(self, uid: int, login: str) -> None:
        try:
            while not self._enough.is_set():
                number = len(self.acknowledged[uid])
                text = f"{login} says {number}"
                self._browsers[uid].post(text, f"{login}-{number:08}")
                self.acknowledged[uid].append(text)
        except BaseException as error:
            self._failures.append(error)


@contextmanager
def posting(site: Site, port: int, authors: dict[int, str]) -> Iterator[Posters]:
    """Members who post while the block runs; at its end all is acknowledged."""
    posters = Posters(site, port, authors)
    try:
        yield posters
    finally:
        posters.finish()


def children(pid: int) -> set[int]:
    """The processes that `pid` started, while they run."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, *_ = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(parent) == pid and state != "Z":
            found.add(int(path.parent.name))
    return found


def plain(text: str) -> Parsed:
    """A text to post, of any length, without entities."""
    return Parsed(text, len(text), ())


def _paired(flat: list[Any]) -> dict[str, Any]:
    return dict(zip(flat[::2], flat[1::2], strict=True))
