"""Values of request parameters, and how a bad one is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from webapp.core.errors import Refused

Values = Mapping[str, Sequence[str]]
CHARACTERS_MAX: Final = 131_072  # of one list
DECIMAL_MAX: Final = 40  # characters of a number
DECIMAL_PATTERN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


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
