"""A process's copy of the index of promotions, from which pages choose without asking the store."""

import time
from collections.abc import Sequence
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import orjson

from webapp.core.store import Db, Read, constant, script
from webapp.core.store.caches.recording import changes_at, holds_while

from .ranking import Ad, Ranking

CHANGES = script("rewards/promotions/lua/changes.lua")
REFRESH_SECONDS = 5.0  # between two looks at what changed
STALE_SECONDS = 3600.0  # after which everything is read again
CHANGES_MAX = 1_000  # rows of one look
NO_LOOK: Read[None] = constant(None)


class Index:
    """The promotions that may be shown, as this process knows them. Safe in any thread."""

    def __init__(self) -> None:
        self.ranking = Ranking()
        self.offers: dict[tuple[Any, ...], Any] = {}  # those of `showings.py`, by page and reader
        self._ads: dict[int, Ad] = {}
        self._version = 0
        self._next_read = 0.0  # monotonic seconds
        self._lock = Lock()

    def changes(self) -> Read[None]:
        """Read the changes, with a command only if the process read them some time ago."""
        now = time.monotonic()
        if now < self._next_read:
            ranking = self.ranking
            holds_while(lambda: constant(self._has(ranking)))
            return NO_LOOK
        if now > self._next_read + STALE_SECONDS:
            self.forget()
        command = CHANGES(version=self._version, limit=CHANGES_MAX)
        return Read((command,), lambda replies: self._apply(replies[0]))

    def _has(self, ranking: Ranking) -> bool:
        """Return True while a page is made with this ranking, and asks for none."""
        return self.ranking is ranking and time.monotonic() < self._next_read

    def forget(self) -> None:
        """Read everything at the next look, which comes at once."""
        with self._lock:
            self._ads, self._version, self.ranking = {}, 0, Ranking()
            self._next_read = time.monotonic()

    def _apply(self, reply: Sequence[Any]) -> None:
        found, rows = reply
        with self._lock:
            for id_, version, row in zip(found[::2], found[1::2], rows, strict=True):
                if int(version) > self._version:
                    self._version = int(version)
                    self._put(int(id_), row)
            if found:
                self.ranking = Ranking(self._ads.values())
            changes_at(0)  # the next page has the new ranking, and asks for nothing
            if len(rows) < CHANGES_MAX:  # there are no more
                self._next_read = time.monotonic() + REFRESH_SECONDS

    def _put(self, id_: int, row: str | None) -> None:
        values = orjson.loads(row) if row else {}
        if values.pop("state", "") != "open":
            self._ads.pop(id_, None)
            return
        counts = {word: (views, acts) for word, (views, acts) in values.pop("counts").items()}
        self._ads[id_] = Ad(id=id_, counts=counts, **values)


_indexes: WeakKeyDictionary[Db, Index] = WeakKeyDictionary()


def index_of(db: Db) -> Index:
    """Return this process's copy of the index of a store."""
    if (index := _indexes.get(db)) is None:
        index = _indexes.setdefault(db, Index())
    return index
