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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from webapp.config import Config
from webapp.core.store.client import Db, RawReply
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.reads import Command, Read, constant
from webapp.core.store.scripts import script

from . import keys
from .variant import CacheKey

LOOKUP = script("pagecache/lua/lookup.lua")
RELEASE = script("pagecache/lua/release.lua")
STORE = script("pagecache/lua/store.lua")
INVALIDATE = script("pagecache/lua/invalidate.lua")
BUMP_VERSIONS = script("pagecache/lua/bump_version.lua")
COUNT_VIEWS = script("pagecache/lua/count_views.lua")
INVALIDATION_CHANNEL = (
    "drops"  # what happened is said on it: `soft` or `hard` and the paths, or `*` for all
)
LEASE_MS = 3_000  # to render a page
Prefetched = Callable[[], Any] | None  # gives what a view prefetches, parsed when it is called
NOTHING: Read[Prefetched] = constant(None)
UNCACHEABLE_MS = 1_000  # in which a page that was not to be kept is rendered by everybody
STALE_MS = 30_000  # a page that is over may be shown while another is rendered
VARIANTS_MAX = 64  # of one path, and leases
MEMBER_VERSIONS_MAX = 10_000  # members whose last change is remembered
HALVE_SECONDS = 300  # between two halvings of the views
FLUSH_SECONDS = 1.0  # between two times that a process tells its views
PENDING_PATHS_MAX = 1_000  # paths whose views one process has yet to tell


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page as it is kept: its head, its compressed body, when it was rendered (unix seconds), the number of the last
    change that it may know of, and whom it shows.
    """

    headers: list[tuple[str, str]]
    etag: str  # of the body before it was compressed
    rendered_at: int
    version: int
    uids: Sequence[int]
    body: bytes

    def to_bytes(self) -> bytes:
        """As it is stored."""
        head = [self.headers, self.etag, self.rendered_at, self.version, list(self.uids)]
        return orjson.dumps(head) + b"\n" + self.body

    @classmethod
    def from_bytes(cls, stored: bytes) -> CachedPage:
        """From what is stored, with the time before it."""
        head, _, body = stored.partition(b"\n")
        headers, etag, rendered_at, version, uids = orjson.loads(head.partition(b" ")[2])
        return cls(
            [(name, value) for name, value in headers], etag, rendered_at, version, uids, body
        )


@dataclass(frozen=True, slots=True)
class Lookup:
    """`state` as in `pagecache/lua/lookup.lua`; the page, if it still holds; whether this path is popular enough to be kept; the
    replies to what was sent beside.
    """

    state: str
    page: CachedPage | None
    popular: bool
    prefetched: Prefetched = None


class PageStore:
    """One process's way to the kept pages."""

    def __init__(self, db: Db, config: Config) -> None:
        self._db, self._config = db, config
        self.member_versions = MemberVersions()
        self._views = ViewCounter(config.page_views_max)

    def lookup(self, key: CacheKey, token: str, prefetch: Read[Prefetched] = NOTHING) -> Lookup:
        """The kept page, or the lease to render it. One trip, in which `beside` is sent; a second where somebody on the
        page has changed since. Raises Unavailable.
        """
        state, stored, popular, prefetched = self._lookup(key, token, False, prefetch)
        page = CachedPage.from_bytes(stored) if stored else None
        if page and self.member_versions.is_outdated(page.version, page.uids):
            page = None
            if state == "fresh":
                state, *_ = self._lookup(key, token, True)
        return Lookup(state, page, popular, prefetched)

    def store(self, key: CacheKey, token: str, page: CachedPage) -> bool:
        """Keeps a page if the lease is still held; False when something has happened meanwhile. Raises Unavailable."""
        p = keys.page_partition(key.path)
        script_keys = [keys.cached_page(key.path), keys.cached_paths(p), keys.cached_page_bytes(p)]
        ttl_ms, share = (
            self._config.page_cache_seconds * 1000,
            self._config.page_cache_bytes // PARTITIONS,
        )
        arguments = (
            key.variant,
            token,
            key.path,
            page.to_bytes(),
            ttl_ms,
            STALE_MS,
            share,
            keys.cached_page_prefix(p),
        )
        return bool(self._db.run(STORE(script_keys, *arguments)))

    def release(self, key: CacheKey, token: str) -> None:
        """Gives the lease back: this is not to be kept. Raises Unavailable."""
        self._db.run(RELEASE([keys.cached_page(key.path)], key.variant, token, UNCACHEABLE_MS))

    def count_view(self, path: str, hit: bool) -> None:
        """Counts a view, which the store is told of soon."""
        self._views.add(path, hit)

    def _lookup(
        self, key: CacheKey, token: str, outdated: bool, prefetch: Read[Prefetched] = NOTHING
    ) -> tuple[str, bytes, bool, Prefetched]:
        commands: list[Command] = [
            RawReply(
                LOOKUP(
                    [keys.cached_page(key.path)],
                    key.variant,
                    token,
                    LEASE_MS,
                    VARIANTS_MAX,
                    int(outdated),
                )
            ),
            self.member_versions.command(),
            ("ZREVRANK", keys.page_views(), key.path),
            ("ZCARD", keys.page_views()),
            *self._views.flush_commands(),
        ]
        own = Read(tuple(commands), lambda replies: replies)
        ((state, stored), versions_reply, rank, path_count, *_), prefetched = self._db.fetch(
            own, prefetch
        )
        self.member_versions.update(versions_reply)
        max_paths = self._config.page_cache_paths
        return (
            state.decode(),
            stored,
            path_count < max_paths or (rank is not None and rank < max_paths),
            prefetched,
        )


class MemberVersions:
    """The changes of members that this process knows of."""

    def __init__(self) -> None:
        self.latest = 0  # the number of the newest
        self._oldest_trusted = 0  # pages that know of less may show anything
        self._versions: dict[int, int] = {}
        self._lock = threading.Lock()

    def command(self) -> Command:
        """The command whose reply goes to `take`."""
        return (
            "ZRANGE",
            keys.member_versions(),
            f"({self.latest}",
            "+inf",
            "BYSCORE",
            "WITHSCORES",
        )

    def update(self, reply: Sequence[str]) -> None:
        """Learns of more. So many at once, or in all, that some may be missing: what is older is not trusted."""
        if not reply:
            return
        with self._lock:
            for uid, version in zip(map(int, reply[::2]), map(int, reply[1::2]), strict=True):
                self._versions[uid] = max(
                    version, self._versions.get(uid, 0)
                )  # a reply may come after a later one
            self.latest = max(self.latest, int(reply[-1]))
            if (
                len(reply) // 2 >= MEMBER_VERSIONS_MAX
                or len(self._versions) > 2 * MEMBER_VERSIONS_MAX
            ):
                self._oldest_trusted = self.latest
                self._versions.clear()

    def is_outdated(self, version: int, uids: Iterable[int]) -> bool:
        """Whether a page that was rendered at `seen` may show one of its members as they were."""
        return version < self._oldest_trusted or any(
            self._versions.get(uid, 0) > version for uid in uids
        )


class ViewCounter:
    """Views, counted in this process until it is time to tell the store."""

    def __init__(self, max_paths: int) -> None:
        self._max_paths = max_paths
        self._paths: Counter[str] = Counter()
        self._hits = self._misses = 0
        self._flushed_at = time.monotonic()
        self._lock = threading.Lock()

    def add(self, path: str, hit: bool) -> None:
        """Counts one."""
        with self._lock:
            if path in self._paths or len(self._paths) < PENDING_PATHS_MAX:
                self._paths[path] += 1
            self._hits += hit
            self._misses += not hit

    def flush_commands(self) -> list[Command]:
        """The command that tells the store, when it is time and there is something to tell."""
        now = time.monotonic()
        with self._lock:
            if now - self._flushed_at < FLUSH_SECONDS or not self._hits + self._misses:
                return []
            self._flushed_at = now
            path_counts = [part for pair in self._paths.items() for part in pair]
            arguments = (self._max_paths, HALVE_SECONDS, self._hits, self._misses, *path_counts)
            self._paths.clear()
            self._hits = self._misses = 0
        return [
            COUNT_VIEWS(
                [keys.page_views(), keys.page_views_halved(), keys.page_cache_counts()], *arguments
            )
        ]


@dataclass(frozen=True, slots=True)
class Stats:
    """How the cache does: requests that found a kept page, and that did not, ever; bytes kept; paths counted."""

    hits: int
    misses: int
    bytes: int
    paths: int


def invalidate(db: Db, paths: Iterable[str], hard: bool) -> None:
    """Drops all pages of these paths, in one trip. `hard`: what they show must not be shown any more, not even while
    others are rendered. Raises Unavailable.
    """
    groups: dict[int, list[str]] = defaultdict(list)
    for path in sorted(set(paths)):
        groups[keys.page_partition(path)].append(path)
    commands = [
        INVALIDATE(
            [keys.cached_paths(p), keys.cached_page_bytes(p), *map(keys.cached_page, group)], *group
        )
        for p, group in groups.items()
    ]
    if commands:
        db.trip(
            *commands,
            _publish_command(
                "hard" if hard else "soft", *(path for group in groups.values() for path in group)
            ),
        )


def bump_versions(db: Db, uids: Iterable[int]) -> None:
    """Lets no kept page be shown any more that shows one of these members. Raises Unavailable."""
    db.trip(
        BUMP_VERSIONS([keys.member_versions()], MEMBER_VERSIONS_MAX, *sorted(set(uids))),
        _publish_command("hard", "*"),
    )


def clear(db: Db) -> None:
    """Drops everything that is kept, path by path. Raises Unavailable."""
    for paths in db.trip(*(("ZRANGE", keys.cached_paths(p), 0, -1) for p in range(PARTITIONS))):
        if paths:
            invalidate(db, paths, hard=True)


def stats(db: Db) -> Stats:
    """How the cache does. Raises Unavailable."""
    totals = [("HGET", keys.cached_page_bytes(p), "total") for p in range(PARTITIONS)]
    (hits, misses), paths, *sizes = db.trip(
        ("HMGET", keys.page_cache_counts(), "hits", "misses"), ("ZCARD", keys.page_views()), *totals
    )
    return Stats(int(hits or 0), int(misses or 0), sum(int(size or 0) for size in sizes), paths)


def _publish_command(*words: str) -> Command:
    return ("PUBLISH", INVALIDATION_CHANNEL, " ".join(words))
