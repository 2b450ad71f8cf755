"""Send members' new notifications to their apps."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from webapp.streaming.background import run_forever
from webapp.streaming.hub.connection import Connection
from webapp.streaming.log.messages import ephemeral_message

from .presenter import EncodedNews, Presenter

READ_MAX = 200  # members whose notifications are read in one round
COUNT = 20  # notifications of one member in one round
PAUSE_SECONDS = 0.1  # between two rounds, so that many likes cost one round


class NoticeFeed:
    """The connections that are sent notifications. Lives in the event loop's thread."""

    def __init__(self, presenter: Presenter) -> None:
        self._presenter = presenter
        self._connections: dict[int, set[Connection]] = {}  # by uid
        self._since: dict[int, int] = {}  # uid → when the last one was noted, unix µs
        self._stale: dict[int, None] = {}  # uids, in the order they came
        self._wake = asyncio.Event()

    @contextmanager
    def subscribe(self, connection: Connection, uid: int, since: int) -> Iterator[None]:
        """Send a connection the notifications noted after `since` (unix µs) while the block runs.

        A member's connections share the moment: those that come later begin where others are.
        """
        self._connections.setdefault(uid, set()).add(connection)
        self._since.setdefault(uid, since)
        self.mark_stale([uid])
        try:
            yield
        finally:
            self._connections[uid].discard(connection)
            if not self._connections[uid]:
                del self._connections[uid], self._since[uid]

    def mark_stale(self, uids: Iterable[int] | None = None) -> None:
        """Note that these members may have new notifications; None for all members."""
        if uids is None:
            uids = self._connections
        self._stale.update(dict.fromkeys(uid for uid in uids if uid in self._connections))
        if self._stale:
            self._wake.set()

    async def run(self) -> None:
        """Send new notifications for ever."""
        await run_forever("notifications for apps", self._send_stale)

    async def _send_stale(self) -> None:
        await self._wake.wait()
        uids = list(islice(self._stale, READ_MAX))
        for uid in uids:
            del self._stale[uid]
        since = {uid: self._since[uid] for uid in uids if uid in self._since}
        if not self._stale:
            self._wake.clear()
        try:
            self._send(await asyncio.to_thread(self._presenter.news, since, COUNT))
        except Exception:
            self.mark_stale(uids)
            raise
        await asyncio.sleep(PAUSE_SECONDS)

    def _send(self, news: Mapping[int, EncodedNews]) -> None:
        for uid, found in news.items():
            if uid not in self._since:
                continue
            self._since[uid] = found.last_us
            self.mark_stale([uid])  # there may be more
            messages = [ephemeral_message(b"", body) for body in found.notifications]
            for connection in self._connections[uid] if messages else ():
                connection.enqueue(messages)
