"""Send members' news to their apps: notifications, or conversations."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from webapp.streaming.background import StaleMembers
from webapp.streaming.hub.connection import Connection
from webapp.streaming.log.messages import ephemeral_message

from .status_batches import EncodedNews, Presenter, PresentNews

COUNT = 20  # news of one member in one round


class NewsFeed(StaleMembers):
    """The connections that are sent one kind of news."""

    name, read_max, pause = "news for apps", 200, 0.1

    def __init__(self, presenter: Presenter, present: PresentNews) -> None:
        """Make a feed of what `present` finds."""
        self._find = partial(presenter.news, present)
        self._connections: dict[int, set[Connection]] = {}  # by uid
        self._since: dict[int, int] = {}  # uid → the place of the last one: see News
        super().__init__(self._connections)

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

    async def refresh(self, uids: Sequence[int]) -> None:
        since = {uid: self._since[uid] for uid in uids if uid in self._since}
        self._send(await asyncio.to_thread(self._find, since, COUNT))

    def _send(self, news: Mapping[int, EncodedNews]) -> None:
        for uid, found in news.items():
            if uid not in self._since:
                continue
            self._since[uid] = found.last
            self.mark_stale([uid])  # there may be more
            messages = [ephemeral_message(b"", body) for body in found.entities]
            for connection in self._connections[uid] if messages else ():
                connection.enqueue(messages)
