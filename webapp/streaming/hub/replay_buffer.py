"""The newest messages in memory, so that clients that come back soon cost the store nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from webapp.streaming.log.messages import Message
from webapp.streaming.log.position import LOG_START, LogPosition
from webapp.streaming.matching.terms import Subject


class ReplayBuffer:
    """Every message after the position `oldest`, up to a number and a size."""

    def __init__(self, max_messages: int, max_bytes: int) -> None:
        self._max_messages = max_messages
        self._max_bytes = max_bytes
        self._messages: deque[Message] = deque()
        self._subjects: dict[int, Subject] = {}  # status id → what its `update` was about
        self._bytes = 0
        self.oldest = LOG_START  # every message after this is here

    def reset(self, position: LogPosition) -> None:
        """Empty the buffer at a position of the log."""
        self._messages.clear()
        self._subjects.clear()
        self._bytes = 0
        self.oldest = position

    def add(self, messages: Iterable[Message]) -> None:
        """Add later messages and drop the oldest beyond the limits."""
        for message in messages:
            if message.kind == "scrub":
                self._remove_places(message.author)
            self._messages.append(message)
            self._bytes += message.size
            if message.subject:
                self._subjects[message.status_id] = message.subject
        while len(self._messages) > self._max_messages or self._bytes > self._max_bytes:
            oldest = self._messages.popleft()
            self._bytes -= oldest.size
            if oldest.subject:
                self._subjects.pop(oldest.status_id, None)
            self.oldest = oldest.position

    def subject_of(self, message: Message) -> Subject:
        """Return what filters look at for a message.

        For a deletion that is the status as it was, while the buffer has it; later its author only.
        """
        subject = message.subject or self._subjects.get(message.status_id)
        return subject or Subject(message.status_id, message.author, "", content_unknown=True)

    def after(self, start: LogPosition, is_wanted: Callable[[Message], bool]) -> list[Message]:
        """Return the wanted messages after `start`, oldest first.

        Messages about statuses that are gone meanwhile are left out. The cost is that of the
        messages after `start`, however many are kept.
        """
        messages = list[Message]()
        deleted_ids = set[int]()
        hidden_authors = set[int]()
        for message in reversed(self._messages):  # a status's end comes before its beginning
            if message.position <= start:
                break
            if message.kind == "delete":
                deleted_ids.add(message.status_id)
            elif message.kind in ("hide", "protect"):
                hidden_authors.add(message.author)
            elif message.status_id in deleted_ids or message.author in hidden_authors:
                continue
            if is_wanted(message):
                messages.append(message)
        return messages[::-1]

    def _remove_places(self, author: int) -> None:
        """Remove the places from an author's messages.

        Filters by place that matched a status still get its deletion: `_subjects` stays as it is.
        """
        self._messages = deque(
            message.without_place() if message.author == author else message
            for message in self._messages
        )
