"""The chats that are open in this process, kept up with the store: `GET /stream/chats`.

The store tells on one channel that something has happened in a chat, and no more. Each time, and whenever the channel
may have missed something, the chat is asked what came after the position its seats are at: a nudge may be lost, a
message never. `message` {"chat", "id", "rev", "last", "html"}: new or changed; `mark`: nothing but its position;
`reload`: what was missed cannot be told; `chat` {"chat"}: it or its membership changed; `gone` {"chat"}: the reader
does not belong to it; `typing` {"chat", "uid", "name"}, `seen` {"chat", "uid", "name", "id"}, `here` {"chat", "uids"}:
what its members do; `badge` {"all", "requests", "chats", "notifications"}: what is unread, which other pages' streams
are told too.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from ..bell import Heard, Subscription
from ..chat import live
from ..chat.live import Look, Nudge, Position, Reader, Render
from ..chat.marks import CHANNEL
from ..db import Db
from ..errors import Unavailable
from ..logs import log
from .badges import DOWN_SECONDS, Badges
from .delivery import Holder, Send, chunk
from .framing import PAGES
from .messages import Order
from .requests import Resume
from .seat import Seat
from .talk import Talk

Open = tuple[str, Position | None]  # the id of an open chat, and where its page is in it, if that is told
WAIT_SECONDS = 1.0  # longest wait for a word on the channel
TICK_SECONDS = 0.5  # between two rounds of what members do right now
ANNOUNCE_SECONDS = 25.0  # between two words that the same member is there
TRIES = 3  # to tell a part of a chat, before it is passed over
LONGEST_SECONDS = 30.0  # pause before a chat that cannot be told at all is looked at again


class Chats:
    """All open chats. Lives in the event loop's thread."""

    def __init__(self, db: Db, render: Render | None, badges: Badges, relieve: Callable[[], None]) -> None:
        """`relieve` sheds load where too much waits for clients."""
        self._db, self._badges, self._shows, self._relieve = db, badges, render is not None, relieve
        self._render: Render = render or (lambda *_: [])
        self._talks: dict[str, Talk] = {}
        self._looks: set[asyncio.Task[None]] = set()
        self._names: dict[int, str] = {}
        self._unnamed: set[int] = set()

    def known(self, chat: Open | None) -> bool:
        """Whether this is an open chat, or none is asked for."""
        return chat is None or (bool(chat[0]) and self._shows)

    @contextmanager
    def seat(self, seat: Seat, reader: Reader, cid: str, at: Position | None) -> Iterator[None]:
        """Seats somebody in a chat for as long as the block runs: they are told what came after `at`, or what comes
        from now on; and that they do not belong to it, where they do not.
        """
        talk = self._talks.setdefault(cid, Talk(cid))
        self._unnamed.add(reader.uid)
        talk.enter(seat, reader, at)
        self._look(talk)
        try:
            yield
        finally:
            talk.places.pop(seat, None)
            if not talk.places and self._talks.get(cid) is talk:
                del self._talks[cid]

    async def follow(self) -> None:
        """Listens for ever. A store that is down is waited for, and everything is looked at then."""
        channel = Subscription(self._db, CHANNEL)
        try:
            while True:
                try:
                    self._heed(await asyncio.to_thread(channel.wait, WAIT_SECONDS))
                except Exception as error:  # one that ended would leave every chat silent
                    log.warning("chats wait: %r", error, exc_info=True)
                    await asyncio.sleep(DOWN_SECONDS)
        finally:
            channel.close()

    async def tick(self) -> None:
        """Passes on for ever what members do right now, and says who is here."""
        announced = float("-inf")
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = time.monotonic()
            everybody = now - announced >= ANNOUNCE_SECONDS
            announced = now if everybody else announced
            self._relieve()
            try:
                await self._announce(everybody)
                await self._learn_names(everybody)
                for talk in self._talks.values():
                    talk.pass_on(self._names, now)
            except Exception as error:
                log.warning("presence waits: %r", error.__cause__ or error, exc_info=not isinstance(error, Unavailable))

    def close(self) -> None:
        """Ends what is under way."""
        for task in self._looks:
            task.cancel()

    def _heed(self, heard: Heard) -> None:
        if heard.missed:
            self._badges.changed()
            for talk in self._talks.values():
                self._look(talk)
        for text in dict.fromkeys(heard.said):
            nudge = live.nudge_from(text)
            if nudge.kind == "b":
                self._badges.changed(nudge.numbers)
            elif nudge.cid in self._talks:
                self._tell(self._talks[nudge.cid], nudge)

    def _tell(self, talk: Talk, nudge: Nudge) -> None:
        if nudge.kind in ("m", "c"):
            talk.renewed = talk.renewed or nudge.kind == "c"
            self._look(talk)
        else:
            talk.heed(nudge, time.monotonic())
            if nudge.kind == "t":  # at once, or it would be told after what was being written
                talk.pass_on(self._names, time.monotonic())

    def _look(self, talk: Talk) -> None:
        """Has a chat looked at, soon; while that is being done, once more after it."""
        talk.stale = True
        if not talk.looking:
            talk.looking = True
            task = asyncio.create_task(self._keep_up(talk))
            self._looks.add(task)
            task.add_done_callback(self._looks.discard)

    async def _keep_up(self, talk: Talk) -> None:
        pause = DOWN_SECONDS
        while talk.stale and talk.places:
            talk.stale, renewed, talk.renewed = False, talk.renewed, False
            try:
                for at, seats in talk.groups().items():
                    talk.tell(seats, await self._seen_from(talk.cid, at, set(seats.values())))
                if renewed:
                    talk.put(live.event("chat", {"chat": talk.cid}))
                pause = DOWN_SECONDS
            except Exception as error:  # one that ended would leave the chat silent
                log.warning("a chat waits: %r", error.__cause__ or error, exc_info=not isinstance(error, Unavailable))
                talk.stale, talk.renewed = True, renewed or talk.renewed
                await asyncio.sleep(pause)
                pause = DOWN_SECONDS if isinstance(error, Unavailable) else min(2 * pause, LONGEST_SECONDS)
        talk.looking = False

    async def _seen_from(self, cid: str, at: Position | None, readers: set[Reader]) -> Look:
        """What readers at a position are told. Where that fails again and again for another reason than that the store
        does not answer, they go on from the end of the chat and are told to reload. Raises Unavailable.
        """
        look = partial(live.look, self._db, self._render, cid)
        for _ in range(TRIES):
            try:
                return await asyncio.to_thread(look, at, readers)
            except Unavailable:
                raise
            except Exception as error:
                log.warning("chat %s cannot be told from %s on: %r", cid, at, error, exc_info=True)
                await asyncio.sleep(DOWN_SECONDS)
        return await asyncio.to_thread(look, live.NOWHERE, readers)

    async def _announce(self, everybody: bool) -> None:
        found = [talk for talk in self._talks.values() if everybody or talk.greeting]
        for talk in found:
            talk.greeting = False
        if found:
            present = [(talk.cid, uid) for talk in found for uid in talk.members]
            await asyncio.to_thread(live.announce, self._db, present)

    async def _learn_names(self, everybody: bool) -> None:
        """Finds out what members are called before they do anything, and now and then again."""
        if everybody:
            seated = {uid for talk in self._talks.values() for uid in talk.members}
            self._names = {uid: name for uid, name in self._names.items() if uid in seated}
            self._unnamed |= seated
        stirring = {uid for talk in self._talks.values() for uid in talk.stirring}
        wanted = self._unnamed | (stirring - self._names.keys())
        if wanted:
            found = await asyncio.to_thread(live.people, self._db, sorted(wanted))
            self._names |= dict.fromkeys(wanted, "") | found
            self._unnamed -= wanted


class ChatDelivery:
    """What one seat is sent, when a page listens for chats alone: of one that is open, or how much is unread in all."""

    def __init__(self, chats: Chats, seat: Seat, holder: Holder, reader: Reader, chat: Open | None) -> None:
        self._chats, self._seat, self._holder, self._reader, self._chat = chats, seat, holder, reader, chat

    async def start(self, asked: Resume | None, now: Order) -> None:
        """There is no position in the log; that in the chat is where its seat begins."""

    async def run(self, start: Order | None, gone: asyncio.Task[None], send: Send) -> None:
        """Sends what comes, until the client goes, lags too far behind, is not let in any more, or the process ends."""
        await chunk(send, PAGES.greeting)
        with self._chats.seat(self._seat, self._reader, *self._chat) if self._chat else nullcontext():
            await self._live(gone, send)

    async def _live(self, gone: asyncio.Task[None], send: Send) -> None:
        while (batch := await self._seat.next(PAGES.heartbeat, gone)) is not None:
            doubted, self._seat.doubted = self._seat.doubted, False
            if not await self._holder.hold(doubted):
                return
            await chunk(send, PAGES.messages(batch) if batch else PAGES.still)
