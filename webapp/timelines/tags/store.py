"""Following hashtags, and their newest posts for the homes of those who do: merged when a home is read, so that nothing
is pushed or taken back.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence, Set
from itertools import takewhile
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id
from webapp.core.store.client import Db
from webapp.core.store.ids import MAX_ID, partition_of
from webapp.core.store.reads import Command, Read, constant, read
from webapp.core.store.scripts import script
from webapp.core.web.pagination import max_bound, overfetch
from webapp.timelines import keys as timeline_keys

FOLLOW = script("timelines/tags/lua/follow_tag.lua")
UNFOLLOW = script("timelines/tags/lua/unfollow_tag.lua")
CACHED_MAX = 1_000  # pages of entries that a process keeps

# For each store: (name, cursor, how many) → (when it was read, the entries). Shared by all readers of this process, for
# MERGED_SECONDS.
_cache: WeakKeyDictionary[Db, dict[tuple[str, int | None, int], tuple[float, list[str]]]] = (
    WeakKeyDictionary()
)


def follow(db: Db, config: Config, uid: int, name: str) -> None:
    """Follows a hashtag, by its folded name; again is no change. One trip. Raises NotFound; Forbidden for a suspended
    member; Conflict at FOLLOWED_TAGS_MAX; Unavailable.
    """
    p = partition_of(uid)
    db.run(
        FOLLOW(
            tags=timeline_keys.followed_tags(uid),
            member=account_keys.user(uid),
            outbox=event_keys.outbox(p),
            uid=uid,
            name=name,
            limit=config.followed_tags_max,
            partition=p,
            outbox_max=config.outbox_max,
            rid=request_id.get(),
        )
    )


def unfollow(db: Db, config: Config, uid: int, name: str) -> None:
    """Follows it no more; again is no change. One trip. Raises Unavailable."""
    p = partition_of(uid)
    db.run(
        UNFOLLOW(
            tags=timeline_keys.followed_tags(uid),
            outbox=event_keys.outbox(p),
            uid=uid,
            name=name,
            partition=p,
            outbox_max=config.outbox_max,
            rid=request_id.get(),
        )
    )


def followed(db: Db, uid: int) -> list[str]:
    """The names of the hashtags a member follows, the newest first."""
    return [
        str(name) for name in db.run(("ZRANGE", timeline_keys.followed_tags(uid), 0, -1, "REV"))
    ]


def is_followed(uid: int | None, name: str) -> Read[bool]:
    """Read whether a member follows a hashtag. Visitors follow none."""
    if uid is None:
        return constant(False)
    return read(("ZSCORE", timeline_keys.followed_tags(uid), name), lambda score: score is not None)


class TagEntries(NamedTuple):
    """Entries that tags bring, each once, newest first, down to `floor` (0: all there are)."""

    entries: list[str]
    complete_to: int


class TagPages:
    """The newest entries below `before` under some tags."""

    def __init__(self, db: Db, config: Config, before: int | None) -> None:
        self._cached_pages, self._fresh_since = (
            _cache.setdefault(db, {}),
            time.monotonic() - config.merged_seconds,
        )
        self._before, self._limit = before, overfetch(config.page_size)
        self._pages: dict[str, list[str]] = {}
        self._missing: list[str] = []

    def commands_for(self, names: Iterable[str]) -> list[Command]:
        """The commands that read those of which nothing is known yet, nor was read just now; their replies go to
        `read`.
        """
        before, limit = self._before, self._limit
        wanted = [name for name in names if name not in self._pages]
        cached = {
            name: cached_page
            for name in wanted
            if (cached_page := self._cached_pages.get((name, before, limit)))
        }
        self._pages |= {
            name: page for name, (read_at, page) in cached.items() if read_at > self._fresh_since
        }
        self._missing = [name for name in wanted if name not in self._pages]
        range_args = (max_bound(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, limit)
        return [
            ("ZRANGE", timeline_keys.hashtag_statuses(name), *range_args) for name in self._missing
        ]

    def accept(self, replies: Sequence[Any]) -> None:
        """Takes the replies to what was asked last."""
        pages = dict(zip(self._missing, replies, strict=True))
        if len(self._cached_pages) + len(pages) > CACHED_MAX:
            self._cached_pages.clear()
        self._cached_pages |= {
            (name, self._before, self._limit): (time.monotonic(), page)
            for name, page in pages.items()
        }
        self._pages |= pages

    def combine(self, names: Iterable[str], hidden: Set[int]) -> TagEntries:
        """What is known of these together, without the entries of hidden authors."""
        pages = [self._pages[name] for name in names if name in self._pages]
        complete_to = max(
            (id_of(page[-1]) for page in pages if len(page) == self._limit), default=0
        )
        entries = {
            entry
            for page in pages
            for entry in takewhile(lambda one: id_of(one) >= complete_to, page)
        }
        visible = (one for one in entries if author_of(one) not in hidden)
        return TagEntries(sorted(visible, key=id_of, reverse=True), complete_to)


class MergedEntries:
    """The newest `want` of a home's own entries and of those that its followed tags bring. `last`: where its entries
    end, if some of them are left out. `floor`: nothing is merged below it, for a home that was cut says nothing below
    its last entry; `end`: what is below it was not looked at, 0 for nothing; `brought`: what tags alone bring, and
    `strangers`: its authors, who have nothing else there.
    """

    __slots__ = ("complete_to", "entries", "merge_floor", "tag_only", "tag_only_authors")

    def __init__(
        self,
        own_entries: list[str],
        tag_entries: TagEntries,
        state: str,
        size: int,
        last_id: int | None = None,
    ) -> None:
        last_id = last_id or (id_of(own_entries[-1]) if own_entries else MAX_ID)
        self.merge_floor = last_id if state == "capped" else 0
        self.complete_to = max(tag_entries.complete_to, last_id if state == "more" else 0)
        own_ids, lower_bound = (
            set(map(id_of, own_entries)) if tag_entries.entries else set(),
            max(self.merge_floor, self.complete_to),
        )
        added = [
            entry
            for entry in tag_entries.entries
            if id_of(entry) not in own_ids and id_of(entry) >= lower_bound
        ]
        self.tag_only = added[:size]
        merged = (
            sorted([*own_entries, *added], key=id_of, reverse=True)
            if tag_entries.entries
            else own_entries
        )
        complete = (
            [entry for entry in merged if id_of(entry) >= self.complete_to]
            if tag_entries.complete_to
            else merged
        )
        self.entries = complete[:size]
        if len(complete) > size:
            self.complete_to = id_of(self.entries[-1])
        self.tag_only_authors = frozenset(map(author_of, added)).difference(
            map(author_of, own_entries) if added else ()
        )


def merge_without(
    own_entries: Sequence[str],
    tag_entries: TagEntries,
    state: str,
    size: int,
    deleted: Collection[str],
    excluded_authors: Set[int],
) -> MergedEntries:
    """The same without the entries that are gone, and without those of authors who are left out."""
    remaining_own, remaining_tagged = (
        [
            entry
            for entry in part
            if entry not in deleted and author_of(entry) not in excluded_authors
        ]
        for part in (own_entries, tag_entries.entries)
    )
    merged = MergedEntries(
        remaining_own,
        TagEntries(remaining_tagged, tag_entries.complete_to),
        state,
        size,
        id_of(own_entries[-1]) if own_entries else None,
    )
    if (
        deleted and own_entries
    ):  # where it was cut it is not full any more, and what is below it may be found again
        merged.complete_to = max(merged.complete_to, merged.merge_floor)
    return merged


def cleanup_commands(
    db: Db, uid: int, tag_names: Sequence[str], deleted: Sequence[str]
) -> list[Command]:
    """The commands that take entries whose status is gone out of a home, and from under these tags."""
    if deleted:
        _cache.pop(db, None)
    return [
        ("ZREM", name, *deleted)
        for name in (timeline_keys.home(uid), *map(timeline_keys.hashtag_statuses, tag_names))
        if deleted
    ]


def id_of(entry: str) -> int:
    """The status of an entry `id:author`, or `id:author:to`."""
    return int(entry.partition(":")[0])


def author_of(entry: str) -> int:
    """Its author."""
    return int(entry.split(":")[1])
