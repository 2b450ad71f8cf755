"""One WebSocket of an app: its client says which streams it wants, at any time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import orjson

from webapp.client_api.streams import parse_stream
from webapp.core.errors import Invalid, RateLimited, Refused, Unavailable
from webapp.streaming.background import RETRY_SECONDS
from webapp.streaming.end_codes import EndCode
from webapp.streaming.http.asgi import Receive, Send
from webapp.streaming.http.requests import Request
from webapp.streaming.hub.connection import Connection

from .app_callers import AppCaller
from .app_delivery import AppFrames
from .app_session import AppSession, Sources
from .socket_watch import WatchedSocket

FRAME_MAX = 4_096  # bytes; no app sends more, and longer ones would hold up all streams


class AppSocket:
    """An accepted WebSocket."""

    def __init__(
        self,
        sources: Sources,
        caller: AppCaller,
        connection: Connection,
        send: Send,
        watched: WatchedSocket,
    ) -> None:
        async def send_frame(message: dict[str, Any]) -> None:
            with watched.sending_frame():
                await send({"type": "websocket.send", "text": message["body"].decode()})

        self._site, self._send_frame = sources.site, send_frame
        self._caller, self._close, self._watched = caller, connection.close, watched
        self._session = AppSession(
            sources, caller, connection, lambda stream: AppFrames(stream.labels), send_frame
        )

    async def run(self, receive: Receive, request: Request) -> EndCode:
        """Send what the client asks for until it is gone, and return why it has to go.

        The address of the request may name its first stream.
        """
        reading = asyncio.create_task(self._read(receive))
        first = {name: values[0] for name, values in request.query.items()}
        await self._apply({**first, "type": "subscribe"}, reading)
        try:
            return await self._session.run(reading)
        finally:
            reading.cancel()

    async def _read(self, receive: Receive) -> None:
        """Handle frames until the client is gone, or sends too much."""
        reading = asyncio.current_task()
        while (message := await receive())["type"] != "websocket.disconnect":
            sent = message.get("bytes") or message.get("text", "").encode()
            self._watched.add_message(len(sent))
            if len(sent) > FRAME_MAX:
                return self._close(EndCode.REVOKED)
            await self._count_frame()
            with suppress(orjson.JSONDecodeError):
                frame = orjson.loads(sent)
                if isinstance(frame, dict) and reading:
                    await self._apply(frame, reading)

    async def _count_frame(self) -> None:
        """Count a frame. Read no other while the client has too many, or the store is silent."""
        while True:
            try:
                return await asyncio.to_thread(self._caller.count_call, self._site)
            except (RateLimited, Unavailable) as refusal:
                await asyncio.sleep(refusal.retry_after or RETRY_SECONDS)

    async def _apply(self, frame: Mapping[str, object], reading: asyncio.Task[None]) -> None:
        """Open or end a stream, or say that its parameter is missing. Ignore an unknown one."""
        name, tag, list_id = (str(frame.get(key) or "") for key in ("stream", "tag", "list"))
        try:
            stream = parse_stream(name, tag, list_id)
            if frame.get("type") == "subscribe":
                self._caller.require(stream.kind)
                self._session.open(stream, reading)
            elif frame.get("type") == "unsubscribe":
                self._session.end(stream)
        except Invalid as refusal:
            body = orjson.dumps({"error": str(refusal.sentence), "status": 400})
            await self._send_frame({"body": body})
        except Refused:
            pass  # clients expect no answer
