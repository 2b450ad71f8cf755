"""Values of request parameters, and how a bad one is refused."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from webapp.core.errors import Refused
from webapp.streaming.matching.predicates import Box

Values = Mapping[str, Sequence[str]]
CHARACTERS_MAX: Final = 131_072  # of one list
DECIMAL_MAX: Final = 40  # characters of a number
DECIMAL_PATTERN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
BOXES_MAX: Final = 25
SIDE_MIN, SIDE_MAX = 0.1, 360  # of a box, in degrees


class BadParameters(Refused):
    """Parameters that are refused, with an HTTP status and a sentence."""

    sentence: str

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__("bad_parameters", sentence)
        self.status = status

    def __str__(self) -> str:
        return self.sentence


def last_value(values: Values, name: str) -> str:
    """Return the last value of a parameter, stripped; empty if it is missing."""
    return values[name][-1].strip() if values.get(name) else ""


def split_values(values: Values, name: str, limit: int, noun: str) -> list[str]:
    """Return the parts between commas of all values of a parameter, stripped, without blank ones.

    Raises BadParameters for more than `limit` parts, which the sentence calls `noun`.
    """
    joined = ",".join(values.get(name, ()))
    if len(joined) > CHARACTERS_MAX:
        sentence = f"{name} is too long: at most {CHARACTERS_MAX:,} characters are read."
        raise BadParameters(413, sentence)
    parts = [part for raw in joined.split(",") if (part := raw.strip())]
    if len(parts) > limit:
        sentence = f"{name} has {len(parts):,} {noun} where at most {limit:,} are taken."
        raise BadParameters(413, sentence)
    return parts


def parse_decimal(text: str) -> float | None:
    """Parse a finite number. Return None if the text is not one."""
    if len(text) > DECIMAL_MAX or not DECIMAL_PATTERN.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


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
