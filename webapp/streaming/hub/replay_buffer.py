"""The newest messages, kept in memory, so that clients which come back soon cost the store nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from webapp.streaming.log.messages import LOG_START, LogPosition, Message
from webapp.streaming.matching.terms import Subject


class ReplayBuffer:
    """Every message after `floor`, at most so many and so large."""

    def __init__(self, max_messages: int, max_bytes: int) -> None:
        self._max_messages, self._max_bytes = max_messages, max_bytes
        self._messages: deque[Message] = deque()
        self._subjects: dict[int, Subject] = {}
        self._bytes = 0
        self.oldest: LogPosition = LOG_START  # whatever came after this is here

    def reset(self, position: LogPosition) -> None:
        """Starts empty at a position of the log."""
        self._messages.clear()
        self._subjects.clear()
        self._bytes, self.oldest = 0, position

    def add(self, messages: Iterable[Message]) -> None:
        """Takes later messages; the oldest make room."""
        for message in messages:
            if message.kind == "scrub":
                self._scrub(message.author)
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
        """What a message is about, as filters see it: of a deletion the status as it was, while it is kept here; else
        its author alone.
        """
        subject = message.subject or self._subjects.get(message.status_id)
        return subject or Subject(message.status_id, message.author, "", content_unknown=True)

    def after(self, start: LogPosition, is_wanted: Callable[[Message], bool]) -> list[Message]:
        """The wanted messages after `start`, oldest first, without the statuses that are gone by now. The cost is that
        of what came, whatever else is kept.
        """
        messages, deleted_ids, hidden_authors = list[Message](), set[int](), set[int]()
        for message in reversed(
            self._messages
        ):  # so that the end of a status is met before its beginning
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

    def _scrub(self, author: int) -> None:
        """What is kept tells no more where it was written. Filters that saw it there still hear of its deletion."""
        self._messages = deque(
            message.without_place() if message.author == author else message
            for message in self._messages
        )
