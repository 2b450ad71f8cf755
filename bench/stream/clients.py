"""Hold thousands of clients with open responses in one process, at little cost.

They share the machine with the measured processes.
"""

from __future__ import annotations

import asyncio
import re
import resource
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

AT_ONCE = 50  # connections that are being opened
PATIENCE = 120.0  # seconds for all that was asked for
BUFFER = 1 << 18  # bytes of one read
FILES = 16_000  # open files wanted
EACH = b'{"created_at":'  # how every status begins, and nothing else
NUMBER = re.compile(rb"bench(\d{7})")  # the word by which a status is known
_shared = bytearray(BUFFER)  # every read ends before the next begins


class Client(asyncio.BufferedProtocol):
    """Hold an open response and ignore its content."""

    accepted_by = b"HTTP/1.1 200 "  # how the response to its request begins

    def __init__(self, crowd: Crowd, request: bytes) -> None:
        self._crowd, self._request = crowd, request
        self.accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def get_buffer(self, sizehint: int) -> bytearray:
        return _shared

    def buffer_updated(self, nbytes: int) -> None:
        if self.accepted.done():
            self.process(nbytes)
            return
        self._tail += bytes(_shared[:nbytes])
        head, end, rest = self._tail.partition(b"\r\n\r\n")
        if end and head.startswith(self.accepted_by):
            self._tail = rest
            self.accepted.set_result(None)
        elif end:
            self.accepted.set_exception(RuntimeError(self._tail.decode(errors="replace")))

    def connection_lost(self, error: Exception | None) -> None:
        self._crowd.cut += not self._transport.is_closing() or error is not None
        if not self.accepted.done():
            self.accepted.set_exception(RuntimeError(f"not accepted: {error!r}"))

    def close(self) -> None:
        """Abort the connection."""
        self._transport.abort()

    def process(self, nbytes: int) -> None:
        """Process the bytes received."""

    def read(self, nbytes: int) -> bytes:
        """Return a copy of the bytes received."""
        return bytes(_shared[:nbytes])


class Counter(Client):
    """Count the statuses received. `each`: what is in every one of them once."""

    each = EACH

    def process(self, nbytes: int) -> None:
        kept = len(self.each) - 1
        seam = self._tail + _shared[: min(nbytes, kept)]
        found = seam.count(self.each) + _shared.count(self.each, 0, nbytes)
        self._tail = (seam if nbytes <= kept else bytes(_shared[nbytes - kept : nbytes]))[-kept:]
        self._crowd.count(found)


class Tracker(Client):
    """Record when each expected status arrived, and unexpected ones."""

    def __init__(self, crowd: Crowd, request: bytes, number: int, watch: Watch) -> None:
        super().__init__(crowd, request)
        self._number, self._watch = number, watch

    def process(self, nbytes: int) -> None:
        now, data, end = time.perf_counter(), self._tail + _shared[:nbytes], 0
        for match in NUMBER.finditer(data):
            self._watch.received(int(match[1]), self._number, now)
            end = match.end()
        self._tail = data[max(end, len(data) - 11) :]


class Watch:
    """Record which clients still wait for which status, and the latencies."""

    def __init__(self) -> None:
        self.waiting: dict[int, set[int]] = {}  # status → clients
        self.posted: dict[int, float] = {}  # status → when, perf_counter seconds
        self.seconds = array("d")  # from the POST to the client, one a message
        self.unexpected = 0  # messages sent twice or to the wrong client

    def expect(self, number: int, clients: set[int]) -> None:
        """Record that a status is posted now for these clients."""
        if clients:
            self.waiting[number] = clients
        self.posted[number] = time.perf_counter()

    def received(self, number: int, client: int, now: float) -> None:
        """Record that a client received a status."""
        waiting = self.waiting.get(number)
        if waiting is None or client not in waiting:
            self.unexpected += 1
            return
        waiting.discard(client)
        self.seconds.append(now - self.posted[number])
        if not waiting:
            del self.waiting[number]

    @property
    def missing(self) -> int:
        """Return how many messages are missing."""
        return sum(map(len, list(self.waiting.values())))


class Crowd:
    """Run an event loop in a thread, with clients in it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="clients", daemon=True)
        self._thread.start()
        self._goal, self._reached = 0, threading.Event()
        self.counted = 0
        self.cut = 0  # responses ended by the server

    def open(self, port: int, makers: Sequence[Callable[[], Client]]) -> list[Client]:
        """Open all responses and wait until they are accepted. Raises RuntimeError on a refusal."""
        return asyncio.run_coroutine_threadsafe(self._open(port, makers), self._loop).result(
            PATIENCE
        )

    def close(self, clients: Sequence[Client]) -> None:
        """Close these clients."""
        asyncio.run_coroutine_threadsafe(self._close(clients), self._loop).result(PATIENCE)

    def count(self, found: int) -> None:
        """Add to the count of statuses."""
        self.counted += found
        if self.counted >= self._goal:
            self._reached.set()

    @contextmanager
    def counting(self, more: int) -> Iterator[None]:
        """Wait at the end of the block until `more` statuses were counted since its start."""
        self._goal = self.counted + more
        self._reached.clear()
        yield
        if not self._reached.wait(PATIENCE) or self.counted != self._goal:
            raise RuntimeError(
                f"{self.counted - self._goal:+,} statuses, and {self.cut:,} clients were cut"
            )

    def end(self) -> None:
        """Stop the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    async def _open(self, port: int, makers: Sequence[Callable[[], Client]]) -> list[Client]:
        places = asyncio.Semaphore(AT_ONCE)

        async def one(make: Callable[[], Client]) -> Client:
            async with places:
                _, client = await self._loop.create_connection(make, "127.0.0.1", port)
                await client.accepted
                return client

        return list(await asyncio.gather(*map(one, makers)))

    async def _close(self, clients: Sequence[Client]) -> None:
        for client in clients:
            client.close()


@contextmanager
def crowd() -> Iterator[Crowd]:
    """Run a crowd during the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < FILES <= hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))
    made = Crowd()
    try:
        yield made
    finally:
        made.end()


def request(path: str, bearer: str = "") -> bytes:
    """Return a request for a stream."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {bearer}\r\n\r\n".encode()
    )
