"""The work of workers for nearby."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from webapp.core.events.outbox import Context, Event, in_steps, read_page
from webapp.core.events.registry import Registry
from webapp.core.store import (
    Command,
    Read,
    Steps,
    ask,
    collect,
    created_at,
    do_steps,
    gather,
    read,
    send,
)
from webapp.statuses import Entry
from webapp.statuses import keys as status_keys

from . import keys, people
from .cells import LATITUDE_MAX, Point, cell_of
from .points import POSTS, add_command, oldest_id, remove_commands

BATCH = 200  # posts of one slice
Placed = tuple[Point | None, list[str]]  # the place that a post shows all, and the cells it is in


@in_steps
def sync_posts(_context: Context, events: Sequence[Event]) -> Steps[None]:
    """Sync posts that were posted, edited or deleted and have, or had, a place. Three trips."""
    located = [event for event in events if "located" in event.data]
    yield from _sync([(event.number("id"), event.number("author")) for event in located])


def resync_member(context: Context, event: Event, cursor: str) -> str | None:
    """Sync some posts of a member whose places were removed, or whose account is gone."""
    uid = event.number("uid")
    indexed, next_cursor = read_page(context, keys.placed_posts(uid), cursor, BATCH)
    do_steps(context.db, _sync([(int(one.partition(":")[0]), uid) for one in indexed]))
    return next_cursor


def _sync(entries: Sequence[Entry]) -> Steps[None]:
    """Bring cells up to date. The author's index is added to before them, and removed from after.

    So it has all cells that a post is in, however a worker dies.
    """
    if not entries:
        return
    every = yield from ask(collect(map(_placed, entries)))
    both = list(zip(entries, every, strict=True))
    yield from send(*chain.from_iterable(_index(entry, point) for entry, (point, _) in both))
    yield from send(*chain.from_iterable(_move(entry, placed) for entry, placed in both))
    yield from send(*chain.from_iterable(_unindex(entry, placed) for entry, placed in both))


def _placed(entry: Entry) -> Read[Placed]:
    status_id, author = entry
    fields = read(("HMGET", status_keys.status(status_id), "lat", "long", "visibility"), tuple)
    bounds = (status_id, status_id, "BYSCORE")
    cells = read(("ZRANGE", keys.placed_posts(author), *bounds), list)

    def parse(found: tuple[tuple[str | None, ...], list[str]]) -> Placed:
        (lat, long, visibility), indexed = found
        point = (float(lat), float(long)) if lat and long and not visibility else None
        if point and abs(point[0]) > LATITUDE_MAX:
            point = None
        return point, [one.partition(":")[2] for one in indexed]

    return gather(fields, cells).map(parse)


def _index(entry: Entry, point: Point | None) -> Iterator[Command]:
    status_id, author = entry
    if point:
        key = keys.placed_posts(author)
        yield ("ZADD", key, status_id, f"{status_id}:{cell_of(point)}")
        yield ("ZREMRANGEBYSCORE", key, "-inf", oldest_id())
        yield ("ZREMRANGEBYRANK", key, 0, -POSTS.limit - 1)


def _move(entry: Entry, placed: Placed) -> Iterator[Command]:
    point, _cells = placed
    member = f"{entry[0]}:{entry[1]}"
    if point and entry[0] > oldest_id():
        yield add_command(POSTS, member, point, int(created_at(entry[0]).timestamp()))
    for cell in _left(placed):
        yield from remove_commands(POSTS, member, cell)


def _unindex(entry: Entry, placed: Placed) -> Iterator[Command]:
    for cell in _left(placed):
        yield ("ZREM", keys.placed_posts(entry[1]), f"{entry[0]}:{cell}")


def _left(placed: Placed) -> list[str]:
    """Return the cells that a post is not in any more."""
    point, cells = placed
    return [cell for cell in cells if not point or cell != cell_of(point)]


def forget_position(context: Context, event: Event, _cursor: str) -> None:
    """Remove the position of a deleted account."""
    people.hide(context.db, event.number("uid"))


WORK = Registry(
    projections={
        "discovery": {
            "posted": (sync_posts,),
            "edited": (sync_posts,),
            "deleted": (sync_posts,),
        }
    },
    bulk={
        "locations_removed": (resync_member,),
        "account_deleted": (resync_member, forget_position),
    },
)
