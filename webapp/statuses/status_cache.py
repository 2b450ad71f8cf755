"""Statuses as this process read them just now: the homes of many members show the same ones."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from webapp.accounts.store import Member, member_command, member_from
from webapp.core.store.client import Db

from .status import Status
from .store import Entry, hydration
from .visibility.visibility import effective_visibility

CACHE_MAX = 10_000  # statuses of one store that a process keeps
NOT_CACHED = (0.0, None)

# For each store: status id → (when it was read, what it was).
_caches: WeakKeyDictionary[Db, dict[int, tuple[float, Status]]] = WeakKeyDictionary()


class CachedStatusLoader:
    """The statuses of a timeline's entries, of which those that were read within so many seconds are taken as they
    were: `commands` to put into a trip, whose replies `read` completes. A reader's own are always read anew, so that
    what one does oneself shows at once; so is all that visitors see, for their pages are kept for longer; and so is the
    standing of `strangers`, whom readers need not follow, so that what becomes protected is hidden at once.
    """

    def __init__(
        self,
        db: Db,
        entries: Sequence[Entry],
        viewer: int | None,
        max_age: float,
        unfollowed: Collection[int],
    ) -> None:
        self._cache, self._now = _caches.setdefault(db, {}), time.monotonic()
        min_read_at = self._now - (0 if viewer is None else max_age)
        self._entries, self._missing, self._cached = entries, list[Entry](), dict[int, Status]()
        cache, cached = self._cache, self._cached
        for entry in entries:
            status_id, author = entry
            read_at, status = cache.get(status_id, NOT_CACHED)
            if status and read_at > min_read_at and author != viewer:
                cached[status_id] = status
            else:
                self._missing.append(entry)
        cached_authors = (
            {one.author.uid for one in self._cached.values()} if unfollowed else set[int]()
        )
        self._rechecked_authors = sorted(cached_authors.intersection(unfollowed))
        commands, self._parse_missing = hydration(self._missing)
        self.commands = [*commands, *map(member_command, self._rechecked_authors)]

    def parse(self, replies: Sequence[Any]) -> list[Status | None]:
        """The statuses in the order of the entries, None for one that is gone."""
        if not replies:
            return [self._cached[status_id] for status_id, _ in self._entries]
        authors_start = len(replies) - len(self._rechecked_authors)
        fetched = dict(
            zip(
                (status_id for status_id, _ in self._missing),
                self._parse_missing(replies[:authors_start]),
                strict=True,
            )
        )
        authors = {
            uid: member_from(uid, reply)
            for uid, reply in zip(self._rechecked_authors, replies[authors_start:], strict=True)
        }
        if len(self._cache) + len(fetched) > CACHE_MAX:
            self._cache.clear()
        for status_id, status in fetched.items():
            # Whoever is restored, or public again, is back at once.
            if status and not status.author.suspended and not status.author.protected:
                self._cache[status_id] = (self._now, status)
        statuses = fetched | (
            self._cached
            if not authors
            else {
                status_id: _with_current_author(status, authors)
                for status_id, status in self._cached.items()
            }
        )
        return [statuses[status_id] for status_id, _ in self._entries]


def _with_current_author(status: Status, authors: Mapping[int, Member | None]) -> Status | None:
    """A status that was kept, by what its author is now, where that was asked; None where there is none any more."""
    author = authors.get(status.author.uid, status.author)
    if author is None or author == status.author:
        return status if author else None
    return replace(
        status, author=author, visibility=effective_visibility(status.visibility.value, author)
    )
