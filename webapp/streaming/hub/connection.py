"""One open response: a bounded queue of messages, and how it ends."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence

from webapp.streaming.end_codes import EndCode
from webapp.streaming.log.messages import Message

CLOSE_GRACE_SECONDS = 5.0  # for a client to take the end of its stream


class QueuedBytes:
    """How much waits in all queues of a process; a message counts in each queue that has it."""

    def __init__(self) -> None:
        self.total = 0


class Connection:
    """One open response. Lives in the event loop's thread."""

    def __init__(self, max_bytes: int, queued_total: QueuedBytes) -> None:
        """Open a connection whose queue holds `max_bytes`; `queued_total` counts all queues."""
        self._max_bytes = max_bytes
        self._queued_total = queued_total
        self._queue: deque[Message] = deque()
        self._task = asyncio.current_task()
        self._wakeup: asyncio.Future[None] | None = None
        self._woken = False  # there is something to look at
        self._peak_fullness = 0.0
        self._needs_recheck = False
        self.queued_bytes = 0
        self.undelivered = 0  # messages that were dropped
        self.end_code = EndCode.NONE
        self.ended = False
        self.is_live = True  # False while its client catches up from the log
        self.uid = 0  # the member whose it is, 0 for a visitor

    def enqueue(self, messages: Sequence[Message]) -> None:
        """Queue messages. A client that lags too far behind loses its stream instead."""
        if self.ended:
            return
        size = sum(message.size for message in messages)
        if self._queue:  # a batch that finds an empty queue is no lag, however large it is
            if self.queued_bytes + size > self._max_bytes:
                self.undelivered += len(messages)
                self.discard_and_close(EndCode.STALLED)
                return
            fullness = (self.queued_bytes + size) / self._max_bytes
            self._peak_fullness = max(self._peak_fullness, fullness)
        self._queue.extend(messages)
        self.queued_bytes += size
        self._queued_total.total += size
        self._wake()

    def discard_and_close(self, code: EndCode) -> None:
        """Drop everything queued and end the stream."""
        self.undelivered += len(self._drain())
        self.close(code)

    def close(self, code: EndCode) -> None:
        """End the stream, with a message that says why; abort it if the client does not read."""
        if not self.ended:
            self.end_code = code
            self.ended = True
            self._wake()
            asyncio.get_running_loop().call_later(CLOSE_GRACE_SECONDS, self.abort)

    def abort(self) -> None:
        """Cancel the task of the stream, which may be waiting for a client that does not read."""
        self.release()
        if self._task:
            self._task.cancel()

    def release(self) -> None:
        """Mark the connection as gone and drop its queue."""
        self.ended = True
        self._drain()

    def request_recheck(self) -> None:
        """Have the credentials checked before anything more is sent."""
        self._needs_recheck = True
        self._wake()

    def take_recheck(self) -> bool:
        """Return True if a recheck was requested, and clear the request."""
        requested = self._needs_recheck
        self._needs_recheck = False
        return requested

    def take_peak_fullness(self) -> float:
        """Return the largest part of the queue in use since the last call."""
        peak = self._peak_fullness
        self._peak_fullness = 0.0
        return peak

    async def next_batch(
        self, seconds: float, disconnected: asyncio.Task[None]
    ) -> list[Message] | None:
        """Return all queued messages.

        An empty list after `seconds` of silence or for a recheck; None once the stream has ended
        or the client is gone.
        """
        if not self._woken and not disconnected.done():
            await self._wait(seconds, disconnected)
        self._woken = self.ended
        if disconnected.done() or (self.ended and not self._queue):
            return None
        return self._drain()

    def _drain(self) -> list[Message]:
        """Take all queued messages out of the queue."""
        batch = list(self._queue)
        self._queue.clear()
        self._queued_total.total -= self.queued_bytes
        self.queued_bytes = 0
        return batch

    async def _wait(self, seconds: float, disconnected: asyncio.Task[None]) -> None:
        """Wait for a wake-up. One future and no task: each message wakes thousands of these."""
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
