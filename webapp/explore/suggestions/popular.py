"""Suggestions that are the same for all: popular members, active ones, and the newest.

Popular and active members are chosen among the authors of the newest public posts. The list is
cached; a visit that finds none makes it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from webapp.accounts import keys as account_keys, store as accounts
from webapp.core.store import Db, Read, collect, constant, first_id_at, read, script
from webapp.core.store.reads import OptionalCommand
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility.policy import ANONYMOUS
from webapp.timelines import keys as timeline_keys
from webapp.timelines.entries import id_of, poster_of

from . import keys
from .reasons import Suggestion, Why, pack, unpack

SAVE_POPULAR = script("explore/suggestions/lua/save_popular.lua")
POSTS = 1_000  # the newest public posts whose authors are read
AUTHORS = 200  # of these, those who posted last
POPULAR_MAX = 50  # members of the list
NEWEST = 10  # uids of the newest accounts
FOLLOWERS_MIN = 3  # followers of a member who is called popular
ACTIVE_SECONDS = 7 * 86_400
SECONDS = 600  # the list is cached so long


def popular() -> Read[list[Suggestion]]:
    """Read the cached list. Empty if there is none."""
    return read(("ZRANGE", keys.popular(), 0, -1), lambda entries: list(map(unpack, entries)))


def newest() -> Read[list[Suggestion]]:
    """Read the last uids that were given out, newest first. Some may have no account."""
    return read(("GET", account_keys.last_uid()), _newest)


def save(found: Sequence[Suggestion]) -> Read[None]:
    """Return the read that caches the list. An empty one is not cached."""
    if not found:
        return constant(None)
    entries = list(map(pack, found))
    command = SAVE_POPULAR(ttl=SECONDS, entries=entries)
    return read(OptionalCommand(command), lambda _: None)


def choose(db: Db) -> list[Suggestion]:
    """Return members with many followers, then those who posted lately. Two trips."""
    newest_posts = ("ZRANGE", timeline_keys.public_timeline(), 0, POSTS - 1, "REV")
    last_ids = _last_ids(db.run(newest_posts))
    uids = list(last_ids)[:AUTHORS]
    members, counts = db.fetch(
        accounts.get_many(uids),
        collect(read(("ZCARD", following_keys.followers(uid)), int) for uid in uids),
    )
    followers = dict(zip(uids, counts, strict=True))
    now = time.time()
    found = [
        Suggestion(uid, Why.POPULAR if followers[uid] >= FOLLOWERS_MIN else Why.ACTIVE)
        for uid, member in members.items()
        if ANONYMOUS.may_suggest(member)
        and (followers[uid] >= FOLLOWERS_MIN or is_recent(last_ids[uid], now))
    ]
    return sorted(found, key=lambda one: (-followers[one.uid], one.uid))[:POPULAR_MAX]


def is_recent(status_id: int, now: float) -> bool:
    """Return True if a status was posted within ACTIVE_SECONDS. `now`: unix seconds."""
    return status_id >= first_id_at(int((now - ACTIVE_SECONDS) * 1000))


def last_status_ids(uids: Iterable[int]) -> Read[list[int]]:
    """Read the id of each member's newest post for all, 0 for none."""

    def first(ids: Sequence[str]) -> int:
        return int(ids[0]) if ids else 0

    return collect(
        read(("ZRANGE", status_keys.profile_statuses(uid), 0, 0, "REV"), first) for uid in uids
    )


def _last_ids(entries: Iterable[str]) -> dict[int, int]:
    """Return the authors of entries, newest first, each with the id of their newest post."""
    found: dict[int, int] = {}
    for entry in entries:
        found.setdefault(poster_of(entry), id_of(entry))
    return found


def _newest(last_uid: str | None) -> list[Suggestion]:
    last = int(last_uid or 0)
    return [Suggestion(uid, Why.NEW) for uid in range(last, max(last - NEWEST, 0), -1)]
