"""The log of moderation: every act and every answer, for a year. Nothing in it changes."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from webapp.accounts import store as accounts
from webapp.accounts.member import datetime_from_ms
from webapp.core.store import Db, script
from webapp.core.web import Page, max_bound, paginate

from . import keys
from .acts import ACTS, Act
from .history import ActEntry

LOG = script("moderation/lua/log.lua")
YEAR_MS = 366 * 86_400_000
SLICE = 500  # entries that the export reads in one trip; also those that one entry removes at most
COLUMNS = ("at", "by_login", "kind", "login", "post", "why")
FORMULAS = tuple("=+-@＝＋－＠\t\r\n")  # what formulas begin with in spreadsheets


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of the log. `kind`: of the act, or `undo` or `keep` with the act in `about`."""

    at: datetime
    by_login: str
    login: str
    kind: str
    about: str
    why: str
    post: int

    @property
    def act(self) -> Act | None:
        """Return the row of the act, None for rules of the site."""
        return ACTS.get(self.about or self.kind)


def add(db: Db, name: str, uid: int, entry: ActEntry, is_answer: bool = False) -> None:
    """Add an act, or its answer, to the log. Safe to repeat. Two trips."""
    by, at = entry.by, entry.at
    if is_answer and entry.answered_at:
        by, at = entry.answered_by, entry.answered_at
    kind = {"granted": "undo", "kept": "keep"}[entry.answer] if is_answer else entry.kind
    people = db.read(accounts.get_many([uid, by]))
    content = {
        "kind": kind,
        "about": entry.kind if is_answer else "",
        "login": people[uid].login if uid in people else "",
        "by_login": people[by].login if by in people else "",
        "why": "" if is_answer else entry.why,
        "post": entry.post,
    }
    write(db, name, int(at.timestamp() * 1000), content)


def write(db: Db, name: str, at_ms: int, content: dict[str, object]) -> None:
    """Write an entry, once for each name. One trip."""
    entry = orjson.dumps({"at": at_ms, **content})
    db.run(LOG(id=name, entry=entry, at=at_ms, oldest=at_ms - YEAR_MS, limit=SLICE))


def page(db: Db, before: int | None, size: int) -> Page[LogEntry]:
    """Return a page of the log, newest first. Two trips."""
    bounds = (max_bound(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1)
    return paginate(_read(db, bounds), size)


def export(db: Db) -> Iterator[str]:
    """Yield the log as lines of CSV, oldest first, two trips for each SLICE."""
    yield _csv_line(COLUMNS)
    start = 0
    while entries := _read(db, (start, start + SLICE - 1)):
        for _at, one in entries:
            kind = f"{one.kind} {one.about}".strip()
            at, post = one.at.isoformat(), one.post or ""
            yield _csv_line((at, one.by_login, kind, one.login, post, one.why))
        start += SLICE


def _read(db: Db, bounds: tuple[object, ...]) -> list[tuple[int, LogEntry]]:
    """Return entries with their scores. Two trips, one without any."""
    flat = db.run(("ZRANGE", keys.log(), *bounds, "WITHSCORES"))
    names, scores = flat[::2], map(int, flat[1::2])
    stored = db.run(("HMGET", keys.log_entries(), *names)) if names else []
    return [
        (score, _parse(orjson.loads(entry)))
        for score, entry in zip(scores, stored, strict=True)
        if entry
    ]


def _parse(entry: dict[str, Any]) -> LogEntry:
    fields = {name: entry[name] for name in ("by_login", "login", "kind", "about", "why", "post")}
    return LogEntry(at=datetime_from_ms(str(entry["at"])), **fields)


def _csv_line(values: Sequence[object]) -> str:
    """Return a line of CSV. A text that a spreadsheet would take for a formula gets a quote."""
    line = io.StringIO()
    texts = (f"'{text}" if (text := str(one)).startswith(FORMULAS) else text for one in values)
    csv.writer(line).writerow(texts)
    return line.getvalue()
