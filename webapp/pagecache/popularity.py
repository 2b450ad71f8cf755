"""The popularity of paths among visitors: the most viewed are cached. Also how the cache does."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.metrics import keys as metric_keys
from webapp.core.metrics.names import CACHE_HITS, CACHE_MISSES, PRECISIONS
from webapp.core.metrics.recorder import count
from webapp.core.store import PARTITIONS, Command, Db, Read, collect, constant, read, script

from . import keys

COUNT_VIEWS = script("pagecache/lua/count_views.lua")
HALVE_SECONDS = 300  # between two halvings of all counts
DAY = max(PRECISIONS)  # whose samples have a total
FLUSH_SECONDS = 1.0  # between two flushes of a process
PENDING_PATHS_MAX = 1_000  # paths that one process counts between two flushes


class PageViews:
    """Count page views in this process, and send the counts to the store every FLUSH_SECONDS."""

    def __init__(self, paths_max: int) -> None:
        """Count `paths_max` paths in the store at most."""
        self._paths_max = paths_max
        self._lock = threading.Lock()
        self._flushed_at = time.monotonic()
        self._reset()

    def add(self, path: str, hit: bool) -> None:
        """Count a view. `hit`: a cached page was found."""
        with self._lock:
            if path in self._paths or len(self._paths) < PENDING_PATHS_MAX:
                self._paths[path] += 1
        count(CACHE_HITS if hit else CACHE_MISSES)

    def flush(self) -> Read[None]:
        """Send the counts, if it is time and there are any."""
        now = time.monotonic()
        with self._lock:
            if now - self._flushed_at < FLUSH_SECONDS or not self._paths:
                return constant(None)
            self._flushed_at = now
            command = self._command()
            self._reset()
        return read(command, lambda _: None)

    def _reset(self) -> None:
        self._paths: Counter[str] = Counter()

    def _command(self) -> Command:
        return COUNT_VIEWS(
            paths_max=self._paths_max,
            period=HALVE_SECONDS,
            increments=self._paths,
        )


def is_popular(path: str, cached_paths_max: int) -> Read[bool]:
    """Read whether a path is among the most viewed ones, of which `cached_paths_max` are cached."""
    rank = ("ZREVRANK", keys.page_views(), path)
    count = ("ZCARD", keys.page_views())

    def parse(replies: Sequence[int | None]) -> bool:
        place, counted = replies
        fewer_than_allowed = counted is not None and counted < cached_paths_max
        return fewer_than_allowed or (place is not None and place < cached_paths_max)

    return Read((rank, count), parse)


@dataclass(frozen=True, slots=True)
class Stats:
    """The hits and misses since the site began, as in `/metrics`, and the size of the cache."""

    hits: int
    misses: int
    bytes: int  # of cached pages
    paths: int  # whose views are counted


def stats(db: Db) -> Stats:
    """Return the statistics of the page cache. One trip."""
    counts = (metric_keys.metric(one.name, DAY) for one in (CACHE_HITS, CACHE_MISSES))
    sizes = (keys.cached_page_bytes(partition) for partition in range(PARTITIONS))
    (hits, misses, *of_pages), paths = db.fetch(
        collect(
            read(("HGET", key, "total"), lambda total: int(total or 0)) for key in (*counts, *sizes)
        ),
        read(("ZCARD", keys.page_views()), int),
    )
    return Stats(hits, misses, sum(of_pages), paths)
