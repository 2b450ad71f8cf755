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

from webapp.chat.inbox.chat_state import CHAT_CHANNEL
from webapp.chat.live import updates
from webapp.chat.live.updates import ChangeHint, Position, Reader, RenderMessages, Updates
from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.core.store.pubsub import Received, Subscription
from webapp.errors import Unavailable
from webapp.streaming.log.messages import LogPosition
from webapp.streaming.pages.delivery import Send, StreamCredentials, send_chunk
from webapp.streaming.pages.framing import PAGE_SSE
from webapp.streaming.pages.requests import Resume

from .badges import RETRY_SECONDS, Badges
from .chat_channel import ChatChannel
from .connection import Connection

OpenChat = tuple[
    str, Position | None
]  # the id of an open chat, and where its page is in it, if that is told
WAIT_SECONDS = 1.0  # longest wait for a word on the channel
TICK_SECONDS = 0.5  # between two rounds of what members do right now
ANNOUNCE_SECONDS = 25.0  # between two words that the same member is there
ATTEMPTS_MAX = 3  # to tell a part of a chat, before it is passed over
BACKOFF_MAX_SECONDS = 30.0  # pause before a chat that cannot be told at all is looked at again


class Chats:
    """All open chats. Lives in the event loop's thread."""

    def __init__(
        self, db: Db, render: RenderMessages | None, badges: Badges, shed_load: Callable[[], None]
    ) -> None:
        """`relieve` sheds load where too much waits for clients."""
        self._db, self._badges, self._enabled, self._shed_load = (
            db,
            badges,
            render is not None,
            shed_load,
        )
        self._render: RenderMessages = render or (lambda *_: [])
        self._channels: dict[str, ChatChannel] = {}
        self._update_tasks: set[asyncio.Task[None]] = set()
        self._names: dict[int, str] = {}
        self._unnamed: set[int] = set()

    def exists(self, chat: OpenChat | None) -> bool:
        """Whether this is an open chat, or none is asked for."""
        return chat is None or (bool(chat[0]) and self._enabled)

    @contextmanager
    def subscribe(
        self, connection: Connection, reader: Reader, cid: str, position: Position | None
    ) -> Iterator[None]:
        """Seats somebody in a chat for as long as the block runs: they are told what came after `at`, or what comes
        from now on; and that they do not belong to it, where they do not.
        """
        channel = self._channels.setdefault(cid, ChatChannel(cid))
        self._unnamed.add(reader.uid)
        channel.add(connection, reader, position)
        self._schedule_update(channel)
        try:
            yield
        finally:
            channel.subscribers.pop(connection, None)
            if not channel.subscribers and self._channels.get(cid) is channel:
                del self._channels[cid]

    async def listen(self) -> None:
        """Listens for ever. A store that is down is waited for, and everything is looked at then."""
        subscription = Subscription(self._db, CHAT_CHANNEL)
        try:
            while True:
                try:
                    self._on_received(await asyncio.to_thread(subscription.wait, WAIT_SECONDS))
                except Exception as error:  # one that ended would leave every chat silent
                    log.warning("chats wait: %r", error, exc_info=True)
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            subscription.close()

    async def tick(self) -> None:
        """Passes on for ever what members do right now, and says who is here."""
        announced_at = float("-inf")
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = time.monotonic()
            everyone_due = now - announced_at >= ANNOUNCE_SECONDS
            announced_at = now if everyone_due else announced_at
            self._shed_load()
            try:
                await self._announce_presence(everyone_due)
                await self._load_names(everyone_due)
                for channel in self._channels.values():
                    channel.flush(self._names, now)
            except Exception as error:
                log.warning(
                    "presence waits: %r",
                    error.__cause__ or error,
                    exc_info=not isinstance(error, Unavailable),
                )

    def close(self) -> None:
        """Ends what is under way."""
        for task in self._update_tasks:
            task.cancel()

    def _on_received(self, received: Received) -> None:
        if received.missed:
            self._badges.mark_stale()
            for channel in self._channels.values():
                self._schedule_update(channel)
        for text in dict.fromkeys(received.messages):
            hint = updates.parse_hint(text)
            if hint.kind == "b":
                self._badges.mark_stale(hint.args)
            elif hint.cid in self._channels:
                self._apply_hint(self._channels[hint.cid], hint)

    def _apply_hint(self, channel: ChatChannel, hint: ChangeHint) -> None:
        if hint.kind in ("m", "c"):
            channel.chat_changed = channel.chat_changed or hint.kind == "c"
            self._schedule_update(channel)
        else:
            channel.record(hint, time.monotonic())
            if hint.kind == "t":  # at once, or it would be told after what was being written
                channel.flush(self._names, time.monotonic())

    def _schedule_update(self, channel: ChatChannel) -> None:
        """Has a chat looked at, soon; while that is being done, once more after it."""
        channel.stale = True
        if not channel.updating:
            channel.updating = True
            task = asyncio.create_task(self._update(channel))
            self._update_tasks.add(task)
            task.add_done_callback(self._update_tasks.discard)

    async def _update(self, channel: ChatChannel) -> None:
        delay = RETRY_SECONDS
        while channel.stale and channel.subscribers:
            channel.stale, chat_changed, channel.chat_changed = False, channel.chat_changed, False
            try:
                for position, connections in channel.by_position().items():
                    channel.send(
                        connections,
                        await self._updates_since(channel.cid, position, set(connections.values())),
                    )
                if chat_changed:
                    channel.broadcast(updates.sse_event("chat", {"chat": channel.cid}))
                delay = RETRY_SECONDS
            except Exception as error:  # one that ended would leave the chat silent
                log.warning(
                    "a chat waits: %r",
                    error.__cause__ or error,
                    exc_info=not isinstance(error, Unavailable),
                )
                channel.stale, channel.chat_changed = True, chat_changed or channel.chat_changed
                await asyncio.sleep(delay)
                delay = (
                    RETRY_SECONDS
                    if isinstance(error, Unavailable)
                    else min(2 * delay, BACKOFF_MAX_SECONDS)
                )
        channel.updating = False

    async def _updates_since(
        self, cid: str, position: Position | None, readers: set[Reader]
    ) -> Updates:
        """What readers at a position are told. Where that fails again and again for another reason than that the store
        does not answer, they go on from the end of the chat and are told to reload. Raises Unavailable.
        """
        fetch_updates = partial(updates.updates_since, self._db, self._render, cid)
        for _ in range(ATTEMPTS_MAX):
            try:
                return await asyncio.to_thread(fetch_updates, position, readers)
            except Unavailable:
                raise
            except Exception as error:
                log.warning(
                    "chat %s cannot be told from %s on: %r", cid, position, error, exc_info=True
                )
                await asyncio.sleep(RETRY_SECONDS)
        return await asyncio.to_thread(fetch_updates, updates.PAST_END, readers)

    async def _announce_presence(self, everyone_due: bool) -> None:
        channels = [
            channel for channel in self._channels.values() if everyone_due or channel.presence_due
        ]
        for channel in channels:
            channel.presence_due = False
        if channels:
            present = [(channel.cid, uid) for channel in channels for uid in channel.members]
            await asyncio.to_thread(updates.announce_presence, self._db, present)

    async def _load_names(self, everyone_due: bool) -> None:
        """Finds out what members are called before they do anything, and now and then again."""
        if everyone_due:
            subscribed = {uid for channel in self._channels.values() for uid in channel.members}
            self._names = {uid: name for uid, name in self._names.items() if uid in subscribed}
            self._unnamed |= subscribed
        active = {uid for channel in self._channels.values() for uid in channel.active_uids}
        missing = self._unnamed | (active - self._names.keys())
        if missing:
            names = await asyncio.to_thread(updates.display_names, self._db, sorted(missing))
            self._names |= dict.fromkeys(missing, "") | names
            self._unnamed -= missing


class ChatDelivery:
    """What one seat is sent, when a page listens for chats alone: of one that is open, or how much is unread in all."""

    def __init__(
        self,
        chats: Chats,
        connection: Connection,
        credentials: StreamCredentials,
        reader: Reader,
        chat: OpenChat | None,
    ) -> None:
        self._chats, self._connection, self._credentials, self._reader, self._chat = (
            chats,
            connection,
            credentials,
            reader,
            chat,
        )

    async def start_position(self, resume: Resume | None, log_position: LogPosition) -> None:
        """There is no position in the log; that in the chat is where its seat begins."""

    async def run(
        self, start: LogPosition | None, disconnected: asyncio.Task[None], send: Send
    ) -> None:
        """Sends what comes, until the client goes, lags too far behind, is not let in any more, or the process ends."""
        await send_chunk(send, PAGE_SSE.greeting)
        with (
            self._chats.subscribe(self._connection, self._reader, *self._chat)
            if self._chat
            else nullcontext()
        ):
            await self._send_live(disconnected, send)

    async def _send_live(self, disconnected: asyncio.Task[None], send: Send) -> None:
        while (
            batch := await self._connection.next_batch(PAGE_SSE.heartbeat, disconnected)
        ) is not None:
            recheck, self._connection.needs_recheck = self._connection.needs_recheck, False
            if not await self._credentials.still_valid(recheck):
                return
            await send_chunk(send, PAGE_SSE.encode(batch) if batch else PAGE_SSE.keepalive)
