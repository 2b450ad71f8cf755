"""One answer of the streaming API given by a web process: it follows the log by itself, with no event loop, so that
Flask's own test client and `flask run` can serve it. What is sent is what the stream process sends; who reads slowly
holds a thread and nothing more, so nobody has to be warned or cut.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Unavailable
from webapp.streaming import keys as stream_keys
from webapp.streaming.hub.connection import REPLACED, REVOKED
from webapp.streaming.hub.hub import REPLAY_BYTES, REPLAY_MAX
from webapp.streaming.hub.replay_buffer import ReplayBuffer
from webapp.streaming.hub.subscriptions import Channel, SubscriptionIndex
from webapp.streaming.log.log import BATCH, BLOCK_MS, Log
from webapp.streaming.log.messages import (
    LOG_START,
    LogEntry,
    LogPosition,
    Message,
    SubscriptionChange,
    entries_from,
    reload_message,
)
from webapp.streaming.pages.credentials import CHECK_SECONDS, load_hidden_until, with_jitter
from webapp.streaming.pages.delivery import PAGE_LAG_MS
from webapp.streaming.pages.requests import Resume

from . import connection_slots
from .api import FIREHOSE, StreamGrant
from .connection_slots import REFRESH_SECONDS
from .serializers import disconnect_json


class BlockingStream:
    """An open answer. Its `chunks` are read by one thread; `close` frees its seat."""

    def __init__(
        self, db: Db, config: Config, grant: StreamGrant, resume: Resume | None, site: str
    ) -> None:
        """Takes a seat; the holder's oldest loses its own. `resume`: where the client was; `site`: the public address
        of the pages. Raises Unavailable.
        """
        self._db, self._grant, self._encoder = db, grant, grant.encoder
        self._log, self._hidden_until = Log(db, self, site), grant.hidden_until
        self._replay_buffer, self._subscriptions, self._channel = (
            ReplayBuffer(REPLAY_MAX, REPLAY_BYTES),
            SubscriptionIndex(),
            Channel(grant.topic),
        )
        if grant.topic.kind == FIREHOSE:
            self._subscriptions.add_to_all(self._channel)
        log_range = self._log.available_range()
        self.begin(self._start_position(resume, log_range.oldest, log_range.newest))
        self._stop_position = log_range.newest  # where a stream that only looks back ends
        self._queue: list[Message] = []
        self._needs_recheck, self._end_code = (
            True,
            0,
        )  # a sign-out since the credentials were looked at was told to nobody
        self._last_sent = self._slot_refreshed = time.monotonic()
        self._credentials_checked = with_jitter(self._last_sent)
        connection_slots.acquire(db, config, grant.caller.holder, grant.slot)

    def chunks(self) -> Iterator[bytes]:
        """The parts of the body, each as soon as it is known."""
        yield self._encoder.greeting
        try:
            if self._position_lost:
                yield self._encoder.encode([reload_message(self._position)])
            while not self._end_code and not self._done():
                self._accept(self._read())
                self._recheck()
                if not self._end_code:
                    yield from self._pending_chunks()
        except Unavailable:  # it comes back for the rest
            return
        if self._end_code:
            yield self._encoder.encode_control(
                disconnect_json(self._end_code, self._channel.topic.kind)
            )

    def close(self) -> None:
        """Gives the seat up. Where the store does not answer, it is free by itself in half a minute."""
        with suppress(Unavailable):
            connection_slots.release(self._db, {self._grant.slot: self._grant.caller.holder})

    def begin(self, position: LogPosition) -> None:
        """The log is followed from here."""
        self._replay_buffer.reset(position)
        self._position = self._sent_position = position

    def publish(self, items: Sequence[Message | SubscriptionChange], position: LogPosition) -> None:
        """Takes what the log has up to this position; what this client asked for waits to be sent."""
        for item in items:
            if isinstance(item, Message):
                self._replay_buffer.add([item])
                if item.deliverable_to(self._hidden_until) and self._subscriptions.receives(
                    self._channel, item, self._replay_buffer.subject_of(item)
                ):
                    self._queue.append(item)
            elif item.kind == "doubted" and item.uid == self._grant.caller.uid:
                self._needs_recheck = True
        self._position = position

    def _start_position(
        self, resume: Resume | None, oldest: LogPosition, newest: LogPosition
    ) -> LogPosition:
        """The position after which everything is sent; `_lost` is set where the log cannot tell that any more."""
        self._position_lost = False
        if self._grant.parameters.count:
            return self._log.position_before(abs(self._grant.parameters.count), newest)
        if resume is None:
            return newest
        if resume.position is None or not oldest <= resume.position <= newest:
            self._position_lost = True
            return newest
        return (
            max(LOG_START, (resume.position[0] - PAGE_LAG_MS, 0))
            if resume.from_page
            else resume.position
        )

    def _done(self) -> bool:
        return self._grant.parameters.count < 0 and self._position >= self._stop_position

    def _read(self) -> list[LogEntry]:
        """The next entries of the log, awaited for a moment."""
        if self._grant.parameters.count < 0:
            return self._log.after(self._position, self._stop_position)
        until_heartbeat = self._encoder.heartbeat - (time.monotonic() - self._last_sent)
        wait = min(BLOCK_MS, max(1, int(until_heartbeat * 1000)))
        log_id = "{}-{}".format(*self._position)
        reply = self._db.run(
            ("XREAD", "COUNT", BATCH, "BLOCK", wait, "STREAMS", stream_keys.event_log(), log_id)
        )
        return entries_from(reply[0][1]) if reply else []

    def _accept(self, entries: list[LogEntry]) -> None:
        if entries:
            self.publish(self._log.messages(entries), entries[-1].position)
        elif self._grant.parameters.count < 0:  # the log has lost what came in between
            self._position = self._stop_position

    def _recheck(self) -> None:
        """Whether the seat is still held and the credentials are still good, where that is due or in doubt."""
        now, caller = time.monotonic(), self._grant.caller
        if now - self._slot_refreshed >= REFRESH_SECONDS:
            self._slot_refreshed = now
            if not connection_slots.refresh(self._db, {self._grant.slot: caller.holder}):
                self._end_code = REPLACED
        if self._needs_recheck or now - self._credentials_checked >= CHECK_SECONDS:
            self._needs_recheck, self._credentials_checked = False, with_jitter(now)
            self._hidden_until = load_hidden_until(self._db, caller.uid, self._grant.topic)
            if not caller.recheck(self._grant.required_rights):
                self._end_code = REVOKED

    def _pending_chunks(self) -> Iterator[bytes]:
        """What waits, one message a chunk; a sign of life after long silence."""
        batch, self._queue = self._queue, []
        for message in batch:
            yield self._encoder.encode([message])
            self._sent_position = message.position
        if not batch and time.monotonic() - self._last_sent < self._encoder.heartbeat:
            return
        self._last_sent = time.monotonic()
        if not batch:
            quiet, self._sent_position = self._position == self._sent_position, self._position
            yield (
                self._encoder.keepalive if quiet else self._encoder.encode_position(self._position)
            )
