"""Connect clients to the streaming API; each reads every byte of one open response."""

import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlencode

from tests.support.processes import PATIENCE
from tests.support.streaming.client import Scene, connect_narrow
from webapp.accounts import lifecycle
from webapp.accounts.tokens import store as tokens

HOST = "http://linnet.example:8001"  # that callers sign for
FILTER, SAMPLE = f"{HOST}/1.1/statuses/filter.json", f"{HOST}/1.1/statuses/sample.json"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
GZIP = 31  # zlib's number for it
V11 = "/1.1/statuses/"
Params = Mapping[str, Any]


def bearer(token: str) -> dict[str, str]:
    """Return a token as a client's headers."""
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
        self._decompressor = zlib.decompressobj(wbits=GZIP)
        self._buffer = b""
        self.last: str | None = None  # the last log id

    @property
    def is_complete(self) -> bool:
        """True if a compressed response reached its proper end."""
        return self._decompressor.eof

    def until(self, end: bytes) -> bytes:
        """Return the bytes up to and with `end`; b"" at the proper end. Raises if it breaks off."""
        while end not in self._buffer:
            piece = self.response.read1()
            if not piece:
                assert not self._buffer, self._buffer
                assert not self.gzip or self.is_complete
                return b""
            self._buffer += self._decompressor.decompress(piece) if self.gzip else piece
        found, _, self._buffer = self._buffer.partition(end)
        return found + end

    def read_exactly(self, size: int) -> bytes:
        """Return the next `size` bytes."""
        while len(self._buffer) < size:
            piece = self.response.read1()
            assert piece
            self._buffer += self._decompressor.decompress(piece) if self.gzip else piece
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found

    def next(self) -> dict[str, Any] | None:
        """Return the next message of a stream of lines; None at the end."""
        while line := self.until(b"\r\n"):
            if line != b"\r\n":
                message: dict[str, Any] = json.loads(line)
                self.last = message.get("event_id", self.last)
                return message
        return None

    def event(self) -> dict[str, str]:
        """Return the fields of the next event, without marks and comments; {} at the end."""
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

    def next_messages(self, count: int) -> list[dict[str, Any]]:
        """Return the next `count` messages."""
        messages = [message for _ in range(count) if (message := self.next())]
        assert len(messages) == count, messages
        return messages

    def rest(self) -> list[dict[str, Any]]:
        """Return all messages up to the proper end."""
        return list(iter(self.next, None))

    def broken(self) -> list[dict[str, Any]]:
        """Return all messages up to the end, proper or not."""
        messages = []
        with suppress(OSError, HTTPException):
            while message := self.next():
                messages.append(message)
        return messages

    def close(self) -> None:
        self.response.close()
        self._connection.close()


class Stage:
    """A scene with clients of the API, each with its own account by default."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self._count = scene, 0

    def token(self, uid: int = 0, *rights: str) -> str:
        """Create a token of a member, by default of a new one."""
        if not uid:
            self._count += 1
            uid = self.scene.join(f"reader{self._count}")
        for right in rights:
            lifecycle.grant(self.scene.site.db, uid, right)
        return tokens.create(self.scene.site, uid, "test")

    def api(self, endpoint: str = "filter", token: str | None = None, **options: Any) -> Api:
        """Connect a client, accepted or not. `token` is "" for none, by default a new member's."""
        headers = {**bearer(self.token() if token is None else token), **options.pop("headers", {})}
        client = Api(self.scene.port, endpoint, headers=headers, **options)
        self.scene.readers.append(client)  # type: ignore[arg-type]
        return client

    def open(self, endpoint: str = "filter", token: str | None = None, **options: Any) -> Api:
        """Connect a client and read the greeting: it receives what is posted afterwards."""
        client = self.api(endpoint, token, **options)
        assert client.status == 200, client.response.read()
        events = client.response.headers["Content-Type"].startswith("text/event-stream")
        assert client.until(b"\n\n" if events else b"\r\n").strip() in (b": welcome", b"")
        return client

    def firehose(self, **options: Any) -> Api:
        """Connect a client to the firehose."""
        return self.open("firehose", self.token(0, "firehose"), **options)


def numbers(messages: list[dict[str, Any]]) -> list[int]:
    """Return the status ids of messages."""
    return [
        message["delete"]["status"]["id"] if "delete" in message else message["id"]
        for message in messages
    ]
