"""How much is unread, told to every open page of a member: in all chats, in each, and of notifications."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from webapp.chat.inbox import chat_state
from webapp.chat.live import updates
from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.core.store.reads import collect
from webapp.errors import Unavailable
from webapp.notifications import store as notifications

from .chat_channel import ephemeral
from .connection import Connection

TRIP_MAX = 500  # badges read at once
PAUSE_SECONDS = 0.5  # between two readings: in a lively chat of hundreds, not one for each message
RETRY_SECONDS = 0.5  # pause while the store does not answer


class Badges:
    """The seats that are told. Lives in the event loop's thread."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._last_sent: dict[
            int, dict[Connection, bytes]
        ] = {}  # uid → seat → what it was told last
        self._stale: dict[int, None] = {}
        self._wake = asyncio.Event()

    @contextmanager
    def subscribe(self, connection: Connection, uid: int) -> Iterator[None]:
        """Tells a seat for as long as the block runs, if it is anybody's. It begins with how things are."""
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

    def mark_stale(self, uids: Iterable[int] | None = None) -> None:
        """These members' badges may be others now; without `uids` all may."""
        subscribed = (
            self._last_sent.keys()
            if uids is None
            else [uid for uid in uids if uid in self._last_sent]
        )
        self._stale.update(dict.fromkeys(subscribed))
        if self._stale:
            self._wake.set()

    async def run(self) -> None:
        """Tells for ever."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while uids := list(islice(self._stale, TRIP_MAX)):
                for uid in uids:
                    del self._stale[uid]
                try:
                    self._send(await asyncio.to_thread(_read_badges, self._db, uids))
                except Exception as error:  # one that ended would leave every page with what it has
                    log.warning(
                        "badges wait: %r",
                        error.__cause__ or error,
                        exc_info=not isinstance(error, Unavailable),
                    )
                    self.mark_stale(uids)
                    await asyncio.sleep(RETRY_SECONDS)
            await asyncio.sleep(PAUSE_SECONDS)

    def _send(self, badges: dict[int, bytes]) -> None:
        for uid, sse in badges.items():
            connections = self._last_sent.get(uid, {})
            message = ephemeral(sse)
            for connection, last_sse in connections.items():
                if last_sse != sse:
                    connections[connection] = sse
                    connection.enqueue([message])


def _read_badges(db: Db, uids: Sequence[int]) -> dict[int, bytes]:
    """The `badge` event of each of these members. One trip. Raises Unavailable."""
    chats, unread = db.fetch(
        collect(map(chat_state.unread, uids)), collect(map(notifications.unread_count, uids))
    )
    return {
        uid: _badge_event(badge, count)
        for uid, badge, count in zip(uids, chats, unread, strict=True)
    }


def _badge_event(badge: chat_state.UnreadCounts, notifications: int) -> bytes:
    """`all` and `chats`: what is unread in chats, and in each that has something."""
    unread = {cid: count for cid, count in badge.by_chat.items() if count}
    payload = {
        "all": badge.total,
        "requests": badge.requests,
        "chats": unread,
        "notifications": notifications,
    }
    return updates.sse_event("badge", payload)
