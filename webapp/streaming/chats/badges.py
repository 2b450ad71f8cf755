"""The unread counts that every open page of a member shows."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from webapp.chat.inbox import chat_state
from webapp.chat.live.rendered_changes import sse_event
from webapp.core.store import Db, collect
from webapp.notifications import store as notifications
from webapp.streaming.background import StaleMembers
from webapp.streaming.hub.connection import Connection
from webapp.streaming.log.messages import ephemeral_message


class Badges(StaleMembers):
    """The connections that are sent unread counts."""

    name = "badges"

    def __init__(self, db: Db) -> None:
        self._db = db
        self._last_sent: dict[int, dict[Connection, bytes]] = {}  # uid → connection → its event
        super().__init__(self._last_sent)

    @contextmanager
    def subscribe(self, connection: Connection, uid: int) -> Iterator[None]:
        """Send a member's counts to a connection while the block runs; nothing for a visitor."""
        if not uid:
            yield
            return
        self._last_sent.setdefault(uid, {})[connection] = b""
        self.mark_stale([uid])
        try:
            yield
        finally:
            del self._last_sent[uid][connection]
            if not self._last_sent[uid]:
                del self._last_sent[uid]

    async def refresh(self, uids: Sequence[int]) -> None:
        self._send(await asyncio.to_thread(_read_badges, self._db, uids))

    def _send(self, badges: dict[int, bytes]) -> None:
        for uid, sse in badges.items():
            connections = self._last_sent.get(uid, {})
            message = ephemeral_message(sse)
            for connection, last_sse in connections.items():
                if last_sse != sse:
                    connections[connection] = sse
                    connection.enqueue([message])


def _read_badges(db: Db, uids: Sequence[int]) -> dict[int, bytes]:
    """Return the `badge` event of each member. One trip."""
    chats, notices = db.fetch(
        collect(map(chat_state.unread, uids)), collect(map(notifications.unread_count, uids))
    )
    return {
        uid: _badge_event(counts, unread)
        for uid, counts, unread in zip(uids, chats, notices, strict=True)
    }


def _badge_event(counts: chat_state.UnreadCounts, notices: int) -> bytes:
    """Return the event with the unread counts: of all chats, of each chat, of notifications."""
    payload = {
        "all": counts.total,
        "requests": counts.requests,
        "chats": {cid: count for cid, count in counts.by_chat.items() if count},
        "notifications": notices,
    }
    return sse_event("badge", payload)
