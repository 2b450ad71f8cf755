"""The form of `webapp/registry/`: the work of workers, without naming the rooms that do it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from webapp.core.store import Site
from webapp.core.store.scripts import SCRIPTS

from .outbox import BulkProjection, Projection
from .schedule.scheduled import Scheduled

T = TypeVar("T")


class BackgroundLoop(Protocol):
    """Work that a worker does in a thread of its own."""

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set."""


Projections = Mapping[str, Sequence[Projection]]  # by event type
BulkProjections = Mapping[str, Sequence[BulkProjection]]
DueJob = Callable[[Site, Iterable[int]], None]  # gets the partitions that the worker holds
PartitionJob = Callable[[Site, int], Any]  # gets one partition


@dataclass(frozen=True, slots=True)
class Registry:
    """The projections and jobs that workers run.

    `projections`: by group and event type, in order. `bulk`: those of the group `bulk`, which gets
    an event after all other groups. `due_jobs` run every second, `partition_jobs` every minute for
    each partition, `scheduled` in turn for the whole site. All must be safe to run twice.
    """

    projections: Mapping[str, Projections]
    bulk: BulkProjections = field(default_factory=dict)
    due_jobs: Sequence[DueJob] = ()
    partition_jobs: Sequence[PartitionJob] = ()
    scheduled: Sequence[Scheduled] = ()
    background_loops: Sequence[Callable[[Site], BackgroundLoop]] = ()

    def merge(self, other: Registry) -> Registry:
        """Return a registry with the work of both, this one's first."""
        groups = self.projections.keys() | other.projections.keys()
        return Registry(
            projections={
                group: _merge_rows(
                    self.projections.get(group, {}), other.projections.get(group, {})
                )
                for group in groups
            },
            bulk=_merge_rows(self.bulk, other.bulk),
            due_jobs=(*self.due_jobs, *other.due_jobs),
            partition_jobs=(*self.partition_jobs, *other.partition_jobs),
            scheduled=(*self.scheduled, *other.scheduled),
            background_loops=(*self.background_loops, *other.background_loops),
        )

    def require_rows(self) -> None:
        """Raise ValueError for an event of a loaded script without a row, and a row without one."""
        emitted = {event for script in SCRIPTS for event in script.header.emits}
        rows = {event for row in (*self.projections.values(), self.bulk) for event in row}
        if emitted != rows:
            lacking, idle = sorted(emitted - rows), sorted(rows - emitted)
            raise ValueError(f"events without a row: {lacking}; rows without an event: {idle}")


def _merge_rows(
    first: Mapping[str, Sequence[T]], second: Mapping[str, Sequence[T]]
) -> dict[str, Sequence[T]]:
    events = [*first, *(event for event in second if event not in first)]
    return {event: (*first.get(event, ()), *second.get(event, ())) for event in events}
