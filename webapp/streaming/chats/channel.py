"""The open connections of one chat: where each is in it, and who types, reads and is present."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from webapp.chat.live.hints import ChangeHint, Position
from webapp.chat.live.program_events import ProgramEvent, program_event
from webapp.chat.live.rendered_changes import Events, Reader, sse_event
from webapp.chat.live.updates import Updates
from webapp.streaming.end_codes import EndCode
from webapp.streaming.hub.connection import Connection
from webapp.streaming.log.messages import Message, ephemeral_message

PRESENT_SECONDS = 60.0  # how long an announced member counts as present
READ_MARKS_MAX = 20  # members whose read position is sent in one tick


@dataclass(slots=True, eq=False)
class Subscriber:
    """A connection's place in the chat."""

    reader: Reader
    position: Position | None  # the client's position; None if it wants only new messages
    is_member: bool = False  # the store has confirmed that the reader belongs to the chat
    is_one_of_many: bool = False  # the connection listens to other chats, too


class ChatChannel:
    """One chat in this process. Lives in the event loop's thread."""

    def __init__(self, cid: str) -> None:
        self.cid = cid
        self.subscribers: dict[Connection, Subscriber] = {}
        self.stale = True  # the chat may have something new
        self.updating = False  # a task reads the news
        self.chat_changed = False  # the chat itself, or its membership, has changed
        self.presence_due = False  # a subscriber must be announced to other processes
        self._typing: set[int] = set()
        self._read_up_to: dict[int, int] = {}  # uid → id of a message
        self._present_until: dict[int, float] = {}  # uid → until when, monotonic seconds
        self._present_sent: frozenset[int] = frozenset()  # who was last sent as present

    @property
    def members(self) -> set[int]:
        """Return the uids of the subscribers with an open page. A program is not present."""
        readers = (subscriber.reader for subscriber in self.subscribers.values())
        return {reader.uid for reader in readers if not reader.is_program}

    @property
    def active_uids(self) -> set[int]:
        """Return the members who type or have read something."""
        return self._typing | self._read_up_to.keys()

    def add(self, connection: Connection, reader: Reader, position: Position | None) -> None:
        """Add a connection, which is sent everything after `position`."""
        self.subscribers[connection] = Subscriber(reader, position)
        self.stale = True
        if not reader.is_program:
            self._present_sent = frozenset()
            self.presence_due = True

    def add_program(self, connection: Connection, reader: Reader, position: Position) -> None:
        """Add a program of a member, who listens to other chats as well."""
        self.subscribers[connection] = Subscriber(reader, position, True, True)

    def by_position(self) -> dict[Position | None, dict[Connection, Reader]]:
        """Return the readers by position: all have the same one but those who just came."""
        groups: dict[Position | None, dict[Connection, Reader]] = {}
        for connection, subscriber in self.subscribers.items():
            groups.setdefault(subscriber.position, {})[connection] = subscriber.reader
        return groups

    def send(self, connections: Iterable[Connection], updates: Updates) -> None:
        """Queue the news for connections at one position. Others than members are ended."""
        messages: dict[Events, list[Message]] = {}  # the same for all who are sent the same
        for connection in connections:
            subscriber = self.subscribers.get(connection)
            if subscriber is None:
                continue
            events = updates.events[subscriber.reader]
            subscriber.position = updates.position
            if events is None:
                self._end(connection, subscriber)
                continue
            if not subscriber.is_member:
                subscriber.is_member = True
                self._present_sent = frozenset()  # so that they learn who is present
            if events:
                connection.enqueue(messages.setdefault(events, _messages(events)))

    def record(self, hint: ChangeHint, now: float) -> None:
        """Note a member's present activity; `flush` sends it. `now`: monotonic seconds."""
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
        """Send the activity noted since the last time, of members with known names."""
        if not (self._typing or self._read_up_to or self._present_until or self._present_sent):
            return  # most chats of programs, most of the time
        activities = list(self._activity_events(names))
        page_events = [*(sse for sse, _ in activities), *self._presence_events(now)]
        if page_events:
            self.broadcast(b"".join(page_events), [event for _, event in activities])

    def broadcast(self, sse: bytes, program_events: Sequence[ProgramEvent]) -> None:
        """Queue the same for all confirmed members: `sse` for pages, the rest for programs."""
        for_pages, for_programs = _messages(sse), _messages(tuple(program_events))
        for connection, subscriber in self.subscribers.items():
            messages = for_programs if subscriber.reader.is_program else for_pages
            if subscriber.is_member and messages:
                connection.enqueue(messages)

    def _end(self, connection: Connection, subscriber: Subscriber) -> None:
        """Tell a reader who does not belong to the chat; end a connection that is for it alone."""
        del self.subscribers[connection]
        gone: Events = sse_event("gone", {"chat": self.cid})
        if subscriber.reader.is_program:
            gone = (program_event("chat_removed", self.cid),)
        connection.enqueue(_messages(gone))
        if not subscriber.is_one_of_many:
            connection.close(EndCode.REVOKED)

    def _activity_events(self, names: Mapping[int, str]) -> Iterator[tuple[bytes, ProgramEvent]]:
        """Yield the noted typing and reading of members, for pages and programs, and forget it."""
        for uid in sorted(self.active_uids & names.keys()):
            typing = uid in self._typing
            read_up_to = self._read_up_to.pop(uid, None)
            self._typing.discard(uid)
            if not names[uid]:  # the account is gone
                continue
            payload = {"chat": self.cid, "uid": uid, "name": names[uid]}
            if typing:
                yield sse_event("typing", payload), program_event("typing", self.cid, user_id=uid)
            if read_up_to is not None:
                yield (
                    sse_event("seen", {**payload, "id": read_up_to}),
                    program_event("read", self.cid, user_id=uid, message_id=read_up_to),
                )

    def _presence_events(self, now: float) -> Iterator[bytes]:
        """Yield the members who are present, if they have changed since the last time."""
        self._present_until = {
            uid: until for uid, until in self._present_until.items() if until > now
        }
        if self._present_until.keys() != self._present_sent:
            self._present_sent = frozenset(self._present_until)
            uids = sorted(self._present_sent)
            yield sse_event("here", {"chat": self.cid, "uids": uids})


def _messages(events: Events) -> list[Message]:
    """Return events as messages of a connection's queue."""
    if isinstance(events, bytes):
        return [ephemeral_message(events)]
    return [ephemeral_message(event.sse, event.json) for event in events]
