"""The parameters of the streaming API, version 1.1, from the query and the form.

Reading takes time that grows with their length only, and their length is bounded. Unknown
parameters are ignored. Of a parameter that is sent several times, lists are joined; of other values
the last one counts.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, get_args
from unicodedata import normalize

from webapp.accounts.store import LOGIN_PATTERN
from webapp.core.store import parse_id
from webapp.streaming.matching.predicates import Box, Level, Predicate
from webapp.streaming.matching.terms import normalize_phrase

from .parameter_values import (
    BadParameters,
    Values,
    last_value,
    parse_decimal,
    parse_locations,
    split_values,
)

PHRASES_MAX: Final = 400
PHRASE_BYTES: Final = 60
FOLLOW_MAX: Final = 5_000
LANGUAGES_MAX: Final = 100
LANGUAGE_LENGTH: Final = 35  # characters
COUNT_MAX: Final = 150_000
INTEGER_PATTERN = re.compile(r"[+-]?[0-9]{1,9}")
LANGUAGE_PATTERN = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class Parameters:
    """All that a client asks for."""

    delimited: bool = False  # each message after its length
    stall_warnings: bool = False
    count: int = 0  # how many statuses to begin with; below zero: nothing after them
    percent: float | None = None  # above 0, at most 100
    languages: frozenset[str] = frozenset()
    level: Level = "none"
    phrases: tuple[str, ...] = ()
    follow: frozenset[int] = frozenset()  # uids
    logins: frozenset[str] = (
        frozenset()
    )  # of members to follow whose uids are not known, lower case
    boxes: frozenset[Box] = frozenset()

    def predicate(self, members: Iterable[int] = ()) -> Predicate:
        """Return the conditions to match; `members` are the uids of `logins`."""
        follow = self.follow.union(members)
        return Predicate(self.phrases, follow, self.boxes, self.languages, self.level)


def parse(values: Values, *, filtering: bool = False) -> Parameters:
    """Parse parameters. `filtering`: one of track, follow and locations must be there.

    Raises BadParameters: 406 for a value that cannot be read or is missing, 413 for too many, 416
    for a bad count.
    """
    follow, logins = _parse_follow(values) if filtering else (frozenset[int](), frozenset[str]())
    parameters = Parameters(
        delimited=last_value(values, "delimited").lower() == "length",
        stall_warnings=last_value(values, "stall_warnings") in ("true", "True", "1", "t"),
        count=_parse_count(values),
        percent=_parse_percent(values),
        languages=_parse_languages(values),
        level=_parse_level(values),
        phrases=_parse_track(values) if filtering else (),
        follow=follow,
        logins=logins,
        boxes=parse_locations(values) if filtering else frozenset(),
    )
    if filtering and not logins and parameters.predicate().empty:
        sentence = "Say what to look for: send at least one of track, follow and locations."
        raise BadParameters(406, sentence)
    return parameters


def _parse_track(values: Values) -> tuple[str, ...]:
    parts = split_values(values, "track", PHRASES_MAX, "phrases")
    for number, part in enumerate(parts, 1):
        size = len(normalize("NFC", part).encode("utf-8", "surrogatepass"))
        if size > PHRASE_BYTES:
            sentence = (
                f"track: phrase {number} takes {size} bytes in UTF-8; "
                f"a phrase has 1 to {PHRASE_BYTES}."
            )
            raise BadParameters(406, sentence)
    return tuple(sorted({normalize_phrase(part) for part in parts} - {""}))


def _parse_follow(values: Values) -> tuple[frozenset[int], frozenset[str]]:
    """Return the uids and the logins to follow."""
    uids: set[int] = set()
    logins: set[str] = set()
    for number, part in enumerate(split_values(values, "follow", FOLLOW_MAX, "members"), 1):
        login = part.removeprefix("@")
        uid = parse_id(part)
        if uid:
            uids.add(uid)
        elif LOGIN_PATTERN.match(login):
            logins.add(login.lower())
        else:
            sentence = f"follow: value {number} is neither a member's id nor a login."
            raise BadParameters(406, sentence)
    return frozenset(uids), frozenset(logins)


def _parse_languages(values: Values) -> frozenset[str]:
    parts = split_values(values, "language", LANGUAGES_MAX, "languages")
    for number, part in enumerate(parts, 1):
        if len(part) > LANGUAGE_LENGTH or not LANGUAGE_PATTERN.fullmatch(part):
            sentence = (
                f"language: value {number} is no language tag; "
                "write one as in BCP 47, such as en or zh-TW."
            )
            raise BadParameters(406, sentence)
    return frozenset(part.lower() for part in parts)


def _parse_level(values: Values) -> Level:
    text = last_value(values, "filter_level").lower() or "none"
    levels: tuple[Level, ...] = get_args(Level)
    for level in levels:
        if level == text:
            return level
    raise BadParameters(406, "filter_level is one of none, low and medium.")


def _parse_count(values: Values) -> int:
    text = last_value(values, "count")
    if not text:
        return 0
    count = int(text) if INTEGER_PATTERN.fullmatch(text) else 0
    if not 1 <= abs(count) <= COUNT_MAX:
        sentence = f"count is a whole number from 1 to {COUNT_MAX}, or from -1 to -{COUNT_MAX}."
        raise BadParameters(416, sentence)
    return count


def _parse_percent(values: Values) -> float | None:
    text = last_value(values, "percent")
    if not text:
        return None
    percent = parse_decimal(text)
    if percent is None or not 0 < percent <= 100:
        raise BadParameters(406, "percent is a number above 0, and at most 100.")
    return percent
