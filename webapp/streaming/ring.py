"""The newest messages, kept in memory, so that clients which come back soon cost the store nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from .messages import START, Message, Order
from .terms import Subject


class Ring:
    """Every message after `floor`, at most so many and so large."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._messages: deque[Message] = deque()
        self._subjects: dict[int, Subject] = {}
        self._bytes = 0
        self.floor: Order = START  # whatever came after this is here

    def begin(self, position: Order) -> None:
        """Starts empty at a position of the log."""
        self._messages.clear()
        self._subjects.clear()
        self._bytes, self.floor = 0, position

    def add(self, messages: Iterable[Message]) -> None:
        """Takes later messages; the oldest make room."""
        for message in messages:
            if message.kind == "scrub":
                self._scrub(message.author)
            self._messages.append(message)
            self._bytes += message.size
            if message.subject:
                self._subjects[message.status] = message.subject
        while len(self._messages) > self._most or self._bytes > self._most_bytes:
            oldest = self._messages.popleft()
            self._bytes -= oldest.size
            if oldest.subject:
                self._subjects.pop(oldest.status, None)
            self.floor = oldest.order

    def subject(self, message: Message) -> Subject:
        """What a message is about, as filters see it: of a deletion the status as it was, while it is kept here; else
        its author alone.
        """
        known = message.subject or self._subjects.get(message.status)
        return known or Subject(message.status, message.author, "", faded=True)

    def after(self, start: Order, wanted: Callable[[Message], bool]) -> list[Message]:
        """The wanted messages after `start`, oldest first, without the statuses that are gone by now. The cost is that
        of what came, whatever else is kept.
        """
        found, deleted, hidden = list[Message](), set[int](), set[int]()
        for message in reversed(self._messages):  # so that the end of a status is met before its beginning
            if message.order <= start:
                break
            if message.kind == "delete":
                deleted.add(message.status)
            elif message.kind in ("hide", "protect"):
                hidden.add(message.author)
            elif message.status in deleted or message.author in hidden:
                continue
            if wanted(message):
                found.append(message)
        return found[::-1]

    def _scrub(self, author: int) -> None:
        """What is kept tells no more where it was written. Filters that saw it there still hear of its deletion."""
        self._messages = deque(
            message.without_place() if message.author == author else message for message in self._messages
        )
