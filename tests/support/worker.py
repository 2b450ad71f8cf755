"""Do a worker's work in the test's own process, with the site's registry."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product

import pytest

from webapp import registry
from webapp.core.events import inline
from webapp.core.events.bulk_consumer import BulkConsumer
from webapp.core.events.consumer import PartitionConsumer, sweep_command
from webapp.core.events.group_loop import GroupLoop
from webapp.core.events.outbox import OUTBOX_GROUPS, BulkProjection, Context, Event, Projection
from webapp.core.events.registry import BulkProjections, Projections
from webapp.core.store import PARTITIONS, Site
from webapp.statuses.drafts import publishing


def drain(site: Site, owner: str = "") -> bool:
    """Apply all waiting events. Return whether none is left."""
    return inline.drain(site, registry.REGISTRY, owner)


def publish_due(site: Site) -> None:
    """Publish all scheduled posts that are due."""
    publishing.publish_due(site, range(PARTITIONS))


def group_loop(site: Site, group: str, owner: str) -> GroupLoop:
    """Return a worker's loop for one group."""
    return GroupLoop(site, registry.REGISTRY, group, owner)


def consumer(site: Site, group: str, partition: int, token: int) -> PartitionConsumer:
    """Return the consumer of one partition's events for one group."""
    return PartitionConsumer(site, registry.REGISTRY, group, partition, token)


def bulk_consumer(site: Site, partition: int, token: int) -> BulkConsumer:
    """Return the consumer of one partition's bulk events."""
    return BulkConsumer(site, registry.REGISTRY, partition, token)


def sweep(site: Site, partitions: Iterable[int]) -> None:
    """Drop the events of outboxes that are applied, or hand them over to the group `bulk`."""
    site.db.trip_with_errors([sweep_command(p, registry.REGISTRY, site.config) for p in partitions])


def in_slices(*projections: BulkProjection) -> Projection:
    """Return a projection that applies bulk projections to each event, slice after slice."""

    def apply(context: Context, events: Sequence[Event]) -> None:
        for event, projection in product(events, projections):
            cursor: str | None = ""
            while cursor is not None:
                cursor = projection(context, event, cursor)

    return apply


def use_projections(
    patch: pytest.MonkeyPatch, table: Mapping[str, Projections], bulk: BulkProjections | None = None
) -> None:
    """Let workers apply these projections, by group and event type, and pause no longer.

    Groups of the outbox that the table leaves out do nothing.
    """
    every = {group: table.get(group, {}) for group in OUTBOX_GROUPS}
    changes = {"projections": every} | ({} if bulk is None else {"bulk": bulk})
    patch.setattr(registry, "REGISTRY", replace(registry.REGISTRY, **changes))
    patch.setattr("webapp.core.events.attempts.BACKOFF_SECONDS", 0)


@contextmanager
def in_background(
    run: Callable[[threading.Event], object], release: threading.Event
) -> Iterator[threading.Thread]:
    """Run a loop in a thread while the block runs; at its end, set `release`, and stop it."""
    stop = threading.Event()
    thread = threading.Thread(target=run, args=(stop,))
    thread.start()
    try:
        yield thread
    finally:
        release.set()
        stop.set()
        thread.join()
