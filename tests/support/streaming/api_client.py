"""Clients of the streaming API for tests: each sees every byte of one open response."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlencode

from tests.support.processes import PATIENCE
from tests.support.streaming.client import Scene, connect_narrow
from webapp.accounts import lifecycle
from webapp.accounts.tokens import store as tokens

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
GZIP = 31  # zlib's number for it
V11 = "/1.1/statuses/"
Params = Mapping[str, Any]


def bearer(token: str) -> dict[str, str]:
    """A token as a client sends it."""
    return {"Authorization": f"Bearer {token}"} if token else {}


class Api:
    """A client with one response open."""

    def __init__(
        self,
        port: int,
        endpoint: str = "sample",
        query: Params | None = None,
        form: Params | None = None,
        headers: Mapping[str, str] | None = None,
        buffer: int = 0,
        prefix: str = V11,
    ) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        if buffer:
            self._connection.sock = connect_narrow(port, buffer)
        path = f"{prefix}{endpoint}.json" + (f"?{urlencode(query)}" if query else "")
        sent = {**(headers or {}), **(FORM if form is not None else {})}
        method, body = ("GET", None) if form is None else ("POST", urlencode(form))
        try:
            self._connection.request(method, path, body, sent)
            self.response: HTTPResponse = self._connection.getresponse()
        except BaseException:
            self._connection.close()
            raise
        self.status = self.response.status
        self.gzip = self.response.headers.get("Content-Encoding") == "gzip"
        self._unsqueeze = zlib.decompressobj(wbits=GZIP)
        self._buffer = b""
        self.last: str | None = None  # the last log id

    @property
    def whole(self) -> bool:
        """Whether a compressed response came to its proper end."""
        return self._unsqueeze.eof

    def until(self, end: bytes) -> bytes:
        """Return the bytes up to and with `end`; b"" at the proper end. Raises if it breaks off."""
        while end not in self._buffer:
            piece = self.response.read1()
            if not piece:
                assert not self._buffer, self._buffer
                assert not self.gzip or self.whole
                return b""
            self._buffer += self._unsqueeze.decompress(piece) if self.gzip else piece
        found, _, self._buffer = self._buffer.partition(end)
        return found + end

    def exactly(self, size: int) -> bytes:
        """The next so many bytes."""
        while len(self._buffer) < size:
            piece = self.response.read1()
            assert piece
            self._buffer += self._unsqueeze.decompress(piece) if self.gzip else piece
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found

    def next(self) -> dict[str, Any] | None:
        """The next message of a stream of lines; None at the end."""
        while line := self.until(b"\r\n"):
            if line != b"\r\n":
                message: dict[str, Any] = json.loads(line)
                self.last = message.get("event_id", self.last)
                return message
        return None

    def event(self) -> dict[str, str]:
        """The fields of the next Server-Sent Event but marks and comments; none at the end."""
        while block := self.until(b"\n\n").decode():
            fields = dict(
                line.split(": ", 1)
                for line in block.splitlines()
                if line and not line.startswith(":")
            )
            self.last = fields.get("id", self.last)
            if fields.get("event", "mark") != "mark":
                return fields
        return {}

    def take(self, count: int) -> list[dict[str, Any]]:
        """So many messages."""
        found = [message for _ in range(count) if (message := self.next())]
        assert len(found) == count, found
        return found

    def rest(self) -> list[dict[str, Any]]:
        """All messages up to the proper end."""
        return list(iter(self.next, None))

    def broken(self) -> list[dict[str, Any]]:
        """All messages up to the end, proper or not."""
        found = []
        with suppress(OSError, HTTPException):
            while message := self.next():
                found.append(message)
        return found

    def close(self) -> None:
        self.response.close()
        self._connection.close()


class Stage:
    """A scene with readers of the API, each with an account of its own, unless told otherwise."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self._count = scene, 0

    def token(self, uid: int = 0, *rights: str) -> str:
        """A token of a member, a new one unless told who."""
        if not uid:
            self._count += 1
            uid = self.scene.join(f"reader{self._count}")
        for right in rights:
            lifecycle.grant(self.scene.site.db, uid, right)
        return tokens.create(self.scene.site.db, self.scene.site.config, uid, "test")

    def api(self, endpoint: str = "filter", token: str | None = None, **options: Any) -> Api:
        """A client, let in or not. `token`: "" for none; without it, a new member's."""
        headers = {**bearer(self.token() if token is None else token), **options.pop("headers", {})}
        client = Api(self.scene.port, endpoint, headers=headers, **options)
        self.scene.readers.append(client)  # type: ignore[arg-type]
        return client

    def open(self, endpoint: str = "filter", token: str | None = None, **options: Any) -> Api:
        """A client that is let in and greeted: what is posted from now on reaches it."""
        client = self.api(endpoint, token, **options)
        assert client.status == 200, client.response.read()
        events = client.response.headers["Content-Type"].startswith("text/event-stream")
        assert client.until(b"\n\n" if events else b"\r\n").strip() in (
            b": welcome\nretry: 3000",
            b"",
        )
        return client

    def firehose(self, **options: Any) -> Api:
        """A client of everything."""
        return self.open("firehose", self.token(0, "firehose"), **options)


def numbers(messages: list[dict[str, Any]]) -> list[int]:
    """The statuses that messages are about."""
    return [
        message["delete"]["status"]["id"] if "delete" in message else message["id"]
        for message in messages
    ]


def forever(read: Callable[[], Any]) -> Iterator[Any]:
    """What a reader gives, until nothing."""
    while found := read():
        yield found
