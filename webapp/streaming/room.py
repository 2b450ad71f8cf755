"""The open responses of one stream process, each with a bounded queue: a slow reader delays nobody and grows no
memory.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from .index import Audience, Index, Topic
from .messages import START, Act, Message, Order
from .ring import Ring

RING_MAX = 4_096  # messages kept for clients that come back
RING_BYTES = 16 * 1024 * 1024  # and their size, at most

GOODBYE_SECONDS = 5.0  # for a client to take what ends its stream
SHUTDOWN, STALLED, REVOKED, REPLACED = 1, 4, 6, 7  # why a stream ends, as the streaming API numbers it


class Full(Exception):
    """All seats are taken."""


class Seat:
    """One open response. Lives in the event loop's thread."""

    def __init__(self, most: int) -> None:
        """`most`: bytes that may wait."""
        self._most = most
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self.fullest = 0.0  # the largest part of the queue that was taken since `fullness` was asked for
        self.undelivered = 0  # messages that were dropped
        self.code = 0  # why it ended, as the streaming API numbers it
        self._stirred = False  # there is something to look at
        self._sleeper: asyncio.Future[None] | None = None
        self._task = asyncio.current_task()
        self.ended = False
        self.listening = True  # or what comes is left to the log, from which the client catches up
        self.doubted = False  # its credentials are to be looked at again before anything more is sent
        self.audience: Audience | None = None
        self.uid = 0  # whose it is, if that matters

    def put(self, messages: Sequence[Message]) -> None:
        """Hands messages over; a reader that lags too far behind is ended instead."""
        if self.ended or not self.listening:
            return
        size = sum(message.size for message in messages)
        # A batch for which nothing waits is no lag, however large.
        if self._waiting and self._bytes + size > self._most:
            self.undelivered += len(self._waiting) + len(messages)
            self._waiting.clear()
            self.finish(STALLED)
        else:
            if self._waiting:
                self.fullest = max(self.fullest, (self._bytes + size) / self._most)
            self._waiting.extend(messages)
            self._bytes += size
        self._stir()

    def finish(self, code: int) -> None:
        """Ends it, with a word of why to those who read; to the others after a few seconds without one."""
        if not self.ended:
            self.code = code
            self.end()
            asyncio.get_running_loop().call_later(GOODBYE_SECONDS, self.cut)

    def fullness(self) -> float:
        """The largest part of the queue that was taken since it was last asked for."""
        fullest, self.fullest = self.fullest, 0.0
        return fullest

    def cut(self) -> None:
        """Ends it at once, though its task may be waiting for a client that reads nothing."""
        self.ended = True
        self._waiting.clear()
        if self._task:
            self._task.cancel()

    def end(self) -> None:
        """Nothing more comes."""
        self.ended = True
        self._stir()

    def doubt(self) -> None:
        """Its credentials may be good no more."""
        self.doubted = True
        self._stir()

    async def next(self, seconds: float, gone: asyncio.Task[None]) -> list[Message] | None:
        """All that waits, coalesced; an empty list after so many seconds of silence, or a doubt; None when it has ended
        or the client is gone.
        """
        if not self._stirred and not gone.done():
            await self._sleep(seconds, gone)
        self._stirred = self.ended
        if gone.done() or (self.ended and not self._waiting):
            return None
        batch = list(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return batch

    async def _sleep(self, seconds: float, gone: asyncio.Task[None]) -> None:
        """Until something stirs. One future and no task, for this is done for each message to each of thousands."""
        loop = asyncio.get_running_loop()
        self._sleeper = loop.create_future()
        gone.add_done_callback(self._stir)
        clock = loop.call_later(seconds, self._stir)
        try:
            await self._sleeper
        finally:
            clock.cancel()
            gone.remove_done_callback(self._stir)

    def _stir(self, *_: object) -> None:
        self._stirred = True
        if self._sleeper and not self._sleeper.done():
            self._sleeper.set_result(None)


class Room:
    """All seats of the process, by what they are sent; and where in the log they are."""

    def __init__(self, seats: int, queue: int) -> None:
        self._most, self._queue = seats, queue
        self._taken: set[Seat] = set()
        self._closed = False
        self._index = Index()
        self._audiences: dict[Topic, Audience] = {}
        self._loading: dict[Audience, tuple[asyncio.Task[None], list[Act]]] = {}
        self._of_member: dict[int, set[Seat]] = {}
        self.ring = Ring(RING_MAX, RING_BYTES)
        self.position: Order = START  # the log has been handed on up to here

    def begin(self, position: Order) -> None:
        """The log is followed from here."""
        self.position = position
        self.ring.begin(position)

    @contextmanager
    def seat(self) -> Iterator[Seat]:
        """A seat for as long as the block runs. Raises Full."""
        if self._closed or len(self._taken) >= self._most:
            raise Full
        seat = Seat(self._queue)
        self._taken.add(seat)
        try:
            yield seat
        finally:
            self._taken.discard(seat)
            self._of_member.get(seat.uid, set()).discard(seat)
            if not self._of_member.get(seat.uid, True):
                del self._of_member[seat.uid]
            if seat.audience:
                seat.audience.seats.discard(seat)
                if not seat.audience.seats:
                    self._drop(seat.audience)

    def belong(self, seat: Seat, uid: int) -> None:
        """Notes whose seat it is: it is doubted when they sign out."""
        if uid:
            seat.uid = uid
            self._of_member.setdefault(uid, set()).add(seat)

    async def join(self, seat: Seat, topic: Topic, follows: Callable[[], Sequence[int]]) -> Audience:
        """Seats it among those of a topic: from now on it is handed what they are. `follows` tells whom the viewer of a
        home follows; it is called in a thread, when no other seat of that home is there. Raises what it raises.
        """
        audience = self._audiences.get(topic) or self._open(topic, follows)
        audience.seats.add(seat)
        seat.audience = audience
        if audience in self._loading:
            await asyncio.shield(self._loading[audience][0])
        return audience

    def wants(self, audience: Audience, author: int) -> bool:
        """Whether an audience may be sent what this author writes."""
        return self._index.wants(audience, author)

    def takes(self, audience: Audience, message: Message) -> bool:
        """Whether an audience is sent this message."""
        return self._index.takes(audience, message, self.ring.subject(message))

    def publish(self, parts: Sequence[Message | Act], position: Order) -> None:
        """Hands on what the log has up to this position; each message costs what it matches."""
        self.position = position
        sent: dict[Audience, list[Message]] = {}
        for part in parts:
            if isinstance(part, Act):
                self._heed(part)
            else:
                self.ring.add([part])
                for audience in self._index.audiences(part, self.ring.subject(part)):
                    sent.setdefault(audience, []).append(part)
        for audience, messages in sent.items():
            for seat in audience.seats:
                seat.put(messages)

    def close(self) -> None:
        """Ends every stream; nobody is let in any more."""
        self._closed = True
        for seat in self._taken:
            seat.finish(SHUTDOWN)

    def _open(self, topic: Topic, follows: Callable[[], Sequence[int]]) -> Audience:
        audience = self._audiences[topic] = Audience(topic)
        if topic.kind in ("public", "firehose"):
            self._index.add_to_all(audience)
        elif topic.kind == "sample":
            self._index.add_sample(audience)
        elif topic.kind == "filter" and topic.predicate:
            self._index.add_filter(audience, topic.predicate)
        elif topic.kind == "profile":
            self._index.add(audience, [topic.uid])
        else:
            self._loading[audience] = asyncio.ensure_future(self._load(audience, follows)), []
        return audience

    async def _load(self, audience: Audience, follows: Callable[[], Sequence[int]]) -> None:
        """Whom the viewer follows, as the store says and then as the log has told since it was asked: nothing falls
        between the two, and what both tell does no harm.
        """
        try:
            authors = await asyncio.to_thread(follows)
        except BaseException:
            self._drop(audience)  # so that the next one to come asks again
            raise
        finally:
            _, acts = self._loading.pop(audience)
        if audience.seats:
            self._index.add(audience, [audience.topic.uid, *authors])
            for act in acts:
                self._refollow(audience, act)

    def _heed(self, act: Act) -> None:
        audience = self._audiences.get(Topic("home", act.uid))
        if act.kind == "doubted":
            for seat in (*self._of_member.get(act.uid, ()), *(audience.seats if audience else ())):
                seat.doubt()
        elif audience is None:
            return
        elif audience in self._loading:
            self._loading[audience][1].append(act)
        else:
            self._refollow(audience, act)

    def _refollow(self, audience: Audience, act: Act) -> None:
        if act.kind == "followed":
            self._index.add(audience, [act.target])
        else:
            self._index.drop(audience, act.target)

    def _drop(self, audience: Audience) -> None:
        if self._audiences.get(audience.topic) is audience:
            del self._audiences[audience.topic]
        self._index.remove(audience)
