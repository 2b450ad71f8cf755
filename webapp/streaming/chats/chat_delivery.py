"""Write the response of a page that listens for chats only: for an open one, or for unread counts.

The events are `message` {"chat", "id", "rev", "last", "html"}: new or changed; `mark`: only a
position; `reload`: missed messages are gone; `chat` {"chat"}: the chat or its membership changed;
`gone` {"chat"}: the reader does not belong to it; `typing` {"chat", "uid", "name"}; `seen` {"chat",
"uid", "name", "id"}; `here` {"chat", "uids"}: its members who are present; `badge` {"all",
"requests", "chats", "notifications"}: unread counts, which the streams of other pages get too.
Programs get other events, of one chat or of all (`docs/chat-api.md`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from webapp.chat.live.program_events import READY
from webapp.chat.live.rendered_changes import Reader
from webapp.core.errors import Unavailable
from webapp.streaming.delivery.delivery import StreamCredentials
from webapp.streaming.delivery.encoders import LineEncoder, SseEncoder, split_messages
from webapp.streaming.end_codes import EndCode
from webapp.streaming.http.asgi import Send, send_chunk
from webapp.streaming.hub.connection import Connection
from webapp.streaming.log.messages import Message, ephemeral_message
from webapp.streaming.serializers.notices import disconnect_json

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
        encoder: SseEncoder,
    ) -> None:
        self._chats = chats
        self._connection = connection
        self._credentials = credentials
        self._reader = reader
        self._chat = chat
        self._encoder = encoder

    async def run(self, disconnected: asyncio.Task[None], send: Send) -> None:
        """Send changes of chats until the stream ends."""
        await send_chunk(send, self._encoder.greeting)
        try:
            async with self._subscription():
                await self._send_live(disconnected, send)
        except Unavailable:  # the client comes back
            return
        if self._reader.is_program and self._connection.end_code:
            notice = disconnect_json(self._connection.end_code, "chats")
            await send_chunk(send, self._encoder.encode_control(notice))

    @asynccontextmanager
    async def _subscription(self) -> AsyncIterator[None]:
        """Listen to the chat that was asked for, or for a program to all, while the block runs."""
        connection, reader = self._connection, self._reader
        if self._chat:
            with self._chats.subscribe(connection, reader, *self._chat):
                yield
        elif reader.is_program:
            async with self._chats.member_chats.follow(connection, reader):
                connection.enqueue([ephemeral_message(*READY)])
                yield
        else:
            yield

    async def _send_live(self, disconnected: asyncio.Task[None], send: Send) -> None:
        retry = self._encoder.retry
        while True:
            batch = await self._connection.next_batch(self._encoder.heartbeat, disconnected)
            if batch is None:
                return
            if not await self._credentials.still_valid(self._connection.take_recheck()):
                self._connection.end_code = self._connection.end_code or EndCode.REVOKED
                return
            for chunk in split_messages(batch):
                encoded = self._encode(chunk)
                if encoded and not self._connection.discarded:
                    await send_chunk(send, retry + encoded)
                    retry = b""
            if not batch:
                await send_chunk(send, self._encoder.keepalive)

    def _encode(self, messages: Sequence[Message]) -> bytes:
        """Return messages as bytes. Programs are not sent those of pages, which have no JSON."""
        if not self._reader.is_program:
            return self._encoder.encode(list(messages))
        encoder = self._encoder
        if isinstance(encoder, LineEncoder):
            return b"".join(encoder.encode_line(one.body) for one in messages if one.body)
        return b"".join(one.sse for one in messages if one.body)
