"""Fetching messages, as programs do: each once, whatever else the member reads.

A sorted set names the chats in which something may wait, so the cost follows the new messages, not
the number of chats. After Redis in Action, 6.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.chat.codec import parse_chat, parse_messages
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.models import Chat, Message
from webapp.core.store import Db, Read, Site, collect, read, script

FETCH = script("chat/api/lua/fetch.lua")
MARK_FETCHED = script("chat/api/lua/mark_fetched.lua")
REMOVE_FETCHED = script("chat/inbox/lua/remove_fetched.lua")
FETCH_MAX = 100  # messages of one chat in an answer
FETCH_TOTAL_MAX = 2_000  # messages of all chats in an answer


@dataclass(frozen=True, slots=True)
class Fetched:
    """A chat and messages that were fetched from it, oldest first."""

    chat: Chat
    messages: Sequence[Message]
    last_id: int  # of fetched messages

    @property
    def has_more(self) -> bool:
        """Return True if more messages wait to be fetched."""
        return self.last_id < self.chat.last_id


def fetch_pending(site: Site, uid: int, mark_as_fetched: bool = True) -> list[Fetched]:
    """Return a member's unfetched messages, by chat. By default they then count as fetched.

    The chat with the newest message comes first. A chat with more than its share (FETCH_MAX,
    FETCH_TOTAL_MAX) comes again in the next answer. Three trips, however many chats.
    """
    newest_chats = site.config.chats_max + site.config.chat_requests_max
    cids = site.db.run(("ZRANGE", inbox_keys.member_unfetched(uid), 0, newest_chats - 1))
    limit = max(1, min(FETCH_MAX, FETCH_TOTAL_MAX // max(1, len(cids))))
    results = site.db.read(collect(_fetch(cid, uid, limit, mark_as_fetched) for cid in cids))
    found = [result for result in results if result]
    if mark_as_fetched:
        _remove_fetched(
            site.db, uid, [(one.chat.id, one.last_id) for one in found if not one.has_more]
        )
    with_messages = [one for one in found if one.messages]
    return sorted(with_messages, key=lambda one: one.messages[-1].sent_at, reverse=True)


def mark_fetched(db: Db, uid: int, last_ids: Mapping[str, int]) -> None:
    """Note that a member has fetched chats up to these messages. Two trips."""
    fetched_ids = db.trip_all(
        MARK_FETCHED(cid=cid, uid=uid, message_id=last_id) for cid, last_id in last_ids.items()
    )
    _remove_fetched(db, uid, zip(last_ids, fetched_ids, strict=True))


def _remove_fetched(db: Db, uid: int, chats: Iterable[tuple[str, int]]) -> None:
    """Remove chats that are fetched up to these messages, unless more came. One trip."""
    words = [word for chat in chats for word in chat]
    if words:
        db.run(REMOVE_FETCHED(uid=uid, chats=words))


def _fetch(cid: str, uid: int, limit: int, mark: bool) -> Read[Fetched | None]:
    def parse(reply: Sequence[Any]) -> Fetched | None:
        if not reply:
            return None
        fields, member_count, last_id, rows = reply
        return Fetched(parse_chat(cid, fields, member_count), parse_messages(rows), int(last_id))

    return read(FETCH(cid=cid, uid=uid, limit=limit, mark=int(mark)), parse)
