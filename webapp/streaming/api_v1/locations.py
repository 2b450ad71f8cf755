"""The `locations` parameter: boxes of degrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from webapp.streaming.matching.predicates import Box

from .parameter_values import BadParameters, Values, parse_decimal, split_values

BOXES_MAX: Final = 25
SIDE_MIN, SIDE_MAX = 0.1, 360  # of a box, in degrees


def parse_locations(values: Values) -> frozenset[Box]:
    """Return the boxes. Raises BadParameters."""
    parts = split_values(values, "locations", 4 * BOXES_MAX, "numbers, four for each box,")
    if len(parts) % 4:
        sentence = "locations: each box takes four numbers: west, south, east, north."
        raise BadParameters(406, sentence)
    return frozenset(
        _parse_box(number, parts[4 * number - 4 : 4 * number])
        for number in range(1, len(parts) // 4 + 1)
    )


def _parse_box(number: int, parts: Sequence[str]) -> Box:
    name = f"locations: box {number}"
    box = Box(*(_parse_degrees(name, part) for part in parts))
    if problem := _problem_of(box):
        raise BadParameters(406, f"{name} {problem}")
    return box


def _problem_of(box: Box) -> str:
    """Return the end of a sentence that names the fault of a box; empty if it is right."""
    if not (abs(box.west) <= 180 and abs(box.east) <= 180):
        return "has a longitude outside -180 to 180; longitude comes first."
    if not (abs(box.south) <= 90 and abs(box.north) <= 90):
        return "has a latitude outside -90 to 90; longitude comes first, then latitude."
    if box.south > box.north:
        return "must begin with its south-west corner; its north lies south of its south."
    if box.west > box.east:
        return (
            "must begin with its south-west corner; its east lies west of its west. "
            "Where it crosses the date line, send two boxes, one on either side."
        )
    # Rounded, for 10.1 - 10 is a little less than 0.1.
    sides = (round(box.east - box.west, 9), round(box.north - box.south, 9))
    if not all(SIDE_MIN <= side <= SIDE_MAX for side in sides):
        return f"is too small: each side takes {SIDE_MIN} to {SIDE_MAX} degrees."
    return ""


def _parse_degrees(name: str, part: str) -> float:
    number = parse_decimal(part)
    if number is None:
        raise BadParameters(406, f"{name} has something that is no number of degrees.")
    return number
