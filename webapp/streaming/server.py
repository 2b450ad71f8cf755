"""The stream process: an ASGI app that follows the site's log once and hands it to every open response.

`GET /stream/public`: Server-Sent Events `update` (a status as JSON) and `delete` ({"id"}), each with its log id. A
client that comes back with `Last-Event-ID` gets what it missed; one whose id is too old gets `reload`. One that reads
too slowly is cut.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from .. import config as settings
from ..connect import connect
from ..errors import Unavailable
from ..logs import configure
from .log import START, Log, Message, Order, order
from .room import Full, Room, Seat

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
HEARTBEAT_SECONDS = 15.0  # silence after which a comment keeps proxies from closing the stream
HEADERS = [(b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"), (b"x-content-type-options", b"nosniff")]


class StreamApp:
    """The ASGI application: one log reader, and a room of open responses."""

    def __init__(self, config: settings.Config) -> None:
        configure(config)
        self._db = connect(config)
        self._room = Room(config.streams_max, config.stream_queue)
        self._log = Log(self._db, self._room)
        self._reader: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._log.begin()
                self._reader = asyncio.create_task(self._log.follow())
                self._heed_signals()
            else:
                self._room.close()
                if self._reader:
                    self._reader.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await self._reader
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    def _heed_signals(self) -> None:
        """Ends the streams when told to stop. Granian waits for them before it tells us; it listens to the event loop's
        own record of signals, which goes on whatever handler is set here."""
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(self._room.close))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, method = scope["path"], scope["method"]
        if path not in ("/healthz", "/readyz", "/stream/public"):
            await _plain(send, 404, "There is no such stream.")
        elif method not in ("GET", "HEAD"):
            await _plain(send, 405, "A stream is read with GET.", (b"allow", b"GET, HEAD"))
        elif path == "/healthz":
            await _plain(send, 200, "ok")
        elif path == "/readyz":
            ready = await asyncio.to_thread(self._log.ready)
            await _plain(send, *((200, "ok") if ready else (503, "Our data store does not answer.")))
        else:
            await self._stream(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope["headers"]).get(b"last-event-id", b"").decode("ascii", "replace")
        try:
            with self._room.seat() as seat:
                missed = await asyncio.to_thread(self._log.since, given) if given else []
                await send(_start(200, b"text/event-stream; charset=utf-8"))
                if scope["method"] == "GET":
                    gone = asyncio.create_task(_until_gone(receive))
                    try:
                        await self._deliver(seat, missed, order(given) if given and not missed else START, gone, send)
                    finally:
                        gone.cancel()
                await send({"type": "http.response.body", "body": b""})
        except Full:
            await _plain(send, 503, "All streams are taken. Try again in a moment.", (b"retry-after", b"5"))
        except Unavailable:
            await _plain(send, 503, "Our data store does not answer.", (b"retry-after", b"5"))

    async def _deliver(
        self, seat: Seat, missed: list[Message], last: Order, gone: asyncio.Task[None], send: Send
    ) -> None:
        """What was missed, then what comes after `last`, until the client goes, lags too far behind, or the process
        ends.
        """
        await _chunk(send, b": welcome\n\n" + b"".join(message.sse for message in missed))
        last = missed[-1].order if missed else last
        while not gone.done():
            batch = await seat.next(HEARTBEAT_SECONDS, gone)
            if batch is None:
                return
            fresh = b"".join(message.sse for message in batch if message.order > last)
            await _chunk(send, fresh or b": still here\n\n")


def create_stream_app() -> StreamApp:
    """The stream process's app, from the environment's settings. Raises BadSetting or StoreError."""
    return StreamApp(settings.load())


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _start(status: int, kind: bytes, *extra: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind), *HEADERS, *extra]}


async def _chunk(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _plain(send: Send, status: int, sentence: str, *extra: tuple[bytes, bytes]) -> None:
    await send(_start(status, b"text/plain; charset=utf-8", *extra))
    await send({"type": "http.response.body", "body": f"{sentence}\n".encode()})
