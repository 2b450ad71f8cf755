"""Measure what the index adds to a post, by processor time of worker and store together.

Members post, and a worker applies the events: with the projection that indexes posts and without.
They have no followers, then ten, then a hundred.
"""

from collections.abc import Iterator
from itertools import count
from random import Random

from bench.site import Site, add_members, follow, processor_seconds, site, without
from bench.table import Figure, compare
from webapp import registry
from webapp.core.events import inline
from webapp.core.events.registry import Registry
from webapp.core.process_memory import freeze_startup_objects
from webapp.core.text.parser import parse
from webapp.search.index.projections import index_statuses
from webapp.statuses import store as statuses

from . import corpus

MEMBERS = range(64, 64 * 101, 64)  # of one partition: their events are applied in runs
FOLLOWERS = range(100_000, 100_100)
ROUNDS = 61
SHARE = 1 / 1.15  # indexing may add 15 % to a post


def measure() -> Iterator[Figure]:
    """Yield how many posts a second of processor time are made and applied, beside those."""
    with site() as here:
        add_members(here.db, (*MEMBERS, *FOLLOWERS))
        corpus.index(here, corpus.texts(Random(7), 10_000))
        freeze_startup_objects()  # as a worker does
        whole, plain = registry.REGISTRY, without(registry.REGISTRY, "discovery", index_statuses)
        numbers, texts = count(), corpus.texts(Random(8), 10**9)
        for followers in (0, 10, 100):
            follow(here.db, {uid: list(FOLLOWERS[:followers]) for uid in MEMBERS})
            yield compare(
                f"search: posts with the index, {followers} followers",
                "a second",
                lambda: _rate(here, whole, texts, next(numbers)),
                lambda: _rate(here, plain, texts, next(numbers)),
                ROUNDS,
                SHARE,
            )


def _rate(here: Site, applied: Registry, texts: Iterator[str], number: int) -> float:
    before = processor_seconds(here.db)
    for uid in MEMBERS:
        text = parse(next(texts))
        statuses.post(here, uid, text, f"bench-index-{number}-{uid}")
    inline.drain(here, applied)
    return len(MEMBERS) / (processor_seconds(here.db) - before)
