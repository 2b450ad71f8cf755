"""How much is unread, told to every open page of a member: in all chats, in each, and of notifications."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from ..chat import live, marks
from ..db import Db
from ..errors import Unavailable
from ..logs import log
from ..notifications import store as notifications
from .seat import Seat
from .talk import passing

TRIP_MAX = 500  # badges read at once
PAUSE_SECONDS = 0.5  # between two readings: in a lively chat of hundreds, not one for each message
DOWN_SECONDS = 0.5  # pause while the store does not answer


class Badges:
    """The seats that are told. Lives in the event loop's thread."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._told: dict[int, dict[Seat, bytes]] = {}  # uid → seat → what it was told last
        self._stale: dict[int, None] = {}
        self._stirred = asyncio.Event()

    @contextmanager
    def seat(self, seat: Seat, uid: int) -> Iterator[None]:
        """Tells a seat for as long as the block runs, if it is anybody's. It begins with how things are."""
        if not uid:
            yield
            return
        self._told.setdefault(uid, {})[seat] = b""
        self.changed([uid])
        try:
            yield
        finally:
            del self._told[uid][seat]
            if not self._told[uid]:
                del self._told[uid]

    def changed(self, uids: Iterable[int] | None = None) -> None:
        """These members' badges may be others now; without `uids` all may."""
        found = self._told.keys() if uids is None else [uid for uid in uids if uid in self._told]
        self._stale.update(dict.fromkeys(found))
        if self._stale:
            self._stirred.set()

    async def follow(self) -> None:
        """Tells for ever."""
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            while uids := list(islice(self._stale, TRIP_MAX)):
                for uid in uids:
                    del self._stale[uid]
                try:
                    self._tell(await asyncio.to_thread(_read, self._db, uids))
                except Exception as error:  # one that ended would leave every page with what it has
                    log.warning(
                        "badges wait: %r", error.__cause__ or error, exc_info=not isinstance(error, Unavailable)
                    )
                    self.changed(uids)
                    await asyncio.sleep(DOWN_SECONDS)
            await asyncio.sleep(PAUSE_SECONDS)

    def _tell(self, badges: dict[int, bytes]) -> None:
        for uid, sse in badges.items():
            seats = self._told.get(uid, {})
            message = passing(sse)
            for seat, last in seats.items():
                if last != sse:
                    seats[seat] = sse
                    seat.put([message])


def _read(db: Db, uids: Sequence[int]) -> dict[int, bytes]:
    """The `badge` event of each of these members. One trip. Raises Unavailable."""
    replies = db.trip(*map(marks.badge_command, uids), *map(notifications.unread_command, uids))
    told = zip(uids, replies, replies[len(uids) :], strict=False)
    return {uid: _event(marks.badge_from(chats), unread) for uid, chats, unread in told}


def _event(badge: marks.Badge, notifications: int) -> bytes:
    """`all` and `chats`: what is unread in chats, and in each that has something."""
    unread = {cid: count for cid, count in badge.chats.items() if count}
    told = {"all": badge.total, "requests": badge.requests, "chats": unread, "notifications": notifications}
    return live.event("badge", told)
