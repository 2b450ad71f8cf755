"""Send members' news to their apps: notifications, or conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import islice

from webapp.streaming.background import run_forever
from webapp.streaming.hub.connection import Connection
from webapp.streaming.log.messages import ephemeral_message

from .presenter import EncodedNews, Presenter, PresentNews

READ_MAX = 200  # members whose news are read in one round
COUNT = 20  # news of one member in one round
PAUSE_SECONDS = 0.1  # between two rounds, so that many likes cost one round


class NewsFeed:
    """The connections that are sent one kind of news. Lives in the event loop's thread."""

    def __init__(self, presenter: Presenter, present: PresentNews) -> None:
        """Make a feed of what `present` finds."""
        self._find = partial(presenter.news, present)
        self._connections: dict[int, set[Connection]] = {}  # by uid
        self._since: dict[int, int] = {}  # uid → the place of the last one: see News
        self._stale: dict[int, None] = {}  # uids, in the order they came
        self._wake = asyncio.Event()

    @contextmanager
    def subscribe(self, connection: Connection, uid: int, since: int) -> Iterator[None]:
        """Send a connection the news after the place `since` while the block runs.

        A member's connections share the place: those that come later begin where others are.
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
        """Note that these members may have news; None for all members."""
        if uids is None:
            uids = self._connections
        self._stale.update(dict.fromkeys(uid for uid in uids if uid in self._connections))
        if self._stale:
            self._wake.set()

    async def run(self) -> None:
        """Send news for ever."""
        await run_forever("news for apps", self._send_stale)

    async def _send_stale(self) -> None:
        await self._wake.wait()
        uids = list(islice(self._stale, READ_MAX))
        for uid in uids:
            del self._stale[uid]
        since = {uid: self._since[uid] for uid in uids if uid in self._since}
        if not self._stale:
            self._wake.clear()
        try:
            self._send(await asyncio.to_thread(self._find, since, COUNT))
        except Exception:
            self.mark_stale(uids)
            raise
        await asyncio.sleep(PAUSE_SECONDS)

    def _send(self, news: Mapping[int, EncodedNews]) -> None:
        for uid, found in news.items():
            if uid not in self._since:
                continue
            self._since[uid] = found.last
            self.mark_stale([uid])  # there may be more
            messages = [ephemeral_message(b"", body) for body in found.entities]
            for connection in self._connections[uid] if messages else ():
                connection.enqueue(messages)
