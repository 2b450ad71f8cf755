"""One open response, from what its client missed to what comes now."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

from ..errors import Unavailable
from .index import Audience
from .log import Log
from .messages import START, Message, Order, rendered
from .requests import Resume
from .room import Room, Seat
from .viewers import Credentials

Send = Callable[[dict[str, Any]], Awaitable[None]]
HEARTBEAT_SECONDS = 15.0  # silence after which something is sent, to keep proxies from closing the stream
PAGE_MS = 10_000  # how long a status may take from the log into homes: a page may lack those of so long before
CATCH_UP_MAX = 20_000  # entries looked through in the store for one client; more, and it is told to reload
GREETING = b": welcome\nretry: 3000\n\n"
STILL_HERE = b": still here\n\n"


class Delivery:
    """What one seat is sent."""

    def __init__(self, room: Room, log: Log, seat: Seat, audience: Audience, credentials: Credentials | None) -> None:
        self._room, self._log, self._seat, self._audience = room, log, seat, audience
        self._credentials = credentials

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
        return max(START, (at[0] - PAGE_MS, 0)) if asked.page else at

    async def run(self, start: Order | None, gone: asyncio.Task[None], send: Send) -> None:
        """Sends what came after `start`, then what comes, until the client goes, lags too far behind, is not let in any
        more, or the process ends.
        """
        told = start or START
        await _chunk(send, GREETING)
        if not await self._let_in():
            return
        try:
            async for messages, reached in self._backlog(start):
                told = reached
                if messages:
                    await _chunk(send, b"".join(message.sse for message in messages))
        except Unavailable:  # it comes back for the rest
            return
        await self._live(told, gone, send)

    async def _live(self, told: Order, gone: asyncio.Task[None], send: Send) -> None:
        while not gone.done():
            batch = await self._seat.next(HEARTBEAT_SECONDS, gone)
            seen = self._room.position  # together with `batch`: nothing up to here waits any more
            if batch is None or not await self._let_in():
                return
            fresh = [message for message in batch if message.order > told]
            if fresh:
                told = fresh[-1].order
                await _chunk(send, b"".join(message.sse for message in fresh))
            elif seen > told:  # so that a quiet client's position does not grow too old to come back with
                told = seen
                await _chunk(send, rendered(told, "mark", {}))
            else:
                await _chunk(send, STILL_HERE)

    async def _backlog(self, start: Order | None) -> AsyncIterator[tuple[list[Message], Order]]:
        """What came after `start`, with the position that each part reaches: from the store what is older than the
        ring, then from the ring. What comes meanwhile waits in the seat, where what was sent already is left out.
        """
        read = 0
        while start is not None and not self._seat.ended:
            if start >= self._room.ring.floor:
                yield self._room.ring.after(start, self._wants), max(start, self._room.position)
                return
            entries = await asyncio.to_thread(self._log.after, start, self._room.position)
            if not entries:  # the store has lost what came in between
                start = max(start, self._room.ring.floor)
                continue
            wanted = [entry for entry in entries if entry.author and self._wants(entry.author)]
            parts = await asyncio.to_thread(self._log.messages, wanted) if wanted else []
            read, start = read + len(entries), entries[-1].order
            if read > CATCH_UP_MAX:
                break
            yield [part for part in parts if isinstance(part, Message)], start
        if not self._seat.ended:
            position = self._room.position
            yield [Message(position, "reload", 0, 0, rendered(position, "reload", {}))], position

    @property
    def _wants(self) -> Callable[[int], bool]:
        return partial(self._room.wants, self._audience)

    async def _let_in(self) -> bool:
        doubted, self._seat.doubted = self._seat.doubted, False
        return self._credentials is None or await self._credentials.hold(doubted)


async def _chunk(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})
