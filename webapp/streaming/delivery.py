"""One open response, from what its client missed to what comes now."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Protocol

from ..errors import Unavailable
from .framing import PAGES, Pages
from .index import Audience
from .log import BATCH, Log
from .messages import HIDES, START, Entry, Message, Order, reload
from .requests import Resume
from .room import Room
from .seat import REVOKED, STALLED, Seat
from .shapes import disconnect_json, limit_json, warning_json

Send = Callable[[dict[str, Any]], Awaitable[None]]


class Holder(Protocol):
    """Whatever knows whether a client may go on reading."""

    hidden: Mapping[int, float]  # the authors whose statuses it is not sent, until when (unix seconds)

    async def hold(self, doubted: bool) -> bool:
        """Whether it may; with a doubt that is looked up, and `hidden` with it."""


PAGE_MS = 10_000  # how long a status may take from the log into homes: a page may lack those of so long before
CATCH_UP_MAX = 20_000  # entries looked through in the store for one client; more, and it is told to reload
CATCH_UP_SECONDS = 60.0  # for a client to take one part of what it missed, BATCH messages at most
WARN_SECONDS = 300.0  # between two warnings of one client
WARN_AT = 0.6  # the part of the queue above which a client is warned


class Delivery:
    """What one seat is sent."""

    def __init__(
        self,
        room: Room,
        log: Log,
        seat: Seat,
        audience: Audience,
        credentials: Holder | None,
        framing: Pages = PAGES,
        warns: bool = False,
    ) -> None:
        """`warns`: the client wants to be told when it lags behind."""
        self._room, self._log, self._seat, self._audience = room, log, seat, audience
        self._credentials, self._framing, self._warns = credentials, framing, warns
        self._warned = float("-inf")
        self._rendered = START  # where in the log the client's page was made
        seat.listening = False  # until it has caught up

    async def start(self, asked: Resume | None, now: Order) -> Order | None:
        """The position after which to send everything, or None when that is too long ago to tell, or never was. `now`:
        where the log was as the client came. Raises Unavailable.
        """
        if asked is None:
            return now
        at = asked.at
        if at is None:
            return None
        if not self._room.ring.floor <= at <= self._room.position:
            reach = await asyncio.to_thread(self._log.reach)
            if not reach.oldest <= at <= reach.newest:
                return None
        if not asked.page:
            return at
        self._rendered = at
        return max(START, (at[0] - PAGE_MS, 0))

    async def run(self, start: Order | None, gone: asyncio.Task[None], send: Send, count: int = 0) -> None:
        """Sends what came after `start`, then what comes, until the client goes, lags too far behind, is not let in any
        more, or the process ends. `count`: what was asked for to begin with; below zero, that is all.
        """
        await chunk(send, self._framing.greeting)
        try:
            told = await self.catch_up(start, send, abs(count) or CATCH_UP_MAX)
        except Unavailable:  # it comes back for the rest
            return
        if told and count >= 0:
            await self._live(told, gone, send)
        if self._seat.undelivered:
            await chunk(send, self._framing.control(limit_json(self._seat.undelivered, _now_ms())))
        if self._seat.code:
            await chunk(send, self._framing.control(disconnect_json(self._seat.code, self._audience.topic.kind)))

    async def catch_up(self, start: Order | None, send: Send, most: int = CATCH_UP_MAX) -> Order | None:
        """Sends what came after `start`, up to now, or has the client reload if that is more than so many entries;
        returns the position reached, None when it may not go on. Raises Unavailable.
        """
        told = start or START
        if not await self._let_in():
            return None
        async for messages, reached in self._backlog(start, max(most, CATCH_UP_MAX)):
            told = reached
            try:
                async with asyncio.timeout(CATCH_UP_SECONDS):
                    await chunk(send, self._framing.messages(messages))
            except TimeoutError:
                self._seat.drop(STALLED)
            if self._seat.ended or not await self._let_in():
                return None
        return told

    async def _live(self, told: Order, gone: asyncio.Task[None], send: Send) -> None:
        while not gone.done():
            batch = await self._seat.next(self._framing.heartbeat, gone)
            seen = self._room.position  # together with `batch`: nothing up to here waits any more
            if batch is None or not await self._let_in():
                return
            await self._warn(send)
            fresh = [message for message in batch if message.order > told and message.shown(self._hidden)]
            if len(fresh) < len(batch) and (passing := [message for message in batch if message.order == START]):
                await chunk(send, self._framing.messages(passing))  # which the log knows nothing of
            if fresh:
                told = fresh[-1].order
                await chunk(send, self._framing.messages(fresh))
            elif seen > told:  # so that a quiet client's position does not grow too old to come back with
                told = seen
                await chunk(send, self._framing.mark(told))
            else:
                await chunk(send, self._framing.still)

    async def _warn(self, send: Send) -> None:
        """A client that asked for it is told, now and then, how much was waiting for it while it read."""
        fullness, now = self._seat.fullness(), time.monotonic()
        if self._warns and fullness > WARN_AT and now - self._warned >= WARN_SECONDS:
            self._warned = now
            await chunk(send, self._framing.control(warning_json(min(round(100 * fullness), 100))))

    async def _backlog(self, start: Order | None, most: int) -> AsyncIterator[tuple[list[Message], Order]]:
        """What came after `start`, with the position that each part reaches: from the store what is older than the
        ring, then from the ring. Until the last part the seat does not listen: what comes from then on waits there.
        """
        read = 0
        while start is not None:
            if start >= self._room.ring.floor:
                messages = self._room.ring.after(start, self._takes)
                if len(messages) <= BATCH:
                    self._seat.listening = True
                    yield messages, max(start, self._room.position)
                    return
                start = messages[BATCH - 1].order
                yield messages[:BATCH], start
                continue
            entries = await asyncio.to_thread(self._log.after, start, self._room.position)
            if not entries:  # the store has lost what came in between
                start = max(start, self._room.ring.floor)
                continue
            wanted = [entry for entry in entries if entry.author and self._wants(entry)]
            parts = await asyncio.to_thread(self._log.messages, wanted) if wanted else []
            read, start = read + len(entries), entries[-1].order
            if read > most:
                break
            yield [part for part in parts if isinstance(part, Message) and self._takes(part)], start
        self._seat.listening = True
        yield [reload(self._room.position)], self._room.position

    def _wants(self, entry: Entry) -> bool:
        if entry.close and self._audience.topic.kind != "home":
            return False
        return entry.reader == self._seat.uid if entry.reader else self._room.wants(self._audience, entry.author)

    def _takes(self, message: Message) -> bool:
        if message.reader not in (0, self._seat.uid):
            return False
        if message.kind in HIDES and message.order <= self._rendered:  # the page shows what is left for its reader
            return False
        return self._room.takes(self._audience, message) and message.shown(self._hidden)

    @property
    def _hidden(self) -> Mapping[int, float]:
        return self._credentials.hidden if self._credentials else {}

    async def _let_in(self) -> bool:
        doubted, self._seat.doubted = self._seat.doubted, False
        if self._credentials is None or await self._credentials.hold(doubted):
            return True
        self._seat.code = self._seat.code or REVOKED
        return False


async def chunk(send: Send, body: bytes) -> None:
    """Sends a part of a response; nothing is not sent, for it would end it."""
    if body:
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def until_gone(receive: Callable[[], Awaitable[dict[str, Any]]]) -> None:
    """Waits until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
