"""Programs that listen to all chats of their member, also to chats that come to the list."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from webapp.chat.live import positions
from webapp.chat.live.hints import Position
from webapp.chat.live.rendered_changes import Reader
from webapp.core.store import Db, collect
from webapp.streaming.background import StaleMembers
from webapp.streaming.hub.connection import Connection


class Subscriptions(Protocol):
    """The chats that connections listen to."""

    def add(self, connection: Connection, reader: Reader, cid: str, position: Position) -> None:
        """Send a member the changes of one of several chats after a position."""

    def remove(self, connection: Connection, cid: str) -> None:
        """Send a connection nothing more of a chat."""

    def has(self, connection: Connection, cid: str) -> bool:
        """Return True if a connection listens to a chat."""

    def refresh(self, cid: str) -> None:
        """Read the news of a chat, if anybody listens to it."""


class MemberChats(StaleMembers):
    """The connections that follow all chats of a member."""

    name = "chat lists"

    def __init__(self, db: Db, subscriptions: Subscriptions) -> None:
        self._db = db
        self._subscriptions = subscriptions
        self._followed: dict[Connection, set[str]] = {}  # the chats that each listens to
        self._readers: dict[int, dict[Connection, Reader]] = {}  # by uid
        super().__init__(self._readers)

    @asynccontextmanager
    async def follow(self, connection: Connection, reader: Reader) -> AsyncIterator[None]:
        """Send a program the changes of its member's chats, while the block runs. Three trips."""
        self._followed[connection] = set()
        try:
            cids = await asyncio.to_thread(self._db.read, positions.listed_chats(reader.uid))
            begin = await self._current(cids)
            self._subscribe(connection, reader, begin)
            # Not before: to `_follow_new` all chats would be new, with their earlier messages.
            self._readers.setdefault(reader.uid, {})[connection] = reader
            # Changes between the look-up and the subscription were announced to nobody.
            self.mark_stale([reader.uid])
            for cid, position in (await self._current(cids)).items():
                if begin.get(cid) != position:
                    self._subscriptions.refresh(cid)
            yield
        finally:
            self._forget(connection, reader.uid)

    async def refresh(self, uids: Sequence[int]) -> None:
        lists = collect(map(positions.listed_chats, uids))
        listed = await asyncio.to_thread(self._db.read, lists)
        for uid, cids in zip(uids, listed, strict=True):
            await self._follow_new(uid, cids)

    async def _follow_new(self, uid: int, cids: Sequence[str]) -> None:
        """Subscribe the programs of a member to the chats of a list that they do not follow yet.

        One trip for each program with new ones.
        """
        for connection, reader in list(self._readers.get(uid, {}).items()):
            new = [cid for cid in cids if not self._subscriptions.has(connection, cid)]
            begin = await self._first(uid, new) if new else {}
            if connection in self._followed:
                self._subscribe(connection, reader, begin)
                for cid in begin:
                    self._subscriptions.refresh(cid)

    def _forget(self, connection: Connection, uid: int) -> None:
        readers = self._readers.get(uid, {})
        readers.pop(connection, None)
        if not readers:
            self._readers.pop(uid, None)
        for cid in self._followed.pop(connection):
            self._subscriptions.remove(connection, cid)

    def _subscribe(
        self, connection: Connection, reader: Reader, begin: Mapping[str, Position]
    ) -> None:
        for cid, position in begin.items():
            self._followed[connection].add(cid)
            self._subscriptions.add(connection, reader, cid, position)

    async def _current(self, cids: Collection[str]) -> dict[str, Position]:
        return await asyncio.to_thread(self._db.read, positions.current_positions(cids))

    async def _first(self, uid: int, cids: Collection[str]) -> dict[str, Position]:
        return await asyncio.to_thread(self._db.read, positions.first_positions(uid, cids))
