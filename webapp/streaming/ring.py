"""The newest messages, kept in memory, so that clients which come back soon cost the store nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from .messages import START, Message, Order


class Ring:
    """Every message after `floor`, at most so many and so large."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._messages: deque[Message] = deque()
        self._bytes = 0
        self.floor: Order = START  # whatever came after this is here

    def begin(self, position: Order) -> None:
        """Starts empty at a position of the log."""
        self._messages.clear()
        self._bytes, self.floor = 0, position

    def add(self, messages: Iterable[Message]) -> None:
        """Takes later messages; the oldest make room."""
        for message in messages:
            self._messages.append(message)
            self._bytes += len(message.sse)
        while len(self._messages) > self._most or self._bytes > self._most_bytes:
            oldest = self._messages.popleft()
            self._bytes -= len(oldest.sse)
            self.floor = oldest.order

    def after(self, start: Order, wanted: Callable[[int], bool]) -> list[Message]:
        """What came after `start` by wanted authors, oldest first, without the statuses that are gone by now. The cost
        is that of what came, whatever else is kept.
        """
        found, deleted, hidden = list[Message](), set[int](), set[int]()
        for message in reversed(self._messages):  # so that the end of a status is met before its beginning
            if message.order <= start:
                break
            if message.kind == "delete":
                deleted.add(message.status)
            elif message.kind == "hide":
                hidden.add(message.author)
            elif message.status in deleted or message.author in hidden:
                continue
            if wanted(message.author):
                found.append(message)
        return found[::-1]
