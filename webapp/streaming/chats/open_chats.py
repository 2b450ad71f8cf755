"""The chats that are open in this process, and who listens to them: `GET /stream/chats`.

The store announces on one pub/sub channel that something happened in a chat, and nothing else. At
each announcement, and whenever one may have been missed, the process reads all changes after the
positions of its connections. So an announcement may be lost, a message never is. The events are
listed in `webapp/streaming/chats/chat_delivery.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from webapp.chat.inbox.chat_state import CHAT_CHANNEL
from webapp.chat.live import hints, updates
from webapp.chat.live.hints import ChangeHint, Position
from webapp.chat.live.program_events import program_event
from webapp.chat.live.rendered_changes import Reader, RenderMessages, sse_event
from webapp.chat.live.updates import Updates
from webapp.core.errors import Unavailable
from webapp.core.logs import log, log_pause
from webapp.core.store import Db
from webapp.core.store.pubsub import Received, Subscription
from webapp.streaming.background import RETRY_SECONDS, StaleMembers, run_forever
from webapp.streaming.hub.connection import Connection

from .badges import Badges
from .channel import ChatChannel
from .member_chats import MemberChats
from .presence import Presence

# The id of an open chat, and its page's position in it if the client gave one.
OpenChat = tuple[str, Position | None]
WAIT_SECONDS = 1.0  # longest wait for an announcement
ATTEMPTS_MAX = 3  # to read a part of a chat, before it is skipped
BACKOFF_MAX_SECONDS = 30.0  # longest pause before a chat that cannot be read is tried again


class OpenChats:
    """The chats that are open in this process. Lives in the event loop's thread."""

    def __init__(self, db: Db, render: RenderMessages | None, badges: Badges) -> None:
        """`render` makes the HTML of messages; None: chats have no streams."""
        self._db = db
        self._enabled = render is not None
        self._render: RenderMessages = render or (lambda *_: [])
        self._channels: dict[str, ChatChannel] = {}
        self._update_tasks: set[asyncio.Task[None]] = set()
        self.presence = Presence(db, self._channels)
        self.member_chats = MemberChats(db, self)
        self.watchers: list[StaleMembers] = [badges, self.member_chats]

    def exists(self, chat: OpenChat | None) -> bool:
        """Return True if this can be an open chat; None means no chat and always can."""
        return chat is None or (bool(chat[0]) and self._enabled)

    @contextmanager
    def subscribe(
        self, connection: Connection, reader: Reader, cid: str, position: Position | None
    ) -> Iterator[None]:
        """Send a reader the changes after a position of a chat, while the block runs.

        None is the present end of the chat. The stream of a reader who is no member ends.
        """
        channel = self._channels.setdefault(cid, ChatChannel(cid))
        self.presence.add(reader.uid)
        channel.add(connection, reader, position)
        self._schedule_update(channel)
        try:
            yield
        finally:
            self.remove(connection, cid)

    def add(self, connection: Connection, reader: Reader, cid: str, position: Position) -> None:
        """Send a program of a member the changes of one of several chats after a position."""
        channel = self._channels.setdefault(cid, ChatChannel(cid))
        channel.add_program(connection, reader, position)

    def remove(self, connection: Connection, cid: str) -> None:
        """Send a connection nothing more of a chat."""
        channel = self._channels.get(cid)
        if channel:
            channel.subscribers.pop(connection, None)
            if not channel.subscribers:
                del self._channels[cid]

    def has(self, connection: Connection, cid: str) -> bool:
        """Return True if a connection listens to a chat."""
        channel = self._channels.get(cid)
        return channel is not None and connection in channel.subscribers

    def refresh(self, cid: str) -> None:
        """Read the news of a chat, if anybody listens to it."""
        if cid in self._channels:
            self._schedule_update(self._channels[cid])

    async def listen(self) -> None:
        """Listen for announcements for ever."""
        subscription = Subscription(self._db, CHAT_CHANNEL)

        async def step() -> None:
            self._on_received(await asyncio.to_thread(subscription.wait, WAIT_SECONDS))

        try:
            await run_forever("chats", step)
        finally:
            subscription.close()

    def close(self) -> None:
        """Cancel updates that are under way."""
        for task in self._update_tasks:
            task.cancel()

    def _on_received(self, received: Received) -> None:
        if received.missed:
            for watcher in self.watchers:
                watcher.mark_stale()
            for channel in self._channels.values():
                self._schedule_update(channel)
        for text in dict.fromkeys(received.messages):
            hint = hints.parse_hint(text)
            if hint.kind == "b":
                for watcher in self.watchers:
                    watcher.mark_stale(hint.args)
            elif hint.cid in self._channels:
                self._apply_hint(self._channels[hint.cid], hint)

    def _apply_hint(self, channel: ChatChannel, hint: ChangeHint) -> None:
        if hint.kind in ("m", "c"):
            channel.chat_changed = channel.chat_changed or hint.kind == "c"
            self._schedule_update(channel)
        else:
            channel.record(hint, time.monotonic())
            if hint.kind == "t":  # later it would come after the message that was being typed
                self.presence.flush(channel)

    def _schedule_update(self, channel: ChatChannel) -> None:
        """Start reading the news of a chat; a running update reads again at its end."""
        channel.stale = True
        if not channel.updating:
            channel.updating = True
            task = asyncio.create_task(self._update(channel))
            self._update_tasks.add(task)
            task.add_done_callback(self._update_tasks.discard)

    async def _update(self, channel: ChatChannel) -> None:
        """Send changes of a chat until none is left. After a failure, pause and try again."""
        delay = RETRY_SECONDS
        while channel.stale and channel.subscribers:
            chat_changed = channel.chat_changed
            channel.stale = False
            channel.chat_changed = False
            try:
                await self._send_updates(channel)
                if chat_changed:
                    event = program_event("chat_updated", channel.cid)
                    channel.broadcast(sse_event("chat", {"chat": channel.cid}), [event])
                delay = RETRY_SECONDS
            except Exception as error:  # an update that ended would silence the chat
                log_pause("a chat waits", error)
                channel.stale = True
                channel.chat_changed = channel.chat_changed or chat_changed
                await asyncio.sleep(delay)
                is_down = isinstance(error, Unavailable)
                delay = RETRY_SECONDS if is_down else min(2 * delay, BACKOFF_MAX_SECONDS)
        channel.updating = False

    async def _send_updates(self, channel: ChatChannel) -> None:
        for position, readers in channel.by_position().items():
            found = await self._updates_since(channel.cid, position, set(readers.values()))
            channel.send(readers, found)

    async def _updates_since(
        self, cid: str, position: Position | None, readers: set[Reader]
    ) -> Updates:
        """Return the updates for readers at a position.

        If a part of the chat cannot be read, the readers continue from its end with a `reload`.
        """
        fetch = partial(updates.updates_since, self._db, self._render, cid)
        for _ in range(ATTEMPTS_MAX):
            try:
                return await asyncio.to_thread(fetch, position, readers)
            except Unavailable:
                raise
            except Exception:
                log.warning("chat %s cannot be read from %s on", cid, position, exc_info=True)
                await asyncio.sleep(RETRY_SECONDS)
        return await asyncio.to_thread(fetch, hints.PAST_END, readers)
