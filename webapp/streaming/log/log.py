"""Following the site's log: each entry is read once a process and turned into one message for everybody."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.errors import Unavailable
from webapp.streaming import keys as stream_keys

from .messages import (
    LOG_START,
    LogEntry,
    LogPosition,
    Message,
    SubscriptionChange,
    entries_from,
    messages_from,
)

BATCH = 500  # entries read at once
BLOCK_MS = 1_000  # longest wait for an entry
RETRY_SECONDS = 0.5  # pause while the store does not answer


class LogListener(Protocol):
    """Whoever the messages are for. Called in the event loop's thread."""

    def begin(self, position: LogPosition) -> None:
        """Takes the position that the log is followed from."""

    def publish(self, items: Sequence[Message | SubscriptionChange], position: LogPosition) -> None:
        """Takes what came after the last position up to this one."""


class LogRange(NamedTuple):
    """What the log can still tell: everything after any position from `oldest` to `newest`."""

    oldest: LogPosition
    newest: LogPosition


class Log:
    """The process's one reader of the log."""

    def __init__(self, db: Db, listener: LogListener, site: str = "") -> None:
        """`site`: the public address of the pages, for links."""
        self._db, self._listener, self._site = db, listener, site
        self._start: LogPosition | None = None

    async def begin(self) -> None:
        """Finds the end of the log, from which `follow` goes on. Before that nobody may be let in."""
        while self._start is None:
            try:
                self._start = await asyncio.to_thread(self._newest)
                self._listener.begin(self._start)
            except Unavailable as error:
                log.warning("the log waits for the store: %r", error.__cause__)
                await asyncio.sleep(RETRY_SECONDS)

    async def follow(self) -> None:
        """Reads on for ever; a store that is down is waited for, and what came meanwhile is read then."""
        last = self._start or LOG_START
        while True:
            try:
                entries = await asyncio.to_thread(self._read, last)
                if entries:
                    items = await asyncio.to_thread(self.messages, entries)
                    last = entries[-1].position
                    self._listener.publish(items, last)
            except Exception as error:  # a reader that ended would leave every stream silent
                log.warning(
                    "the log waits: %r",
                    error.__cause__ or error,
                    exc_info=not isinstance(error, Unavailable),
                )
                await asyncio.sleep(RETRY_SECONDS)

    def available_range(self) -> LogRange:
        """How far back and on the log goes. Raises Unavailable."""
        info, oldest = self._db.trip_with_errors(
            [
                ("XINFO", "STREAM", stream_keys.event_log()),
                ("XRANGE", stream_keys.event_log(), "-", "+", "COUNT", 1),
            ]
        )
        if isinstance(info, Exception) or not oldest:
            return LogRange(LOG_START, LOG_START)  # nothing was ever written
        info_fields = dict(zip(info[::2], info[1::2], strict=True))
        never_trimmed = (
            info_fields["entries-added"] == info_fields["length"]
        )  # never trimmed: it can tell everything
        [newest] = entries_from([info_fields["last-entry"]])
        return LogRange(
            LOG_START if never_trimmed else entries_from(oldest)[0].position, newest.position
        )

    def after(self, start: LogPosition, end: LogPosition) -> list[LogEntry]:
        """The next entries after `start`, none after `end`; fewer than BATCH when that is all. Raises Unavailable."""
        first, last = ("{}-{}".format(*at) for at in (start, end))
        return entries_from(
            self._db.run(("XRANGE", stream_keys.event_log(), f"({first}", last, "COUNT", BATCH))
        )

    def position_before(self, count: int, end: LogPosition) -> LogPosition:
        """The position after which so many statuses were posted for everybody up to `end`, or the oldest there is.
        Raises Unavailable.
        """
        last, first = "{}-{}".format(*end), LOG_START
        while count > 0:
            entries = entries_from(
                self._db.run(("XREVRANGE", stream_keys.event_log(), last, "-", "COUNT", BATCH))
            )
            for entry in entries:
                first = entry.position
                count -= entry.event["type"] == "posted" and not entry.is_restricted
                if count <= 0:
                    break
            if len(entries) < BATCH:
                break
            last = "({}-{}".format(*entries[-1].position)
        if first[1]:
            return first[0], first[1] - 1
        return (first[0] - 1, 2**63 - 1) if first[0] else LOG_START

    def messages(self, entries: Sequence[LogEntry]) -> list[Message | SubscriptionChange]:
        """What the entries mean. Raises Unavailable."""
        return messages_from(self._db, entries, self._site)

    def store_responds(self) -> bool:
        """Whether the store answers."""
        try:
            self._db.on_every_primary("PING")
        except Unavailable:
            return False
        return True

    def _newest(self) -> LogPosition:
        entries: list[Any] = self._db.run(
            ("XREVRANGE", stream_keys.event_log(), "+", "-", "COUNT", 1)
        )
        return entries_from(entries)[0].position if entries else LOG_START

    def _read(self, last: LogPosition) -> list[LogEntry]:
        log_id = "{}-{}".format(*last)
        reply = self._db.run(
            ("XREAD", "COUNT", BATCH, "BLOCK", BLOCK_MS, "STREAMS", stream_keys.event_log(), log_id)
        )
        return entries_from(reply[0][1]) if reply else []
