"""Reports: what members of a chat want the operator to look at, as it was at that moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import orjson

from .. import keys
from ..accounts.store import Member
from ..config import Config
from ..db import Db
from ..errors import NotFound
from ..following.store import members
from ..scripts import script
from . import reading
from .store import Message, moment

REPORT = script("chat/report.lua")
REASON_MAX = 500  # characters
TEXTS = 5  # newest messages of a chat that is reported as a whole
WHOLE = 0  # instead of a message


@dataclass(frozen=True, slots=True)
class Report:
    """What was reported. `id`: to take it off the list; `by` and `author`: None when their accounts are gone, and of
    several authors none is named; `message`: 0 for the whole chat; `texts`: what it said, the oldest first.
    """

    id: str
    at: datetime
    by: Member | None
    chat: str
    message: int
    author: Member | None
    reason: str
    texts: list[str]


def report(db: Db, config: Config, uid: int, cid: str, message_id: int | None = None, reason: str = "") -> bool:
    """Keeps a report of a message, or of a chat as a whole, with what it says; False when this member has reported it
    before. Raises NotFound, Forbidden for whoever does not belong to the chat, Unavailable.
    """
    if message_id is None:
        shown = [one for one in reading.opened(db, uid, cid, size=TEXTS).messages if one.author != uid]
    else:
        page = reading.opened(db, uid, cid, around=message_id, size=1)
        shown = [one for one in page.messages if one.id == message_id and not one.deleted]
        if not shown:
            raise NotFound("no_message")
    authors = {message.author for message in shown}
    words = {
        "reason": reason[:REASON_MAX],
        "author": authors.pop() if len(authors) == 1 else 0,
        "texts": [_text(message) for message in shown],
    }
    id_ = f"{uid}:{cid}:{message_id or WHOLE}"
    return bool(db.run(REPORT([keys.reports(), keys.report_words()], id_, orjson.dumps(words), config.reports_max)))


def listed(db: Db, most: int = 100) -> list[Report]:
    """The newest reports, the newest first. Three trips."""
    flat = db.run(("ZRANGE", keys.reports(), 0, most - 1, "REV", "WITHSCORES"))
    ids, times = flat[::2], flat[1::2]
    kept = db.run(("HMGET", keys.report_words(), *ids)) if ids else []
    found = [(id_, at, orjson.loads(words)) for id_, at, words in zip(ids, times, kept, strict=True) if words]
    uids = sorted({uid for id_, _, words in found for uid in (int(id_.split(":")[0]), words["author"]) if uid})
    people = dict(zip(uids, members(db, uids), strict=True))
    return [
        Report(
            id=id_,
            at=moment(int(at)),
            by=people.get(int(uid)),
            chat=cid,
            message=int(message),
            author=people.get(words["author"]),
            reason=words["reason"],
            texts=words["texts"],
        )
        for id_, at, words in found
        for uid, cid, message in (id_.split(":"),)
    ]


def dismiss(db: Db, id_: str) -> bool:
    """Takes a report off the list; False when it is not there (any more)."""
    gone, _ = db.trip(("ZREM", keys.reports(), id_), ("HDEL", keys.report_words(), id_))
    return bool(gone)


def _text(message: Message) -> str:
    """What a message says, and that it has more than words."""
    more = [f"[{len(message.pictures)} pictures]"] if message.pictures else []
    more += [f"[status {message.card.status}]"] if message.card else []
    return " ".join([message.text, *more]).strip()
