"""The newest messages in memory, so that clients that come back soon cost the store nothing."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import replace

from webapp.statuses import Entry
from webapp.streaming.log.messages import Message
from webapp.streaming.log.position import LOG_START, LogPosition
from webapp.streaming.matching.terms import Subject


class ReplayBuffer:
    """Every message after the position `oldest`, up to a number and a size."""

    def __init__(self, max_messages: int, max_bytes: int) -> None:
        self._max_messages = max_messages
        self._max_bytes = max_bytes
        self._messages: deque[Message] = deque()
        self._subjects: dict[int, Subject] = {}  # status id → the subject of its `update`
        self._boosters: dict[int, list[int]] = defaultdict(list)  # status id → uids of its boosters
        self._bytes = 0
        self.oldest = LOG_START  # every message after this is here

    def reset(self, position: LogPosition) -> None:
        """Empty the buffer at a position of the log."""
        self._messages.clear()
        self._subjects.clear()
        self._boosters.clear()
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
            if message.kind == "boost" and message.boosted:
                self._boosters[message.boosted[0]].append(message.author)
        while len(self._messages) > self._max_messages or self._bytes > self._max_bytes:
            oldest = self._messages.popleft()
            self._bytes -= oldest.size
            self._forget(oldest)
            self.oldest = oldest.position

    def subject_of(self, message: Message) -> Subject:
        """Return the facts of a message that filters examine.

        For an edit or a deletion these are the facts of the earlier status, and who boosted it.
        Once the buffer has dropped that, they are its author alone.
        """
        if message.subject:
            return message.subject
        status_id, boosters = message.status_id, self._boosters.get(message.status_id)
        subject = self._subjects.get(status_id) or Subject(
            status_id,
            message.author,
            "",
            boosted_author=message.boosted[1] if message.boosted else 0,
            content_unknown=True,
        )
        return replace(subject, boosters=frozenset(boosters)) if boosters else subject

    def after(self, start: LogPosition, is_wanted: Callable[[Message], bool]) -> list[Message]:
        """Return the wanted messages after `start`, oldest first.

        Messages about statuses that are gone meanwhile are left out, and such statuses are taken
        out of quotes. The cost is that of the messages after `start`, however many are kept.
        """
        messages: list[Message] = []
        deleted_ids: set[int] = set()
        hidden_authors: set[int] = set()

        def is_gone(entry: Entry | None) -> bool:
            return entry is not None and (entry[0] in deleted_ids or entry[1] in hidden_authors)

        for message in reversed(self._messages):  # a status's end comes before its beginning
            if message.position <= start:
                break
            if message.kind == "delete":
                deleted_ids.add(message.status_id)
            elif message.kind in ("hide", "protect"):
                hidden_authors.add(message.author)
            elif is_gone((message.status_id, message.author)) or is_gone(message.boosted):
                continue
            if is_wanted(message):
                messages.append(message.without_quote() if is_gone(message.quoted) else message)
        return messages[::-1]

    def remove_quote(self, status_id: int) -> None:
        """Remove the quoted status from a status and its boosts."""
        self._change(
            lambda message: message.without_quote() if message.is_about(status_id) else message
        )

    def _forget(self, message: Message) -> None:
        """Forget the facts that later messages would take from this one."""
        if message.subject:
            self._subjects.pop(message.status_id, None)
        if message.kind == "boost" and message.boosted:
            status_id = message.boosted[0]
            self._boosters[status_id].remove(message.author)
            if not self._boosters[status_id]:
                del self._boosters[status_id]

    def _remove_places(self, author: int) -> None:
        """Remove the places from an author's messages.

        Filters by place that matched a status still get its deletion: `_subjects` stays as it is.
        """
        self._change(lambda message: message.without_places_of(author))

    def _change(self, change: Callable[[Message], Message]) -> None:
        """Put the changed messages, which may be shorter, in place of all."""
        self._messages = deque(map(change, self._messages))
        self._bytes = sum(message.size for message in self._messages)
