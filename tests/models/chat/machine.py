"""The state of the chat machine, and what its rules share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize

from tests.conftest import PASSWORD, empty_store
from tests.models.chat.model import Chat, Message
from tests.support.chat import draft, key, remaining_keys
from tests.support.world import OnSite
from webapp.accounts import registration
from webapp.chat.messages import sending
from webapp.config import Config
from webapp.core.errors import Refused
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.store.connection import connect
from webapp.following import store as following

LOGINS = ("wren", "lark", "finch", "swift", "crane")
chats = Bundle("chats")  # ids of chats, which may be deleted
people = st.integers(0, len(LOGINS) - 1)  # indexes of LOGINS
groups_of_people = st.lists(people, unique=True, max_size=3)
# An index of LOGINS. From len(LOGINS) on: a member or an owner of the chat, if it has one.
actors = st.integers(0, 2 * len(LOGINS) - 1)
# How far a message is behind the newest one. It may not exist yet, or be forgotten.
offsets = st.integers(-1, 6)


class SentMessage(NamedTuple):
    """A message as it was sent, to send it again."""

    cid: str
    uid: int
    idempotency_key: str
    text: str
    message_id: int


@contextmanager
def refused(code: str | None) -> Iterator[None]:
    """Assert that the block is refused with this code; None if it must succeed."""
    if code is None:
        yield
        return
    with pytest.raises(Refused, match=code):
        yield


class ChatMachineBase(OnSite, RuleBasedStateMachine):
    """A store and its model. `changed` are the chats to compare after the current step."""

    config: Config

    def __init__(self) -> None:
        super().__init__()
        empty_store(self.config)
        self.db = connect(self.config)
        self.uids: list[int] = []
        self.chats: dict[str, Chat] = {}
        self.deleted_chats: set[str] = set()
        self.changed: set[str] = set()
        self.sent: list[SentMessage] = []
        self.workers = 0
        self.dead_workers: list[tuple[PartitionConsumer, Any]] = []

    @initialize()
    def sign_up(self) -> None:
        """Let the first member and all others follow each other; the rest are strangers."""
        for login in LOGINS:
            self.uids.append(registration.sign_up(self.site, login, login, PASSWORD).uid)
        first = self.uids[0]
        for uid, login in zip(self.uids[1:], LOGINS[1:], strict=True):
            following.follow(self.site, uid, LOGINS[0])
            following.follow(self.site, first, login)

    def follow_each_other(self, uid: int, other: int) -> bool:
        """Return True for the first member and any other."""
        return self.uids[0] in (uid, other)

    # Who acts, and on which message

    def member(self, cid: str, actor: int) -> int:
        """Return the uid of an actor, preferably a member."""
        chat = self.chats.get(cid)
        return self._actor_uid(actor, chat.members if chat else [])

    def owner(self, cid: str, actor: int) -> int:
        """Return the uid of an actor, preferably an owner."""
        chat = self.chats.get(cid)
        return self._actor_uid(actor, sorted(chat.owners) if chat else [])

    def _actor_uid(self, actor: int, preferred: Sequence[int]) -> int:
        if actor >= len(LOGINS) and preferred:
            return preferred[actor % len(preferred)]
        return self.uids[actor % len(LOGINS)]

    def message_id(self, cid: str, offset: int) -> int:
        """Return the id of a message this far behind the newest one."""
        return max(self.chats[cid].last_id - offset, 1) if cid in self.chats else 1

    # What must be refused

    def group_error(self, cid: str, uid: int, owners_only: bool) -> str | None:
        """Return the error for a member who changes a group; None if they may."""
        chat = self.chats.get(cid)
        if not chat or chat.is_direct:
            return "no_chat"
        if uid not in chat.members:
            return "not_in_chat"
        return "only_owners" if owners_only and uid not in chat.owners else None

    def visible_message(
        self, cid: str, uid: int, message_id: int
    ) -> tuple[Message | None, str | None]:
        """Return a message that a member may see, or the error."""
        chat = self.chats.get(cid)
        if not chat or uid not in chat.members:
            return None, "not_in_chat"
        message = chat.visible(uid).get(message_id)
        return message, None if message else "no_message"

    # What changes the store and the model

    def send_message(self, cid: str, uid: int) -> None:
        """Send a message that must be accepted. Message ids have no gaps."""
        idempotency_key = key()
        text = f"message {len(self.sent)}"
        message_id = sending.send(self.site, uid, cid, draft(text), idempotency_key)
        assert self.chats[cid].send(uid, text) == message_id
        self.sent.append(SentMessage(cid, uid, idempotency_key, text, message_id))
        self.changed.add(cid)

    def remove_from_model(self, cid: str, uid: int) -> None:
        """Remove a member; the last one takes the chat along."""
        if self.chats[cid].members == [uid]:
            self.delete_from_model(cid)
        else:
            self.chats[cid].remove_member(uid)

    def delete_from_model(self, cid: str) -> None:
        """Delete a chat, of which the store must keep nothing."""
        del self.chats[cid]
        self.deleted_chats.add(cid)
        self.changed.add(cid)
        assert not remaining_keys(self.db, cid)
