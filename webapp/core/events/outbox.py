"""Events, as scripts write them to a partition's outbox and as projections get them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.logs import request_id as request_id
from webapp.core.store import Read, Site, collect, read, script

SYNC_ENTRY = script("core/events/lua/sync_entry.lua")  # what a projection adds to a sorted set
LOG = "log"  # the group for live readers, the first that applies an event
BULK = "bulk"  # the group of work that grows with a member's data, in slices
FANOUT = "fanout"  # the group of deliveries to homes, lists and inboxes
DISCOVERY = "discovery"  # the group of what only readers of search, trends and completion wait for
OUTBOX_GROUPS = (LOG, FANOUT, DISCOVERY)  # they read the outbox: for live readers; deliveries
GROUPS = (*OUTBOX_GROUPS, BULK)


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

    def number(self, field: str) -> int:
        """Return a field that holds an id or a count. Raises KeyError without it."""
        return int(self.data[field])


# Call it between the batches of a long projection. Raises LeaseLost if another worker took over.
Heartbeat = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Context(Site):
    """The store, the settings and the worker's heartbeat, for a projection."""

    heartbeat: Heartbeat


# Applies a run of events of one type and one partition, in order. Must be safe to run twice.
Projection = Callable[[Context, Sequence[Event]], None]
# Does one bounded slice of an event's work from a cursor, "" at the beginning. Returns the cursor
# of the next slice, None at the end. Must be safe to run twice. Reads the present state.
BulkProjection = Callable[[Context, Event, str], str | None]


def own_entries(
    events: Sequence[Event], key: Callable[[int], str], item: str = "target"
) -> Read[list[tuple[Event, int, int, str]]]:
    """Read the present score of each event's `item` in the sorted set of its member.

    Each is (event, the member's uid, the item, its score, "" if the set does not have it).
    """
    named = [(event, event.number("uid"), event.number(item)) for event in events]
    scores = collect(
        read(("ZSCORE", key(uid), number), lambda score: score or "") for _, uid, number in named
    )
    return scores.map(
        lambda found: [(*each, score) for each, score in zip(named, found, strict=True)]
    )


def current_position() -> Read[str]:
    """Read the position in the site's log from which a page's live stream goes on: the time.

    It goes before the reads of what the page shows. The newest id would tell when something
    happened that is not for the page's reader.
    """
    return read(("TIME",), lambda time: f"{int(time[0]) * 1000 + int(time[1]) // 1000}-0")
