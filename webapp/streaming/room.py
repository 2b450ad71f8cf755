"""The open responses of one stream process, each with a bounded queue: a slow reader delays nobody and grows no
memory.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .log import Message


class Full(Exception):
    """All seats are taken."""


class Seat:
    """One open response. Lives in the event loop's thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: deque[Message] = deque()
        self._filled = asyncio.Event()
        self._ended = False
        self._task = asyncio.current_task()

    def put(self, messages: Sequence[Message]) -> None:
        """Hands messages over; a reader that lags too far behind is ended instead."""
        # A batch for which nothing waits is no lag, however large.
        if self._waiting and len(self._waiting) + len(messages) > self._most:
            self.cut()
        else:
            self._waiting.extend(messages)
        self._filled.set()

    def cut(self) -> None:
        """Ends it at once, though its task may be waiting for a client that reads nothing."""
        self._ended = True
        self._waiting.clear()
        if self._task:
            self._task.cancel()

    def end(self) -> None:
        """Nothing more comes."""
        self._ended = True
        self._filled.set()

    async def next(self, seconds: float, gone: asyncio.Task[None]) -> list[Message] | None:
        """All that waits, coalesced; an empty list after so many seconds of silence; None when it has ended or the
        client is gone.
        """
        filled = asyncio.ensure_future(self._filled.wait())
        try:
            await asyncio.wait({filled, gone}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            filled.cancel()
        if gone.done() or (self._ended and not self._waiting):
            return None
        batch = list(self._waiting)
        self._waiting.clear()
        if not self._ended:
            self._filled.clear()
        return batch


class Room:
    """All seats of the process."""

    def __init__(self, seats: int, queue: int) -> None:
        self._most, self._queue = seats, queue
        self._taken: set[Seat] = set()
        self._closed = False

    @contextmanager
    def seat(self) -> Iterator[Seat]:
        """A seat for as long as the block runs. Raises Full."""
        if self._closed or len(self._taken) >= self._most:
            raise Full
        seat = Seat(self._queue)
        self._taken.add(seat)
        try:
            yield seat
        finally:
            self._taken.discard(seat)

    def publish(self, messages: Sequence[Message]) -> None:
        """Hands messages to everybody."""
        for seat in self._taken:
            seat.put(messages)

    def close(self) -> None:
        """Ends every stream; nobody is let in any more."""
        self._closed = True
        for seat in self._taken:
            seat.end()
