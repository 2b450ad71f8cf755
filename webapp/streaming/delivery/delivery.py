"""Write one open response: missed messages, then new ones."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from webapp.core.errors import Unavailable
from webapp.core.metrics import recorder
from webapp.core.metrics.names import STREAMS_SENT
from webapp.streaming.end_codes import EndCode
from webapp.streaming.http.asgi import Send, send_chunk
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.hub import Hub
from webapp.streaming.hub.subscriptions import Channel
from webapp.streaming.log.messages import HIDE_KINDS, Message
from webapp.streaming.log.position import LOG_START, LogPosition
from webapp.streaming.log_reader import LogReader
from webapp.streaming.serializers.notices import disconnect_json, limit_json, warning_json

from .backlog import Backlog
from .encoders import CHUNK_BYTES, PAGE_SSE, SseEncoder, split_messages
from .start import Start

CATCH_UP_SECONDS = 60.0  # for a client to take a chunk of missed messages
WARN_SECONDS = 300.0  # between two warnings to one client
WARN_FULLNESS = 0.6  # the part of its queue above which a client is warned
Complete = Callable[[list[Message]], list[Message]]


class StreamCredentials(Protocol):
    """Credentials that decide whether a client may go on reading."""

    @property
    def hidden_until(self) -> Mapping[int, float]:
        """Return hidden authors, until when, unix seconds."""

    def shows(self, message: Message) -> bool:
        """Return True if the reader is sent a message, as far as is known of its authors."""

    async def look_up_authors(self, messages: Iterable[Message]) -> None:
        """Add to them which authors of messages block the reader."""

    async def still_valid(self, recheck: bool) -> bool:
        """Return True if the client may go on; `recheck` asks the store for certain."""


class StreamDelivery:
    """The writer of one connection's response."""

    def __init__(
        self,
        hub: Hub,
        log: LogReader,
        connection: Connection,
        channel: Channel,
        credentials: StreamCredentials | None,
        encoder: SseEncoder = PAGE_SSE,
        *,
        stall_warnings: bool = False,
        one_by_one: bool = False,
        complete: Complete | None = None,
    ) -> None:
        """Make a delivery. `credentials` are None for a visitor.

        `stall_warnings`: warn a client that lags behind. `one_by_one`: one message a chunk.
        `complete`: runs in a thread and adds to messages the parts for this reader only.
        """
        self._hub = hub
        self._log = log
        self._connection = connection
        self._channel = channel
        self._credentials = credentials
        self._encoder = encoder
        self._stall_warnings = stall_warnings
        self._one_by_one = one_by_one
        self._complete = complete
        self._last_warned = float("-inf")
        self._page_position = LOG_START
        self._retry = encoder.retry
        connection.is_live = False  # until its client has caught up

    async def run(
        self, start: Start, disconnected: asyncio.Task[None], send: Send, count: int = 0
    ) -> None:
        """Send the messages after `start`, then new ones, until the stream ends.

        `count`: how many statuses the client wants to begin with; below zero, nothing after them.
        """
        self._page_position = start.page_position
        await send_chunk(send, self._encoder.greeting)
        try:
            sent_position = await self.catch_up(start.position, send, abs(count))
        except Unavailable:  # the client comes back for the rest
            return
        if sent_position and count >= 0:
            await self._send_live(sent_position, disconnected, send)
        connection = self._connection
        await self._warn(send)
        if connection.undelivered:
            now_ms = time.time_ns() // 1_000_000
            await self._send_control(send, limit_json(connection.undelivered, now_ms))
        if connection.end_code:
            stream = self._channel.topic.kind
            await self._send_control(send, disconnect_json(connection.end_code, stream))

    async def catch_up(
        self, start: LogPosition | None, send: Send, count: int = 0
    ) -> LogPosition | None:
        """Send the messages from `start` up to now, and return the position reached.

        None if the stream must end. Raises Unavailable.
        """
        sent_position = start or LOG_START
        if not await self._recheck():
            return None
        backlog = Backlog(self._hub, self._log, self._connection, self._channel, self._receives)
        async for messages, reached in backlog.parts(start, count):
            sent_position = reached
            messages = await self._without_hidden(messages)
            try:
                for chunk in split_messages(messages):
                    async with asyncio.timeout(CATCH_UP_SECONDS):
                        await self._send_messages(send, chunk)
            except TimeoutError:
                self._connection.discard_and_close(EndCode.STALLED)
            if self._connection.ended or not await self._recheck():
                return None
        return sent_position

    async def _send_live(
        self, sent_position: LogPosition, disconnected: asyncio.Task[None], send: Send
    ) -> None:
        """Send new messages for as long as the stream lasts."""
        while not disconnected.done():
            batch = await self._connection.next_batch(self._encoder.heartbeat, disconnected)
            public_position = self._hub.public_position  # `batch` has everything up to here
            if batch is None or not await self._recheck():
                return
            try:
                batch = await self._without_hidden(batch)
            except Unavailable:  # the client comes back for the rest
                return
            ephemeral, fresh = self._split(batch, sent_position)
            await self._send_messages(send, ephemeral)
            if fresh:
                sent_position = fresh[-1].position
                await self._send_messages(send, fresh)
            elif public_position > sent_position:
                sent_position = public_position
                await self._send_events(send, self._encoder.encode_position(sent_position))
            else:
                await send_chunk(send, self._encoder.keepalive)

    def _split(
        self, batch: list[Message], sent_position: LogPosition
    ) -> tuple[list[Message], list[Message]]:
        """Return the messages of a batch that are not in the log, and those not sent before."""
        fresh = [message for message in batch if message.position > sent_position]
        if len(fresh) == len(batch):
            return [], fresh
        return [message for message in batch if message.kind == "ephemeral"], fresh

    async def _send_messages(self, send: Send, messages: list[Message]) -> None:
        """Send messages in chunks; those left when the queue is dropped count as undelivered."""
        max_bytes = 0 if self._one_by_one else CHUNK_BYTES
        messages = await self._personalize(messages)
        for count, events in self._encoder.encode_chunks(messages, max_bytes):
            if self._connection.discarded:
                self._connection.undelivered += count
                continue
            await self._warn(send)
            await self._send_events(send, events)
            recorder.count(STREAMS_SENT, count)

    async def _personalize(self, messages: list[Message]) -> list[Message]:
        """Return messages as this reader is sent them."""
        if self._complete and any(message.restricted_to for message in messages):
            messages = await asyncio.to_thread(self._complete, messages)
        hidden_until = self._credentials.hidden_until if self._credentials else {}
        if not hidden_until:
            return messages
        return [message.quoting_visible(hidden_until) for message in messages]

    async def _send_control(self, send: Send, data: dict[str, Any]) -> None:
        await self._send_events(send, self._encoder.encode_control(data))

    async def _send_events(self, send: Send, events: bytes) -> None:
        """Send encoded events, the first of them with the time to wait before reconnecting."""
        if events:
            await send_chunk(send, self._retry + events)
            self._retry = b""

    async def _warn(self, send: Send) -> None:
        """Warn a client that asked for it, now and then, how full its queue has been."""
        if not self._stall_warnings:
            return
        fullness = self._connection.take_peak_fullness()
        now = time.monotonic()
        due = now - self._last_warned >= WARN_SECONDS
        if fullness > WARN_FULLNESS and due:
            self._last_warned = now
            await self._send_control(send, warning_json(min(round(100 * fullness), 100)))

    def _receives(self, message: Message) -> bool:
        """Return True if a message that the client missed is for it."""
        if message.recipient not in (0, self._connection.uid):
            return False
        if message.kind in HIDE_KINDS and message.position <= self._page_position:
            return False  # the page already leaves out what its reader must not see
        wanted = self._hub.wants(self._channel, message)
        return wanted and self._shows(message)

    async def _without_hidden(self, messages: list[Message]) -> list[Message]:
        """Return the messages that show nothing of hidden authors."""
        if self._credentials is None:
            return messages
        await self._credentials.look_up_authors(messages)
        return [message for message in messages if self._credentials.shows(message)]

    def _shows(self, message: Message) -> bool:
        return self._credentials is None or self._credentials.shows(message)

    async def _recheck(self) -> bool:
        """Return True if the client may go on reading; else set why the stream ends."""
        recheck = self._connection.take_recheck()
        if self._credentials is None or await self._credentials.still_valid(recheck):
            return True
        self._connection.end_code = self._connection.end_code or EndCode.REVOKED
        return False
