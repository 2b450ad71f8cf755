"""An app with a WebSocket open."""

import json
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NamedTuple

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.support.processes import PATIENCE

SETTLE_SECONDS = 0.3  # between two posts that show whether a stream is open


class Frame(NamedTuple):
    """One frame. `payload`: the entity or an id, None without one."""

    stream: list[str]
    event: str
    payload: Any

    @property
    def id(self) -> int:
        """The id of the entity, or of what is gone."""
        return int(self.payload if isinstance(self.payload, int) else self.payload["id"])


class AppSocket:
    """A client as browsers have it: its token travels as a protocol."""

    def __init__(
        self,
        port: int,
        token: str,
        query: str = "",
        by_query: bool = False,
        sock: socket.socket | None = None,
    ) -> None:
        """Connect. `sock`: a connection to use, which is then read frame by frame."""
        self.token = token
        address = f"ws://127.0.0.1:{port}/api/v1/streaming?{query}"
        if by_query:
            address += f"&access_token={token}"
        protocols: Any = None if by_query or not token else [token]
        self._open = ExitStack()
        held = 1 if sock else 1_000  # frames that are read ahead
        opened = connect(address, subprotocols=protocols, sock=sock, max_queue=held)
        self.socket: ClientConnection = self._open.enter_context(opened)
        assert self.socket.subprotocol == (protocols[0] if protocols else None)

    def close(self) -> None:
        """Close the socket."""
        self._open.close()

    def send(self, kind: str, stream: str, **parameters: str) -> None:
        """Subscribe to a stream, or unsubscribe from it."""
        self.socket.send(json.dumps({"type": kind, "stream": stream, **parameters}))

    def next(self, patience: float = PATIENCE) -> Frame:
        """Return the next frame. Raises TimeoutError, ConnectionClosed."""
        frame = json.loads(self.socket.recv(timeout=patience))
        payload = json.loads(frame.pop("payload", "null"))
        assert frame.keys() == {"stream", "event"}
        return Frame(frame["stream"], frame["event"], payload)

    def until(self, post: Callable[[], int], *streams: str) -> None:
        """Post until each of these streams has sent a post, and the last one has arrived."""
        waiting, deadline = set(streams), time.monotonic() + PATIENCE
        while waiting:
            assert time.monotonic() < deadline, waiting
            last = post()
            try:
                while waiting:
                    waiting.discard(self.next(SETTLE_SECONDS).stream[0])
            except TimeoutError:
                continue
        last, left = post(), set(streams)
        while left:
            frame = self.next()
            if frame.id == last:
                left.discard(frame.stream[0])

    def close_code(self) -> int:
        """Read up to the end of the socket and return its code."""
        try:
            while True:
                self.next()
        except ConnectionClosed as end:
            return end.rcvd.code if end.rcvd else 1006
