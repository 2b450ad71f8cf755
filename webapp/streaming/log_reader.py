"""Read the site's log: new entries once for all of a process, older ones for returning clients."""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from redis.exceptions import RedisError

from webapp.core.errors import Unavailable
from webapp.core.logs import log_pause
from webapp.core.store import Db

from . import keys
from .background import run_forever, run_until_done
from .log.entries import LogEntry, parse_entries
from .log.messages import LogItem
from .log.position import LOG_START, LogPosition
from .translation.translate import translate

BATCH = 500  # entries of one read
BLOCK_MS = 1_000  # longest wait for an entry


class LogListener(Protocol):
    """The receiver of new entries of the log. Called in the event loop's thread."""

    def begin(self, position: LogPosition, public_position: LogPosition) -> None:
        """Take the position from which the log is followed, and the last one for everybody."""

    def publish(self, items: Sequence[LogItem], position: LogPosition) -> None:
        """Take all items after the previous position, up to this one."""


class LogRange(NamedTuple):
    """The part of the log that is still there: everything after `oldest`, up to `newest`."""

    oldest: LogPosition
    newest: LogPosition


class LogReader:
    """Reads the log for one process."""

    def __init__(self, db: Db, listener: LogListener, site_url: str = "") -> None:
        """`site_url`: the public address of the pages, for links."""
        self._db = db
        self._listener = listener
        self._site_url = site_url
        self._last_read = LOG_START

    async def begin(self) -> None:
        """Go to the end of the log, from which `follow` continues. Waits for the store."""
        await run_until_done("the log", lambda: asyncio.to_thread(self.begin_at_end))

    async def follow(self) -> None:
        """Hand new entries to the listener for ever. Waits for a store that is down."""
        await run_forever("the log", self._read_next)

    def begin_at_end(self) -> None:
        """Go to the end of the log. One trip."""
        entries = self._before("+")
        public = [entry.position for entry in entries if entry.is_public]
        self._last_read = entries[0].position if entries else LOG_START
        self._listener.begin(self._last_read, public[0] if public else LOG_START)

    def has_been(self, position: LogPosition) -> bool:
        """Return True if a position of the log is not in the future. One trip.

        Whether it is after the newest entry would tell when that was.
        """
        seconds, microseconds = self._db.run(("TIME",))
        return position.ms <= int(seconds) * 1000 + int(microseconds) // 1000

    def available_range(self) -> LogRange:
        """Return the part of the log that is still there. One trip."""
        info, oldest = self._db.trip_with_errors(
            [
                ("XINFO", "STREAM", keys.event_log()),
                ("XRANGE", keys.event_log(), "-", "+", "COUNT", 1),
            ]
        )
        if isinstance(info, Exception) or not oldest:
            return LogRange(LOG_START, LOG_START)  # nothing was ever written
        facts = dict(zip(info[::2], info[1::2], strict=True))
        [newest] = parse_entries([facts["last-entry"]])
        never_trimmed = facts["entries-added"] == facts["length"]
        [first] = parse_entries(oldest)
        return LogRange(LOG_START if never_trimmed else first.position, newest.position)

    def after(self, start: LogPosition, end: LogPosition) -> list[LogEntry]:
        """Return the next entries after `start`, up to `end`; fewer than BATCH if that is all.

        One trip. Raises Unavailable.
        """
        command = ("XRANGE", keys.event_log(), f"({start}", str(end), "COUNT", BATCH)
        return parse_entries(self._db.run(command))

    def position_before(self, count: int, end: LogPosition) -> LogPosition:
        """Return the position after which `count` public statuses were posted, up to `end`.

        The oldest position if there are fewer. One trip for each BATCH entries.
        """
        first, last = LOG_START, str(end)
        while count > 0:
            entries = self._before(last)
            for entry in entries:
                first = entry.position
                count -= entry.type == "posted" and not entry.is_restricted
                if count <= 0:
                    break
            if len(entries) < BATCH:
                break
            last = f"({entries[-1].position}"
        return first.previous()

    def messages(self, entries: Sequence[LogEntry]) -> list[LogItem]:
        """Return the messages that entries mean. Five trips at most."""
        return translate(self._db, entries, self._site_url)

    def store_responds(self) -> bool:
        """Return True if every server of the store answers."""
        try:
            self._db.on_every_primary("PING")
        except Unavailable:
            return False
        return True

    async def _read_next(self) -> None:
        entries = await asyncio.to_thread(self._wait_for_entries)
        if entries:
            items = await asyncio.to_thread(self._readable, entries)
            self._last_read = entries[-1].position
            self._listener.publish(items, self._last_read)

    def _readable(self, entries: Sequence[LogEntry]) -> list[LogItem]:
        """Return the messages that entries mean, without entries that cannot be translated.

        Raises Unavailable, and RedisError, after which they can be tried again.
        """
        try:
            return self.messages(entries)
        except (Unavailable, RedisError):
            raise
        except Exception as error:
            if len(entries) > 1:
                return [item for entry in entries for item in self._readable([entry])]
            log_pause(f"the log skips the {entries[0].type} at {entries[0].position}", error)
            return []

    def _wait_for_entries(self) -> list[LogEntry]:
        """Return the next entries; none after BLOCK_MS of silence. One trip."""
        place = ("STREAMS", keys.event_log(), str(self._last_read))
        reply: Any = self._db.run(("XREAD", "COUNT", BATCH, "BLOCK", BLOCK_MS, *place))
        return parse_entries(reply[0][1]) if reply else []

    def _before(self, last: str) -> list[LogEntry]:
        """Return up to BATCH entries from `last` backwards, newest first. One trip."""
        command = ("XREVRANGE", keys.event_log(), last, "-", "COUNT", BATCH)
        return parse_entries(self._db.run(command))
