"""One open response's place: a bounded queue, and how it ends."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .messages import Message

if TYPE_CHECKING:
    from .index import Audience

GOODBYE_SECONDS = 5.0  # for a client to take what ends its stream
# Why a stream ends, as the streaming API numbers it.
SHUTDOWN, DUPLICATE, STALLED, REVOKED, REPLACED, SHED = 1, 2, 4, 6, 7, 12


class Load:
    """What waits in all queues of a process together."""

    def __init__(self) -> None:
        self.bytes = 0  # a message that several queues share counts in each


class Seat:
    """One open response. Lives in the event loop's thread."""

    def __init__(self, most: int, load: Load) -> None:
        """`most`: bytes that may wait; `load`: where they are counted with those of all others."""
        self._most, self._load = most, load
        self._waiting: deque[Message] = deque()
        self.waiting = 0  # bytes
        self.fullest = 0.0  # the largest part of the queue that was taken since `fullness` was asked for
        self.undelivered = 0  # messages that were dropped
        self.code = 0  # why it ended, as the streaming API numbers it
        self._stirred = False  # there is something to look at
        self._sleeper: asyncio.Future[None] | None = None
        self._task = asyncio.current_task()
        self.ended = False
        self.listening = True  # or what the log has is left to it, from which the client catches up
        self.doubted = False  # its credentials are to be looked at again before anything more is sent
        self.audience: Audience | None = None
        self.uid = 0  # whose it is, if that matters
        self.of_page = False  # of a page of the site, not of a client of the API

    def put(self, messages: Sequence[Message]) -> None:
        """Hands messages over; a reader that lags too far behind is ended instead."""
        if self.ended:
            return
        size = sum(message.size for message in messages)
        # A batch for which nothing waits is no lag, however large.
        if self._waiting and self.waiting + size > self._most:
            self.undelivered += len(messages)
            self.drop(STALLED)
            return
        if self._waiting:
            self.fullest = max(self.fullest, (self.waiting + size) / self._most)
        self._waiting.extend(messages)
        self.waiting += size
        self._load.bytes += size
        self._stir()

    def drop(self, code: int) -> None:
        """Ends it, and what waits is not delivered."""
        self.undelivered += len(self._empty())
        self.finish(code)

    def finish(self, code: int) -> None:
        """Ends it, with a word of why to those who read; to the others after a few seconds without one."""
        if not self.ended:
            self.code, self.ended = code, True
            self._stir()
            asyncio.get_running_loop().call_later(GOODBYE_SECONDS, self.cut)

    def fullness(self) -> float:
        """The largest part of the queue that was taken since it was last asked for."""
        fullest, self.fullest = self.fullest, 0.0
        return fullest

    def cut(self) -> None:
        """Ends it at once, though its task may be waiting for a client that reads nothing."""
        self.leave()
        if self._task:
            self._task.cancel()

    def leave(self) -> None:
        """Nobody sits here any more."""
        self.ended = True
        self._empty()

    def doubt(self) -> None:
        """Its credentials may be good no more."""
        self.doubted = True
        self._stir()

    async def next(self, seconds: float, gone: asyncio.Task[None]) -> list[Message] | None:
        """All that waits, coalesced; an empty list after so many seconds of silence, or a doubt; None when it has ended
        or the client is gone.
        """
        if not self._stirred and not gone.done():
            await self._sleep(seconds, gone)
        self._stirred = self.ended
        if gone.done() or (self.ended and not self._waiting):
            return None
        return self._empty()

    def _empty(self) -> list[Message]:
        """Takes all that waits."""
        batch = list(self._waiting)
        self._waiting.clear()
        self._load.bytes -= self.waiting
        self.waiting = 0
        return batch

    async def _sleep(self, seconds: float, gone: asyncio.Task[None]) -> None:
        """Until something stirs. One future and no task, for this is done for each message to each of thousands."""
        loop = asyncio.get_running_loop()
        self._sleeper = loop.create_future()
        gone.add_done_callback(self._stir)
        clock = loop.call_later(seconds, self._stir)
        try:
            await self._sleeper
        finally:
            clock.cancel()
            gone.remove_done_callback(self._stir)

    def _stir(self, *_: object) -> None:
        self._stirred = True
        if self._sleeper and not self._sleeper.done():
            self._sleeper.set_result(None)
