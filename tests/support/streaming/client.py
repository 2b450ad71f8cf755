"""Clients of the stream process for tests: each holds one response open."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable, Container, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.client import HTTPConnection, HTTPException, HTTPResponse
from signal import SIGCONT
from typing import Any, NamedTuple, TypeVar

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.processes import PATIENCE, Program, Site, free_port, plain
from webapp.accounts import registration
from webapp.accounts.sessions import store as sessions
from webapp.core.store.client import Db
from webapp.core.text.parser import extract
from webapp.following import store as following
from webapp.statuses import store as statuses
from webapp.streaming import keys as stream_keys

T = TypeVar("T")
GREETING = ": welcome\nretry: 3000"
processes = [pytest.mark.kill, pytest.mark.xdist_group("streaming")]


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
        """Return the next event, but for some kinds; None at the proper end of the response.

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

    def take(self, count: int) -> list[Sent]:
        """So many events."""
        taken = [self.next() for _ in range(count)]
        assert None not in taken, taken
        return [sent for sent in taken if sent]

    def close(self) -> None:
        self.response.close()
        self._connection.close()


class Scene:
    """A site with one author, whose events are applied in this process, and its streams."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.ann = registration.sign_up(site.db, site.config, "ann", "Ann", PASSWORD).uid
        self.readers: list[Reader] = []
        self._count = 0
        self.port = free_port()
        self.program: Program | None = None

    def begin(self, **settings: Any) -> Program:
        """Starts the stream process; its port stays the same for one test."""
        self.program = self.site.stream(self.port, **settings)
        return self.program

    def read(self, last: str | None = None, **options: Any) -> Reader:
        """A client that is let in, and has been greeted."""
        reader = Reader(self.port, last, **options)
        self.readers.append(reader)
        assert reader.response.status == 200
        assert reader.block() == GREETING
        return reader

    def join(self, login: str) -> int:
        """Another member."""
        return registration.sign_up(
            self.site.db, self.site.config, login, login.title(), PASSWORD
        ).uid

    def sign_in(self, uid: int) -> dict[str, str]:
        """A new session of a member, as headers."""
        site = self.site
        cookie = sessions.start(site.db, site.config, uid, sessions.INITIAL_EPOCH)
        return {"Cookie": f"other=1; linnet={cookie}"}

    def follow(self, uid: int, login: str) -> None:
        following.follow(self.site.db, self.site.config, uid, login)
        self.apply()

    def unfollow(self, uid: int, login: str) -> None:
        following.unfollow(self.site.db, self.site.config, uid, login)
        self.apply()

    def log(self) -> list[str]:
        """The ids of the log."""
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
            posted.append(
                statuses.post(self.site.db, self.site.config, author or self.ann, parsed, key)
            )
        self.apply()
        return posted

    def delete(self, status_id: int) -> None:
        statuses.delete(self.site.db, self.site.config, self.ann, status_id)
        self.apply()

    def apply(self) -> None:
        worker.drain(self.site.db, self.site.config)

    def close(self) -> None:
        for reader in self.readers:
            reader.close()


@contextmanager
def scene_on(site: Site) -> Iterator[Scene]:
    """An empty site without a stream process yet; what is started in the block ends with it."""
    site.empty()
    scene = Scene(site)
    yield scene
    scene.close()
    for program in site.programs:
        if program.alive:
            program.send_all(SIGCONT)
            program.kill()


def marked(test: Callable[..., None]) -> Callable[..., None]:
    """Marks a test which starts processes."""
    for mark in processes:
        test = mark(test)
    return test


def ids(sent: list[Sent]) -> list[int]:
    """The statuses that events are about."""
    return [int(one.data["id"]) for one in sent]


def drained(reader: Reader, count: int) -> list[Sent]:
    """So many events, or fewer when the response ends before."""
    found: list[Sent] = []
    while len(found) < count and (sent := reader.next()):
        found.append(sent)
    return found


def remaining(reader: Reader) -> list[Sent]:
    """Every event up to the end of the response."""
    found: list[Sent] = []
    while sent := reader.next():
        found.append(sent)
    return found


def broken_off(reader: Reader) -> list[Sent]:
    """The events up to the end of the response, proper or not."""
    found: list[Sent] = []
    with suppress(OSError, HTTPException):
        while sent := reader.next():
            found.append(sent)
    return found


def ask(
    port: int, path: str, method: str = "GET", headers: dict[str, str] | None = None
) -> tuple[int, Any, bytes]:
    """The status, headers and body of an answer that ends."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def numbers_alone(db: Db, status: int) -> None:
    """What the log tells of a status is marked as not for everybody, and holds no word of it."""
    log = [
        dict(zip(fields[::2], fields[1::2], strict=True))
        for _, fields in db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    ]
    told = [entry for entry in log if entry.get("id") == str(status)]
    assert told and all("close" in entry for entry in told)
    assert set().union(*told) <= {
        "p",
        "oid",
        "type",
        "rid",
        "id",
        "author",
        "vis",
        "who",
        "to",
        "close",
    }
    assert not [entry for entry in log if entry not in told and str(status) in entry.values()]


def connect_narrow(port: int, buffer: int) -> socket.socket:
    """A connection on which little can be under way."""
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    narrow.settimeout(PATIENCE)
    narrow.connect(("127.0.0.1", port))
    return narrow


@contextmanager
def client() -> Iterator[asyncio.Task[None]]:
    """A client that stays: a task that ends when it goes."""

    async def stay() -> None:
        await asyncio.Future[None]()

    task = asyncio.create_task(stay())
    try:
        yield task
    finally:
        task.cancel()


def in_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: browser tests leave an event loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
