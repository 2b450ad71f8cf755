"""Measure queries, indexing and memory while the index grows from 10,000 posts to a million.

Indexing is measured by the store's processor time, queries by the clock of who asks.
"""

from collections.abc import Iterator
from random import Random

from bench.site import processor_seconds, site
from bench.table import Figure

from . import corpus

SIZES = (10_000, 100_000, 1_000_000)
QUERIES, MORE = 200, 2_000  # queries, and further posts, at each size


def measure() -> Iterator[Figure]:
    """Yield the figures at each size."""
    random = Random(7)
    plans = corpus.plans(random, QUERIES)
    with site() as here:
        empty, count = corpus.used_memory(here), 0
        for size in SIZES:
            corpus.index(here, corpus.texts(random, size - MORE - count), count)
            before = processor_seconds(here.db)
            corpus.index(here, corpus.texts(random, MORE), size - MORE)
            seconds, count = processor_seconds(here.db) - before, size
            used = (corpus.used_memory(here) - empty) / size
            for name, ask in (("latest", corpus.ask_latest), ("top", corpus.ask_top)):
                times = corpus.times(lambda plan, ask=ask: here.db.read(ask(here, plan)), plans)
                yield Figure(f"{size:,} posts: {name}, median", times[len(times) // 2], "ms")
                yield Figure(f"{size:,} posts: {name}, p99", corpus.p99(times), "ms")
            yield Figure(f"{size:,} posts: a further post", seconds / MORE * 1e6, "µs")
            yield Figure(f"{size:,} posts: memory", used, "bytes a post")
