"""Points on the globe: distances, directions, and the cells around them."""

from collections.abc import Iterator
from math import asin, atan2, cos, degrees, radians, sin, sqrt

Point = tuple[float, float]  # latitude and longitude, in degrees
EARTH_KM = 6_371.0  # radius
LATITUDE_MAX = 85.05  # beyond, a sorted set has no points
SIDE = 180 / 128  # degrees: a geohash of 3 characters has 7 bits of latitude and 8 of longitude
ROWS, COLUMNS = 128, 256
BASE_32 = "0123456789bcdefghjkmnpqrstuvwxyz"
ROUNDING = 0.01  # degrees of latitude: 1.1 km


def distance_km(one: Point, other: Point) -> float:
    """Return the length of the great circle between two points (haversine)."""
    (lat, long), (other_lat, other_long) = map(_radians, (one, other))
    half = sin((other_lat - lat) / 2) ** 2
    half += cos(lat) * cos(other_lat) * sin((other_long - long) / 2) ** 2
    return 2 * EARTH_KM * asin(min(1, sqrt(half)))


def bearing(start: Point, end: Point) -> float:
    """Return the direction in which the way to `end` begins: degrees from north, by east."""
    (lat, long), (end_lat, end_long) = map(_radians, (start, end))
    east = sin(end_long - long) * cos(end_lat)
    north = cos(lat) * sin(end_lat) - sin(lat) * cos(end_lat) * cos(end_long - long)
    return degrees(atan2(east, north)) % 360


def rounded(point: Point) -> Point:
    """Return a point rounded to a grid of about 1 km."""
    lat = round(point[0] / ROUNDING) * ROUNDING
    step = ROUNDING / max(cos(radians(lat)), 0.01)
    long = round(point[1] / step) * step
    return round(lat, 5), round((long + 180) % 360 - 180, 5)


def cell_of(point: Point) -> str:
    """Return the geohash of 3 characters of a point."""
    return _name(_row(point[0]), _column(point[1]) % COLUMNS)


def cells_around(centre: Point, radius_km: float) -> Iterator[tuple[str, Point]]:
    """Yield the cells that a circle touches, each with the point from which to search it.

    That is the centre, or for cells beyond the date line the point of the line next to it.
    """
    lat, long = centre
    angle = radius_km / EARTH_KM * 1.01
    reach = asin(min(1.0, sin(angle) / cos(radians(lat))))
    south, north = _row(lat - degrees(angle)), _row(lat + degrees(angle))
    west, east = long - degrees(reach), long + degrees(reach)
    for column in range(_column(west), _column(east) + 1):
        line = 179.99999 if column < 0 else -179.99999
        start = centre if 0 <= column < COLUMNS else (lat, line)
        for row in range(south, north + 1):
            yield _name(row, column % COLUMNS), start


def _row(lat: float) -> int:
    return min(max(int((lat + 90) / SIDE), 0), ROWS - 1)


def _column(long: float) -> int:
    return int((long + 180) // SIDE)


def _name(row: int, column: int) -> str:
    """Return a geohash: bits of both in turn, the first of longitude, 5 a character."""
    bits = column >> 7
    for place in range(6, -1, -1):
        bits = bits << 2 | (row >> place & 1) << 1 | (column >> place & 1)
    return "".join(BASE_32[bits >> shift & 31] for shift in (10, 5, 0))


def _radians(point: Point) -> Point:
    return radians(point[0]), radians(point[1])
