"""Read the processes of the site: which live, and which are lost."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from webapp.core.events import status as events
from webapp.core.store import Read, gather, read, script, to_dict

PROCESSES = script("metrics/lua/processes.lua")
LOST_MS = 10_000  # of silence
PROCESSES_MAX = 200  # on a page


@dataclass(slots=True)
class Process:
    """A process. `silent_ms`: since its last heartbeat.

    `is_replaced`: lost, and another one of its kind has started since.
    """

    id: str  # host:pid
    silent_ms: int
    kind: str
    version: str
    started_at: datetime
    streams: int  # that it holds open
    is_replaced: bool = False

    @property
    def is_lost(self) -> bool:
        """Return True if it did not stop in order, and is silent."""
        return self.silent_ms > LOST_MS


def processes() -> Read[list[Process]]:
    """Read all processes of the last hour that did not stop in order."""
    return read(
        PROCESSES(limit=PROCESSES_MAX), lambda reply: list(_marked(_parse(*one) for one in reply))
    )


def with_leases() -> Read[tuple[list[Process], Mapping[str, int]]]:
    """Read the processes, and how many leases of partitions each worker holds, by id."""
    return gather(processes(), events.held_leases())


def _parse(id: str, silent_ms: int, reply: list[str]) -> Process:
    fields = to_dict(reply)
    return Process(
        id,
        int(silent_ms),
        fields.get("kind", ""),
        fields.get("version", ""),
        datetime.fromtimestamp(int(fields.get("started", 0)), UTC),
        int(fields.get("streams", 0)),
    )


def _marked(found: Iterable[Process]) -> Iterator[Process]:
    """Mark the lost that are replaced, each by one that started later. Last heard come first."""
    now, ages_ms = time.time(), defaultdict[str, list[float]](list)
    for one in found:
        ages = ages_ms[one.kind]
        if not one.is_lost:
            ages.append((now - one.started_at.timestamp()) * 1000)
        elif ages and min(ages) < one.silent_ms:
            ages.remove(min(ages))
            one.is_replaced = True
        yield one
