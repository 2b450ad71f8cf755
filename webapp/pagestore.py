"""The kept pages in the store: one hash a path, one field a variant, and a lease for whoever renders one (after Redis
in Action, 2.3 to 2.5).

What happened drops a path, and every lease on it, in one step: a page that was read before is never kept after. What
happened to a member may show on any page; such changes are numbered, and a page knows the number it was rendered at and
whom it shows.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from . import keys
from .config import Config
from .db import Command, Db, Raw
from .ids import PARTITIONS
from .pagevariant import Wanted
from .scripts import script

TAKE, RELEASE, KEEP = (script(f"page_{verb}.lua") for verb in ("take", "release", "keep"))
DROP, EDIT, VIEWS = (script(f"page_{verb}.lua") for verb in ("drop", "edit", "views"))
CHANNEL = "drops"  # what happened is said on it: `soft` or `hard` and the paths, or `*` for all
LEASE_MS = 3_000  # to render a page
LOOSE_MS = 1_000  # in which a page that was not to be kept is rendered by everybody
SPARE_MS = 30_000  # a page that is over may be shown while another is rendered
VARIANTS_MAX = 64  # of one path, and leases
EDITS_MAX = 10_000  # members whose last change is remembered
HALVE_SECONDS = 300  # between two halvings of the views
FLUSH_SECONDS = 1.0  # between two times that a process tells its views
PATHS_MAX = 1_000  # paths whose views one process has yet to tell


@dataclass(frozen=True, slots=True)
class Kept:
    """A page as it is kept: its head, its compressed body, when it was rendered (unix seconds), the number of the last
    change that it may know of, and whom it shows.
    """

    headers: list[tuple[str, str]]
    etag: str  # of the body before it was compressed
    rendered: int
    seen: int
    uids: Sequence[int]
    body: bytes

    def packed(self) -> bytes:
        """As it is stored."""
        head = [self.headers, self.etag, self.rendered, self.seen, list(self.uids)]
        return orjson.dumps(head) + b"\n" + self.body

    @classmethod
    def unpacked(cls, stored: bytes) -> Kept:
        """From what is stored, with the time before it."""
        head, _, body = stored.partition(b"\n")
        headers, etag, rendered, seen, uids = orjson.loads(head.partition(b" ")[2])
        return cls([(name, value) for name, value in headers], etag, rendered, seen, uids, body)


@dataclass(frozen=True, slots=True)
class Taken:
    """`state` as in `page_take.lua`; the page, if it still holds; whether this path is popular enough to be kept; the
    replies to what was sent beside.
    """

    state: str
    page: Kept | None
    popular: bool
    beside: Sequence[Any] = ()


class PageStore:
    """One process's way to the kept pages."""

    def __init__(self, db: Db, config: Config) -> None:
        self._db, self._config = db, config
        self.edits = Edits()
        self._views = Views(config.page_views_max)

    def take(self, wanted: Wanted, token: str, beside: Sequence[Command] = ()) -> Taken:
        """The kept page, or the lease to render it. One trip, in which `beside` is sent; a second where somebody on the
        page has changed since. Raises Unavailable.
        """
        state, stored, popular, told = self._take(wanted, token, False, beside)
        page = Kept.unpacked(stored) if stored else None
        if page and self.edits.touch(page.seen, page.uids):
            page = None
            if state == "fresh":
                state, *_ = self._take(wanted, token, True)
        return Taken(state, page, popular, told)

    def keep(self, wanted: Wanted, token: str, page: Kept) -> bool:
        """Keeps a page if the lease is still held; False when something has happened meanwhile. Raises Unavailable."""
        p = keys.page_partition(wanted.path)
        names = [keys.page(wanted.path), keys.pages(p), keys.page_bytes(p)]
        life, share = self._config.page_cache_seconds * 1000, self._config.page_cache_bytes // PARTITIONS
        told = (wanted.variant, token, wanted.path, page.packed(), life, SPARE_MS, share, keys.page_prefix(p))
        return bool(self._db.run(KEEP(names, *told)))

    def release(self, wanted: Wanted, token: str) -> None:
        """Gives the lease back: this is not to be kept. Raises Unavailable."""
        self._db.run(RELEASE([keys.page(wanted.path)], wanted.variant, token, LOOSE_MS))

    def count(self, path: str, hit: bool) -> None:
        """Counts a view, which the store is told of soon."""
        self._views.add(path, hit)

    def _take(
        self, wanted: Wanted, token: str, over: bool, beside: Sequence[Command] = ()
    ) -> tuple[str, bytes, bool, list[Any]]:
        own: list[Command] = [
            Raw(TAKE([keys.page(wanted.path)], wanted.variant, token, LEASE_MS, VARIANTS_MAX, int(over))),
            self.edits.command(),
            ("ZREVRANK", keys.views(), wanted.path),
            ("ZCARD", keys.views()),
            *self._views.due(),
        ]
        ((state, stored), edits, rank, counted, *_), told = self._db.parts(own, beside)
        self.edits.take(edits)
        most = self._config.page_cache_paths
        return state.decode(), stored, counted < most or (rank is not None and rank < most), told


class Edits:
    """The changes of members that this process knows of."""

    def __init__(self) -> None:
        self.known = 0  # the number of the newest
        self._floor = 0  # pages that know of less may show anything
        self._last: dict[int, int] = {}
        self._turn = threading.Lock()

    def command(self) -> Command:
        """The command whose reply goes to `take`."""
        return ("ZRANGE", keys.edits(), f"({self.known}", "+inf", "BYSCORE", "WITHSCORES")

    def take(self, reply: Sequence[str]) -> None:
        """Learns of more. So many at once, or in all, that some may be missing: what is older is not trusted."""
        if not reply:
            return
        with self._turn:
            for uid, number in zip(map(int, reply[::2]), map(int, reply[1::2]), strict=True):
                self._last[uid] = max(number, self._last.get(uid, 0))  # a reply may come after a later one
            self.known = max(self.known, int(reply[-1]))
            if len(reply) // 2 >= EDITS_MAX or len(self._last) > 2 * EDITS_MAX:
                self._floor = self.known
                self._last.clear()

    def touch(self, seen: int, uids: Iterable[int]) -> bool:
        """Whether a page that was rendered at `seen` may show one of its members as they were."""
        return seen < self._floor or any(self._last.get(uid, 0) > seen for uid in uids)


class Views:
    """Views, counted in this process until it is time to tell the store."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._paths: Counter[str] = Counter()
        self._hits = self._misses = 0
        self._told = time.monotonic()
        self._turn = threading.Lock()

    def add(self, path: str, hit: bool) -> None:
        """Counts one."""
        with self._turn:
            if path in self._paths or len(self._paths) < PATHS_MAX:
                self._paths[path] += 1
            self._hits += hit
            self._misses += not hit

    def due(self) -> list[Command]:
        """The command that tells the store, when it is time and there is something to tell."""
        now = time.monotonic()
        with self._turn:
            if now - self._told < FLUSH_SECONDS or not self._hits + self._misses:
                return []
            self._told = now
            told = [part for pair in self._paths.items() for part in pair]
            words = (self._most, HALVE_SECONDS, self._hits, self._misses, *told)
            self._paths.clear()
            self._hits = self._misses = 0
        return [VIEWS([keys.views(), keys.views_halved(), keys.page_counts()], *words)]


@dataclass(frozen=True, slots=True)
class Figures:
    """How the cache does: requests that found a kept page, and that did not, ever; bytes kept; paths counted."""

    hits: int
    misses: int
    bytes: int
    paths: int


def drop(db: Db, paths: Iterable[str], hard: bool) -> None:
    """Drops all pages of these paths, in one trip. `hard`: what they show must not be shown any more, not even while
    others are rendered. Raises Unavailable.
    """
    groups: dict[int, list[str]] = defaultdict(list)
    for path in sorted(set(paths)):
        groups[keys.page_partition(path)].append(path)
    dropped = [DROP([keys.pages(p), keys.page_bytes(p), *map(keys.page, group)], *group) for p, group in groups.items()]
    if dropped:
        db.trip(*dropped, _telling("hard" if hard else "soft", *(path for group in groups.values() for path in group)))


def change(db: Db, uids: Iterable[int]) -> None:
    """Lets no kept page be shown any more that shows one of these members. Raises Unavailable."""
    db.trip(EDIT([keys.edits()], EDITS_MAX, *sorted(set(uids))), _telling("hard", "*"))


def clear(db: Db) -> None:
    """Drops everything that is kept, path by path. Raises Unavailable."""
    for found in db.trip(*(("ZRANGE", keys.pages(p), 0, -1) for p in range(PARTITIONS))):
        if found:
            drop(db, found, hard=True)


def figures(db: Db) -> Figures:
    """How the cache does. Raises Unavailable."""
    totals = [("HGET", keys.page_bytes(p), "total") for p in range(PARTITIONS)]
    (hits, misses), paths, *sizes = db.trip(
        ("HMGET", keys.page_counts(), "hits", "misses"), ("ZCARD", keys.views()), *totals
    )
    return Figures(int(hits or 0), int(misses or 0), sum(int(size or 0) for size in sizes), paths)


def _telling(*words: str) -> Command:
    return ("PUBLISH", CHANNEL, " ".join(words))
