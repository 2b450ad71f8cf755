"""Following hashtags, and their newest posts for the homes of those who do: merged when a home is read, so that nothing
is pushed or taken back.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence, Set
from itertools import takewhile
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from .. import keys
from ..config import Config
from ..db import Command, Db
from ..events import trace
from ..ids import MAX_ID, partition_of
from ..paging import below, looked_at
from ..scripts import script

FOLLOW = script("timelines/follow_tag.lua")
UNFOLLOW = script("timelines/unfollow_tag.lua")
CACHED_MAX = 1_000  # pages of entries that a process keeps

# For each store: (name, cursor, how many) → (when it was read, the entries). Shared by all readers of this process, for
# MERGED_SECONDS.
_kept: WeakKeyDictionary[Db, dict[tuple[str, int | None, int], tuple[float, list[str]]]] = WeakKeyDictionary()


def follow(db: Db, config: Config, uid: int, name: str) -> None:
    """Follows a hashtag, by its folded name; again is no change. One trip. Raises NotFound; Forbidden for a suspended
    member; Conflict at FOLLOWED_TAGS_MAX; Unavailable.
    """
    p = partition_of(uid)
    names = [keys.followed_tags(uid), keys.user(uid), keys.outbox(p)]
    db.run(FOLLOW(names, uid, name, config.followed_tags_max, p, config.outbox_max, *trace()))


def unfollow(db: Db, config: Config, uid: int, name: str) -> None:
    """Follows it no more; again is no change. One trip. Raises Unavailable."""
    p = partition_of(uid)
    db.run(UNFOLLOW([keys.followed_tags(uid), keys.outbox(p)], uid, name, p, config.outbox_max, *trace()))


def listed(db: Db, uid: int) -> list[str]:
    """The names of the hashtags a member follows, the newest first."""
    return [str(name) for name in db.run(("ZRANGE", keys.followed_tags(uid), 0, -1, "REV"))]


def followed_command(uid: int, name: str) -> Command:
    """The command whose reply says whether a member follows a hashtag: none if not."""
    return ("ZSCORE", keys.followed_tags(uid), name)


class Brought(NamedTuple):
    """Entries that tags bring, each once, newest first, down to `floor` (0: all there are)."""

    entries: list[str]
    floor: int


class Pages:
    """The newest entries below `before` under some tags."""

    def __init__(self, db: Db, config: Config, before: int | None) -> None:
        self._kept, self._fresh = _kept.setdefault(db, {}), time.monotonic() - config.merged_seconds
        self._before, self._look = before, looked_at(config.page_size)
        self._known: dict[str, list[str]] = {}
        self._asked: list[str] = []

    def ask(self, names: Iterable[str]) -> list[Command]:
        """The commands that read those of which nothing is known yet, nor was read just now; their replies go to
        `read`.
        """
        before, look = self._before, self._look
        wanted = [name for name in names if name not in self._known]
        found = {name: kept for name in wanted if (kept := self._kept.get((name, before, look)))}
        self._known |= {name: page for name, (read_at, page) in found.items() if read_at > self._fresh}
        self._asked = [name for name in wanted if name not in self._known]
        read = (below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, look)
        return [("ZRANGE", keys.tagged(name), *read) for name in self._asked]

    def read(self, replies: Sequence[Any]) -> None:
        """Takes the replies to what was asked last."""
        found = dict(zip(self._asked, replies, strict=True))
        if len(self._kept) + len(found) > CACHED_MAX:
            self._kept.clear()
        self._kept |= {(name, self._before, self._look): (time.monotonic(), page) for name, page in found.items()}
        self._known |= found

    def of(self, names: Iterable[str], hidden: Set[int]) -> Brought:
        """What is known of these together, without the entries of hidden authors."""
        pages = [self._known[name] for name in names if name in self._known]
        floor = max((id_of(page[-1]) for page in pages if len(page) == self._look), default=0)
        found = {entry for page in pages for entry in takewhile(lambda one: id_of(one) >= floor, page)}
        shown = (one for one in found if author_of(one) not in hidden)
        return Brought(sorted(shown, key=id_of, reverse=True), floor)


class Mixed:
    """The newest `want` of a home's own entries and of those that its followed tags bring. `last`: where its entries
    end, if some of them are left out. `floor`: nothing is merged below it, for a home that was cut says nothing below
    its last entry; `end`: what is below it was not looked at, 0 for nothing; `brought`: what tags alone bring, and
    `strangers`: its authors, who have nothing else there.
    """

    __slots__ = ("brought", "end", "entries", "floor", "strangers")

    def __init__(self, own: list[str], brought: Brought, state: str, want: int, last: int | None = None) -> None:
        last = last or (id_of(own[-1]) if own else MAX_ID)
        self.floor = last if state == "capped" else 0
        self.end = max(brought.floor, last if state == "more" else 0)
        there, least = set(map(id_of, own)) if brought.entries else set(), max(self.floor, self.end)
        more = [entry for entry in brought.entries if id_of(entry) not in there and id_of(entry) >= least]
        self.brought = more[:want]
        mixed = sorted([*own, *more], key=id_of, reverse=True) if brought.entries else own
        known = [entry for entry in mixed if id_of(entry) >= self.end] if brought.floor else mixed
        self.entries = known[:want]
        if len(known) > want:
            self.end = id_of(self.entries[-1])
        self.strangers = frozenset(map(author_of, more)).difference(map(author_of, own) if more else ())


def again(
    own: Sequence[str], brought: Brought, state: str, want: int, gone: Collection[str], left_out: Set[int]
) -> Mixed:
    """The same without the entries that are gone, and without those of authors who are left out."""
    mine, others = (
        [entry for entry in part if entry not in gone and author_of(entry) not in left_out]
        for part in (own, brought.entries)
    )
    mixed = Mixed(mine, Brought(others, brought.floor), state, want, id_of(own[-1]) if own else None)
    if gone and own:  # where it was cut it is not full any more, and what is below it may be found again
        mixed.end = max(mixed.end, mixed.floor)
    return mixed


def cleaning(db: Db, uid: int, names: Sequence[str], gone: Sequence[str]) -> list[Command]:
    """The commands that take entries whose status is gone out of a home, and from under these tags."""
    if gone:
        _kept.pop(db, None)
    return [("ZREM", name, *gone) for name in (keys.home(uid), *map(keys.tagged, names)) if gone]


def id_of(entry: str) -> int:
    """The status of an entry `id:author`, or `id:author:to`."""
    return int(entry.partition(":")[0])


def author_of(entry: str) -> int:
    """Its author."""
    return int(entry.split(":")[1])
