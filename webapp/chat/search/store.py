"""Search chats, all in one trip, and merge the messages found, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from webapp.chat.codec import parse_chat, parse_message
from webapp.chat.ids import parse_cid
from webapp.chat.models import Chat, Message
from webapp.core.errors import Invalid
from webapp.core.store import Read, collect, parse_id, read, script

from .query import ChatPlan

SEARCH = script("chat/search/lua/search.lua")
WORK_MAX = 40_000  # comparisons of one search, about; the chats share them
WORK_MIN = 1_000  # in each chat


class Position(NamedTuple):
    """The place of a message among those of all chats: by time, then by chat and id."""

    sent_at: int  # unix ms
    cid: str
    message_id: int

    def __str__(self) -> str:
        """Return the cursor of the next page."""
        return f"{self.sent_at}.{self.cid}.{self.message_id}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that matches, and its chat."""

    chat: Chat
    message: Message

    @property
    def position(self) -> Position:
        """Return the message's position among those of all chats."""
        sent_at = round(self.message.sent_at.timestamp() * 1000)
        return Position(sent_at, self.chat.id, self.message.id)


@dataclass(frozen=True, slots=True)
class Found:
    """A page of hits, newest first. `next`: the cursor of the next page, None at the end."""

    hits: tuple[Hit, ...] = ()
    next: Position | None = None


NOTHING = Found()


def parse_cursor(text: str | None) -> Position | None:
    """Return a cursor of an address, None if it has none. Raises Invalid."""
    if text is None:
        return None
    parts = text.split(".")
    if len(parts) == 3:
        sent_at, cid, message_id = parse_id(parts[0]), parse_cid(parts[1]), parse_id(parts[2])
        if sent_at and cid and message_id:
            return Position(sent_at, cid, message_id)
    raise Invalid("bad_cursor")


def search(
    uid: int, cids: Sequence[str], plan: ChatPlan, cursor: Position | None, size: int
) -> Read[Found]:
    """Read a page of the newest messages that match in these chats, below the cursor.

    Nothing comes from a chat that the member does not belong to. A page may be short; `next` then
    continues.
    """
    work_max = max(WORK_MAX // max(len(cids), 1), WORK_MIN)
    return collect(_search_chat(uid, cid, plan, cursor, size + 1, work_max) for cid in cids).map(
        lambda parts: merge(parts, size)
    )


def merge(parts: Sequence[Found], size: int) -> Found:
    """Return the newest `size` messages found in several chats.

    A chat has not looked below its `next`. There, the newest of the others may not be the next.
    """
    horizon = max((part.next for part in parts if part.next), default=None)
    hits = [
        hit for part in parts for hit in part.hits if horizon is None or hit.position >= horizon
    ]
    hits.sort(key=lambda hit: hit.position, reverse=True)
    page = tuple(hits[:size])
    return Found(page, page[-1].position if len(hits) > size else horizon)


def _search_chat(
    uid: int, cid: str, plan: ChatPlan, cursor: Position | None, limit: int, work_max: int
) -> Read[Found]:
    before, until = "", plan.until
    if cursor and cursor.cid == cid:
        before = str(cursor.message_id)
    elif cursor:
        # Of two messages of one moment, that of the lower chat comes later.
        moment = cursor.sent_at + (cid < cursor.cid)
        until = moment if until is None else min(until, moment)
    command = SEARCH(
        cid=cid,
        uid=uid,
        clauses=plan.clauses,
        before=before,
        since="" if plan.since is None else plan.since,
        until_ms="" if until is None else until,
        limit=limit,
        work_max=work_max,
    )
    return read(command, lambda reply: _parse(cid, reply))


def _parse(cid: str, reply: Sequence[Any]) -> Found:
    if not reply:
        return NOTHING
    fields, member_count, rows, reached, body = reply
    chat = parse_chat(cid, fields, member_count)
    hits = tuple(Hit(chat, parse_message(*row)) for row in rows)
    return Found(hits, Position(orjson.loads(body)["at"], cid, reached) if reached else None)
