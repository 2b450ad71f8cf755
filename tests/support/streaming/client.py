"""Run the stream process and connect clients; each holds one response open."""

import asyncio
import json
import socket
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.client import HTTPConnection, HTTPException, HTTPResponse
from signal import SIGCONT
from typing import Any, NamedTuple

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.events import event_log
from tests.support.processes import PATIENCE, Program, RunningSite, free_port, plain, until
from tests.support.world import Acting
from webapp.accounts import registration
from webapp.accounts.sessions import store as sessions
from webapp.core.store import Db
from webapp.core.text.parser import extract
from webapp.following import store as following
from webapp.statuses import store as statuses
from webapp.streaming import keys as stream_keys

GREETING = ": welcome"
PROCESSES = [pytest.mark.kill, pytest.mark.xdist_group("streaming")]


class Sent(NamedTuple):
    """One Server-Sent Event as a client gets it."""

    id: str
    event: str
    data: Any


class Reader:
    """A client with one response open."""

    def __init__(
        self,
        port: int,
        last: str | None = None,
        path: str = "/stream/public",
        buffer: int = 0,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        if buffer:
            self._connection.sock = connect_narrow(port, buffer)
        headers = {**(headers or {}), **({} if last is None else {"Last-Event-ID": last})}
        try:
            self._connection.request("GET", path, headers=headers)
            self.response: HTTPResponse = self._connection.getresponse()
        except BaseException:
            self._connection.close()
            raise
        self.last = last
        self._buffer = b""

    def next(self, skipped: Container[str] = ("mark", "badge")) -> Sent | None:
        """Return the next event that is not skipped; None at the proper end of the response.

        Raises OSError or HTTPException if it breaks off.
        """
        deadline = time.monotonic() + PATIENCE
        while block := self.block():
            assert time.monotonic() < deadline, "nothing but silence"
            fields = dict(
                line.split(": ", 1) for line in block.splitlines() if not line.startswith(":")
            )
            self.last = fields.get("id", self.last)
            if "event" in fields and fields["event"] not in skipped:
                return Sent(fields.get("id", ""), fields["event"], json.loads(fields["data"]))
        return None

    def block(self) -> str:
        """Return the next lines up to an empty one, '' at the end.

        The response's own readline hides a broken end.
        """
        while b"\n\n" not in self._buffer:
            chunk = self.response.read1()
            if not chunk:
                assert not self._buffer
                return ""
            self._buffer += chunk
        block, _, self._buffer = self._buffer.partition(b"\n\n")
        return block.decode()

    def next_events(self, count: int) -> list[Sent]:
        """Return the next `count` events."""
        events = [self.next() for _ in range(count)]
        assert None not in events, events
        return [event for event in events if event]

    def close(self) -> None:
        self.response.close()
        self._connection.close()


class Scene(Acting):
    """A site with one author, whose events are applied in this process, and its streams.

    The suffix makes the logins of its members unique on a site with several scenes.
    """

    def __init__(self, site: RunningSite, suffix: str = "") -> None:
        self.site, self._suffix = site, suffix
        self.ann = self.join("ann")
        self.readers: list[Reader] = []
        self._count = 0
        self.port = free_port()
        self.program: Program | None = None

    def begin(self, **settings: Any) -> Program:
        """Start the stream process. A test's scene keeps the same port."""
        self.program = self.site.stream(self.port, **settings)
        return self.program

    def read(self, last: str | None = None, **options: Any) -> Reader:
        """Connect a client and read the greeting."""
        reader = Reader(self.port, last, **options)
        self.readers.append(reader)
        assert reader.response.status == 200
        assert reader.block() == GREETING
        return reader

    def apply_events(self) -> None:
        """Apply all waiting events, also those of partitions that another process holds."""
        until(lambda: worker.drain(self.site), "events are left")

    def login(self, name: str) -> str:
        """Return the login of the member with this name."""
        return f"{name}{self._suffix}"

    def join(self, name: str) -> int:
        """Sign a member up and return their id."""
        site, login = self.site, self.login(name)
        return registration.sign_up(site, login, name.title(), PASSWORD).uid

    def sign_in(self, uid: int) -> dict[str, str]:
        """Start a session of a member and return its headers."""
        site = self.site
        cookie = sessions.start(site, uid, sessions.INITIAL_EPOCH)
        return {"Cookie": f"other=1; linnet={cookie}"}

    def follow(self, uid: int, name: str) -> None:
        following.follow(self.site, uid, self.login(name))
        self.apply_events()

    def unfollow(self, uid: int, name: str) -> None:
        following.unfollow(self.site, uid, self.login(name))
        self.apply_events()

    def log(self) -> list[str]:
        """Return the ids of the event log."""
        return [
            log_id for log_id, _ in self.site.db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
        ]

    def post(self, text: str = "", count: int = 1, author: int = 0) -> list[int]:
        """Post statuses, by the first author if no other is given, and append them to the log."""
        posted = []
        for _ in range(count):
            self._count += 1
            words = text or f"status {self._count}"
            parsed = replace(plain(words), entities=extract(words))
            key = f"form-{self._count:08}"
            posted.append(statuses.post(self.site, author or self.ann, parsed, key))
        self.apply_events()
        return posted

    def delete(self, status_id: int) -> None:
        statuses.delete(self.site, self.ann, status_id)
        self.apply_events()

    def close(self) -> None:
        for reader in self.readers:
            reader.close()


@contextmanager
def scene_on(site: RunningSite) -> Iterator[Scene]:
    """Empty a site while the block runs, and end the processes that were started in it."""
    site.empty()
    scene = Scene(site)
    yield scene
    scene.close()
    for program in site.programs:
        if program.alive:
            program.send_all(SIGCONT)
            program.kill()


def mark_processes(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that starts processes."""
    for mark in PROCESSES:
        test = mark(test)
    return test


def ids(sent: list[Sent]) -> list[int]:
    """Return the status ids of events."""
    return [int(event.data["id"]) for event in sent]


def read_up_to(reader: Reader, count: int) -> list[Sent]:
    """Return `count` events, or fewer if the response ends before."""
    events: list[Sent] = []
    while len(events) < count and (sent := reader.next()):
        events.append(sent)
    return events


def read_to_end(reader: Reader) -> list[Sent]:
    """Return every event up to the end of the response."""
    events: list[Sent] = []
    while sent := reader.next():
        events.append(sent)
    return events


def read_until_broken(reader: Reader) -> list[Sent]:
    """Return the events up to the end of the response, proper or not."""
    events: list[Sent] = []
    with suppress(OSError, HTTPException):
        while sent := reader.next():
            events.append(sent)
    return events


def send_request(
    port: int, path: str, method: str = "GET", headers: dict[str, str] | None = None
) -> tuple[int, Any, bytes]:
    """Return the status, headers and body of a response that ends."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def assert_log_holds_only_ids(db: Db, status: int) -> None:
    """Assert that the log marks a status as restricted and contains none of its text."""
    log = event_log(db)
    entries = [entry for entry in log if entry.get("id") == str(status)]
    assert entries and all("restricted" in entry for entry in entries)
    assert set().union(*entries) <= {
        *"p oid type rid id author visibility mentioned reply_to_uid restricted".split(),
    }
    assert not [entry for entry in log if entry not in entries and str(status) in entry.values()]


def connect_narrow(port: int, buffer: int) -> socket.socket:
    """Return a connection with a small receive buffer."""
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    narrow.settimeout(PATIENCE)
    narrow.connect(("127.0.0.1", port))
    return narrow


@contextmanager
def client() -> Iterator[asyncio.Task[None]]:
    """Run a client that stays connected: a task that is cancelled at the end."""

    async def stay() -> None:
        await asyncio.Future[None]()

    task = asyncio.create_task(stay())
    try:
        yield task
    finally:
        task.cancel()
