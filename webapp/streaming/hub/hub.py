"""The open responses of one stream process, each with a bounded queue.

A slow reader delays nobody, and memory does not grow.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter

from webapp.accounts.store import NO_UID
from webapp.core.logs import log
from webapp.streaming.end_codes import EndCode
from webapp.streaming.log.messages import LogItem, Message, SubscriptionChange
from webapp.streaming.log.position import LOG_START, LogPosition

from .channels import Channels, FollowSet, LoadFollows
from .connection import Connection, QueuedBytes
from .followed_topics import Home, List
from .members import MemberConnections
from .page_topics import Search
from .replay_buffer import ReplayBuffer
from .subscriptions import Channel
from .topics import Topic

SEARCHES_MAX = 1_000  # different searches open in one process: each may look at every post
REPLAY_MAX = 4_096  # messages kept for clients that come back
REPLAY_BYTES = 16 * 1024 * 1024  # and their size, at most
SHED_TARGET = 0.75  # the part of the memory for all queues that may stay in use after load was shed


class HubFull(Exception):
    """The process has as many connections, or different searches, as it may have."""


class Hub:
    """All connections of the process, their queues, and how far the log was handed on."""

    def __init__(
        self, max_connections: int, queue_bytes: int, max_queued_bytes: float = math.inf
    ) -> None:
        """Make a hub for so many connections, with limits for one queue and for all, in bytes."""
        self._max_connections = max_connections
        self._queue_bytes = queue_bytes
        self._max_queued_bytes = max_queued_bytes
        self._queued = QueuedBytes()
        self._closed = False
        self._channels = Channels()
        self._channel_of: dict[Connection, Channel] = {}
        self._members = MemberConnections()
        self._parts = 0  # connections that are parts of another one
        self.connections: set[Connection] = set()
        self.replay_buffer = ReplayBuffer(REPLAY_MAX, REPLAY_BYTES)
        self.position = LOG_START  # the log was handed on up to here
        # The newest position of it at which something happened that everybody may know of.
        self.public_position = LOG_START

    def begin(self, position: LogPosition, public_position: LogPosition = LOG_START) -> None:
        """Take the position from which the log is followed, and the last one for everybody."""
        self.position, self.public_position = position, public_position
        self.replay_buffer.reset(position)

    @contextmanager
    def open_connection(self, is_part: bool = False) -> Iterator[Connection]:
        """Open a connection for as long as the block runs. Raises HubFull.

        `is_part`: one of several streams of a client whose connection is counted already.
        """
        is_full = len(self.connections) - self._parts >= self._max_connections
        if self._closed or (is_full and not is_part):
            raise HubFull
        connection = Connection(self._queue_bytes, self._queued)
        self.connections.add(connection)
        self._parts += is_part
        try:
            yield connection
        finally:
            self._parts -= is_part
            self.connections.discard(connection)
            connection.release()
            self._members.remove(connection)
            self._unsubscribe(connection)

    def set_owner(
        self, connection: Connection, uid: int, is_page: bool = False, bot_owner: int = NO_UID
    ) -> None:
        """Note whose a connection is, and whether a page of the site opened it. 0 is a visitor.

        `bot_owner` is the member whose bot it is, if it is a bot's.
        """
        if uid:
            self._members.add(connection, uid, is_page, bot_owner)

    async def subscribe(
        self, connection: Connection, topic: Topic, load: LoadFollows = FollowSet
    ) -> Channel:
        """Send a connection the new messages of a topic, from now on.

        `load` returns the follows of a home or a list. It runs in a thread, unless another
        connection has the same topic already. Raises its errors, and HubFull.
        """
        if isinstance(topic, Search) and not self._channels.has_room_for(topic, SEARCHES_MAX):
            raise HubFull
        channel = self._channels.open(topic, load)
        channel.connections.add(connection)
        self._channel_of[connection] = channel
        await self._channels.loaded(channel)
        return channel

    def recheck_since(self, connection: Connection, position: LogPosition) -> None:
        """Request a recheck if the log has moved since a position.

        A sign-out between the check of the credentials and the subscription reached nobody.
        """
        if self.position != position:
            connection.request_recheck()

    def wants(self, channel: Channel, message: Message) -> bool:
        """Return True if a channel's connections are sent this message."""
        return channel.wants(message, self.replay_buffer.subject_of(message))

    def publish(self, items: Sequence[LogItem], position: LogPosition) -> None:
        """Queue the log's messages up to a position; the cost of each grows with its matches."""
        self.shed_load()
        self.position = position
        by_channel: dict[Channel, list[Message]] = {}
        for item in items:
            if isinstance(item, SubscriptionChange):
                self._apply_change(item)
                continue
            self.replay_buffer.add([item])
            if item.is_public:
                self.public_position = item.position
            if not item.recipient:
                subject = self.replay_buffer.subject_of(item)
                for channel in self._channels.index.channels_for(item, subject):
                    by_channel.setdefault(channel, []).append(item)
        for channel, messages in by_channel.items():
            for connection in channel.connections:
                if connection.is_live:
                    connection.enqueue(messages)
        for item in items:
            if isinstance(item, Message) and item.recipient:
                self._send_to_member(item)

    def shed_load(self) -> None:
        """Drop the slowest readers if too much is queued.

        Called between batches: messages queued then were left by slow clients. Readers that keep up
        have nothing queued, however large a batch was.
        """
        if self._queued.total > self._max_queued_bytes:
            self._close_slowest()

    def close(self) -> None:
        """End every stream, and refuse new ones."""
        self._closed = True
        self.end_streams()

    def end_streams(self) -> None:
        """End every stream that is open. New ones are let in."""
        for connection in self.connections:
            connection.close(EndCode.SHUTDOWN)

    def _send_to_member(self, message: Message) -> None:
        for connection in self._members.of(message.recipient):
            channel = self._channel_of.get(connection)
            if channel and connection.is_live and self.wants(channel, message):
                connection.enqueue([message])

    def _unsubscribe(self, connection: Connection) -> None:
        channel = self._channel_of.pop(connection, None)
        if channel:
            channel.connections.discard(connection)
            if not channel.connections:
                self._channels.close(channel)

    def _close_slowest(self) -> None:
        bytes_before, closed_count = self._queued.total, 0
        for connection in sorted(self.connections, key=attrgetter("queued_bytes"), reverse=True):
            enough = self._queued.total <= SHED_TARGET * self._max_queued_bytes
            if enough or not connection.queued_bytes:
                break
            if not connection.ended:  # else it has its few seconds to take the rest
                connection.discard_and_close(EndCode.SHED)
                closed_count += 1
        if closed_count:
            log.warning(
                "shed load: %d bytes waited in all queues; streams cut: %d",
                bytes_before,
                closed_count,
            )

    def _apply_change(self, change: SubscriptionChange) -> None:
        if change.kind == "list_changed":
            self._end_streams(self._channels.lists_of(change.uid, change.target))
        elif change.kind == "tags_changed":
            home = self._channels.find(Home(change.uid))
            self._end_streams([home] if home else [])
        elif change.kind == "recheck":
            for connection in self._members.with_bots_of(change.uid):
                connection.request_recheck()
        elif change.kind == "quote_detached":
            self.replay_buffer.remove_quote(change.target)
        else:
            if change.kind == "unfollowed":
                self._recheck_lists(change.uid, change.target)
            self._channels.change_follow(change)

    def _recheck_lists(self, uid: int, owner: int) -> None:
        """Recheck a member's streams of an owner's lists, which may be for followers only."""
        for connection in self._members.of(uid):
            channel = self._channel_of.get(connection)
            topic = channel.topic if channel else None
            if isinstance(topic, List) and topic.owner == owner:
                connection.request_recheck()

    def _end_streams(self, channels: Iterable[Channel]) -> None:
        """End the streams of some channels. Clients come back and load the state of that time."""
        for channel in channels:
            for connection in tuple(channel.connections):
                connection.close(EndCode.REVOKED)
            self._channels.close(channel)
