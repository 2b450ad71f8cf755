"""Write the response of a page that listens for chats only: for an open one, or for unread counts.

The events are `message` {"chat", "id", "rev", "last", "html"}: new or changed; `mark`: only a
position; `reload`: what was missed is gone; `chat` {"chat"}: the chat or its membership changed;
`gone` {"chat"}: the reader does not belong to it; `typing` {"chat", "uid", "name"}; `seen` {"chat",
"uid", "name", "id"}; `here` {"chat", "uids"}: its members who are present; `badge` {"all",
"requests", "chats", "notifications"}: unread counts, which the streams of other pages get too.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

from webapp.chat.live.updates import Reader
from webapp.streaming.delivery.delivery import StreamCredentials
from webapp.streaming.delivery.encoders import PAGE_SSE
from webapp.streaming.http.asgi import Send, send_chunk
from webapp.streaming.hub.connection import Connection

from .chats import Chats, OpenChat


class ChatDelivery:
    """The writer of one connection's response."""

    def __init__(
        self,
        chats: Chats,
        connection: Connection,
        credentials: StreamCredentials,
        reader: Reader,
        chat: OpenChat | None,
    ) -> None:
        self._chats = chats
        self._connection = connection
        self._credentials = credentials
        self._reader = reader
        self._chat = chat

    async def run(self, disconnected: asyncio.Task[None], send: Send) -> None:
        """Send what is new until the stream ends."""
        await send_chunk(send, PAGE_SSE.greeting)
        subscription = (
            self._chats.subscribe(self._connection, self._reader, *self._chat)
            if self._chat
            else nullcontext()
        )
        with subscription:
            await self._send_live(disconnected, send)

    async def _send_live(self, disconnected: asyncio.Task[None], send: Send) -> None:
        while True:
            batch = await self._connection.next_batch(PAGE_SSE.heartbeat, disconnected)
            if batch is None:
                return
            if not await self._credentials.still_valid(self._connection.take_recheck()):
                return
            await send_chunk(send, PAGE_SSE.encode(batch) if batch else PAGE_SSE.keepalive)
