"""Projections and jobs of nearby."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from webapp.core.events.outbox import SYNC_ENTRY, Context, Event, in_steps, slices
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
    script,
    send,
)
from webapp.statuses import keys as status_keys

from . import keys, people
from .cells import LATITUDE_MAX, Point, cell_of
from .points import POSTS, oldest_id, point_values

SYNC_POINT = script("community/nearby/lua/sync_point.lua")
Entry = tuple[Event, int, int]  # the id of a post, and its author
Placed = tuple[Point | None, list[str]]  # the place that a post shows all, and the cells it is in


@in_steps
def sync_posts(_context: Context, events: Sequence[Event]) -> Steps[None]:
    """Sync posts that were posted, edited or deleted and have, or had, a place. Three trips."""
    located = [event for event in events if "located" in event.data]
    yield from _sync([(event, event.number("id"), event.number("author")) for event in located])


def _resync(context: Context, event: Event, ids: Sequence[int]) -> None:
    do_steps(context.db, _sync([(event, one, event.number("uid")) for one in ids]))


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
    _event, status_id, author = entry
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
    event, status_id, author = entry
    if point:
        key, name = keys.placed_posts(author), f"{status_id}:{cell_of(point)}"
        yield SYNC_ENTRY(event, entries=key, entry=name, score=status_id, limit=POSTS.limit)
        yield ("ZREMRANGEBYSCORE", key, "-inf", oldest_id())


def _move(entry: Entry, placed: Placed) -> Iterator[Command]:
    (event, status_id, author), (point, _cells) = entry, placed
    member = f"{status_id}:{author}"
    if point and status_id > oldest_id():
        added = int(created_at(status_id).timestamp())
        yield SYNC_POINT(event, **point_values(POSTS, member, cell_of(point), point, added))
    for cell in _left(placed):
        yield SYNC_POINT(event, **point_values(POSTS, member, cell))


def _unindex(entry: Entry, placed: Placed) -> Iterator[Command]:
    for cell in _left(placed):
        event, status_id, author = entry
        yield SYNC_ENTRY(event, entries=keys.placed_posts(author), entry=f"{status_id}:{cell}")


def _left(placed: Placed) -> list[str]:
    """Return the cells that a post is not in any more."""
    point, cells = placed
    return [cell for cell in cells if not point or cell != cell_of(point)]


def forget_position(context: Context, event: Event, _cursor: str) -> None:
    """Remove the position of a deleted account."""
    people.hide(context.db, event.number("uid"))


# The posts of a member whose places were removed, or who is gone.
resync_member = slices("resync_member", keys.placed_posts, _resync)
WORK = Registry(
    projections={"discovery": dict.fromkeys(("posted", "edited", "deleted"), (sync_posts,))},
    bulk={
        "locations_removed": (resync_member,),
        "account_deleted": (resync_member, forget_position),
    },
)
