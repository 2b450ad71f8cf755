"""Storing reports, with the messages as they are when they are reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from webapp.accounts import store as accounts
from webapp.accounts.store import Member
from webapp.chat.codec import from_unix_ms
from webapp.chat.messages import reading
from webapp.chat.models import Message
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, constant, read
from webapp.core.store.scripts import script
from webapp.errors import NotFound

from . import keys

REPORT = script("chat/reports/lua/report.lua")
REASON_MAX = 500  # characters
TEXTS_MAX = 5  # newest messages of a chat that is reported as a whole
WHOLE_CHAT = 0  # instead of a message id


@dataclass(frozen=True, slots=True)
class Report:
    """A report. `id` serves to dismiss it; `message_id` is 0 for a whole chat.

    `reporter` and `author` are None if their accounts are gone; so is the author if there are
    several. `texts` are what the messages said, oldest first.
    """

    id: str
    reported_at: datetime
    reporter: Member | None
    cid: str
    message_id: int
    author: Member | None
    reason: str
    texts: list[str]


def report(
    db: Db, config: Config, uid: int, cid: str, message_id: int | None = None, reason: str = ""
) -> bool:
    """Report a message, or a whole chat. Return False if the member has reported it before.

    Two trips. Raises NotFound; Forbidden for somebody who is not a member; Unavailable.
    """
    messages = db.read(_reported_messages(uid, cid, message_id))
    authors = {message.author_uid for message in messages}
    content = {
        "reason": reason[:REASON_MAX],
        "author": authors.pop() if len(authors) == 1 else 0,
        "texts": [_describe(message) for message in messages],
    }
    command = REPORT(
        reports=keys.reports(),
        contents=keys.report_contents(),
        report_id=f"{uid}:{cid}:{message_id or WHOLE_CHAT}",
        content=orjson.dumps(content),
        limit=config.reports_max,
    )
    return bool(db.run(command))


def list_newest(db: Db, limit: int = 100) -> list[Report]:
    """Return the newest reports, newest first. Three trips."""
    times = db.read(_report_times(limit))
    contents = db.read(_contents(list(times)))
    reporters = {_parse_id(report_id)[0] for report_id in contents}
    authors = {content["author"] for content in contents.values() if content["author"]}
    people = db.read(accounts.get_many(sorted(reporters | authors)))
    return [
        _build_report(report_id, times[report_id], content, people)
        for report_id, content in contents.items()
    ]


def dismiss(db: Db, report_id: str) -> bool:
    """Take a report off the list. Return False if it is not there. One trip."""
    removed, _ = db.trip(
        ("ZREM", keys.reports(), report_id), ("HDEL", keys.report_contents(), report_id)
    )
    return bool(removed)


def _reported_messages(uid: int, cid: str, message_id: int | None) -> Read[Sequence[Message]]:
    """Read a message, or the newest messages of others. Raises NotFound, Forbidden."""
    if message_id is None:
        return reading.open_page(uid, cid, size=TEXTS_MAX).map(
            lambda page: [message for message in page.messages if message.author_uid != uid]
        )

    def require(message: Message | None) -> Sequence[Message]:
        if message is None:
            raise NotFound("no_message")
        return [message]

    return reading.find_message(uid, cid, message_id).map(require)


def _describe(message: Message) -> str:
    """Return the text of a message, with a word for what else it has."""
    extras = [f"[{len(message.pictures)} pictures]"] if message.pictures else []
    extras += [f"[status {message.card.status_id}]"] if message.card else []
    return " ".join([message.text, *extras]).strip()


def _report_times(limit: int) -> Read[dict[str, int]]:
    """Read the newest reports, with their times in unix ms."""

    def parse(flat: Sequence[str]) -> dict[str, int]:
        return dict(zip(flat[::2], map(int, flat[1::2]), strict=True))

    return read(("ZRANGE", keys.reports(), 0, limit - 1, "REV", "WITHSCORES"), parse)


def _contents(report_ids: Sequence[str]) -> Read[dict[str, dict[str, Any]]]:
    """Read what was reported, by report id, in the order of the ids."""
    if not report_ids:
        return constant({})

    def parse(contents: Sequence[str | None]) -> dict[str, dict[str, Any]]:
        pairs = zip(report_ids, contents, strict=True)
        return {report_id: orjson.loads(content) for report_id, content in pairs if content}

    return read(("HMGET", keys.report_contents(), *report_ids), parse)


def _build_report(
    report_id: str, reported_ms: int, content: Mapping[str, Any], people: Mapping[int, Member]
) -> Report:
    reporter_uid, cid, message_id = _parse_id(report_id)
    return Report(
        id=report_id,
        reported_at=from_unix_ms(reported_ms),
        reporter=people.get(reporter_uid),
        cid=cid,
        message_id=message_id,
        author=people.get(content["author"]),
        reason=content["reason"],
        texts=content["texts"],
    )


def _parse_id(report_id: str) -> tuple[int, str, int]:
    """Return the reporter, the chat and the message of a report's id."""
    uid, cid, message_id = report_id.split(":")
    return int(uid), cid, int(message_id)
