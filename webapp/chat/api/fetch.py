"""Fetching messages, as programs do: each once, whatever else the member reads.

After Redis in Action, 6.5.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from webapp.chat import keys as chat_keys
from webapp.chat.codec import parse_chat, parse_messages
from webapp.chat.models import Chat, Message
from webapp.chat.scripts import ChatScript
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Read, collect, read
from webapp.core.store.scripts import script

FETCH = ChatScript("chat/api/lua/fetch.lua")
MARK_FETCHED = ChatScript("chat/api/lua/mark_fetched.lua")
HAS_UNFETCHED = script("chat/api/lua/has_unfetched.lua")
FETCH_MAX = 100  # messages of one chat in an answer
FETCH_TOTAL_MAX = 2_000  # messages of all chats in an answer


@dataclass(frozen=True, slots=True)
class Fetched:
    """A chat and messages that were fetched from it, oldest first, at least one."""

    chat: Chat
    messages: Sequence[Message]

    @property
    def has_more(self) -> bool:
        """True if more messages wait to be fetched."""
        return self.messages[-1].id < self.chat.last_id


def fetch_pending(db: Db, config: Config, uid: int, mark_as_fetched: bool = True) -> list[Fetched]:
    """Return what a member has not fetched, by chat; by default it counts as fetched then.

    A chat with more than its share (FETCH_MAX, FETCH_TOTAL_MAX) comes again in the next answer.
    Three trips, however many chats. Raises Unavailable.
    """
    newest_chats = config.chats_max + config.chat_requests_max
    list_command = ("ZRANGE", chat_keys.member_chats(uid), 0, newest_chats - 1, "REV")
    cids = _with_unfetched(db, uid, db.run(list_command))
    limit = max(1, min(FETCH_MAX, FETCH_TOTAL_MAX // max(1, len(cids))))
    results = db.read(collect(_fetch(cid, uid, limit, mark_as_fetched) for cid in cids))
    return [result for result in results if result]


def mark_fetched(db: Db, uid: int, last_ids: Mapping[str, int]) -> None:
    """Note that a member has fetched chats up to these messages. One trip. Raises Unavailable."""
    db.trip(*(MARK_FETCHED(cid, uid=uid, message_id=last_id) for cid, last_id in last_ids.items()))


def _fetch(cid: str, uid: int, limit: int, mark: bool) -> Read[Fetched | None]:
    def parse(reply: Sequence[Any]) -> Fetched | None:
        if not reply:
            return None
        fields, member_count, _, rows = reply
        messages = parse_messages(rows)
        return Fetched(parse_chat(cid, fields, member_count), messages) if messages else None

    return read(FETCH(cid, uid=uid, limit=limit, mark=int(mark)), parse)


def _with_unfetched(db: Db, uid: int, cids: Sequence[str]) -> list[str]:
    """Return the chats in which something waits to be fetched, in order.

    One trip: one script on one server, one for each partition on a Cluster.
    """
    groups: dict[int, list[str]] = defaultdict(list)
    for cid in cids:
        groups[0 if db.is_single_server else chat_keys.chat_partition(cid)].append(cid)
    replies = db.trip(
        *(HAS_UNFETCHED(chats=_position_keys(group), uid=uid) for group in groups.values())
    )
    has_unfetched = dict(zip(chain(*groups.values()), chain(*replies), strict=True))
    return [cid for cid in cids if has_unfetched[cid]]


def _position_keys(cids: Sequence[str]) -> list[str]:
    return [key(cid) for cid in cids for key in (chat_keys.chat, chat_keys.chat_fetch_positions)]
