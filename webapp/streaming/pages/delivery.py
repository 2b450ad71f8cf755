"""One open response, from what its client missed to what comes now."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Protocol

from webapp.errors import Unavailable
from webapp.streaming.api_v1.serializers import disconnect_json, limit_json, warning_json
from webapp.streaming.hub.connection import REVOKED, STALLED, Connection
from webapp.streaming.hub.hub import Hub
from webapp.streaming.hub.subscriptions import Channel
from webapp.streaming.log.log import BATCH, Log
from webapp.streaming.log.messages import (
    HIDE_KINDS,
    LOG_START,
    LogEntry,
    LogPosition,
    Message,
    reload_message,
)

from .framing import PAGE_SSE, SseEncoder
from .requests import Resume

Send = Callable[[dict[str, Any]], Awaitable[None]]


class StreamCredentials(Protocol):
    """Whatever knows whether a client may go on reading."""

    hidden_until: Mapping[
        int, float
    ]  # the authors whose statuses it is not sent, until when (unix seconds)

    async def still_valid(self, recheck: bool) -> bool:
        """Whether it may; with a doubt that is looked up, and `hidden` with it."""


PAGE_LAG_MS = 10_000  # how long a status may take from the log into homes: a page may lack those of so long before
CATCH_UP_MAX = (
    20_000  # entries looked through in the store for one client; more, and it is told to reload
)
CATCH_UP_SECONDS = 60.0  # for a client to take one part of what it missed, BATCH messages at most
WARN_SECONDS = 300.0  # between two warnings of one client
WARN_FULLNESS = 0.6  # the part of the queue above which a client is warned


class Delivery:
    """What one seat is sent."""

    def __init__(
        self,
        hub: Hub,
        log: Log,
        connection: Connection,
        channel: Channel,
        credentials: StreamCredentials | None,
        encoder: SseEncoder = PAGE_SSE,
        stall_warnings: bool = False,
    ) -> None:
        """`warns`: the client wants to be told when it lags behind."""
        self._hub, self._log, self._connection, self._channel = hub, log, connection, channel
        self._credentials, self._encoder, self._stall_warnings = (
            credentials,
            encoder,
            stall_warnings,
        )
        self._last_warned = float("-inf")
        self._page_position = LOG_START  # where in the log the client's page was made
        connection.is_live = False  # until it has caught up

    async def start_position(
        self, resume: Resume | None, log_position: LogPosition
    ) -> LogPosition | None:
        """The position after which to send everything, or None when that is too long ago to tell, or never was. `now`:
        where the log was as the client came. Raises Unavailable.
        """
        if resume is None:
            return log_position
        position = resume.position
        if position is None:
            return None
        if not self._hub.replay_buffer.oldest <= position <= self._hub.position:
            log_range = await asyncio.to_thread(self._log.available_range)
            if not log_range.oldest <= position <= log_range.newest:
                return None
        if not resume.from_page:
            return position
        self._page_position = position
        return max(LOG_START, (position[0] - PAGE_LAG_MS, 0))

    async def run(
        self,
        start: LogPosition | None,
        disconnected: asyncio.Task[None],
        send: Send,
        count: int = 0,
    ) -> None:
        """Sends what came after `start`, then what comes, until the client goes, lags too far behind, is not let in any
        more, or the process ends. `count`: what was asked for to begin with; below zero, that is all.
        """
        await send_chunk(send, self._encoder.greeting)
        try:
            sent_position = await self.catch_up(start, send, abs(count) or CATCH_UP_MAX)
        except Unavailable:  # it comes back for the rest
            return
        if sent_position and count >= 0:
            await self._send_live(sent_position, disconnected, send)
        if self._connection.undelivered:
            await send_chunk(
                send,
                self._encoder.encode_control(limit_json(self._connection.undelivered, _now_ms())),
            )
        if self._connection.end_code:
            await send_chunk(
                send,
                self._encoder.encode_control(
                    disconnect_json(self._connection.end_code, self._channel.topic.kind)
                ),
            )

    async def catch_up(
        self, start: LogPosition | None, send: Send, limit: int = CATCH_UP_MAX
    ) -> LogPosition | None:
        """Sends what came after `start`, up to now, or has the client reload if that is more than so many entries;
        returns the position reached, None when it may not go on. Raises Unavailable.
        """
        sent_position = start or LOG_START
        if not await self._recheck():
            return None
        async for messages, reached in self._backlog(start, max(limit, CATCH_UP_MAX)):
            sent_position = reached
            try:
                async with asyncio.timeout(CATCH_UP_SECONDS):
                    await send_chunk(send, self._encoder.encode(messages))
            except TimeoutError:
                self._connection.discard_and_close(STALLED)
            if self._connection.ended or not await self._recheck():
                return None
        return sent_position

    async def _send_live(
        self, sent_position: LogPosition, disconnected: asyncio.Task[None], send: Send
    ) -> None:
        while not disconnected.done():
            batch = await self._connection.next_batch(self._encoder.heartbeat, disconnected)
            hub_position = (
                self._hub.position
            )  # together with `batch`: nothing up to here waits any more
            if batch is None or not await self._recheck():
                return
            await self._warn(send)
            fresh = [
                message
                for message in batch
                if message.position > sent_position and message.deliverable_to(self._hidden_until)
            ]
            if len(fresh) < len(batch) and (
                ephemeral := [message for message in batch if message.position == LOG_START]
            ):
                await send_chunk(
                    send, self._encoder.encode(ephemeral)
                )  # which the log knows nothing of
            if fresh:
                sent_position = fresh[-1].position
                await send_chunk(send, self._encoder.encode(fresh))
            elif (
                hub_position > sent_position
            ):  # so that a quiet client's position does not grow too old to come back with
                sent_position = hub_position
                await send_chunk(send, self._encoder.encode_position(sent_position))
            else:
                await send_chunk(send, self._encoder.keepalive)

    async def _warn(self, send: Send) -> None:
        """A client that asked for it is told, now and then, how much was waiting for it while it read."""
        fullness, now = self._connection.take_peak_fullness(), time.monotonic()
        if (
            self._stall_warnings
            and fullness > WARN_FULLNESS
            and now - self._last_warned >= WARN_SECONDS
        ):
            self._last_warned = now
            await send_chunk(
                send, self._encoder.encode_control(warning_json(min(round(100 * fullness), 100)))
            )

    async def _backlog(
        self, start: LogPosition | None, limit: int
    ) -> AsyncIterator[tuple[list[Message], LogPosition]]:
        """What came after `start`, with the position that each part reaches: from the store what is older than the
        ring, then from the ring. Until the last part the seat does not listen: what comes from then on waits there.
        """
        entries_read = 0
        while start is not None:
            if start >= self._hub.replay_buffer.oldest:
                messages = self._hub.replay_buffer.after(start, self._receives)
                if len(messages) <= BATCH:
                    self._connection.is_live = True
                    yield messages, max(start, self._hub.position)
                    return
                start = messages[BATCH - 1].position
                yield messages[:BATCH], start
                continue
            entries = await asyncio.to_thread(self._log.after, start, self._hub.position)
            if not entries:  # the store has lost what came in between
                start = max(start, self._hub.replay_buffer.oldest)
                continue
            possible = [entry for entry in entries if entry.author and self._may_want(entry)]
            items = await asyncio.to_thread(self._log.messages, possible) if possible else []
            entries_read, start = entries_read + len(entries), entries[-1].position
            if entries_read > limit:
                break
            yield (
                [item for item in items if isinstance(item, Message) and self._receives(item)],
                start,
            )
        self._connection.is_live = True
        yield [reload_message(self._hub.position)], self._hub.position

    def _may_want(self, entry: LogEntry) -> bool:
        if entry.is_restricted and self._channel.topic.kind != "home":
            return False
        return (
            entry.recipient == self._connection.uid
            if entry.recipient
            else self._hub.may_want(self._channel, entry.author)
        )

    def _receives(self, message: Message) -> bool:
        if message.recipient not in (0, self._connection.uid):
            return False
        if (
            message.kind in HIDE_KINDS and message.position <= self._page_position
        ):  # the page shows what is left for its reader
            return False
        return self._hub.receives(self._channel, message) and message.deliverable_to(
            self._hidden_until
        )

    @property
    def _hidden_until(self) -> Mapping[int, float]:
        return self._credentials.hidden_until if self._credentials else {}

    async def _recheck(self) -> bool:
        recheck, self._connection.needs_recheck = self._connection.needs_recheck, False
        if self._credentials is None or await self._credentials.still_valid(recheck):
            return True
        self._connection.end_code = self._connection.end_code or REVOKED
        return False


async def send_chunk(send: Send, body: bytes) -> None:
    """Sends a part of a response; nothing is not sent, for it would end it."""
    if body:
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def wait_for_disconnect(receive: Callable[[], Awaitable[dict[str, Any]]]) -> None:
    """Waits until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
