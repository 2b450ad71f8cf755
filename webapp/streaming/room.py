"""The open responses of one stream process, each with a bounded queue: a slow reader delays nobody and grows no
memory.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter

from ..logs import log
from .index import Audience, Index, Topic
from .messages import START, Act, Message, Order
from .ring import Ring
from .seat import REPLACED, REVOKED, SHED, SHUTDOWN, Load, Seat

RING_MAX = 4_096  # messages kept for clients that come back
RING_BYTES = 16 * 1024 * 1024  # and their size, at most

PAGES_MAX = 50  # seats of one member's pages: a member must not take those of all others
SHED_TO = 0.75  # of the memory of all queues, the part that may still be taken after the fullest were cut


class Full(Exception):
    """All seats are taken."""


class Room:
    """All seats of the process, by what they are sent; and where in the log they are."""

    def __init__(self, seats: int, queue: int, memory: float = math.inf) -> None:
        """`seats`: how many; `queue`: bytes that may wait for each; `memory`: for all together."""
        self._most, self._queue, self._memory = seats, queue, memory
        self._waiting = Load()
        self._taken: set[Seat] = set()
        self._closed = False
        self._index = Index()
        self._audiences: dict[Topic, Audience] = {}
        self._loading: dict[Audience, tuple[asyncio.Task[None], list[Act]]] = {}
        self._of_member: dict[int, dict[Seat, None]] = {}  # in the order they came
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
        seat = Seat(self._queue, self._waiting)
        self._taken.add(seat)
        try:
            yield seat
        finally:
            self._taken.discard(seat)
            seat.leave()
            self._of_member.get(seat.uid, {}).pop(seat, None)
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
            self._of_member.setdefault(uid, {})[seat] = None

    def belong_to_page(self, seat: Seat, uid: int) -> None:
        """As `belong`, for a page's seat: of more than PAGES_MAX that one member has, the oldest end."""
        self.belong(seat, uid)
        seat.of_page = True
        pages = [one for one in self._of_member.get(uid, ()) if one.of_page and not one.ended]
        for oldest in pages[:-PAGES_MAX]:
            oldest.finish(REPLACED)

    async def join(
        self, seat: Seat, topic: Topic, follows: Callable[[], Sequence[int]], tags: Callable[[], Sequence[str]] = tuple
    ) -> Audience:
        """Seats it among those of a topic: from now on it is handed what they are. `follows` tells whom the viewer of a
        home follows, or who is on a list, and `tags` which hashtags; they are called in a thread, when no other seat of
        that home is there. Raises what they raise.
        """
        audience = self._audiences.get(topic) or self._open(topic, follows, tags)
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
        self.relieve()
        self.position = position
        sent: dict[Audience, list[Message]] = {}
        alone: list[Message] = []
        for part in parts:
            if isinstance(part, Act):
                self._heed(part)
            else:
                self.ring.add([part])
                if part.reader:
                    alone.append(part)
                    continue
                for audience in self._index.audiences(part, self.ring.subject(part)):
                    sent.setdefault(audience, []).append(part)
        for audience, messages in sent.items():
            for seat in audience.seats:
                if seat.listening:
                    seat.put(messages)
        for message in alone:
            for seat in self._of_member.get(message.reader, ()):
                if seat.listening and seat.audience and self.takes(seat.audience, message):
                    seat.put([message])

    def relieve(self) -> None:
        """Sheds load where too much waits. Called between batches: see `_shed`."""
        if self._waiting.bytes > self._memory:
            self._shed()

    def close(self) -> None:
        """Ends every stream; nobody is let in any more."""
        self._closed = True
        for seat in self._taken:
            seat.finish(SHUTDOWN)

    def _shed(self) -> None:
        """Cuts those who lag most. What waits before a batch is handed on is what clients were too slow to take of the
        ones before: who keeps up has nothing waiting, however large a batch was.
        """
        before, cut = self._waiting.bytes, 0
        for seat in sorted(self._taken, key=attrgetter("waiting"), reverse=True):
            if not seat.waiting or self._waiting.bytes <= SHED_TO * self._memory:
                break
            if not seat.ended:  # else it has its few seconds to take the rest
                seat.drop(SHED)
                cut += 1
        if cut:
            log.warning("shed load: %d bytes waited in all queues; streams cut: %d", before, cut)

    def _open(self, topic: Topic, follows: Callable[[], Sequence[int]], tags: Callable[[], Sequence[str]]) -> Audience:
        audience = self._audiences[topic] = Audience(topic)
        if topic.kind in ("public", "firehose"):
            self._index.add_to_all(audience)
        elif topic.kind == "tag":
            self._index.add_tags(audience, [topic.tag])
        elif topic.kind == "thread":
            self._index.add_thread(audience)
        elif topic.kind == "sample":
            self._index.add_sample(audience)
        elif topic.kind == "filter" and topic.predicate:
            self._index.add_filter(audience, topic.predicate)
        elif topic.kind == "profile":
            self._index.add(audience, [topic.uid])
        else:
            self._loading[audience] = asyncio.ensure_future(self._load(audience, follows, tags)), []
        return audience

    async def _load(
        self, audience: Audience, follows: Callable[[], Sequence[int]], tags: Callable[[], Sequence[str]]
    ) -> None:
        """Whom and what the viewer follows, as the store says and then as the log has told since it was asked: nothing
        falls between the two, and what both tell does no harm.
        """
        try:
            authors, names = await asyncio.to_thread(lambda: (follows(), tags()))
        except BaseException:
            self._drop(audience)  # so that the next one to come asks again
            raise
        finally:
            _, acts = self._loading.pop(audience)
        if audience.seats:
            own = [audience.topic.uid] if audience.topic.kind == "home" else []
            self._index.add(audience, [*own, *authors])
            self._index.add_tags(audience, names)
            for act in acts:
                self._refollow(audience, act)

    def _heed(self, act: Act) -> None:
        if act.kind == "relisted":
            numbers = [act.target] if act.target else [t.number for t in self._audiences if t[:2] == ("list", act.uid)]
            return self._reopen(Topic("list", act.uid, number=number) for number in numbers)
        if act.kind == "retagged":
            return self._reopen([Topic("home", act.uid)])
        if act.kind == "unfollowed":  # whose lists may be for followers alone
            for seat in self._of_member.get(act.uid, ()):
                if seat.audience and seat.audience.topic[:2] == ("list", act.target):
                    seat.doubt()
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

    def _reopen(self, topics: Iterable[Topic]) -> None:
        """Ends the streams of lists or a home: those who may still see them come back, and find what they have by
        then.
        """
        for audience in filter(None, map(self._audiences.get, topics)):
            for seat in tuple(audience.seats):
                seat.finish(REVOKED)
            self._drop(audience)

    def _refollow(self, audience: Audience, act: Act) -> None:
        if act.kind == "followed":
            self._index.add(audience, [act.target])
        else:
            self._index.drop(audience, act.target)

    def _drop(self, audience: Audience) -> None:
        if self._audiences.get(audience.topic) is audience:
            del self._audiences[audience.topic]
        self._index.remove(audience)
