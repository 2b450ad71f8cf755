"""Measure searches around places among 50,000 points, beside one sorted set with all of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from webapp.community.nearby.cells import Point
from webapp.community.nearby.points import SHOWN_MAX, SPARE, Kind, add_command, nearest

from .site import Site, send, site
from .table import Figure, compare

POINTS = 50_000
PLACES = ((52.52, 13.4), (31.23, 121.47), (-33.87, 151.2), (64.14, -21.9), (-16.8, 179.9))
SPREAD = 1.0  # degrees: standard deviation around a place
ALL = "nearby:{geo-all}:posts"  # the reference
SEARCHES, ROUNDS = 200, 5
KIND = Kind("posts", 86_400, POINTS)


def measure() -> list[Figure]:
    """Measure searches of 5 and 100 km a second, and how fast points are added."""
    rng = Random("nearby")
    points = [_near(rng) for _ in range(POINTS)]
    with site() as here:
        began = time.perf_counter()
        send(here.db, [add_command(KIND, str(number), one) for number, one in enumerate(points)])
        added = POINTS / (time.perf_counter() - began)
        send(here.db, [("GEOADD", ALL, one[1], one[0], str(n)) for n, one in enumerate(points)])
        figures = [_compare(here, rng.sample(points, SEARCHES), radius) for radius in (5, 100)]
    return [*figures, Figure("points added to cells", added, "a second")]


def _compare(here: Site, centres: list[Point], radius: int) -> Figure:
    def in_cells(centre: Point) -> None:
        here.db.read(nearest(KIND, centre, radius, SHOWN_MAX + SPARE))

    def in_one_set(centre: Point) -> None:
        around = ("FROMLONLAT", centre[1], centre[0], "BYRADIUS", radius, "km", "ASC")
        here.db.run(("GEOSEARCH", ALL, *around, "COUNT", SHOWN_MAX + SPARE, "WITHCOORD"))

    def rate(search: Callable[[Point], None]) -> float:
        began = time.perf_counter()
        for centre in centres:
            search(centre)
        return len(centres) / (time.perf_counter() - began)

    name = f"searches within {radius} km, cells beside one set"
    return compare(name, "a second", lambda: rate(in_cells), lambda: rate(in_one_set), ROUNDS)


def _near(rng: Random) -> Point:
    lat, long = rng.choice(PLACES)
    return lat + rng.gauss(0, SPREAD), (long + rng.gauss(0, SPREAD) + 180) % 360 - 180
