"""Following the site's log: each entry is read once a process and turned into one message for everybody."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from .. import keys
from ..db import Db
from ..errors import Unavailable
from ..logs import log
from .messages import START, Act, Entry, Message, Order, entries_from, messages_from

BATCH = 500  # entries read at once
BLOCK_MS = 1_000  # longest wait for an entry
DOWN_SECONDS = 0.5  # pause while the store does not answer


class Listeners(Protocol):
    """Whoever the messages are for. Called in the event loop's thread."""

    def begin(self, position: Order) -> None:
        """Takes the position that the log is followed from."""

    def publish(self, parts: Sequence[Message | Act], position: Order) -> None:
        """Takes what came after the last position up to this one."""


class Reach(NamedTuple):
    """What the log can still tell: everything after any position from `oldest` to `newest`."""

    oldest: Order
    newest: Order


class Log:
    """The process's one reader of the log."""

    def __init__(self, db: Db, listeners: Listeners, site: str = "") -> None:
        """`site`: the public address of the pages, for links."""
        self._db, self._listeners, self._site = db, listeners, site
        self._last: Order | None = None

    async def begin(self) -> None:
        """Finds the end of the log, from which `follow` goes on. Before that nobody may be let in."""
        while self._last is None:
            try:
                self._last = await asyncio.to_thread(self._newest)
                self._listeners.begin(self._last)
            except Unavailable as error:
                log.warning("the log waits for the store: %r", error.__cause__)
                await asyncio.sleep(DOWN_SECONDS)

    async def follow(self) -> None:
        """Reads on for ever; a store that is down is waited for, and what came meanwhile is read then."""
        last = self._last or START
        while True:
            try:
                entries = await asyncio.to_thread(self._read, last)
                if entries:
                    parts = await asyncio.to_thread(self.messages, entries)
                    last = entries[-1].order
                    self._listeners.publish(parts, last)
            except Exception as error:  # a reader that ended would leave every stream silent
                log.warning("the log waits: %r", error.__cause__ or error, exc_info=not isinstance(error, Unavailable))
                await asyncio.sleep(DOWN_SECONDS)

    def reach(self) -> Reach:
        """How far back and on the log goes. Raises Unavailable."""
        info, oldest = self._db.replies([("XINFO", "STREAM", keys.log()), ("XRANGE", keys.log(), "-", "+", "COUNT", 1)])
        if isinstance(info, Exception) or not oldest:
            return Reach(START, START)  # nothing was ever written
        facts = dict(zip(info[::2], info[1::2], strict=True))
        whole = facts["entries-added"] == facts["length"]  # never trimmed: it can tell everything
        [newest] = entries_from([facts["last-entry"]])
        return Reach(START if whole else entries_from(oldest)[0].order, newest.order)

    def after(self, start: Order, end: Order) -> list[Entry]:
        """The next entries after `start`, none after `end`; fewer than BATCH when that is all. Raises Unavailable."""
        first, last = ("{}-{}".format(*at) for at in (start, end))
        return entries_from(self._db.run(("XRANGE", keys.log(), f"({first}", last, "COUNT", BATCH)))

    def back(self, count: int, end: Order) -> Order:
        """The position after which so many statuses were posted for everybody up to `end`, or the oldest there is.
        Raises Unavailable.
        """
        last, first = "{}-{}".format(*end), START
        while count > 0:
            entries = entries_from(self._db.run(("XREVRANGE", keys.log(), last, "-", "COUNT", BATCH)))
            for entry in entries:
                first = entry.order
                count -= entry.event["type"] == "posted" and not entry.close
                if count <= 0:
                    break
            if len(entries) < BATCH:
                break
            last = "({}-{}".format(*entries[-1].order)
        if first[1]:
            return first[0], first[1] - 1
        return (first[0] - 1, 2**63 - 1) if first[0] else START

    def messages(self, entries: Sequence[Entry]) -> list[Message | Act]:
        """What the entries mean. Raises Unavailable."""
        return messages_from(self._db, entries, self._site)

    def ready(self) -> bool:
        """Whether the store answers."""
        try:
            self._db.everywhere("PING")
        except Unavailable:
            return False
        return True

    def _newest(self) -> Order:
        entries: list[Any] = self._db.run(("XREVRANGE", keys.log(), "+", "-", "COUNT", 1))
        return entries_from(entries)[0].order if entries else START

    def _read(self, last: Order) -> list[Entry]:
        place = "{}-{}".format(*last)
        reply = self._db.run(("XREAD", "COUNT", BATCH, "BLOCK", BLOCK_MS, "STREAMS", keys.log(), place))
        return entries_from(reply[0][1]) if reply else []
