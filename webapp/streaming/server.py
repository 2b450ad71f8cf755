"""The stream process: an ASGI app that reads the site's log once and serves every open response.

Server-Sent Events, each with its log id: `GET /stream/public` (everybody), `/stream/profile/<uid>`
(one author), `/stream/tag/<name>` (a hashtag), `/stream/search?q=<query>` (results of a query),
`/stream/thread/<status id>` (a status and its replies), `/stream/list/<uid>/<list id>` (a list),
`/stream/home` (the signed-in member's home) and `/stream/chats` (see `chats/chat_delivery.py`;
programs are sent all chats of their member).

The events are `update`: a status as JSON; `delete` {"id"}; `hide` {"account"}: its statuses are
no longer shown; `mark`: only a position; `reload`: missed messages are gone; `badge`: unread
counts. A client comes back with `Last-Event-ID` or `since`. A page's script first sends `page`: the
place in the log at which the page was rendered. A client that reads too slowly loses its stream.

`/api/v1/streaming` is for apps (see `apps/`).
"""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Coroutine, Iterator
from typing import Any

from webapp import config as settings
from webapp.chat.live.rendered_changes import RenderMessages
from webapp.client_api.streams import is_for_apps
from webapp.core.logs import configure
from webapp.core.net.ip import HEALTH_PATHS
from webapp.core.settings.live import LiveSettings, LiveSite
from webapp.core.store.connection import connect
from webapp.server import gc_freeze
from webapp.streaming.apps.status_batches import Presenter
from webapp.streaming.pages.topic_paths import public_address

from .api_v1 import api
from .api_v1.endpoint import ApiEndpoint
from .api_v1.held_slots import HeldSlots
from .apps.app_streams import AppStreams
from .background import end_streams_in_maintenance, run_forever
from .chats.badges import Badges
from .chats.open_chats import OpenChats
from .http.asgi import Receive, Scope, Send, respond_error, respond_text
from .http.requests import Request, came_by_http, has_valid_host
from .hub.hub import Hub
from .log_reader import LogReader
from .pages.page_streams import NO_STREAM, PageStreams
from .pages.topic_paths import open_chat, topic_of

SHED_SECONDS = 0.5  # between two looks at how much waits in all queues


class StreamApp:
    """The ASGI application."""

    def __init__(
        self,
        config: settings.Config,
        render: RenderMessages | None = None,
        presenter: Presenter | None = None,
        live: LiveSettings | None = None,
    ) -> None:
        """Make the app. `render` makes HTML of chat messages; without it there are no chats.

        `presenter` makes what apps are sent; without it there are no streams for apps. `live`: the
        settings that change; without it they stay.
        """
        configure(config)
        self.db = connect(config)
        self.hub = Hub(config.streams_max, config.stream_queue, config.stream_memory)
        self.log = LogReader(self.db, self.hub, public_address(config))
        self._site = site = LiveSite(self.db, live or LiveSettings(config))
        self._slots = HeldSlots(site)
        self._api = ApiEndpoint(site, self.hub, self.log, self._slots)
        self._badges = Badges(self.db)
        self._chats = OpenChats(self.db, render, self._badges)
        self._pages = PageStreams(site, self.hub, self.log, self._chats, self._badges)
        self._apps: AppStreams | None = None
        if presenter:
            self._apps = AppStreams(site, self.hub, self.log, self._slots, presenter)
            self._chats.watchers += self._apps.feeds
        self._tasks: list[asyncio.Task[None]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind = scope["type"]
        is_refused = kind != "lifespan" and came_by_http(self._site.config, scope)
        if kind == "lifespan":
            await self._lifespan(receive, send)
        elif is_refused and kind == "http":
            await respond_error(send, 403, "Ask by https.")
        elif self._apps and is_for_apps(scope["path"]) and not is_refused:
            await self._apps.serve(scope, receive, send)
        elif kind == "http":
            await self._dispatch(scope, receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self.start()
            else:
                await self.stop()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    async def start(self) -> None:
        """Find the end of the log, before which nobody may be let in, and follow it."""
        await self.log.begin()
        self._tasks = [asyncio.create_task(coroutine) for coroutine in self._background_tasks()]
        self._install_signal_handlers()

    async def stop(self) -> None:
        """End the streams, and what runs for them."""
        self.hub.close()
        self._chats.close()
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _background_tasks(self) -> Iterator[Coroutine[Any, Any, None]]:
        yield self.log.follow()
        yield self._slots.refresh()
        yield self._badges.run()
        yield self._chats.listen()
        yield self._chats.presence.run()
        yield self._chats.member_chats.run()
        if self._apps:
            yield self._apps.batches.run()
            yield self._apps.sockets.run()
            yield from (feed.run() for feed in self._apps.feeds)
        yield run_forever("load shedding", self._shed_load)
        yield end_streams_in_maintenance(self._site, self.hub)
        yield gc_freeze.run(lambda: len(self.hub.connections))

    async def _shed_load(self) -> None:
        await asyncio.sleep(SHED_SECONDS)
        self.hub.shed_load()

    def _install_signal_handlers(self) -> None:
        """End the streams when the process is asked to stop.

        Granian waits for open responses before it tells the app. It keeps a record of signals of
        its own, which works whatever handler is set here.
        """
        loop = asyncio.get_running_loop()
        if threading.current_thread() is threading.main_thread():
            for signal_number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(signal_number, lambda *_: loop.call_soon_threadsafe(self.hub.close))

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not has_valid_host(scope):
            await respond_error(send, 400, "A request names one valid host.")
            return
        path, method = scope["path"], scope["method"]
        if match := api.PATH.match(path):
            if method in ("GET", "HEAD", "POST"):
                await self._api.serve(match[1], scope, receive, send)
            else:
                allow = (b"allow", b"GET, HEAD, POST")
                await respond_error(send, 405, "A stream is asked for with GET or POST.", allow)
            return
        request = Request(scope)
        topic = topic_of(path, request.parameter("q") or "")
        is_health_check = path in HEALTH_PATHS
        if not is_health_check and (topic is None or not self._chats.exists(open_chat(request))):
            await respond_error(send, 404, NO_STREAM)
        elif method not in ("GET", "HEAD"):
            allow = (b"allow", b"GET, HEAD")
            await respond_error(send, 405, "A stream is read with GET.", allow)
        elif topic is None:
            await self._report_health(path, send)
        else:
            await self._pages.serve(topic, request, receive, send)

    async def _report_health(self, path: str, send: Send) -> None:
        """Answer `/healthz`: the process runs; or `/readyz`: the store answers, too."""
        if path == "/healthz" or await asyncio.to_thread(self.log.store_responds):
            await respond_text(send, 200, "ok")
        else:
            await respond_text(send, 503, "Our data store does not answer.")
