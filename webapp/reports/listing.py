"""Lists of reports, for moderators and operators."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import compress
from typing import Any

import orjson

from webapp.accounts import store as accounts
from webapp.accounts.member import datetime_from_ms
from webapp.accounts.store import Member
from webapp.core.store import Db, Read, collect, constant, read
from webapp.core.web import Page, max_bound, paginate
from webapp.statuses import keys as status_keys
from webapp.statuses.drafts import store as drafts

from . import keys
from .category import Category, parse_category
from .store import BY_SITE, DRAFT, HELD_MS, MEMBER, POST

Times = dict[str, int]  # ids of reports, newest first, with unix ms
OTHERS = ("parent", "quoted")  # posts that a draft answers and quotes
SPREAD_MS = 1_000  # by which reports of one moment may be dated ahead


@dataclass(frozen=True, slots=True)
class OtherPost:
    """A post that a draft answers or quotes. `login`: of its author, "" if it is gone."""

    id: int
    login: str


@dataclass(frozen=True, slots=True)
class Report:
    """A report. `id` serves to close it.

    It is about a message, or a whole chat (`message_id` is 0), or a status, or a draft that waits
    for moderators (`draft_saved`: when it was saved), or the member `author`. `draft`: while
    it is as it was reported. `parent`: the post that it answers, `quoted`: the one it quotes.
    People are None if their accounts are gone; so is the author if there are several. `texts`:
    those of the messages or the status, oldest first. `taken_by` takes care of it. `outcome`: the
    act of `closed_by` that answered it, "" while it is open.
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
    draft_saved: int = 0
    draft: drafts.Draft | None = None
    parent: OtherPost | None = None
    quoted: OtherPost | None = None
    category: Category = Category.OTHER
    author_uid: int = 0
    taken_by: Member | None = None
    outcome: str = ""
    closed_by: Member | None = None

    @property
    def is_by_site(self) -> bool:
        """Return True if the site made it: it found a word that moderators want to see."""
        return parse_report_id(self.id)[0] == BY_SITE


def list_newest(db: Db, limit: int = 100, category: Category | None = None) -> list[Report]:
    """Return the newest open reports; of one category, if it is given. Three trips."""
    times = db.read(times_in(f"open.{category.value}" if category else "", None, limit))
    return list(with_contents(db, times, limit).items)


def times_in(queue: str, before: int | None, count: int) -> Read[Times]:
    """Read the newest reports of a list below a cursor. `queue`: "" for all that are open.

    Those that owners of groups see first have a later time, and are not among them.
    """
    key = keys.report_queue(queue) if queue else keys.reports()
    newest = max_bound(before) if before else shown_until()
    bounds = (newest, "-inf", "BYSCORE", "REV", "LIMIT", 0, count, "WITHSCORES")
    return read(("ZRANGE", key, *bounds), _parse_times)


def shown_until() -> int:
    """Return the time of the newest report that moderators see, in unix ms.

    Reports of one moment are dated one after the other.
    """
    return int(time.time() * 1000) + SPREAD_MS


def _parse_times(flat: Sequence[str]) -> Times:
    return dict(zip(flat[::2], map(int, flat[1::2]), strict=True))


def times_in_group(gid: int, count: int) -> Read[Times]:
    """Read the newest reports of a group that its owners may still answer."""
    oldest = int(time.time() * 1000) - HELD_MS
    bounds = ("+inf", f"({oldest}", "BYSCORE", "REV", "LIMIT", 0, count, "WITHSCORES")
    return read(("ZRANGE", keys.report_queue(f"group.{gid}"), *bounds), _parse_times)


def count_in_group(gid: int) -> Read[int]:
    """Read how many reports the owners of a group may still answer."""
    oldest = int(time.time() * 1000) - HELD_MS
    return read(("ZCOUNT", keys.report_queue(f"group.{gid}"), f"({oldest}", "+inf"), int)


def with_contents(db: Db, times: Times, size: int) -> Page[Report]:
    """Return a page of reports. Two trips."""
    contents = db.read(contents_of(list(times)))
    uids = {uid for name, content in contents.items() for uid in _people(name, content)}
    reads = collect(map(_reported_draft, contents))
    others = sorted({int(one.get(name, 0)) for one in contents.values() for name in OTHERS} - {0})
    people, found, existing = db.fetch(
        accounts.get_many(sorted(uids - {0})), reads, _existing(others)
    )
    return paginate(
        [
            (times[name], _build_report(name, times[name], content, people, draft, existing))
            for (name, content), draft in zip(contents.items(), found, strict=True)
        ],
        size,
    )


def _reported_draft(report_id: str) -> Read[drafts.Draft | None]:
    """Read the draft of a report, None if there is none, or if it was saved again since."""
    _reporter_uid, subject, saved_ms = report_id.split(":")
    if not subject.startswith(f"{DRAFT}."):
        return constant(None)
    uid, _, form_key = subject.removeprefix(f"{DRAFT}.").partition(".")
    return drafts.draft(int(uid), form_key).map(
        lambda found: found if found and found.saved_ms == saved_ms else None
    )


def _existing(status_ids: Sequence[int]) -> Read[frozenset[int]]:
    """Read which statuses there still are."""
    exist = (read(("EXISTS", status_keys.status(one)), bool) for one in status_ids)
    return collect(exist).map(lambda found: frozenset(compress(status_ids, found)))


def contents_of(report_ids: Sequence[str]) -> Read[dict[str, dict[str, Any]]]:
    """Read the contents of reports by id, in the order of the ids."""
    if not report_ids:
        return constant({})

    def parse(contents: Sequence[str | None]) -> dict[str, dict[str, Any]]:
        pairs = zip(report_ids, contents, strict=True)
        return {report_id: orjson.loads(content) for report_id, content in pairs if content}

    return read(("HMGET", keys.report_contents(), *report_ids), parse)


def open_since(report_ids: Sequence[str]) -> Read[Times]:
    """Read since when reports are open. Those that are done are left out."""
    if not report_ids:
        return constant({})

    def parse(scores: Sequence[object]) -> Times:
        pairs = zip(report_ids, scores, strict=True)
        return {report_id: int(str(score)) for report_id, score in pairs if score is not None}

    return read(("ZMSCORE", keys.reports(), *report_ids), parse)


def parse_report_id(report_id: str) -> tuple[int, str, int]:
    """Return the reporter of a report's id; POST, MEMBER, DRAFT or a chat's id; and the number."""
    uid, kind, number = report_id.split(":")
    return int(uid), DRAFT if kind.startswith(f"{DRAFT}.") else kind, int(number)


def _people(report_id: str, content: Mapping[str, Any]) -> tuple[int, ...]:
    names = ("author", "taken", "by", *(f"{one}_author" for one in OTHERS))
    named = (int(content.get(name) or 0) for name in names)
    return (parse_report_id(report_id)[0], *named)


def _build_report(
    report_id: str,
    reported_ms: int,
    content: Mapping[str, Any],
    people: Mapping[int, Member],
    draft: drafts.Draft | None,
    existing: Collection[int],
) -> Report:
    _reporter_uid, kind, number = parse_report_id(report_id)
    is_chat = kind not in (POST, MEMBER, DRAFT)
    reporter, author, taken_by, closed_by, *authors = map(people.get, _people(report_id, content))
    others = (int(content.get(name, 0)) for name in OTHERS)
    parent, quoted = (
        OtherPost(one, writer.login if writer and one in existing else "") if one else None
        for one, writer in zip(others, authors, strict=True)
    )
    return Report(
        id=report_id,
        reported_at=datetime_from_ms(str(reported_ms)),
        reporter=reporter,
        author=author,
        category=parse_category(content.get("category")) or Category.OTHER,
        reason=content["reason"],
        texts=content.get("texts") or [],
        cid=kind if is_chat else "",
        message_id=number if is_chat else 0,
        status_id=number if kind == POST else 0,
        draft_saved=number if kind == DRAFT else 0,
        draft=draft,
        parent=parent,
        quoted=quoted,
        author_uid=content["author"],
        taken_by=taken_by,
        outcome=content.get("outcome", ""),
        closed_by=closed_by,
    )
