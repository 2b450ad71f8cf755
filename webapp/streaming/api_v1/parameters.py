"""What a client of the streaming API says it wants, read from the query and the form: the parameters of v1.1.

Whatever is sent is read in time that grows with its length only, and its length is bounded. Unknown parameters are
ignored. Of a parameter that is sent several times, lists are joined and of other values the last one counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args
from unicodedata import normalize

from webapp.accounts.store import LOGIN_PATTERN
from webapp.core.store.ids import parse_id
from webapp.streaming.matching.predicates import Box, Level, Predicate
from webapp.streaming.matching.terms import normalize_phrase

Values = Mapping[str, Sequence[str]]

PHRASES_MAX: Final = 400
PHRASE_BYTES: Final = 60
FOLLOW_MAX: Final = 5_000
BOXES_MAX: Final = 25
LANGUAGES_MAX: Final = 100
COUNT_MAX: Final = 150_000
SIDE_MIN, SIDE_MAX = 0.1, 360  # of a box, in degrees
CHARACTERS_MAX: Final = 131_072  # of one list: room for all of the above


class BadParameters(ValueError):
    """Parameters that are refused: with which HTTP status, and why, in a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass(frozen=True, slots=True)
class Parameters:
    """All that was asked for. `follow` are uids; who the `logins` are is for the caller to look up."""

    delimited: bool = False  # each message after its length
    stall_warnings: bool = False
    count: int = 0  # how many to backfill; below zero: and end then
    percent: float | None = None  # above 0, at most 100
    languages: frozenset[str] = frozenset()
    level: Level = "none"
    phrases: tuple[str, ...] = ()
    follow: frozenset[int] = frozenset()
    logins: frozenset[str] = frozenset()  # lower case
    boxes: frozenset[Box] = frozenset()

    def predicate(self, members: Iterable[int] = ()) -> Predicate:
        """What to match; `members` are the uids of `logins`."""
        return Predicate(
            self.phrases, self.follow.union(members), self.boxes, self.languages, self.level
        )


def parse(values: Values, *, filtering: bool = False) -> Parameters:
    """The parameters among `values`. `filtering`: with track, follow and locations, of which there must be one.

    Raises BadParameters: 406 for what cannot be read or is missing, 413 for too many, 416 for a bad count.
    """
    follow, logins = _parse_follow(values) if filtering else (frozenset[int](), frozenset[str]())
    parameters = Parameters(
        delimited=_last_value(values, "delimited").lower() == "length",
        stall_warnings=_last_value(values, "stall_warnings") in ("true", "True", "1", "t"),
        count=_parse_count(values),
        percent=_parse_percent(values),
        languages=_parse_languages(values),
        level=_parse_level(values),
        phrases=_parse_track(values) if filtering else (),
        follow=follow,
        logins=logins,
        boxes=_parse_locations(values) if filtering else frozenset(),
    )
    if filtering and not logins and parameters.predicate().empty:
        raise BadParameters(
            406, "Say what to look for: send at least one of track, follow and locations."
        )
    return parameters


def _parse_track(values: Values) -> tuple[str, ...]:
    parts = _split_values(values, "track", PHRASES_MAX, "phrases")
    for number, part in enumerate(parts, 1):
        size = len(normalize("NFC", part).encode("utf-8", "surrogatepass"))
        if size > PHRASE_BYTES:
            problem = f"track: phrase {number} takes {size} bytes in UTF-8; a phrase has 1 to {PHRASE_BYTES}."
            raise BadParameters(406, problem)
    return tuple(sorted({normalize_phrase(part) for part in parts} - {""}))


def _parse_follow(values: Values) -> tuple[frozenset[int], frozenset[str]]:
    uids, logins = set(), set()
    for number, part in enumerate(_split_values(values, "follow", FOLLOW_MAX, "members"), 1):
        login = part.removeprefix("@")
        if uid := parse_id(part):
            uids.add(uid)
        elif LOGIN_PATTERN.match(login):
            logins.add(login.lower())
        else:
            raise BadParameters(
                406, f"follow: value {number} is neither a member's id nor a login."
            )
    return frozenset(uids), frozenset(logins)


def _parse_locations(values: Values) -> frozenset[Box]:
    parts = _split_values(values, "locations", 4 * BOXES_MAX, "numbers, four for each box,")
    if len(parts) % 4:
        raise BadParameters(
            406, "locations: each box takes four numbers: west, south, east, north."
        )
    return frozenset(
        _parse_box(number + 1, parts[4 * number : 4 * number + 4])
        for number in range(len(parts) // 4)
    )


def _parse_box(number: int, parts: Sequence[str]) -> Box:
    name = f"locations: box {number}"
    box = Box(*(_parse_degrees(name, part) for part in parts))
    if not (abs(box.west) <= 180 and abs(box.east) <= 180):
        raise BadParameters(
            406, f"{name} has a longitude outside -180 to 180; longitude comes first."
        )
    if not (abs(box.south) <= 90 and abs(box.north) <= 90):
        raise BadParameters(
            406, f"{name} has a latitude outside -90 to 90; longitude comes first, then latitude."
        )
    if box.south > box.north:
        raise BadParameters(
            406, f"{name} must begin with its south-west corner; its north lies south of its south."
        )
    if box.west > box.east:
        problem = f"{name} must begin with its south-west corner; its east lies west of its west."
        raise BadParameters(
            406, f"{problem} Where it crosses the date line, send two boxes, one on either side."
        )
    # Rounded, for 10.1 - 10 is a little less than 0.1.
    if not all(
        SIDE_MIN <= round(side, 9) <= SIDE_MAX
        for side in (box.east - box.west, box.north - box.south)
    ):
        raise BadParameters(
            406, f"{name} is too small: each side takes {SIDE_MIN} to {SIDE_MAX} degrees."
        )
    return box


def _parse_degrees(name: str, part: str) -> float:
    number = _parse_decimal(part)
    if number is None:
        raise BadParameters(406, f"{name} has something that is no number of degrees.")
    return number


def _parse_languages(values: Values) -> frozenset[str]:
    parts = _split_values(values, "language", LANGUAGES_MAX, "languages")
    for number, part in enumerate(parts, 1):
        if len(part) > 35 or not _LANGUAGE.fullmatch(part):
            problem = f"language: value {number} is no language tag; write one as in BCP 47, such as en or zh-TW."
            raise BadParameters(406, problem)
    return frozenset(part.lower() for part in parts)


def _parse_level(values: Values) -> Level:
    text = _last_value(values, "filter_level").lower() or "none"
    for level in get_args(Level):
        if level == text:
            return level  # type: ignore[no-any-return]
    raise BadParameters(406, "filter_level is one of none, low and medium.")


def _parse_count(values: Values) -> int:
    text = _last_value(values, "count")
    if not text:
        return 0
    count = int(text) if _INTEGER.fullmatch(text) else 0
    if not 1 <= abs(count) <= COUNT_MAX:
        raise BadParameters(
            416, f"count is a whole number from 1 to {COUNT_MAX}, or from -1 to -{COUNT_MAX}."
        )
    return count


def _parse_percent(values: Values) -> float | None:
    text = _last_value(values, "percent")
    if not text:
        return None
    percent = _parse_decimal(text)
    if percent is None or not 0 < percent <= 100:
        raise BadParameters(406, "percent is a number above 0, and at most 100.")
    return percent


def _parse_decimal(text: str) -> float | None:
    number = float(text) if len(text) <= 40 and _DECIMAL.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def _split_values(values: Values, name: str, limit: int, noun: str) -> list[str]:
    """The parts between commas that are not blank, stripped."""
    joined = ",".join(values.get(name, ()))
    if len(joined) > CHARACTERS_MAX:
        raise BadParameters(
            413, f"{name} is too long: at most {CHARACTERS_MAX:,} characters are read."
        )
    parts = [part for raw in joined.split(",") if (part := raw.strip())]
    if len(parts) > limit:
        raise BadParameters(
            413, f"{name} has {len(parts):,} {noun} where at most {limit:,} are taken."
        )
    return parts


def _last_value(values: Values, name: str) -> str:
    return values[name][-1].strip() if values.get(name) else ""


_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")
