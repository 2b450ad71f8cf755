"""List the newest reports, for operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import orjson

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, constant, read

from . import keys
from .category import Category, parse_category
from .store import MEMBER, POST

SLICE = 500  # reports that are read together to find those of a category


@dataclass(frozen=True, slots=True)
class Report:
    """A report. `id` serves to dismiss it.

    It is about a message, or a whole chat (`message_id` is 0), or a status, or the member `author`.
    `reporter` and `author` are None if their accounts are gone; so is the author if there are
    several. `texts`: those of the messages or the status, oldest first.
    """

    id: str
    reported_at: datetime
    reporter: Member | None
    author: Member | None
    reason: str
    texts: list[str]
    cid: str = ""
    message_id: int = 0
    status_id: int = 0
    category: Category = Category.OTHER


def list_newest(db: Db, limit: int = 100, category: Category | None = None) -> list[Report]:
    """Return the newest reports, newest first; of one category, if it is given.

    Three trips, with a category two more for each SLICE of all reports.
    """
    times: dict[str, int] = {}
    contents: dict[str, dict[str, Any]] = {}
    size, start = (SLICE if category else limit), 0
    while newest := db.read(_report_times(start, size)):
        times |= newest
        found = db.read(_contents(list(newest)))
        contents |= {one: what for one, what in found.items() if _is_of(what, category)}
        start += size
        if not category or len(contents) >= limit:
            break
    contents = dict(islice(contents.items(), limit))
    reporters = {_parse_id(report_id)[0] for report_id in contents}
    authors = {content["author"] for content in contents.values() if content["author"]}
    people = db.read(accounts.get_many(sorted(reporters | authors)))
    return [
        _build_report(report_id, times[report_id], content, people)
        for report_id, content in contents.items()
    ]


def _is_of(content: Mapping[str, Any], category: Category | None) -> bool:
    return category is None or _category_of(content) is category


def _category_of(content: Mapping[str, Any]) -> Category:
    return parse_category(content.get("category")) or Category.OTHER


def _report_times(start: int, size: int) -> Read[dict[str, int]]:
    """Read a slice of the reports, the newest first, with their times in unix ms."""

    def parse(flat: Sequence[str]) -> dict[str, int]:
        return dict(zip(flat[::2], map(int, flat[1::2]), strict=True))

    return read(("ZRANGE", keys.reports(), start, start + size - 1, "REV", "WITHSCORES"), parse)


def _contents(report_ids: Sequence[str]) -> Read[dict[str, dict[str, Any]]]:
    """Read the contents of reports by id, in the order of the ids."""
    if not report_ids:
        return constant({})

    def parse(contents: Sequence[str | None]) -> dict[str, dict[str, Any]]:
        pairs = zip(report_ids, contents, strict=True)
        return {report_id: orjson.loads(content) for report_id, content in pairs if content}

    return read(("HMGET", keys.report_contents(), *report_ids), parse)


def _build_report(
    report_id: str, reported_ms: int, content: Mapping[str, Any], people: Mapping[int, Member]
) -> Report:
    reporter_uid, kind, number = _parse_id(report_id)
    is_chat = kind not in (POST, MEMBER)
    return Report(
        id=report_id,
        reported_at=datetime.fromtimestamp(reported_ms / 1000, UTC),
        reporter=people.get(reporter_uid),
        author=people.get(content["author"]),
        category=_category_of(content),
        reason=content["reason"],
        texts=content["texts"],
        cid=kind if is_chat else "",
        message_id=number if is_chat else 0,
        status_id=number if kind == POST else 0,
    )


def _parse_id(report_id: str) -> tuple[int, str, int]:
    """Return the reporter of a report's id; POST, MEMBER or a chat's id; and the number in it."""
    uid, kind, number = report_id.split(":")
    return int(uid), kind, int(number)
