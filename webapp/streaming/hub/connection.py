"""One open response's place: a bounded queue, and how it ends."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from webapp.streaming.log.messages import Message

if TYPE_CHECKING:
    from .subscriptions import Channel

CLOSE_GRACE_SECONDS = 5.0  # for a client to take what ends its stream
# Why a stream ends, as the streaming API numbers it.
SHUTDOWN, DUPLICATE, STALLED, REVOKED, REPLACED, SHED = 1, 2, 4, 6, 7, 12


class QueuedBytes:
    """What waits in all queues of a process together."""

    def __init__(self) -> None:
        self.total = 0  # a message that several queues share counts in each


class Connection:
    """One open response. Lives in the event loop's thread."""

    def __init__(self, max_bytes: int, queued_total: QueuedBytes) -> None:
        """`most`: bytes that may wait; `load`: where they are counted with those of all others."""
        self._max_bytes, self._queued_total = max_bytes, queued_total
        self._queue: deque[Message] = deque()
        self.queued_bytes = 0  # bytes
        self.peak_fullness = (
            0.0  # the largest part of the queue that was taken since `fullness` was asked for
        )
        self.undelivered = 0  # messages that were dropped
        self.end_code = 0  # why it ended, as the streaming API numbers it
        self._woken = False  # there is something to look at
        self._wakeup: asyncio.Future[None] | None = None
        self._task = asyncio.current_task()
        self.ended = False
        self.is_live = True  # or what the log has is left to it, from which the client catches up
        self.needs_recheck = (
            False  # its credentials are to be looked at again before anything more is sent
        )
        self.channel: Channel | None = None
        self.uid = 0  # whose it is, if that matters
        self.is_page = False  # of a page of the site, not of a client of the API

    def enqueue(self, messages: Sequence[Message]) -> None:
        """Hands messages over; a reader that lags too far behind is ended instead."""
        if self.ended:
            return
        size = sum(message.size for message in messages)
        # A batch for which nothing waits is no lag, however large.
        if self._queue and self.queued_bytes + size > self._max_bytes:
            self.undelivered += len(messages)
            self.discard_and_close(STALLED)
            return
        if self._queue:
            self.peak_fullness = max(
                self.peak_fullness, (self.queued_bytes + size) / self._max_bytes
            )
        self._queue.extend(messages)
        self.queued_bytes += size
        self._queued_total.total += size
        self._wake()

    def discard_and_close(self, code: int) -> None:
        """Ends it, and what waits is not delivered."""
        self.undelivered += len(self._drain())
        self.close(code)

    def close(self, code: int) -> None:
        """Ends it, with a word of why to those who read; to the others after a few seconds without one."""
        if not self.ended:
            self.end_code, self.ended = code, True
            self._wake()
            asyncio.get_running_loop().call_later(CLOSE_GRACE_SECONDS, self.abort)

    def take_peak_fullness(self) -> float:
        """The largest part of the queue that was taken since it was last asked for."""
        peak, self.peak_fullness = self.peak_fullness, 0.0
        return peak

    def abort(self) -> None:
        """Ends it at once, though its task may be waiting for a client that reads nothing."""
        self.release()
        if self._task:
            self._task.cancel()

    def release(self) -> None:
        """Nobody sits here any more."""
        self.ended = True
        self._drain()

    def request_recheck(self) -> None:
        """Its credentials may be good no more."""
        self.needs_recheck = True
        self._wake()

    async def next_batch(
        self, seconds: float, disconnected: asyncio.Task[None]
    ) -> list[Message] | None:
        """All that waits, coalesced; an empty list after so many seconds of silence, or a doubt; None when it has ended
        or the client is gone.
        """
        if not self._woken and not disconnected.done():
            await self._wait(seconds, disconnected)
        self._woken = self.ended
        if disconnected.done() or (self.ended and not self._queue):
            return None
        return self._drain()

    def _drain(self) -> list[Message]:
        """Takes all that waits."""
        batch = list(self._queue)
        self._queue.clear()
        self._queued_total.total -= self.queued_bytes
        self.queued_bytes = 0
        return batch

    async def _wait(self, seconds: float, disconnected: asyncio.Task[None]) -> None:
        """Until something stirs. One future and no task, for this is done for each message to each of thousands."""
        loop = asyncio.get_running_loop()
        self._wakeup = loop.create_future()
        disconnected.add_done_callback(self._wake)
        timer = loop.call_later(seconds, self._wake)
        try:
            await self._wakeup
        finally:
            timer.cancel()
            disconnected.remove_done_callback(self._wake)

    def _wake(self, *_: object) -> None:
        self._woken = True
        if self._wakeup and not self._wakeup.done():
            self._wakeup.set_result(None)
