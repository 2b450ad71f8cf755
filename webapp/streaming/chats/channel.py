"""The open connections of one chat: where each is in it, and who types, reads and is present."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from webapp.chat.live.hints import ChangeHint, Position
from webapp.chat.live.updates import Reader, Updates, sse_event
from webapp.streaming.end_codes import EndCode
from webapp.streaming.hub.connection import Connection
from webapp.streaming.log.messages import Message, ephemeral_message

PRESENT_SECONDS = 60.0  # how long an announced member counts as present
READ_MARKS_MAX = 20  # members whose read position is sent in one tick


@dataclass(slots=True, eq=False)
class Subscriber:
    """A connection's place in the chat."""

    reader: Reader
    position: Position | None  # what its client has; None if it wants only what is new
    is_member: bool = False  # the store has confirmed that the reader belongs to the chat


class ChatChannel:
    """One chat in this process. Lives in the event loop's thread."""

    def __init__(self, cid: str) -> None:
        self.cid = cid
        self.subscribers: dict[Connection, Subscriber] = {}
        self.stale = True  # the chat may have something new
        self.updating = False  # a task reads what is new
        self.chat_changed = False  # the chat itself, or its membership, has changed
        self.presence_due = False  # a subscriber must be announced to other processes
        self._typing: set[int] = set()
        self._read_up_to: dict[int, int] = {}  # uid → id of a message
        self._present_until: dict[int, float] = {}  # uid → until when, monotonic seconds
        self._present_sent: frozenset[int] = frozenset()  # who was last sent as present

    @property
    def members(self) -> set[int]:
        """Return the uids of the subscribers."""
        return {subscriber.reader.uid for subscriber in self.subscribers.values()}

    @property
    def active_uids(self) -> set[int]:
        """Return the members who type or have read something."""
        return self._typing | self._read_up_to.keys()

    def add(self, connection: Connection, reader: Reader, position: Position | None) -> None:
        """Add a connection, which is sent everything after `position`."""
        self.subscribers[connection] = Subscriber(reader, position)
        self._present_sent = frozenset()
        self.stale = True
        self.presence_due = True

    def by_position(self) -> dict[Position | None, dict[Connection, Reader]]:
        """Return the readers by position: all have the same one but those who just came."""
        groups: dict[Position | None, dict[Connection, Reader]] = {}
        for connection, subscriber in self.subscribers.items():
            groups.setdefault(subscriber.position, {})[connection] = subscriber.reader
        return groups

    def send(self, connections: Iterable[Connection], updates: Updates) -> None:
        """Queue what is new for connections at one position. Others than members are ended."""
        messages: dict[bytes, Message] = {}  # one for all who are sent the same
        for connection in connections:
            subscriber = self.subscribers.get(connection)
            if subscriber is None:
                continue
            sse = updates.events[subscriber.reader]
            subscriber.position = updates.position
            if sse is None:
                self._end(connection)
                continue
            if not subscriber.is_member:
                subscriber.is_member = True
                self._present_sent = frozenset()  # so that they learn who is present
            if sse:
                connection.enqueue([messages.setdefault(sse, ephemeral_message(sse))])

    def record(self, hint: ChangeHint, now: float) -> None:
        """Note what a member does right now; `flush` sends it. `now`: monotonic seconds."""
        uid = hint.args[0]
        if hint.kind == "t":
            self._typing.add(uid)
        elif hint.kind == "s":
            if uid in self._read_up_to or len(self._read_up_to) < READ_MARKS_MAX:
                self._read_up_to[uid] = hint.args[1]
        elif hint.kind == "p":
            self.presence_due = self.presence_due or uid not in self._present_until
            self._present_until[uid] = now + PRESENT_SECONDS

    def flush(self, names: Mapping[int, str], now: float) -> None:
        """Send what was noted of members with known names since the last time."""
        events = [*self._activity_events(names), *self._presence_events(now)]
        if events:
            self.broadcast(b"".join(events))

    def broadcast(self, sse: bytes) -> None:
        """Queue the same for all confirmed members."""
        message = ephemeral_message(sse)
        for connection, subscriber in self.subscribers.items():
            if subscriber.is_member:
                connection.enqueue([message])

    def _end(self, connection: Connection) -> None:
        """End the connection of a reader who does not belong to the chat."""
        del self.subscribers[connection]
        connection.enqueue([ephemeral_message(sse_event("gone", {"chat": self.cid}))])
        connection.close(EndCode.REVOKED)

    def _activity_events(self, names: Mapping[int, str]) -> Iterator[bytes]:
        """Yield who types and who has read up to where, and forget it."""
        for uid in sorted(self.active_uids & names.keys()):
            typing = uid in self._typing
            read_up_to = self._read_up_to.pop(uid, None)
            self._typing.discard(uid)
            if not names[uid]:  # the account is gone
                continue
            payload = {"chat": self.cid, "uid": uid, "name": names[uid]}
            if typing:
                yield sse_event("typing", payload)
            if read_up_to is not None:
                yield sse_event("seen", {**payload, "id": read_up_to})

    def _presence_events(self, now: float) -> Iterator[bytes]:
        """Yield who is present, if that is not what was last sent."""
        self._present_until = {
            uid: until for uid, until in self._present_until.items() if until > now
        }
        if self._present_until.keys() != self._present_sent:
            self._present_sent = frozenset(self._present_until)
            uids = sorted(self._present_sent)
            yield sse_event("here", {"chat": self.cid, "uids": uids})
