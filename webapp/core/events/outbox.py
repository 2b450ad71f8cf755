"""Events, as scripts write them to a partition's outbox and as projections get them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.config import Config
from webapp.core.logs import request_id as request_id
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, read
from webapp.streaming import keys as stream_keys

GROUPS = ("log", "fanout")  # short projections that live readers wait for; long ones
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


# Call it between the batches of a long projection. Raises LeaseLost if another worker took over.
Heartbeat = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Context:
    """What a projection works with."""

    db: Db
    config: Config
    heartbeat: Heartbeat


# Applies a run of events of one type and one partition, in order. Must be safe to run twice.
Projection = Callable[[Context, Sequence[Event]], None]


def newest_position() -> Read[str]:
    """Read the newest id of the site's log, from which a page's live stream goes on.

    It goes before the reads of what the page shows.
    """
    return read(_NEWEST_LOG_ENTRY, lambda entries: str(entries[0][0]) if entries else "0-0")
