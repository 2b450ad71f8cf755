"""Read the log lines that are kept for operators."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import orjson
from flask_babel import lazy_pgettext as _lp

from webapp.core.metrics import keys
from webapp.core.store import Read, collect, gather, read

from .series import HOUR

SEVERITIES = {
    "critical": _lp("log line", "Critical"),
    "error": _lp("log line", "Error"),
    "warning": _lp("log line", "Warning"),
}
RECENT = 30  # lines on /admin
KEPT, FOUND_MAX = 1_000, 200  # lines that are searched, of each severity; lines of one search
COMMON = 15  # messages of a page


@dataclass(frozen=True, slots=True)
class LogLine:
    """A log line. `rid`: the request that caused it, or "-"."""

    severity: str
    at: datetime
    rid: str
    text: str


@dataclass(frozen=True, slots=True)
class CommonLine:
    """A message without its arguments, and how many lines it made."""

    severity: str
    template: str
    count: int


def log_lines(now: int) -> Read[tuple[list[LogLine], list[CommonLine]]]:
    """Read the newest lines, and the most common ones of this hour and the last."""
    return gather(_newest(SEVERITIES, RECENT).map(lambda lines: lines[:RECENT]), _common(now))


def search(severities: Collection[str], words: str) -> Read[list[LogLine]]:
    """Read the newest FOUND_MAX of all kept lines of some severities that have all `words`.

    A word is found in the text and in the id of the request, in any case.
    """
    wanted = words.lower().split()

    def matching(lines: list[LogLine]) -> list[LogLine]:
        found = (
            line
            for line in lines
            if all(one in f"{line.rid} {line.text}".lower() for one in wanted)
        )
        return list(islice(found, FOUND_MAX))

    return _newest(severities, KEPT).map(matching)


def _newest(severities: Collection[str], count: int) -> Read[list[LogLine]]:
    """Read the newest lines of each severity, all of them newest first."""

    def parse(found: list[list[str]]) -> list[LogLine]:
        lines = [
            _parse(severity, orjson.loads(text))
            for severity, texts in zip(severities, found, strict=True)
            for text in texts
        ]
        return sorted(lines, key=lambda line: line.at, reverse=True)

    return collect(
        read(("LRANGE", keys.log_recent(severity), 0, count - 1), list) for severity in severities
    ).map(parse)


def _common(now: int) -> Read[list[CommonLine]]:
    places = [(severity, now // HOUR - ago) for severity in SEVERITIES for ago in (0, 1)]

    def parse(found: list[list[str]]) -> list[CommonLine]:
        counts: dict[tuple[str, str], int] = {}
        for (severity, _), reply in zip(places, found, strict=True):
            for template, count in zip(reply[::2], reply[1::2], strict=True):
                known = counts.get((severity, template), 0)
                counts[severity, template] = known + int(float(count))
        lines = [CommonLine(*name, count) for name, count in counts.items()]
        return sorted(lines, key=lambda line: line.count, reverse=True)[:COMMON]

    return collect(
        read(("ZREVRANGE", keys.log_common(*place), 0, COMMON - 1, "WITHSCORES"), list)
        for place in places
    ).map(parse)


def _parse(severity: str, line: dict[str, Any]) -> LogLine:
    return LogLine(severity, datetime.fromtimestamp(line["at"], UTC), line["rid"], line["text"])
