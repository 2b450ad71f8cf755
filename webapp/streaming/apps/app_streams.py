"""Answer apps that open streams: as a WebSocket, or as a response of Server-Sent Events."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from webapp.client_api.http import responses
from webapp.client_api.news.conversation_news import conversations_since
from webapp.client_api.news.notices import news_since
from webapp.client_api.streams import PATH, Stream, parse_stream
from webapp.core.errors import NotFound, Refused, Unavailable
from webapp.core.store import Site
from webapp.streaming.api_v1.endpoint import FULL
from webapp.streaming.api_v1.held_slots import HeldSlots
from webapp.streaming.background import require_open
from webapp.streaming.delivery.encoders import JSON_TYPE, SSE_TYPE
from webapp.streaming.end_codes import EndCode
from webapp.streaming.http.asgi import (
    TEXT,
    Headers,
    Receive,
    Scope,
    Send,
    disconnect_task,
    end_response,
    respond,
    start_response,
)
from webapp.streaming.http.requests import Request
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.log_reader import LogReader

from .app_callers import AppCaller, AppCredentials, identify
from .app_delivery import AppEvents
from .app_session import AppSession, Sources, topic_of
from .app_socket import AppSocket
from .news_feed import NewsFeed
from .socket_watch import SocketWatch
from .status_batches import Presenter, StatusBatches

CORS: Headers = [(name.lower().encode(), value.encode()) for name, value in responses.CORS.items()]
GOING_AWAY, POLICY, TRY_LATER = 1001, 1008, 1013  # codes of closed WebSockets
CLOSE_SECONDS = 3.0  # for a client to take the last frame
CLOSE_CODES = {EndCode.SHUTDOWN: GOING_AWAY, EndCode.REVOKED: POLICY}


class AppStreams:
    """The streams of apps in this process."""

    def __init__(
        self, site: Site, hub: Hub, log: LogReader, slots: HeldSlots, presenter: Presenter
    ) -> None:
        self._site = site
        self._hub = hub
        self._slots = slots
        notices = NewsFeed(presenter, news_since)
        conversations = NewsFeed(presenter, conversations_since)
        self.feeds = (notices, conversations)
        self.batches = StatusBatches(presenter)
        self.sockets = SocketWatch()
        self._sources = Sources(site, hub, log, self.batches, notices, conversations)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of an address below PATH."""
        if scope["type"] == "websocket":
            await self._serve_socket(scope, receive, send)
            return
        path = scope["path"].removeprefix(PATH).strip("/")
        if scope["method"] == "OPTIONS":
            await respond(send, 204, b"text/plain", b"", *CORS)
        elif path == "health":
            await respond(send, 200, TEXT, b"OK", *CORS)  # clients compare it whole
        elif scope["method"] != "GET":
            await _refuse(send, NotFound("no_stream"))
        else:
            await self._serve_events(path.replace("/", ":"), scope, receive, send)

    async def _serve_events(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request({**scope, "method": "GET"})
        try:
            stream = parse_stream(name, *_parameters(request))
            async with self._admitted(request) as (caller, connection):
                await asyncio.to_thread(self._require, caller, stream)
                monitored_send = connection.monitored(send)
                await start_response(monitored_send, 200, SSE_TYPE, *CORS)
                session = AppSession(
                    *(self._sources, caller, connection, lambda _: AppEvents(), monitored_send)
                )
                async with disconnect_task(receive) as reading:
                    session.open(stream, reading, is_only=True)
                    await session.run(reading)
                await end_response(monitored_send)
        except (Refused, HubFull) as error:
            await _refuse(send, error)

    async def _serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # that somebody connects
        request = Request({**scope, "method": "GET"})
        try:
            async with self._admitted(request) as (caller, connection):
                chosen = next(iter(scope["subprotocols"]), None)
                await send({"type": "websocket.accept", "subprotocol": chosen})
                with self.sockets.watch(*scope["client"]) as watched:
                    socket = AppSocket(self._sources, caller, connection, send, watched)
                    await _close(send, await socket.run(receive, request))
        except (Refused, HubFull) as error:
            await _refuse(send, error, "websocket.")

    @asynccontextmanager
    async def _admitted(self, request: Request) -> AsyncIterator[tuple[AppCaller, Connection]]:
        """Let a client in while the block runs; it has one of its holder's slots.

        Raises Unauthorized, Forbidden, RateLimited, Unavailable and HubFull.
        """
        require_open(self._site)
        network = request.network(self._site.config)
        caller = await asyncio.to_thread(identify, self._site, _token(request), network)
        slot = secrets.token_hex(12)
        limit = self._site.config.app_streams_per_member
        with self._hub.open_connection() as connection:
            async with self._slots.hold(connection, caller.slot_holder, slot, limit):
                yield caller, connection

    def _require(self, caller: AppCaller, stream: Stream) -> None:
        """Check that a caller may have a stream. Raises Unauthorized, Forbidden, NotFound."""
        caller.require(stream.kind)
        if caller.uid:
            topic = topic_of(stream, caller.uid)
            AppCredentials(self._site, caller, stream.kind, topic).load()


def _parameters(request: Request) -> tuple[str, str]:
    return request.parameter("tag") or "", request.parameter("list") or ""


def _token(request: Request) -> str:
    """Return the access token of a request; browsers can send it as a protocol only."""
    protocol = request.headers.get("sec-websocket-protocol", "").partition(",")[0].strip()
    return request.token or request.parameter("access_token") or protocol


async def _close(send: Send, code: EndCode) -> None:
    """Close a socket whose client is still there, if it reads."""
    if code:
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                closing = CLOSE_CODES.get(code, TRY_LATER)
                await send({"type": "websocket.close", "code": closing})


async def _refuse(send: Send, error: Refused | HubFull, prefix: str = "") -> None:
    """Answer with a JSON object that says why not. `prefix`: of the kinds of messages."""

    async def send_as(message: dict[str, Any]) -> None:
        await send({**message, "type": f"{prefix}{message['type']}"})

    refusal = error if isinstance(error, Refused) else Unavailable("full", FULL, 5)
    response = responses.error(refusal)
    kept = ("retry-after", "www-authenticate")
    headers = [(name.lower(), value) for name, value in response.headers.items()]
    extra = [(name.encode(), value.encode()) for name, value in headers if name in kept]
    await respond(send_as, response.status_code, JSON_TYPE, response.data, *extra, *CORS)
