"""Points in cells: adding, removing, and finding the nearest ones, and the posts at them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.store import Command, Db, Read, first_id_at, script
from webapp.statuses import NO_FILTERS, FilterSet, Status, ViewerState, hydrate, may_be_found
from webapp.statuses.hydration import complete

from . import keys
from .cells import Point, bearing, cell_of, cells_around, distance_km, rounded

ADD_POINT = script("community/nearby/lua/add_point.lua")
SHOWN_MAX = 40  # posts of a page
SPARE = 40  # further posts that are read, in case some are hidden


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of points. `keep`: for how many seconds. `limit`: most of them in a cell."""

    name: str
    keep: int
    limit: int


POSTS = Kind("posts", 30 * 86_400, 2_000)
PEOPLE = Kind("people", 86_400, 10_000)


@dataclass(frozen=True, slots=True)
class Found:
    """A point that a search has found, and how far it is."""

    member: str
    point: Point
    km: float
    cell: str


def add_command(kind: Kind, member: str, point: Point, added: int | None = None) -> Command:
    """Return the command that adds a point to its cell. `added`: unix seconds, None for now."""
    added_or_now = "" if added is None else added
    return ADD_POINT(**point_values(kind, member, cell_of(point), point, added_or_now))


def point_values(
    kind: Kind, member: str, cell: str, point: Point | None = None, added: int | str = ""
) -> dict[str, Any]:
    """Return the values of the scripts that add a point to a cell, None to remove it."""
    lat, long = point or ("", "")
    values = {"cell": cell, "kind": kind.name, "keep": kind.keep, "limit": kind.limit}
    return {**values, "member": member, "lat": lat, "long": long, "added": added}


def remove_commands(kind: Kind, member: str, cell: str) -> tuple[Command, Command]:
    """Return the commands that remove a point from a cell."""
    return (
        ("ZREM", keys.points(cell, kind.name), member),
        ("ZREM", keys.point_times(cell, kind.name), member),
    )


def nearest(kind: Kind, centre: Point, radius_km: float, count: int) -> Read[list[Found]]:
    """Read the `count` points nearest to a centre, the nearest first. One command for each cell."""
    asked = list(cells_around(centre, radius_km))
    commands = tuple(
        _search(keys.points(cell, kind.name), start, radius_km, count if start == centre else None)
        for cell, start in asked
    )

    def parse(replies: Sequence[Any]) -> list[Found]:
        found = []
        for (cell, _start), reply in zip(asked, replies, strict=True):
            for member, (long, lat) in reply:
                point = float(lat), float(long)
                found.append(Found(member, point, distance_km(centre, point), cell))
        within = (one for one in found if one.km <= radius_km)
        return sorted(within, key=lambda one: (one.km, one.member))[:count]

    return Read(commands, parse)


def _search(key: str, start: Point, radius_km: float, count: int | None) -> Command:
    """Return the search of a cell, a little wider: the store's globe is 0.03 % larger than ours."""
    lat, long = start
    around = ("FROMLONLAT", long, lat, "BYRADIUS", radius_km * 1.01, "km", "ASC")
    limit = ("COUNT", count) if count else ()
    return ("GEOSEARCH", key, *around, *limit, "WITHCOORD")


@dataclass(frozen=True, slots=True)
class NearPost:
    """A post around a point: its distance, and its direction in degrees from north, by east."""

    status: Status
    km: float
    direction: float


def oldest_id() -> int:
    """Return the smallest id of posts that are shown."""
    return first_id_at(int((time.time() - POSTS.keep) * 1000))


def find(centre: Point, radius_km: float) -> Read[list[Found]]:
    """Read the posts nearest to a centre, which is rounded to 1 km."""
    return nearest(POSTS, rounded(centre), radius_km, SHOWN_MAX + SPARE)


def visible_posts(
    db: Db,
    found: Sequence[Found],
    centre: Point,
    radius_km: float,
    viewer: int,
    filters: FilterSet = NO_FILTERS,
) -> tuple[list[NearPost], ViewerState]:
    """Return those of the found posts that the viewer may see, and the viewer's state of them.

    A post that has lost its place, or is elsewhere now, is left out. So are posts of others who do
    not wish to be found, and those that a filter hides. Two trips.
    """
    pairs = [tuple(map(int, one.member.split(":"))) for one in found]
    entries = [(status_id, author) for status_id, author in pairs if status_id > oldest_id()]
    page = db.read(hydrate(entries, viewer))
    centre, near = rounded(centre), []
    for item in filters.remaining(page.visible_in_timelines):
        if not isinstance(item, Status) or not (item.place and item.place.point):
            continue
        km = distance_km(centre, item.place.point)
        may_show = may_be_found(item.author) or item.author.uid == viewer
        if may_show and km <= radius_km * 1.01:
            near.append(NearPost(item, km, bearing(centre, item.place.point)))
    near = near[:SHOWN_MAX]
    state = db.read(complete(viewer, [one.status for one in near], page.viewer_state))
    return near, state
