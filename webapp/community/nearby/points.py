"""Points in cells: adding, removing, and finding the nearest ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.store.reads import Command, Read
from webapp.core.store.scripts import script

from . import keys
from .cells import Point, cell_of, cells_around, distance_km

ADD_POINT = script("community/nearby/lua/add_point.lua")


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
    return ADD_POINT(
        cell=cell_of(point),
        kind=kind.name,
        member=member,
        lat=point[0],
        long=point[1],
        added="" if added is None else added,
        keep=kind.keep,
        limit=kind.limit,
    )


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
