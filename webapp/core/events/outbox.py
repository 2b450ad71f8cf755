"""Events, as scripts write them to a partition's outbox, and helpers that projections share.

Projections in steps that do not need each other share their trips. A trip costs a worker more than
its commands, so several projections take little more time than the one with most steps. The runs of
several partitions share trips as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import update_wrapper, wraps
from typing import Any, TypeVar

from webapp.core.logs import request_id as request_id
from webapp.core.store import Read, Site, Steps, collect, do_steps, read, script
from webapp.core.store.steps import join

T = TypeVar("T")

SYNC_ENTRY = script("core/events/lua/sync_entry.lua")  # what a projection adds to a sorted set
LOG = "log"  # the group for live readers, the first that applies an event
BULK = "bulk"  # the group of work that grows with a member's data, in slices
FANOUT = "fanout"  # the group of deliveries to homes, lists and inboxes
DISCOVERY = "discovery"  # the group of what only readers of search, trends and completion wait for
OUTBOX_GROUPS = (LOG, FANOUT, DISCOVERY)  # they read the outbox: for live readers; deliveries
GROUPS = (*OUTBOX_GROUPS, BULK)
CLOCK = ("TIME",)  # reads the time of the log
BATCH = 200  # statuses of one slice
MORE = ""  # the cursor of a slice that removed what it handled: the next begins at the front


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
MakeSteps = Callable[[Context, Sequence[Event]], Steps[None]]


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
    return read(CLOCK, position_at)


def position_at(clock: Sequence[str]) -> str:
    """Return the position of a reply to CLOCK."""
    return f"{int(clock[0]) * 1000 + int(clock[1]) // 1000}-0"


class StepProjection:
    """A projection in steps, or several that are done together."""

    def __init__(self, *parts: MakeSteps) -> None:
        self.parts = parts

    def __call__(self, context: Context, events: Sequence[Event]) -> None:
        """Apply all parts to a run of events."""
        do_steps(context.db, self.steps(context, events))

    def steps(self, context: Context, events: Sequence[Event]) -> Steps[None]:
        """Apply all parts to a run of events, in steps."""
        return join(*(part(context, events) for part in self.parts))


def in_steps(make: MakeSteps) -> StepProjection:
    """Return the projection of a generator of steps."""
    projection = StepProjection(make)
    update_wrapper(projection, make)
    return projection


def together(*projections: StepProjection) -> StepProjection:
    """Combine projections of which none needs the writes of another. They share their trips."""
    return StepProjection(*(part for one in projections for part in one.parts))


def steps_of(projection: Projection, context: Context, events: Sequence[Event]) -> Steps[None]:
    """Apply a projection to a run of events, in steps; in trips of its own if it has none."""
    if isinstance(projection, StepProjection):
        yield from projection.steps(context, events)
    else:
        projection(context, events)


def with_request_id(rid: str, steps: Steps[T]) -> Steps[T]:
    """Do steps under a request id, whatever is done between two of them."""
    replies: Any = None
    while True:
        token = request_id.set(rid)
        try:
            is_error = isinstance(replies, Exception)
            commands = steps.throw(replies) if is_error else steps.send(replies)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            request_id.reset(token)
        try:
            replies = yield commands
        except Exception as error:
            replies = error


def more_after(batch: Sequence[object], size: int) -> str | None:
    """Return the cursor after a batch from the front of a list: MORE if it was a full one."""
    return MORE if len(batch) == size else None


def whole(projection: Projection) -> BulkProjection:
    """Make a bulk projection, of one slice, of a short projection."""

    @wraps(projection)
    def apply(context: Context, event: Event, _cursor: str) -> None:
        projection(context, [event])

    return apply


def slices(
    name: str,
    list_of: Callable[[int], str],
    apply: Callable[[Context, Event, list[int]], None],
    most: str = "",
) -> BulkProjection:
    """Make a bulk projection that applies to the statuses of a list of the event's member.

    `name`: its own in its module. `list_of`: the key of the list, whose members begin with ids. The
    newest come first. `most`: the setting that says how many are enough. The cursor counts them:
    `id count`.
    """

    def slice_(context: Context, event: Event, cursor: str) -> str | None:
        below, _, count = cursor.partition(" ")
        members, next_below = read_page(context, list_of(event.number("uid")), below, BATCH)
        if members:
            ids = dict.fromkeys(int(member.partition(":")[0]) for member in members)
            apply(context, event, list(ids))
        done = int(count or 0) + BATCH
        is_enough = bool(most) and done >= getattr(context.config, most)
        return None if next_below is None or is_enough else f"{next_below} {done}"

    slice_.__module__, slice_.__qualname__ = apply.__module__, name
    return slice_


def read_page(
    context: Context, key: str, cursor: str, size: int, oldest_first: bool = False
) -> tuple[list[str], str | None]:
    """Read the members of a sorted set after a cursor, and the next cursor. One trip.

    The newest, which have the highest scores, come first. The cursor is None at the end.
    """
    first, last = ("-inf", "+inf") if oldest_first else ("+inf", "-inf")
    bound = f"({cursor}" if cursor else first
    order = () if oldest_first else ("REV",)
    reply = context.db.run(
        ("ZRANGE", key, bound, last, "BYSCORE", *order, "LIMIT", 0, size, "WITHSCORES")
    )
    members = reply[::2]
    return members, str(reply[-1]) if len(members) == size else None
