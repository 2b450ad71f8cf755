"""Fetching messages, as scripts do: each once, whatever else the member reads (after Redis in Action, 6.5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from webapp.chat import keys as chat_keys
from webapp.chat.scripts import ChatScript
from webapp.chat.store import Chat, Message, chat_from, messages_from
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.scripts import script

FETCH = ChatScript("chat/api/lua/fetch.lua")
MARK_FETCHED = ChatScript("chat/api/lua/mark_fetched.lua")
HAS_UNFETCHED = script("chat/api/lua/has_unfetched.lua")
FETCH_MAX = 100  # messages of one chat in an answer
FETCH_TOTAL_MAX = 2_000  # messages of all chats in an answer


def fetch_pending(
    db: Db, config: Config, uid: int, mark_as_fetched: bool = True
) -> list[tuple[Chat, list[Message]]]:
    """What a member has not fetched yet, of all their chats, oldest first; unless told otherwise it counts as fetched
    now. A chat with more than FETCH_MAX, or its share of ANSWER_MAX, comes again. Three trips, however many chats.
    Raises Unavailable.
    """
    cids = _with_unfetched(
        db,
        uid,
        db.run(
            (
                "ZRANGE",
                chat_keys.member_chats(uid),
                0,
                config.chats_max + config.chat_requests_max - 1,
                "REV",
            )
        ),
    )
    limit = max(1, min(FETCH_MAX, FETCH_TOTAL_MAX // max(1, len(cids))))
    replies = db.trip(
        *(FETCH(cid, uid=uid, limit=limit, mark=int(mark_as_fetched)) for cid in cids)
    )
    chats = []
    for cid, reply in zip(cids, replies, strict=True):
        if reply and reply[3]:
            fields, members, _, messages = reply
            chats.append((chat_from(cid, fields, members), messages_from(messages)))
    return chats


def mark_fetched(db: Db, uid: int, last_ids: Mapping[str, int]) -> None:
    """Notes that a member has fetched chats up to these messages. One trip. Raises Unavailable."""
    db.trip(*(MARK_FETCHED(cid, uid=uid, message_id=last) for cid, last in last_ids.items()))


def _with_unfetched(db: Db, uid: int, cids: Sequence[str]) -> list[str]:
    """Those of a member's chats in which something waits to be fetched, in their order. One trip: one script on one
    server, one for each partition on a Cluster.
    """
    groups: dict[int, list[str]] = defaultdict(list)
    for cid in cids:
        groups[0 if db.is_single_server else chat_keys.chat_partition(cid)].append(cid)
    key_lists = (
        [key for cid in group for key in (chat_keys.chat(cid), chat_keys.chat_fetch_positions(cid))]
        for group in groups.values()
    )
    replies = db.trip(*(HAS_UNFETCHED(chats=names_, uid=uid) for names_ in key_lists))
    has_unfetched = dict(zip(chain(*groups.values()), chain(*replies), strict=True))
    return [cid for cid in cids if has_unfetched[cid]]
