"""Statuses that this process read a moment ago: the homes of many members show the same ones."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Db, Read
from webapp.statuses import Entry, Status, statuses
from webapp.statuses.values.visibility import effective_visibility

CACHE_MAX = 10_000  # statuses of one store that a process keeps
NOT_CACHED = (0.0, None)

Cache = dict[int, tuple[float, Status]]  # status id -> (when it was read, the status)
_caches: WeakKeyDictionary[Db, Cache] = WeakKeyDictionary()


def cached_statuses(
    db: Db,
    entries: Sequence[Entry],
    viewer: int | None,
    max_age: float,
    unfollowed: Collection[int],
) -> Read[list[Status | None]]:
    """Read statuses, except those that this process read within `max_age` seconds.

    The viewer's own statuses are always read, so that their actions show at once. Visitors' pages
    are cached whole, so all of theirs are read. Authors among `unfollowed` are read again, so that
    an author who becomes protected is hidden at once. `db` only selects the cache.
    """
    cache, now = _caches.setdefault(db, {}), time.monotonic()
    min_read_at = now if viewer is None else now - max_age
    cached, missing = _split(cache, entries, viewer, min_read_at)
    rechecked = _authors_to_recheck(cached, unfollowed)
    missing_read, authors_read = statuses(missing), accounts.get_many(rechecked)

    def parse(replies: Sequence[Any]) -> list[Status | None]:
        if not replies:
            return [cached[status_id] for status_id, _ in entries]
        split = len(missing_read.commands)
        fetched = dict(zip(missing, missing_read.parse(replies[:split]), strict=True))
        found = {status_id: status for (status_id, _), status in fetched.items()}
        _remember(cache, now, found)
        members = authors_read.parse(replies[split:])
        authors = {uid: members.get(uid) for uid in rechecked}
        for status_id, status in cached.items():
            found[status_id] = _with_current_author(status, authors) if authors else status
        return [found[status_id] for status_id, _ in entries]

    return Read((*missing_read.commands, *authors_read.commands), parse)


def recent_status(db: Db, status_id: int, max_age: float) -> Status | None:
    """Return a status that this process read within `max_age` seconds, None for any other."""
    read_at, status = _caches.get(db, {}).get(status_id, NOT_CACHED)
    return status if read_at > time.monotonic() - max_age else None


def _split(
    cache: Cache, entries: Sequence[Entry], viewer: int | None, min_read_at: float
) -> tuple[dict[int, Status], list[Entry]]:
    """Return the cached statuses that are recent enough, and the entries that are missing."""
    cached: dict[int, Status] = {}
    missing: list[Entry] = []
    for entry in entries:
        status_id, author = entry
        read_at, status = cache.get(status_id, NOT_CACHED)
        if status and read_at > min_read_at and author != viewer:
            cached[status_id] = status
        else:
            missing.append(entry)
    return cached, missing


def _authors_to_recheck(cached: Mapping[int, Status], unfollowed: Collection[int]) -> list[int]:
    if not unfollowed:
        return []
    return sorted({status.author.uid for status in cached.values()}.intersection(unfollowed))


def _remember(cache: Cache, now: float, found: Mapping[int, Status | None]) -> None:
    """Cache statuses, but not those of hidden authors, who may return at any time."""
    if len(cache) + len(found) > CACHE_MAX:
        cache.clear()
    for status_id, status in found.items():
        if status and not _is_hidden(status.author):
            cache[status_id] = (now, status)


def _is_hidden(author: Member) -> bool:
    return author.suspended or author.protected or author.limited


def _with_current_author(status: Status, authors: Mapping[int, Member | None]) -> Status | None:
    """Return a cached status with its author as just read; None if the author is gone."""
    author = authors.get(status.author.uid, status.author)
    if author is None or author == status.author:
        return status if author else None
    visibility = effective_visibility(status.visibility.value, author)
    return replace(status, author=author, visibility=visibility)
