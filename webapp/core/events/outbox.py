"""Events, as scripts write them to a partition's outbox and as projections get them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.config import Config
from webapp.core.logs import request_id as request_id
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Read, read
from webapp.core.store.schema import partition_tag
from webapp.streaming import keys as stream_keys

from . import keys

BULK = "bulk"  # the group of work that grows with what a member has, in slices
OUTBOX_GROUPS = ("log", "fanout")  # they read the outbox: what live readers wait for; deliveries
GROUPS = (*OUTBOX_GROUPS, BULK)
_NEWEST_LOG_ENTRY = ("XREVRANGE", stream_keys.event_log(), "+", "-", "COUNT", 1)


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of an outbox. `token` is the fencing token of its consumer's lease."""

    id: str
    partition: int
    group: str
    token: int
    type: str
    rid: str
    data: Mapping[str, str]

    @property
    def fence(self) -> tuple[str, int]:
        """Return (source, token), which `core/events/lua/includes/fence.lua` compares."""
        return f"{self.group}:{self.partition}", self.token

    def fence_arguments(self, number: int) -> dict[str, Any]:
        """Return what a fenced script takes in the partition of a uid or status id."""
        source, token = self.fence
        return {"fences": keys.fences(partition_tag(number)), "source": source, "token": token}


# Call it between the batches of a long projection. Raises LeaseLost if another worker took over.
Heartbeat = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Context:
    """The store, the settings and the worker's heartbeat, for a projection."""

    db: Db
    config: Config
    heartbeat: Heartbeat


# Applies a run of events of one type and one partition, in order. Must be safe to run twice.
Projection = Callable[[Context, Sequence[Event]], None]
# Does one bounded slice of an event's work from a cursor, "" at the beginning. Returns the cursor
# of the next slice, None at the end. Must be safe to run twice. Reads the present state.
BulkProjection = Callable[[Context, Event, str], str | None]


def event_arguments(config: Config, number: int) -> dict[str, Any]:
    """Return what a script takes that emits an event in the partition of a uid or status id."""
    partition = partition_of(number)
    return {
        "outbox": keys.outbox(partition),
        "partition": partition,
        "outbox_max": config.outbox_max,
        "request_id": request_id.get(),
    }


def newest_position() -> Read[str]:
    """Read the newest id of the site's log, from which a page's live stream goes on.

    It goes before the reads of what the page shows.
    """
    return read(_NEWEST_LOG_ENTRY, lambda entries: str(entries[0][0]) if entries else "0-0")
