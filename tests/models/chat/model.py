"""Chats as they must be: members, messages, and what each member has read and fetched."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Message:
    """A message. `reactions` maps each emoji to uids, in the order in which they reacted."""

    author: int
    text: str
    edited: bool = False
    deleted: bool = False
    reactions: dict[str, list[int]] = field(default_factory=dict)


# With slots, assigning a field that a chat does not have is an error.
@dataclass(slots=True)
class Chat:
    """A chat. `pending` lists the messages that each member has not fetched, in order.

    `members` are in the order in which they joined. `removed` are those whom an owner removed.
    `unopened` are those who may have been added and not have opened it.
    `authors` has every message, `last_trimmed` is the newest that is forgotten.
    """

    kind: str
    creator: int
    history_max: int
    shared: bool = False
    retention: str = "history"
    name: str = "Larks"
    accepted: bool = True
    members: list[int] = field(default_factory=list)
    owners: set[int] = field(default_factory=set)
    first_visible: dict[int, int] = field(default_factory=dict)
    last_read: dict[int, int] = field(default_factory=dict)
    pending: dict[int, list[int]] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    deleted_ids: set[int] = field(default_factory=set)
    authors: dict[int, int] = field(default_factory=dict)
    last_id: int = 0
    last_trimmed: int = 0
    removed: set[int] = field(default_factory=set)
    unopened: set[int] = field(default_factory=set)

    @property
    def is_direct(self) -> bool:
        """True for a chat of two members."""
        return self.kind == "direct"

    @property
    def only_owners_write(self) -> bool:
        """True if only owners may send messages and add members."""
        return self.kind == "announcement"

    def add_member(self, uid: int, sees_history: bool = False) -> None:
        """Add a member, who sees earlier messages only with `sees_history`."""
        earlier = list(self.messages) if sees_history else []
        self.members.append(uid)
        self.first_visible[uid] = min(earlier, default=self.last_id + 1)
        self.last_read[uid] = self.last_id
        self.pending[uid] = earlier
        self.unopened.add(uid)

    def remove_member(self, uid: int) -> None:
        """Remove a member. The longest member succeeds the last owner of a group."""
        self.members.remove(uid)
        self.owners.discard(uid)
        for by_member in (self.first_visible, self.last_read, self.pending):
            del by_member[uid]
        if self.members and not self.owners and not self.is_direct:
            self.owners.add(self.members[0])
        self.trim_fetched()

    def send(self, uid: int, text: str) -> int:
        """Append a message and return its id. An author who had read everything has read it."""
        self.last_id += 1
        self.unopened.discard(uid)
        self.messages[self.last_id] = Message(uid, text)
        self.authors[self.last_id] = uid
        if self.last_read[uid] == self.last_id - 1:
            self.last_read[uid] = self.last_id
        for pending in self.pending.values():
            pending.append(self.last_id)
        self.trim(self.last_id - self.history_max)
        return self.last_id

    def mark_read(self, uid: int, message_id: int) -> None:
        """Move a member's read position forward. It never moves back.

        Messages that are forgotten count as read.
        """
        self.unopened.discard(uid)
        last_read = max(min(message_id, self.last_id), self.last_trimmed)
        self.last_read[uid] = max(self.last_read[uid], last_read)
        self.trim_fetched()

    def mark_fetched(self, uid: int, message_id: int) -> None:
        """Note that a member has fetched all messages up to this one."""
        self.pending[uid] = [pending for pending in self.pending[uid] if pending > message_id]
        self.trim_fetched()

    def trim(self, last: int) -> None:
        """Forget the messages up to `last`."""
        self.last_trimmed = max(self.last_trimmed, last)
        for message_id in list(self.messages):
            if message_id <= last:
                del self.messages[message_id]
        for uid, pending in self.pending.items():
            self.pending[uid] = [message_id for message_id in pending if message_id > last]

    def trim_fetched(self) -> None:
        """Forget messages that every member has read or fetched, unless the chat keeps them."""
        if self.retention == "fetched" and self.members:
            self.trim(min(self.position(uid) for uid in self.members))

    def position(self, uid: int) -> int:
        """Return the id up to which a member has read or fetched."""
        pending = self.pending[uid]
        last_fetched = pending[0] - 1 if pending else self.last_id
        return max(self.last_read[uid], last_fetched)

    def visible(self, uid: int) -> dict[int, Message]:
        """Return the messages that a member may see, by id."""
        first = self.first_visible[uid]
        return {
            message_id: message
            for message_id, message in self.messages.items()
            if message_id >= first
        }

    def newest_visible(self, uid: int) -> Message | None:
        """Return the chat's newest message if a member may see it."""
        return self.visible(uid).get(self.last_id)

    def unread(self, uid: int) -> int:
        """Return how many messages of others a member has not read. Deleted ones do not count."""
        unread = {*range(self.last_read[uid] + 1, self.last_id + 1)} - self.deleted_ids
        return sum(self.authors[message_id] != uid for message_id in unread)
