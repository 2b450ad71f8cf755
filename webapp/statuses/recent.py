"""Statuses as this process read them just now: the homes of many members show the same ones."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from ..db import Db
from .status import Status
from .store import Entry, hydration

KEPT_MAX = 10_000  # statuses of one store that a process keeps

# For each store: status id → (when it was read, what it was).
_kept: WeakKeyDictionary[Db, dict[int, tuple[float, Status]]] = WeakKeyDictionary()


class Recent:
    """The statuses of a timeline's entries, of which those that were read within so many seconds are taken as they
    were: `commands` to put into a trip, whose replies `read` completes. A reader's own are always read anew, so that
    what one does oneself shows at once.
    """

    def __init__(self, db: Db, entries: Sequence[Entry], reader: int | None, seconds: float) -> None:
        self._kept, self._now = _kept.setdefault(db, {}), time.monotonic()
        fresh = self._now - seconds
        known = {status_id: kept for status_id, _ in entries if (kept := self._kept.get(status_id))}
        self._known = {
            status_id: known[status_id][1]
            for status_id, author in entries
            if author != reader and status_id in known and known[status_id][0] > fresh
        }
        self._entries = entries
        self._asked = [entry for entry in entries if entry[0] not in self._known]
        self.commands, self._read = hydration(self._asked)

    def read(self, replies: Sequence[Any]) -> list[Status | None]:
        """The statuses in the order of the entries, None for one that is gone."""
        found = dict(zip((status_id for status_id, _ in self._asked), self._read(replies), strict=True))
        if len(self._kept) + len(found) > KEPT_MAX:
            self._kept.clear()
        for status_id, status in found.items():
            if status and not status.author.suspended:  # whoever is restored is back at once
                self._kept[status_id] = (self._now, status)
        known: dict[int, Status | None] = {**found, **self._known}
        return [known[status_id] for status_id, _ in self._entries]
