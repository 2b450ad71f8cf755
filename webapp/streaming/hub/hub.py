"""The open responses of one stream process, each with a bounded queue: a slow reader delays nobody and grows no
memory.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter

from webapp.core.logs import log
from webapp.streaming.log.messages import LOG_START, LogPosition, Message, SubscriptionChange

from .connection import REPLACED, REVOKED, SHED, SHUTDOWN, Connection, QueuedBytes
from .replay_buffer import ReplayBuffer
from .subscriptions import Channel, SubscriptionIndex, Topic

REPLAY_MAX = 4_096  # messages kept for clients that come back
REPLAY_BYTES = 16 * 1024 * 1024  # and their size, at most

PAGE_CONNECTIONS_MAX = 50  # seats of one member's pages: a member must not take those of all others
SHED_TARGET = (
    0.75  # of the memory of all queues, the part that may still be taken after the fullest were cut
)


class HubFull(Exception):
    """All seats are taken."""


class Hub:
    """All seats of the process, by what they are sent; and where in the log they are."""

    def __init__(
        self, max_connections: int, queue_bytes: int, max_queued_bytes: float = math.inf
    ) -> None:
        """`seats`: how many; `queue`: bytes that may wait for each; `memory`: for all together."""
        self._max_connections, self._queue_bytes, self._max_queued_bytes = (
            max_connections,
            queue_bytes,
            max_queued_bytes,
        )
        self._queued = QueuedBytes()
        self._connections: set[Connection] = set()
        self._closed = False
        self._subscriptions = SubscriptionIndex()
        self._channels: dict[Topic, Channel] = {}
        self._loading: dict[Channel, tuple[asyncio.Task[None], list[SubscriptionChange]]] = {}
        self._by_member: dict[int, dict[Connection, None]] = {}  # in the order they came
        self.replay_buffer = ReplayBuffer(REPLAY_MAX, REPLAY_BYTES)
        self.position: LogPosition = LOG_START  # the log has been handed on up to here

    def begin(self, position: LogPosition) -> None:
        """The log is followed from here."""
        self.position = position
        self.replay_buffer.reset(position)

    @contextmanager
    def open_connection(self) -> Iterator[Connection]:
        """A seat for as long as the block runs. Raises Full."""
        if self._closed or len(self._connections) >= self._max_connections:
            raise HubFull
        connection = Connection(self._queue_bytes, self._queued)
        self._connections.add(connection)
        try:
            yield connection
        finally:
            self._connections.discard(connection)
            connection.release()
            self._by_member.get(connection.uid, {}).pop(connection, None)
            if not self._by_member.get(connection.uid, True):
                del self._by_member[connection.uid]
            if connection.channel:
                connection.channel.connections.discard(connection)
                if not connection.channel.connections:
                    self._drop_channel(connection.channel)

    def set_owner(self, connection: Connection, uid: int) -> None:
        """Notes whose seat it is: it is doubted when they sign out."""
        if uid:
            connection.uid = uid
            self._by_member.setdefault(uid, {})[connection] = None

    def set_page_owner(self, connection: Connection, uid: int) -> None:
        """As `belong`, for a page's seat: of more than PAGES_MAX that one member has, the oldest end."""
        self.set_owner(connection, uid)
        connection.is_page = True
        pages = [one for one in self._by_member.get(uid, ()) if one.is_page and not one.ended]
        for oldest in pages[:-PAGE_CONNECTIONS_MAX]:
            oldest.close(REPLACED)

    async def subscribe(
        self,
        connection: Connection,
        topic: Topic,
        load_authors: Callable[[], Sequence[int]],
        load_tags: Callable[[], Sequence[str]] = tuple,
    ) -> Channel:
        """Seats it among those of a topic: from now on it is handed what they are. `follows` tells whom the viewer of a
        home follows, or who is on a list, and `tags` which hashtags; they are called in a thread, when no other seat of
        that home is there. Raises what they raise.
        """
        channel = self._channels.get(topic) or self._open_channel(topic, load_authors, load_tags)
        channel.connections.add(connection)
        connection.channel = channel
        if channel in self._loading:
            await asyncio.shield(self._loading[channel][0])
        return channel

    def may_want(self, channel: Channel, author: int) -> bool:
        """Whether an audience may be sent what this author writes."""
        return self._subscriptions.may_want(channel, author)

    def receives(self, channel: Channel, message: Message) -> bool:
        """Whether an audience is sent this message."""
        return self._subscriptions.receives(
            channel, message, self.replay_buffer.subject_of(message)
        )

    def publish(self, items: Sequence[Message | SubscriptionChange], position: LogPosition) -> None:
        """Hands on what the log has up to this position; each message costs what it matches."""
        self.shed_load()
        self.position = position
        by_channel: dict[Channel, list[Message]] = {}
        direct: list[Message] = []
        for item in items:
            if isinstance(item, SubscriptionChange):
                self._apply_change(item)
            else:
                self.replay_buffer.add([item])
                if item.recipient:
                    direct.append(item)
                    continue
                for channel in self._subscriptions.channels_for(
                    item, self.replay_buffer.subject_of(item)
                ):
                    by_channel.setdefault(channel, []).append(item)
        for channel, messages in by_channel.items():
            for connection in channel.connections:
                if connection.is_live:
                    connection.enqueue(messages)
        for message in direct:
            for connection in self._by_member.get(message.recipient, ()):
                if (
                    connection.is_live
                    and connection.channel
                    and self.receives(connection.channel, message)
                ):
                    connection.enqueue([message])

    def shed_load(self) -> None:
        """Sheds load where too much waits. Called between batches: see `_shed`."""
        if self._queued.total > self._max_queued_bytes:
            self._close_slowest()

    def close(self) -> None:
        """Ends every stream; nobody is let in any more."""
        self._closed = True
        for connection in self._connections:
            connection.close(SHUTDOWN)

    def _close_slowest(self) -> None:
        """Cuts those who lag most. What waits before a batch is handed on is what clients were too slow to take of the
        ones before: who keeps up has nothing waiting, however large a batch was.
        """
        bytes_before, closed_count = self._queued.total, 0
        for connection in sorted(self._connections, key=attrgetter("queued_bytes"), reverse=True):
            if (
                not connection.queued_bytes
                or self._queued.total <= SHED_TARGET * self._max_queued_bytes
            ):
                break
            if not connection.ended:  # else it has its few seconds to take the rest
                connection.discard_and_close(SHED)
                closed_count += 1
        if closed_count:
            log.warning(
                "shed load: %d bytes waited in all queues; streams cut: %d",
                bytes_before,
                closed_count,
            )

    def _open_channel(
        self,
        topic: Topic,
        load_authors: Callable[[], Sequence[int]],
        load_tags: Callable[[], Sequence[str]],
    ) -> Channel:
        channel = self._channels[topic] = Channel(topic)
        if topic.kind in ("public", "firehose"):
            self._subscriptions.add_to_all(channel)
        elif topic.kind == "tag":
            self._subscriptions.add_tags(channel, [topic.tag])
        elif topic.kind == "thread":
            self._subscriptions.add_thread(channel)
        elif topic.kind == "sample":
            self._subscriptions.add_sample(channel)
        elif topic.kind == "filter" and topic.predicate:
            self._subscriptions.add_filter(channel, topic.predicate)
        elif topic.kind == "profile":
            self._subscriptions.add_authors(channel, [topic.uid])
        else:
            self._loading[channel] = (
                asyncio.ensure_future(self._load_follows(channel, load_authors, load_tags)),
                [],
            )
        return channel

    async def _load_follows(
        self,
        channel: Channel,
        load_authors: Callable[[], Sequence[int]],
        load_tags: Callable[[], Sequence[str]],
    ) -> None:
        """Whom and what the viewer follows, as the store says and then as the log has told since it was asked: nothing
        falls between the two, and what both tell does no harm.
        """
        try:
            authors, tag_names = await asyncio.to_thread(lambda: (load_authors(), load_tags()))
        except BaseException:
            self._drop_channel(channel)  # so that the next one to come asks again
            raise
        finally:
            _, changes = self._loading.pop(channel)
        if channel.connections:
            own_uid = [channel.topic.uid] if channel.topic.kind == "home" else []
            self._subscriptions.add_authors(channel, [*own_uid, *authors])
            self._subscriptions.add_tags(channel, tag_names)
            for change in changes:
                self._update_follow(channel, change)

    def _apply_change(self, change: SubscriptionChange) -> None:
        if change.kind == "relisted":
            list_ids = (
                [change.target]
                if change.target
                else [t.object_id for t in self._channels if t[:2] == ("list", change.uid)]
            )
            return self._end_channels(
                Topic("list", change.uid, object_id=number) for number in list_ids
            )
        if change.kind == "retagged":
            return self._end_channels([Topic("home", change.uid)])
        if change.kind == "unfollowed":  # whose lists may be for followers alone
            for connection in self._by_member.get(change.uid, ()):
                if connection.channel and connection.channel.topic[:2] == ("list", change.target):
                    connection.request_recheck()
        channel = self._channels.get(Topic("home", change.uid))
        if change.kind == "doubted":
            for connection in (
                *self._by_member.get(change.uid, ()),
                *(channel.connections if channel else ()),
            ):
                connection.request_recheck()
        elif channel is None:
            return
        elif channel in self._loading:
            self._loading[channel][1].append(change)
        else:
            self._update_follow(channel, change)

    def _end_channels(self, topics: Iterable[Topic]) -> None:
        """Ends the streams of lists or a home: those who may still see them come back, and find what they have by
        then.
        """
        for channel in filter(None, map(self._channels.get, topics)):
            for connection in tuple(channel.connections):
                connection.close(REVOKED)
            self._drop_channel(channel)

    def _update_follow(self, channel: Channel, change: SubscriptionChange) -> None:
        if change.kind == "followed":
            self._subscriptions.add_authors(channel, [change.target])
        else:
            self._subscriptions.remove_author(channel, change.target)

    def _drop_channel(self, channel: Channel) -> None:
        if self._channels.get(channel.topic) is channel:
            del self._channels[channel.topic]
        self._subscriptions.remove(channel)
