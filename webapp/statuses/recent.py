"""Statuses as this process read them just now: the homes of many members show the same ones."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from ..accounts.store import Member, member_command, member_from
from ..db import Db
from .status import Status
from .store import Entry, hydration
from .visibility import visible

KEPT_MAX = 10_000  # statuses of one store that a process keeps
NEVER = (0.0, None)

# For each store: status id → (when it was read, what it was).
_kept: WeakKeyDictionary[Db, dict[int, tuple[float, Status]]] = WeakKeyDictionary()


class Recent:
    """The statuses of a timeline's entries, of which those that were read within so many seconds are taken as they
    were: `commands` to put into a trip, whose replies `read` completes. A reader's own are always read anew, so that
    what one does oneself shows at once; so is all that visitors see, for their pages are kept for longer; and so is the
    standing of `strangers`, whom readers need not follow, so that what becomes protected is hidden at once.
    """

    def __init__(
        self, db: Db, entries: Sequence[Entry], reader: int | None, seconds: float, strangers: Collection[int]
    ) -> None:
        self._kept, self._now = _kept.setdefault(db, {}), time.monotonic()
        fresh = self._now - (0 if reader is None else seconds)
        self._entries, self._asked, self._known = entries, list[Entry](), dict[int, Status]()
        kept, known = self._kept, self._known
        for entry in entries:
            status_id, author = entry
            read_at, status = kept.get(status_id, NEVER)
            if status and read_at > fresh and author != reader:
                known[status_id] = status
            else:
                self._asked.append(entry)
        known_by = {one.author.uid for one in self._known.values()} if strangers else set[int]()
        self._looked_at = sorted(known_by.intersection(strangers))
        commands, self._read = hydration(self._asked)
        self.commands = [*commands, *map(member_command, self._looked_at)]

    def read(self, replies: Sequence[Any]) -> list[Status | None]:
        """The statuses in the order of the entries, None for one that is gone."""
        if not replies:
            return [self._known[status_id] for status_id, _ in self._entries]
        at = len(replies) - len(self._looked_at)
        found = dict(zip((status_id for status_id, _ in self._asked), self._read(replies[:at]), strict=True))
        people = {uid: member_from(uid, reply) for uid, reply in zip(self._looked_at, replies[at:], strict=True)}
        if len(self._kept) + len(found) > KEPT_MAX:
            self._kept.clear()
        for status_id, status in found.items():
            # Whoever is restored, or public again, is back at once.
            if status and not status.author.suspended and not status.author.protected:
                self._kept[status_id] = (self._now, status)
        known = found | (
            self._known
            if not people
            else {status_id: _by_now(status, people) for status_id, status in self._known.items()}
        )
        return [known[status_id] for status_id, _ in self._entries]


def _by_now(status: Status, people: Mapping[int, Member | None]) -> Status | None:
    """A status that was kept, by what its author is now, where that was asked; None where there is none any more."""
    author = people.get(status.author.uid, status.author)
    if author is None or author == status.author:
        return status if author else None
    return replace(status, author=author, visibility=visible(status.visibility.value, author))
