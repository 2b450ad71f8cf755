"""One open response: a bounded queue of messages, and how it ends."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from webapp.core.metrics.names import STREAMS_CUT
from webapp.core.metrics.recorder import count
from webapp.streaming.end_codes import EndCode
from webapp.streaming.http.asgi import Send
from webapp.streaming.log.messages import Message

# How long a client may read nothing before its ended stream is aborted.
CLOSE_GRACE_SECONDS = 5.0
# For a client that lags: a kernel asks for more only after its client has read some 120 KB.
LAG_GRACE_SECONDS = 30.0
SIZE_OF = attrgetter("size")


class QueuedBytes:
    """The bytes in all queues of a process; a message counts in each queue that has it."""

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
        self._sent_parts = 0
        self.queued_bytes = 0
        self.undelivered = 0  # messages that were dropped
        self.end_code = EndCode.NONE
        self.ended = False
        self.discarded = False  # its queue was dropped: only notices follow
        self.is_live = True  # False while its client catches up from the log
        self.uid = 0  # the member whose it is, 0 for a visitor
        self.bot_owner = 0  # the member whose bot it is, 0 for none

    def enqueue(self, messages: Sequence[Message]) -> None:
        """Queue messages. A client that lags too far behind loses its stream instead."""
        if self.ended:
            return
        size = sum(map(SIZE_OF, messages))
        if self._queue:  # a batch that finds an empty queue is no lag, however large it is
            fullness = (self.queued_bytes + size) / self._max_bytes
            self._peak_fullness = max(self._peak_fullness, fullness)
            if fullness > 1:
                self.undelivered += len(messages)
                self.discard_and_close(EndCode.STALLED)
                return
        self._queue.extend(messages)
        self.queued_bytes += size
        self._queued_total.total += size
        self._wake()

    def discard_and_close(self, code: EndCode) -> None:
        """Drop everything queued and end the stream."""
        self.discarded = True
        count(STREAMS_CUT)
        self.undelivered += len(self._drain())
        self.close(code)

    def close(self, code: EndCode) -> None:
        """End the stream, with a message that says why, in the client's own time.

        A client that reads nothing meanwhile is cut.
        """
        if not self.ended:
            self.end_code = code
            self.ended = True
            self._wake()
            self._abort_unless_read()

    def abort(self) -> None:
        """Cancel the task of the stream, which may be waiting for a client that does not read."""
        task = self._task
        self.release()
        if task:
            task.cancel()

    def monitored(self, send: Send) -> Send:
        """Return a `send` that counts the parts of the response which the client makes room for."""

        async def send_and_count(message: dict[str, Any]) -> None:
            await send(message)
            self._sent_parts += 1

        return send_and_count

    def _abort_unless_read(self, parts_before: int = -1) -> None:
        """Abort if nothing was sent since `parts_before` parts; else look again later."""
        if self._sent_parts == parts_before:
            self.abort()
        elif self._task and not self._task.done():
            seconds = LAG_GRACE_SECONDS if self.discarded else CLOSE_GRACE_SECONDS
            loop = asyncio.get_running_loop()
            loop.call_later(seconds, self._abort_unless_read, self._sent_parts)

    def release(self) -> None:
        """Mark the connection as gone and drop its queue. Its task may go on with another one."""
        self.ended = True
        self._task = None
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
