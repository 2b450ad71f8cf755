"""Reports: what members of a chat want the operator to look at, as it was at that moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import orjson

from webapp.accounts.store import Member
from webapp.chat.messages import reading
from webapp.chat.store import Message, from_unix_ms
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.scripts import script
from webapp.errors import NotFound
from webapp.following.store import members_by_ids

from . import keys

REPORT = script("chat/reports/lua/report.lua")
REASON_MAX = 500  # characters
TEXTS_MAX = 5  # newest messages of a chat that is reported as a whole
WHOLE_CHAT = 0  # instead of a message


@dataclass(frozen=True, slots=True)
class Report:
    """What was reported. `id`: to take it off the list; `by` and `author`: None when their accounts are gone, and of
    several authors none is named; `message`: 0 for the whole chat; `texts`: what it said, the oldest first.
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
    """Keeps a report of a message, or of a chat as a whole, with what it says; False when this member has reported it
    before. Raises NotFound, Forbidden for whoever does not belong to the chat, Unavailable.
    """
    if message_id is None:
        reported = [
            one
            for one in reading.open_page(db, uid, cid, size=TEXTS_MAX).messages
            if one.author_uid != uid
        ]
    else:
        chat_page = reading.open_page(db, uid, cid, around=message_id, size=1)
        reported = [one for one in chat_page.messages if one.id == message_id and not one.deleted]
        if not reported:
            raise NotFound("no_message")
    authors = {message.author_uid for message in reported}
    details = {
        "reason": reason[:REASON_MAX],
        "author": authors.pop() if len(authors) == 1 else 0,
        "texts": [_describe_message(message) for message in reported],
    }
    id_ = f"{uid}:{cid}:{message_id or WHOLE_CHAT}"
    return bool(
        db.run(
            REPORT(
                reports=keys.reports(),
                contents=keys.report_contents(),
                report_id=id_,
                content=orjson.dumps(details),
                limit=config.reports_max,
            )
        )
    )


def list_newest(db: Db, limit: int = 100) -> list[Report]:
    """The newest reports, the newest first. Three trips."""
    flat = db.run(("ZRANGE", keys.reports(), 0, limit - 1, "REV", "WITHSCORES"))
    ids, times = flat[::2], flat[1::2]
    stored = db.run(("HMGET", keys.report_contents(), *ids)) if ids else []
    rows = [
        (id_, at, orjson.loads(words))
        for id_, at, words in zip(ids, times, stored, strict=True)
        if words
    ]
    uids = sorted(
        {uid for id_, _, words in rows for uid in (int(id_.split(":")[0]), words["author"]) if uid}
    )
    people = dict(zip(uids, members_by_ids(db, uids), strict=True))
    return [
        Report(
            id=id_,
            reported_at=from_unix_ms(int(at)),
            reporter=people.get(int(uid)),
            cid=cid,
            message_id=int(message),
            author=people.get(words["author"]),
            reason=words["reason"],
            texts=words["texts"],
        )
        for id_, at, words in rows
        for uid, cid, message in (id_.split(":"),)
    ]


def dismiss(db: Db, id_: str) -> bool:
    """Takes a report off the list; False when it is not there (any more)."""
    removed, _ = db.trip(("ZREM", keys.reports(), id_), ("HDEL", keys.report_contents(), id_))
    return bool(removed)


def _describe_message(message: Message) -> str:
    """What a message says, and that it has more than words."""
    extras = [f"[{len(message.pictures)} pictures]"] if message.pictures else []
    extras += [f"[status {message.card.status_id}]"] if message.card else []
    return " ".join([message.text, *extras]).strip()
