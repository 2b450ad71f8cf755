"""Write the response of a page that listens for chats only: for an open one, or for unread counts.

The events are `message` {"chat", "id", "rev", "last", "html"}: new or changed; `mark`: only a
position; `reload`: missed messages are gone; `chat` {"chat"}: the chat or its membership changed;
`gone` {"chat"}: the reader does not belong to it; `typing` {"chat", "uid", "name"}; `seen` {"chat",
"uid", "name", "id"}; `here` {"chat", "uids"}: its members who are present; `badge` {"all",
"requests", "chats", "notifications"}: unread counts, which the streams of other pages get too.
Programs get other events, of one chat or of all (`docs/chat-api.md`).
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

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

from .open_chats import OpenChat, OpenChats


@dataclass(slots=True, eq=False)
class ChatDelivery:
    """The writer of one connection's response."""

    chats: OpenChats
    connection: Connection
    credentials: StreamCredentials
    reader: Reader
    chat: OpenChat | None
    encoder: SseEncoder

    async def run(self, disconnected: asyncio.Task[None], send: Send) -> None:
        """Send changes of chats until the stream ends."""
        await send_chunk(send, self.encoder.greeting)
        try:
            async with self._subscription():
                await self._send_live(disconnected, send)
        except Unavailable:  # the client comes back
            return
        if self.reader.is_program and self.connection.end_code:
            notice = disconnect_json(self.connection.end_code, "chats")
            await send_chunk(send, self.encoder.encode_control(notice))

    @asynccontextmanager
    async def _subscription(self) -> AsyncIterator[None]:
        """Listen to the chat that was asked for, or for a program to all, while the block runs."""
        connection, reader = self.connection, self.reader
        if self.chat:
            with self.chats.subscribe(connection, reader, *self.chat):
                yield
        elif reader.is_program:
            async with self.chats.member_chats.follow(connection, reader):
                connection.enqueue([ephemeral_message(*READY)])
                yield
        else:
            yield

    async def _send_live(self, disconnected: asyncio.Task[None], send: Send) -> None:
        retry = self.encoder.retry
        while True:
            batch = await self.connection.next_batch(self.encoder.heartbeat, disconnected)
            if batch is None:
                return
            if not await self.credentials.still_valid(self.connection.take_recheck()):
                self.connection.end_code = self.connection.end_code or EndCode.REVOKED
                return
            for chunk in split_messages(batch):
                encoded = self._encode(chunk)
                if encoded and not self.connection.discarded:
                    await send_chunk(send, retry + encoded)
                    retry = b""
            if not batch:
                await send_chunk(send, self.encoder.keepalive)

    def _encode(self, messages: Sequence[Message]) -> bytes:
        """Return messages as bytes. Programs are not sent those of pages, which have no JSON."""
        if not self.reader.is_program:
            return self.encoder.encode(list(messages))
        encoder = self.encoder
        if isinstance(encoder, LineEncoder):
            return b"".join(encoder.encode_line(one.body) for one in messages if one.body)
        return b"".join(one.sse for one in messages if one.body)
