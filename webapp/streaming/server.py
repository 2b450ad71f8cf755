"""The stream process: an ASGI app that follows the site's log once and hands it to every open response.

Server-Sent Events, each with its log id: `GET /stream/public` (everybody), `/stream/profile/<member id>` (one author),
`/stream/tag/<name>` (a hashtag), `/stream/thread/<status id>` (a status and what is below it), `/stream/home` (whom the
signed-in member follows). `update`: a status as JSON; `delete` {"id"}; `hide` {"account"}: its statuses are shown no
more; `mark`: nothing but its id; `reload`: what was missed cannot be told. A client comes back with `Last-Event-ID` or
`since`, a page's script comes with `page` first. One that reads too slowly is cut. Of chats (`/stream/chats`) chats.py
tells; a member's other pages are told their `badge` too.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from functools import partial
from typing import Any

from .. import config as settings
from .. import limits
from ..chat.live import Reader, Render
from ..connect import connect
from ..errors import Forbidden, NotFound, RateLimited, Unavailable
from ..lists import store as lists
from ..logs import configure
from ..statuses import threads
from ..timelines import tags
from . import api, collector
from .badges import Badges
from .chats import ChatDelivery, Chats
from .delivery import Delivery, Send, until_gone
from .desk import Desk
from .index import Topic
from .log import Log
from .requests import OWN, Request
from .room import Full, Room
from .seat import Seat
from .viewers import Credentials, follows

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
HEADERS = [(b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"), (b"x-content-type-options", b"nosniff")]
RETRY = (b"retry-after", b"5")
UNAUTHORIZED = (b"www-authenticate", b"Bearer")
HEALTH = ("/healthz", "/readyz")


class StreamApp:
    """The ASGI application: one log reader, and a room of open responses."""

    def __init__(self, config: settings.Config, render: Render | None = None) -> None:
        """`render`: how messages of chats are shown; without it no chat is."""
        configure(config)
        self._config = config
        self._db = connect(config)
        self._room = Room(config.streams_max, config.stream_queue, config.stream_memory)
        self._log = Log(self._db, self._room, public_address(config))
        self._desk = Desk(self._db, config, self._room, self._log)
        self._badges = Badges(self._db)
        self._chats = Chats(self._db, render, self._badges, self._room.relieve)
        self._tasks: list[asyncio.Task[None]] = []

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
                self._tasks = [asyncio.create_task(work) for work in self._works()]
                self._heed_signals()
            else:
                self._room.close()
                self._chats.close()
                for task in self._tasks:
                    task.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await task
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    def _works(self) -> Iterator[Coroutine[Any, Any, None]]:
        """What goes on for as long as the process does."""
        yield from (self._log.follow(), self._desk.refresh(), collector.spare())
        yield from (self._chats.follow(), self._chats.tick(), self._badges.follow())

    def _heed_signals(self) -> None:
        """Ends the streams when told to stop. Granian waits for them before it tells us; it listens to the event loop's
        own record of signals, which goes on whatever handler is set here."""
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(self._room.close))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, path = Request(scope), scope["path"]
        if match := api.PATH.match(path):
            await self._answer_api(match[1], scope, receive, send)
        elif path not in HEALTH and (request.topic is None or not self._chats.known(request.chat)):
            await _plain(send, 404, "There is no such stream.")
        elif request.method not in ("GET", "HEAD"):
            await _plain(send, 405, "A stream is read with GET.", (b"allow", b"GET, HEAD"))
        elif path == "/healthz":
            await _plain(send, 200, "ok")
        elif path == "/readyz":
            ready = await asyncio.to_thread(self._log.ready)
            await _plain(send, *((200, "ok") if ready else (503, "Our data store does not answer.")))
        else:
            await self._serve(request, receive, send)

    async def _answer_api(self, kind: str, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in ("GET", "HEAD", "POST"):
            await self._desk.serve(kind, scope, receive, send)
        else:
            await _plain(send, 405, "A stream is asked for with GET or POST.", (b"allow", b"GET, HEAD, POST"))

    async def _serve(self, request: Request, receive: Receive, send: Send) -> None:
        extra = request.cors(self._config)
        try:
            with self._room.seat() as seat:
                now = self._room.position
                delivery = await self._admit(request, seat)  # which may take a while: `now` is before it
                if delivery is None:
                    await _plain(send, 401, "Sign in first, or send an access token.", UNAUTHORIZED, *extra)
                    return
                start = await delivery.start(request.resume, now)
                await send(_start(200, b"text/event-stream; charset=utf-8", *extra))
                if request.method == "GET":
                    gone = asyncio.create_task(until_gone(receive))
                    try:
                        with self._badges.seat(seat, seat.uid):
                            await delivery.run(start, gone, send)
                    finally:
                        gone.cancel()
                await send({"type": "http.response.body", "body": b""})
        except (NotFound, Forbidden) as refusal:
            await _plain(send, refusal.status, str(refusal.sentence), *extra)
        except RateLimited as refusal:
            wait = (b"retry-after", str(refusal.retry_after).encode())
            await _plain(send, 429, str(refusal.sentence), wait, *extra)
        except Full:
            await _plain(send, 503, "All streams are taken. Try again in a moment.", RETRY, *extra)
        except Unavailable:
            await _plain(send, 503, "Our data store does not answer.", RETRY, *extra)

    async def _admit(self, request: Request, seat: Seat) -> Delivery | ChatDelivery | None:
        """What the seat will be sent; None for what is a member's own, of nobody. Raises RateLimited and Unavailable,
        and for a thread NotFound and Forbidden.
        """
        topic, now = request.topic or Topic("public"), self._room.position
        credentials = Credentials(self._db, self._config, request.headers, request.own_page(self._config), topic)
        uid = await credentials.viewer()
        if topic.kind in OWN and uid is None:
            return None
        if uid:
            opening = ("page-stream", str(uid), self._config.limit_page_streams)
            await asyncio.to_thread(limits.take, self._db, opening)
            self._room.belong_to_page(seat, uid)
        if topic.kind != "chats":
            topic = Topic("home", uid or 0) if topic.kind == "home" else topic
            authors, names = partial(follows, self._db, topic.uid), partial(tags.listed, self._db, topic.uid)
            if topic.kind == "list":
                authors, names = partial(lists.audience, self._db, topic.uid, topic.number), partial(list[str])
            audience = await self._room.join(seat, topic, authors, names)
        # Asked once it is seated: from then on a change of the list ends the stream.
        if topic.kind == "list" and not await asyncio.to_thread(lists.may_read, self._db, topic.uid, topic.number, uid):
            return None
        if topic.kind == "thread":
            await asyncio.to_thread(threads.tellable, self._db, topic.number, uid)
        # A sign-out between the check and the taking of the seat was told to nobody.
        seat.doubted = seat.doubted or self._room.position != now
        if topic.kind == "chats":
            return ChatDelivery(self._chats, seat, credentials, Reader(uid or 0, request.language), request.chat)
        return Delivery(self._room, self._log, seat, audience, credentials if uid else None)


def public_address(config: settings.Config) -> str:
    """The address of the pages, as links in messages have it."""
    return config.site_url.rstrip("/") or f"http://{config.host}:{config.port}"


def create_stream_app(render: Render | None = None) -> StreamApp:
    """The stream process's app, from the environment's settings. Raises BadSetting or StoreError."""
    return StreamApp(settings.with_secret(settings.load()), render)


def _start(status: int, kind: bytes, *extra: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind), *HEADERS, *extra]}


async def _plain(send: Send, status: int, sentence: str, *extra: tuple[bytes, bytes]) -> None:
    await send(_start(status, b"text/plain; charset=utf-8", *extra))
    await send({"type": "http.response.body", "body": f"{sentence}\n".encode()})
