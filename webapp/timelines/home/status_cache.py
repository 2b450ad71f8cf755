"""Cache the statuses that this process read a moment ago: many homes show the same ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Db, Read
from webapp.core.store.caches.process_cache import ProcessCache
from webapp.statuses import Entry, Status, statuses
from webapp.statuses.values.visibility import effective_visibility


def _is_same(one: Status, other: Status) -> bool:
    return one == other and one.counts == other.counts


_cache = ProcessCache[int, Status](10_000, _is_same)  # by id


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
    others = [id_ for id_, author in entries if author != viewer] if viewer else []
    cached = _cache.get(db, others, max_age, _reread)
    missing = [entry for entry in entries if entry[0] not in cached]
    rechecked = _authors_to_recheck(cached, unfollowed)
    missing_read, authors_read = statuses(missing), accounts.get_many(rechecked)

    def parse(replies: Sequence[Any]) -> list[Status | None]:
        if not replies:
            return [cached[status_id] for status_id, _ in entries]
        split = len(missing_read.commands)
        fetched = missing_read.parse(replies[:split])
        found = {status_id: status for (status_id, _), status in zip(missing, fetched, strict=True)}
        may_stay = {id_: one for id_, one in found.items() if _may_keep(one)}
        found |= _cache.put(db, may_stay, max_age, others)
        members = authors_read.parse(replies[split:])
        authors = {uid: members.get(uid) for uid in rechecked}
        for status_id, status in cached.items():
            found[status_id] = _with_current_author(status, authors) if authors else status
        return [found[status_id] for status_id, _ in entries]

    return Read((*missing_read.commands, *authors_read.commands), parse)


def recent_status(db: Db, status_id: int, max_age: float) -> Status | None:
    """Return a status that this process read within `max_age` seconds, None for any other."""
    return _cache.get(db, (status_id,), max_age, _reread).get(status_id)


def _reread(old: Mapping[int, Status]) -> Read[dict[int, Status]]:
    """Read cached statuses again, without those that may not be kept any longer."""

    def keep(found: Sequence[Status | None]) -> dict[int, Status]:
        return {status.id: status for status in found if _may_keep(status)}

    return statuses([(id_, status.author.uid) for id_, status in old.items()]).map(keep)


def _may_keep(status: Status | None) -> TypeGuard[Status]:
    """Return True for a status that exists, unless its author is hidden: they may return."""
    return status is not None and not _is_hidden(status.author)


def _authors_to_recheck(cached: Mapping[int, Status], unfollowed: Collection[int]) -> list[int]:
    if not unfollowed:
        return []
    return sorted({status.author.uid for status in cached.values()}.intersection(unfollowed))


def _is_hidden(author: Member) -> bool:
    return author.suspended or author.protected or author.limited


def _with_current_author(status: Status, authors: Mapping[int, Member | None]) -> Status | None:
    """Return a cached status with its author as just read; None if the author is gone."""
    author = authors.get(status.author.uid, status.author)
    if author is None or author == status.author:
        return status if author else None
    visibility = effective_visibility(status.visibility.value, author)
    return replace(status, author=author, visibility=visibility)
