"""Following hashtags, and their newest posts for the homes of those who do: merged when a home is read, so that nothing
is pushed or taken back.
"""

from __future__ import annotations

import time
from collections.abc import Sequence, Set
from weakref import WeakKeyDictionary

from .. import keys
from ..config import Config
from ..db import Command, Db
from ..events import trace
from ..ids import MAX_ID, partition_of
from ..paging import below
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


def newest(
    db: Db, config: Config, names: Sequence[str], before: int | None, want: int, hidden: Set[int] = frozenset()
) -> list[str]:
    """The newest `want` entries below `before` under any of these tags, each once, without those of hidden authors,
    newest first. No trip where all were read just now, else one; one more where hidden authors fill what was read.
    """
    pages = _pages(db, config, names, before, want) if names else {}
    whole = [name for name, page in pages.items() if len(page) == want and hidden & set(map(author_of, page))]
    pages |= _read(db, whole, before, config.tagged_max) if whole else {}
    found = {entry for page in pages.values() for entry in page if author_of(entry) not in hidden}
    return sorted(found, key=id_of, reverse=True)[:want]


class Mixed:
    """The newest `want` of a home's own entries and of those that its followed tags bring. `floor`: nothing is merged
    below it, for a home that was cut says nothing below its last entry; `strangers`: the authors whom tags alone bring.
    """

    __slots__ = ("entries", "floor", "strangers")

    def __init__(self, own: list[str], brought: list[str], state: str, want: int) -> None:
        self.floor = (id_of(own[-1]) if own else MAX_ID) if state == "capped" else 0
        there = set(map(id_of, own)) if brought else set()
        more = [entry for entry in brought if id_of(entry) not in there and id_of(entry) >= self.floor]
        self.entries = sorted([*own, *more], key=id_of, reverse=True)[:want] if more else own
        self.strangers = frozenset(map(author_of, more)).difference(map(author_of, own) if more else ())


def clean(db: Db, names: Sequence[str], gone: Sequence[str]) -> None:
    """Takes entries whose status is gone from under these tags."""
    _kept.pop(db, None)
    db.trip(*(("ZREM", keys.tagged(name), *gone) for name in names))


def id_of(entry: str) -> int:
    """The status of an entry `id:author`, or `id:author:to`."""
    return int(entry.partition(":")[0])


def author_of(entry: str) -> int:
    """Its author."""
    return int(entry.split(":")[1])


def _pages(db: Db, config: Config, names: Sequence[str], before: int | None, want: int) -> dict[str, list[str]]:
    kept, fresh = _kept.setdefault(db, {}), time.monotonic() - config.merged_seconds
    found = {name: kept[name, before, want] for name in names if (name, before, want) in kept}
    known = {name: page for name, (read_at, page) in found.items() if read_at > fresh}
    unknown = [name for name in names if name not in known]
    read = _read(db, unknown, before, want) if unknown else {}
    if len(kept) + len(read) > CACHED_MAX:
        kept.clear()
    kept |= {(name, before, want): (time.monotonic(), page) for name, page in read.items()}
    return known | read


def _read(db: Db, names: Sequence[str], before: int | None, want: int) -> dict[str, list[str]]:
    read = (below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, want)
    return dict(zip(names, db.trip(*(("ZRANGE", keys.tagged(name), *read) for name in names)), strict=True))
