"""One answer of the streaming API given by a web process: it follows the log by itself, with no event loop, so that
Flask's own test client and `flask run` can serve it. What is sent is what the stream process sends; who reads slowly
holds a thread and nothing more, so nobody has to be warned or cut.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from .. import keys
from ..config import Config
from ..db import Db
from ..errors import Unavailable
from . import seats
from .api import FIREHOSE, Wanted
from .delivery import PAGE_MS
from .index import Audience, Index
from .log import BATCH, BLOCK_MS, Log
from .messages import START, Act, Entry, Message, Order, entries_from, reload
from .requests import Resume
from .ring import Ring
from .room import RING_BYTES, RING_MAX
from .seat import REPLACED, REVOKED
from .seats import REFRESH_SECONDS
from .shapes import disconnect_json
from .viewers import CHECK_SECONDS, aged, hidden


class Reading:
    """An open answer. Its `chunks` are read by one thread; `close` frees its seat."""

    def __init__(self, db: Db, config: Config, wanted: Wanted, resume: Resume | None, site: str) -> None:
        """Takes a seat; the holder's oldest loses its own. `resume`: where the client was; `site`: the public address
        of the pages. Raises Unavailable.
        """
        self._db, self._wanted, self._framing = db, wanted, wanted.framing
        self._log, self._hidden = Log(db, self, site), wanted.hidden
        self._ring, self._index, self._audience = Ring(RING_MAX, RING_BYTES), Index(), Audience(wanted.topic)
        if wanted.topic.kind == FIREHOSE:
            self._index.add_to_all(self._audience)
        reach = self._log.reach()
        self.begin(self._start(resume, reach.oldest, reach.newest))
        self._end = reach.newest  # where a stream that only looks back ends
        self._waiting: list[Message] = []
        self._doubted, self._code = True, 0  # a sign-out since the credentials were looked at was told to nobody
        self._spoken = self._refreshed = time.monotonic()
        self._checked = aged(self._spoken)
        seats.take(db, config, wanted.caller.holder, wanted.seat)

    def chunks(self) -> Iterator[bytes]:
        """The parts of the body, each as soon as it is known."""
        yield self._framing.greeting
        try:
            if self._lost:
                yield self._framing.messages([reload(self._position)])
            while not self._code and not self._done():
                self._take(self._read())
                self._look()
                if not self._code:
                    yield from self._said()
        except Unavailable:  # it comes back for the rest
            return
        if self._code:
            yield self._framing.control(disconnect_json(self._code, self._audience.topic.kind))

    def close(self) -> None:
        """Gives the seat up. Where the store does not answer, it is free by itself in half a minute."""
        with suppress(Unavailable):
            seats.leave(self._db, {self._wanted.seat: self._wanted.caller.holder})

    def begin(self, position: Order) -> None:
        """The log is followed from here."""
        self._ring.begin(position)
        self._position = self._told = position

    def publish(self, parts: Sequence[Message | Act], position: Order) -> None:
        """Takes what the log has up to this position; what this client asked for waits to be sent."""
        for part in parts:
            if isinstance(part, Message):
                self._ring.add([part])
                if part.shown(self._hidden) and self._index.takes(self._audience, part, self._ring.subject(part)):
                    self._waiting.append(part)
            elif part.kind == "doubted" and part.uid == self._wanted.caller.uid:
                self._doubted = True
        self._position = position

    def _start(self, resume: Resume | None, oldest: Order, newest: Order) -> Order:
        """The position after which everything is sent; `_lost` is set where the log cannot tell that any more."""
        self._lost = False
        if self._wanted.parameters.count:
            return self._log.back(abs(self._wanted.parameters.count), newest)
        if resume is None:
            return newest
        if resume.at is None or not oldest <= resume.at <= newest:
            self._lost = True
            return newest
        return max(START, (resume.at[0] - PAGE_MS, 0)) if resume.page else resume.at

    def _done(self) -> bool:
        return self._wanted.parameters.count < 0 and self._position >= self._end

    def _read(self) -> list[Entry]:
        """The next entries of the log, awaited for a moment."""
        if self._wanted.parameters.count < 0:
            return self._log.after(self._position, self._end)
        left = self._framing.heartbeat - (time.monotonic() - self._spoken)
        wait = min(BLOCK_MS, max(1, int(left * 1000)))
        place = "{}-{}".format(*self._position)
        reply = self._db.run(("XREAD", "COUNT", BATCH, "BLOCK", wait, "STREAMS", keys.log(), place))
        return entries_from(reply[0][1]) if reply else []

    def _take(self, entries: list[Entry]) -> None:
        if entries:
            self.publish(self._log.messages(entries), entries[-1].order)
        elif self._wanted.parameters.count < 0:  # the log has lost what came in between
            self._position = self._end

    def _look(self) -> None:
        """Whether the seat is still held and the credentials are still good, where that is due or in doubt."""
        now, caller = time.monotonic(), self._wanted.caller
        if now - self._refreshed >= REFRESH_SECONDS:
            self._refreshed = now
            if not seats.refresh(self._db, {self._wanted.seat: caller.holder}):
                self._code = REPLACED
        if self._doubted or now - self._checked >= CHECK_SECONDS:
            self._doubted, self._checked = False, aged(now)
            self._hidden = hidden(self._db, caller.uid, self._wanted.topic)
            if not caller.recheck(self._wanted.needs):
                self._code = REVOKED

    def _said(self) -> Iterator[bytes]:
        """What waits, one message a chunk; a sign of life after long silence."""
        waiting, self._waiting = self._waiting, []
        for message in waiting:
            yield self._framing.messages([message])
            self._told = message.order
        if not waiting and time.monotonic() - self._spoken < self._framing.heartbeat:
            return
        self._spoken = time.monotonic()
        if not waiting:
            quiet, self._told = self._position == self._told, self._position
            yield self._framing.still if quiet else self._framing.mark(self._position)
