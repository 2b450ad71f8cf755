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

from webapp import config as settings
from webapp.chat.live.updates import Reader, RenderMessages
from webapp.core.logs import configure
from webapp.core.store.connection import connect
from webapp.core.web import rate_limits
from webapp.errors import Forbidden, NotFound, RateLimited, Unavailable
from webapp.lists import store as lists
from webapp.server import gc_freeze
from webapp.statuses.threads import store as threads
from webapp.streaming.api_v1 import api
from webapp.streaming.api_v1.endpoint import ApiEndpoint
from webapp.streaming.hub.badges import Badges
from webapp.streaming.hub.chats import ChatDelivery, Chats
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.hub.subscriptions import Topic
from webapp.streaming.log.log import Log
from webapp.timelines.tags import store as tags

from .credentials import Credentials, followed_uids
from .delivery import Delivery, Send, wait_for_disconnect
from .requests import MEMBER_STREAMS, Request

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]
RETRY_AFTER = (b"retry-after", b"5")
UNAUTHORIZED = (b"www-authenticate", b"Bearer")
HEALTH_PATHS = ("/healthz", "/readyz")


class StreamApp:
    """The ASGI application: one log reader, and a room of open responses."""

    def __init__(self, config: settings.Config, render: RenderMessages | None = None) -> None:
        """`render`: how messages of chats are shown; without it no chat is."""
        configure(config)
        self._config = config
        self._db = connect(config)
        self._hub = Hub(config.streams_max, config.stream_queue, config.stream_memory)
        self._log = Log(self._db, self._hub, public_address(config))
        self._api = ApiEndpoint(self._db, config, self._hub, self._log)
        self._badges = Badges(self._db)
        self._chats = Chats(self._db, render, self._badges, self._hub.shed_load)
        self._tasks: list[asyncio.Task[None]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._dispatch(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._log.begin()
                self._tasks = [
                    asyncio.create_task(coroutine) for coroutine in self._background_tasks()
                ]
                self._install_signal_handlers()
            else:
                self._hub.close()
                self._chats.close()
                for task in self._tasks:
                    task.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await task
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    def _background_tasks(self) -> Iterator[Coroutine[Any, Any, None]]:
        """What goes on for as long as the process does."""
        yield from (self._log.follow(), self._api.refresh_slots(), gc_freeze.run())
        yield from (self._chats.listen(), self._chats.tick(), self._badges.run())

    def _install_signal_handlers(self) -> None:
        """Ends the streams when told to stop. Granian waits for them before it tells us; it listens to the event loop's
        own record of signals, which goes on whatever handler is set here."""
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for signal_number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(signal_number, lambda *_: loop.call_soon_threadsafe(self._hub.close))

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, path = Request(scope), scope["path"]
        if match := api.PATH.match(path):
            await self._dispatch_api(match[1], scope, receive, send)
        elif path not in HEALTH_PATHS and (
            request.topic is None or not self._chats.exists(request.chat)
        ):
            await _send_text(send, 404, "There is no such stream.")
        elif request.method not in ("GET", "HEAD"):
            await _send_text(send, 405, "A stream is read with GET.", (b"allow", b"GET, HEAD"))
        elif path == "/healthz":
            await _send_text(send, 200, "ok")
        elif path == "/readyz":
            ready = await asyncio.to_thread(self._log.store_responds)
            await _send_text(
                send, *((200, "ok") if ready else (503, "Our data store does not answer."))
            )
        else:
            await self._serve_stream(request, receive, send)

    async def _dispatch_api(self, kind: str, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in ("GET", "HEAD", "POST"):
            await self._api.serve(kind, scope, receive, send)
        else:
            await _send_text(
                send, 405, "A stream is asked for with GET or POST.", (b"allow", b"GET, HEAD, POST")
            )

    async def _serve_stream(self, request: Request, receive: Receive, send: Send) -> None:
        cors_headers = request.cors(self._config)
        try:
            with self._hub.open_connection() as connection:
                position = self._hub.position
                delivery = await self._open_delivery(
                    request, connection
                )  # which may take a while: `now` is before it
                if delivery is None:
                    await _send_text(
                        send,
                        401,
                        "Sign in first, or send an access token.",
                        UNAUTHORIZED,
                        *cors_headers,
                    )
                    return
                start = await delivery.start_position(request.resume, position)
                await send(_response_start(200, b"text/event-stream; charset=utf-8", *cors_headers))
                if request.method == "GET":
                    disconnected = asyncio.create_task(wait_for_disconnect(receive))
                    try:
                        with self._badges.subscribe(connection, connection.uid):
                            await delivery.run(start, disconnected, send)
                    finally:
                        disconnected.cancel()
                await send({"type": "http.response.body", "body": b""})
        except (NotFound, Forbidden) as refusal:
            await _send_text(send, refusal.status, str(refusal.sentence), *cors_headers)
        except RateLimited as refusal:
            retry_after = (b"retry-after", str(refusal.retry_after).encode())
            await _send_text(send, 429, str(refusal.sentence), retry_after, *cors_headers)
        except HubFull:
            await _send_text(
                send,
                503,
                "All streams are taken. Try again in a moment.",
                RETRY_AFTER,
                *cors_headers,
            )
        except Unavailable:
            await _send_text(
                send, 503, "Our data store does not answer.", RETRY_AFTER, *cors_headers
            )

    async def _open_delivery(
        self, request: Request, connection: Connection
    ) -> Delivery | ChatDelivery | None:
        """What the seat will be sent; None for what is a member's own, of nobody. Raises RateLimited and Unavailable,
        and for a thread NotFound and Forbidden.
        """
        topic, position = request.topic or Topic("public"), self._hub.position
        credentials = Credentials(
            self._db, self._config, request.headers, request.is_same_origin(self._config), topic
        )
        uid = await credentials.load_viewer()
        if topic.kind in MEMBER_STREAMS and uid is None:
            return None
        if uid:
            rate_limit = ("page-stream", str(uid), self._config.limit_page_streams)
            await asyncio.to_thread(rate_limits.consume, self._db, rate_limit)
            self._hub.set_page_owner(connection, uid)
        if topic.kind != "chats":
            topic = Topic("home", uid or 0) if topic.kind == "home" else topic
            load_authors, load_tags = (
                partial(followed_uids, self._db, topic.uid),
                partial(tags.followed, self._db, topic.uid),
            )
            if topic.kind == "list":
                load_authors, load_tags = (
                    partial(lists.member_uids, self._db, topic.uid, topic.object_id),
                    partial(list[str]),
                )
            channel = await self._hub.subscribe(connection, topic, load_authors, load_tags)
        # Asked once it is seated: from then on a change of the list ends the stream.
        if topic.kind == "list" and not await asyncio.to_thread(
            lists.may_read, self._db, topic.uid, topic.object_id, uid
        ):
            return None
        if topic.kind == "thread":
            await asyncio.to_thread(threads.require_streamable, self._db, topic.object_id, uid)
        # A sign-out between the check and the taking of the seat was told to nobody.
        connection.needs_recheck = connection.needs_recheck or self._hub.position != position
        if topic.kind == "chats":
            return ChatDelivery(
                self._chats,
                connection,
                credentials,
                Reader(uid or 0, request.language),
                request.chat,
            )
        return Delivery(self._hub, self._log, connection, channel, credentials if uid else None)


def public_address(config: settings.Config) -> str:
    """The address of the pages, as links in messages have it."""
    return config.site_url.rstrip("/") or f"http://{config.host}:{config.port}"


def create_stream_app(render: RenderMessages | None = None) -> StreamApp:
    """The stream process's app, from the environment's settings. Raises BadSetting or StoreError."""
    return StreamApp(settings.with_secret(settings.load()), render)


def _response_start(
    status: int, content_type: bytes, *extra: tuple[bytes, bytes]
) -> dict[str, Any]:
    return {
        "type": "http.response.start",
        "status": status,
        "headers": [(b"content-type", content_type), *HEADERS, *extra],
    }


async def _send_text(send: Send, status: int, sentence: str, *extra: tuple[bytes, bytes]) -> None:
    await send(_response_start(status, b"text/plain; charset=utf-8", *extra))
    await send({"type": "http.response.body", "body": f"{sentence}\n".encode()})
