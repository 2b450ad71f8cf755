"""The open seats of one chat: each is brought from where it is to what the chat has, and told what passes by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from webapp.chat.live.updates import ChangeHint, Position, Reader, Updates, sse_event
from webapp.streaming.log.messages import LOG_START, Message

from .connection import REVOKED, Connection

PRESENT_SECONDS = 60.0  # how long somebody is taken to be there after it was last said
READ_MARKS_MAX = 20  # marks of who has read how far that are passed on at once


@dataclass(slots=True, eq=False)
class Subscriber:
    """Where a seat is in the chat. `at`: what its client has; None when it wants what comes from now on."""

    reader: Reader
    position: Position | None
    is_member: bool = False  # it was found that they belong to the chat


class ChatChannel:
    """One chat in this process. Lives in the event loop's thread."""

    def __init__(self, cid: str) -> None:
        self.cid = cid
        self.subscribers: dict[Connection, Subscriber] = {}
        self.stale = True  # something may have come that its seats were not told
        self.updating = False
        self.chat_changed = False  # the chat itself, or who belongs to it, has changed
        self.presence_due = False  # somebody came whom those elsewhere have to be told of, or who has to be told of them
        self._typing: set[int] = set()
        self._read_up_to: dict[int, int] = {}
        self._present_until: dict[int, float] = {}  # uid → until when (monotonic seconds)
        self._announced: frozenset[int] = frozenset()  # who was said to be there

    @property
    def members(self) -> set[int]:
        """Whose seats these are."""
        return {subscriber.reader.uid for subscriber in self.subscribers.values()}

    @property
    def active_uids(self) -> set[int]:
        """Of whom there is something to pass on."""
        return self._typing | self._read_up_to.keys()

    def add(self, connection: Connection, reader: Reader, position: Position | None) -> None:
        """A seat, to be told what came after `at`."""
        self.subscribers[connection] = Subscriber(reader, position)
        self._announced = frozenset()
        self.stale = self.presence_due = True

    def by_position(self) -> dict[Position | None, dict[Connection, Reader]]:
        """The seats by where they are: all at the same position, but for those that have just come."""
        groups: dict[Position | None, dict[Connection, Reader]] = {}
        for connection, subscriber in self.subscribers.items():
            groups.setdefault(subscriber.position, {})[connection] = subscriber.reader
        return groups

    def send(self, connections: Iterable[Connection], updates: Updates) -> None:
        """Hands over what was found for seats at one position. Who does not belong to the chat is told that alone."""
        messages: dict[bytes, Message] = {}
        for connection in connections:
            subscriber = self.subscribers.get(connection)
            if subscriber is None:
                continue
            subscriber.position, sse = updates.position, updates.events[subscriber.reader]
            if not subscriber.is_member and sse is not None:
                subscriber.is_member, self._announced = (
                    True,
                    frozenset(),
                )  # so that they learn who is there
            if sse is None:
                del self.subscribers[connection]
                connection.enqueue([ephemeral(sse_event("gone", {"chat": self.cid}))])
                connection.close(REVOKED)
            elif sse:
                connection.enqueue([messages.setdefault(sse, ephemeral(sse))])

    def record(self, hint: ChangeHint, now: float) -> None:
        """Takes note of what members do right now; `pass_on` tells."""
        uid = hint.args[0]
        if hint.kind == "t":
            self._typing.add(uid)
        elif hint.kind == "s" and (
            uid in self._read_up_to or len(self._read_up_to) < READ_MARKS_MAX
        ):
            self._read_up_to[uid] = hint.args[1]
        elif hint.kind == "p":
            self.presence_due = self.presence_due or uid not in self._present_until
            self._present_until[uid] = now + PRESENT_SECONDS

    def flush(self, names: Mapping[int, str], now: float) -> None:
        """Tells all seats what was noted since the last time: of many who read at once, only some."""
        events = []
        for uid in sorted(self.active_uids & names.keys()):
            if not names[uid]:  # their account is gone
                continue
            payload = {"chat": self.cid, "uid": uid, "name": names[uid]}
            if uid in self._typing:
                events.append(sse_event("typing", payload))
            if uid in self._read_up_to:
                events.append(sse_event("seen", {**payload, "id": self._read_up_to[uid]}))
        self._typing -= names.keys()
        self._read_up_to = {
            uid: message_id for uid, message_id in self._read_up_to.items() if uid not in names
        }
        self._present_until = {
            uid: until for uid, until in self._present_until.items() if until > now
        }
        if self._present_until.keys() != self._announced:
            self._announced = frozenset(self._present_until)
            events.append(sse_event("here", {"chat": self.cid, "uids": sorted(self._announced)}))
        if events:
            self.broadcast(b"".join(events))

    def broadcast(self, sse: bytes) -> None:
        """Hands the same to all seats, but for those of whom it is not known yet that they belong to the chat."""
        message = ephemeral(sse)
        for connection, subscriber in self.subscribers.items():
            if subscriber.is_member:
                connection.enqueue([message])


def ephemeral(sse: bytes) -> Message:
    """What is told to those who are there, and has no place in the log."""
    return Message(LOG_START, "passing", 0, 0, sse)
