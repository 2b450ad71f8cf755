"""Measure what hot posts cost a worker: likes and posts applied with their projection and without.

Members like each other's posts, each run of likes on other posts. Then all events are applied, as
in a worker. Rates are by processor time, the worker's and that of the store's main thread
together, so that whatever else runs on the machine counts for little. The reference is the same
without the projection that places posts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from webapp import registry
from webapp.core.events import inline
from webapp.core.events.registry import Registry
from webapp.core.text.parser import parse
from webapp.statuses import keys as status_keys, store as statuses
from webapp.statuses.interactions import likes
from webapp.timelines.hot.projections import sync_statuses

from .site import Site, add_members, processor_seconds, site, without
from .table import Figure, compare

MEMBERS = range(64, 64 * 101, 64)  # of one partition: their events are applied in runs
ROUNDS = 5
TEXT = parse("Larks sing while they climb, and I have never heard one stop for breath. #larks")
Prepare = Callable[[Site, int], None]  # makes the events of a round, by its number


def measure() -> list[Figure]:
    """Measure applying likes and posts, with hot posts and without."""
    with site() as here:
        add_members(here.db, MEMBERS)
        post(here, 0)
        inline.drain(here, registry.REGISTRY)
        return [
            _figure(here, "likes applied, with hot posts", like),
            _figure(here, "posts applied, with hot posts", post),
        ]


def post(here: Site, number: int) -> None:
    """Let each member post."""
    for uid in MEMBERS:
        statuses.post(here, uid, TEXT, f"bench-form-{number}-{uid}")


def like(here: Site, number: int) -> None:
    """Let each member like the first post of another one."""
    for uid in MEMBERS:
        author = MEMBERS[(uid // 64 + number) % len(MEMBERS)]
        [status_id] = here.db.run(("ZRANGE", status_keys.profile_statuses(author), 0, 0))
        likes.like(here, uid, int(status_id))


def _figure(here: Site, name: str, prepare: Prepare) -> Figure:
    numbers, whole = count(1), registry.REGISTRY

    def rate(applied: Registry) -> float:
        prepare(here, next(numbers))
        before = processor_seconds(here.db)
        inline.drain(here, applied)
        return len(MEMBERS) / (processor_seconds(here.db) - before)

    others = without(whole, "log", sync_statuses)
    return compare(name, "a second", lambda: rate(whole), lambda: rate(others), ROUNDS, 0.5)
