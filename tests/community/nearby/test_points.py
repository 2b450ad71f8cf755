"""Points around a centre equal those that a comparison with all points finds."""

import random
from math import cos, radians

import pytest

from tests.conftest import long
from webapp.community.nearby.cells import (
    LATITUDE_MAX,
    Point,
    bearing,
    cell_of,
    cells_around,
    distance_km,
    rounded,
)
from webapp.community.nearby.points import POSTS, Kind, add_command, nearest
from webapp.core.store import Site

CENTRES = (
    *((52.52, 13.4), (0.0, 0.0), (-16.8, 179.97), (-16.8, -179.98), (51.88, -179.999)),
    *((85.04, 20.0), (-85.04, -179.9), (66.0, 100.0), (80.0, 179.5)),
)
BATCH = 500


def near(rng: random.Random, centre: Point) -> Point:
    """Return a point within some 200 km of a centre."""
    lat = centre[0] + rng.gauss(0, 0.7)
    long = centre[1] + rng.gauss(0, 0.7) / cos(radians(centre[0]))
    return min(max(lat, -LATITUDE_MAX), LATITUDE_MAX), (long + 180) % 360 - 180


@pytest.mark.parametrize("count", [3_000, long(50_000)])
def test_the_nearest_points_are_those_that_a_comparison_of_all_finds(
    site: Site, count: int
) -> None:
    rng = random.Random("nearby")
    kind = Kind("posts", POSTS.keep, count)
    points = {str(number): near(rng, rng.choice(CENTRES)) for number in range(count)}
    for start in range(0, count, BATCH):
        some = list(points.items())[start : start + BATCH]
        site.db.trip(*(add_command(kind, member, point) for member, point in some))
    for centre in CENTRES:
        for radius in (1, 5, 20, 100):
            distances = {member: distance_km(centre, point) for member, point in points.items()}
            found = site.db.read(nearest(kind, centre, radius, count))
            members = {one.member for one in found}
            assert {m for m, km in distances.items() if km <= radius * 0.995} <= members
            assert members <= {m for m, km in distances.items() if km <= radius * 1.005}
            assert all(
                abs(one.km - distances[one.member]) <= 0.005 * one.km + 0.001 for one in found
            )
            few = site.db.read(nearest(kind, centre, radius, 5))
            assert [one.km for one in few] == [one.km for one in found[:5]]


def test_cells_are_geohashes_of_three_characters() -> None:
    assert cell_of((52.52, 13.4)) == "u33" and cell_of((-33.86, 151.2)) == "r3g"
    assert cell_of((0, 0)) == "s00" and cell_of((48.85, 2.35)) == "u09"
    counts = [len(list(cells_around((lat, 179.9), 100))) for lat in (0, 70, 80, 85.05)]
    assert counts[0] <= 9 and counts[1] <= 15 and counts[2] <= 27 and counts[3] <= 48


def test_distances_and_directions_and_a_grid_of_a_kilometre() -> None:
    berlin, paris = (52.52, 13.405), (48.8566, 2.3522)
    assert distance_km(berlin, paris) == pytest.approx(877.5, rel=0.005)
    assert distance_km((0, 179.9), (0, -179.9)) == pytest.approx(22.24, rel=0.005)
    assert bearing((0, 179.9), (0, -179.9)) == pytest.approx(90)
    assert bearing(berlin, (60, 13.405)) == pytest.approx(0, abs=1e-6)
    rng = random.Random("grid")
    for _ in range(1_000):
        point = rng.uniform(-LATITUDE_MAX, LATITUDE_MAX), rng.uniform(-180, 180)
        assert distance_km(point, rounded(point)) < 0.9
        assert -180 <= rounded(point)[1] <= 180
    assert len({rounded((52.5 + x / 1e5, 13.4 + x / 1e5)) for x in range(-300, 300)}) < 12


def test_a_cell_keeps_the_newest_points(site: Site) -> None:
    kind = Kind("posts", 1_000, 3)
    now = int(site.db.run(("TIME",))[0])
    for number in range(6):
        site.db.run(add_command(kind, str(number), (1, 1), now - 100 + number))
    assert found_near(site, kind) == {"3", "4", "5"}
    site.db.run(add_command(kind, "old", (1, 1), now - 1_001))
    assert found_near(site, kind) == {"3", "4", "5"}
    site.db.run(add_command(kind, "5", (1.001, 1), now))
    assert found_near(site, kind) == {"3", "4", "5"}


def found_near(site: Site, kind: Kind) -> set[str]:
    """Return the points within 5 km of 1, 1."""
    return {one.member for one in site.db.read(nearest(kind, (1, 1), 5, 10))}
