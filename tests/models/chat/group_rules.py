"""Groups: creating, changing and deleting them, and who belongs to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.models.chat.machine import (
    ChatMachineBase,
    actors,
    chats,
    groups_of_people,
    people,
    refused,
)
from tests.models.chat.model import Chat
from tests.support.chat import draft, key
from webapp.chat.members import group_chats, membership

KINDS = ("private", "open", "announcement")
GROUPS_MAX = 3  # at the same time, so that much happens in each
CHOICES: dict[str, Sequence[Any]] = {
    "name": ("Larks", "Wrens", "麻雀"),
    "shared": (False, True, True),
    "retention": ("history", "fetched", "fetched"),
    "kind": KINDS,
}


def has_few_groups(machine: GroupRules) -> bool:
    return sum(not chat.is_direct for chat in machine.chats.values()) < GROUPS_MAX


class GroupRules(ChatMachineBase):
    """Let members create and change groups."""

    @precondition(has_few_groups)
    @rule(
        target=chats,
        creator=people,
        kind=st.sampled_from(KINDS),
        others=groups_of_people,
        shared=st.booleans(),
        has_message=st.booleans(),
    )
    def create_group(
        self, creator: int, kind: str, others: list[int], shared: bool, has_message: bool
    ) -> str:
        """Create a group. The form is sent twice."""
        uid = self.uids[creator]
        other_uids = [self.uids[other] for other in others if other != creator]
        message = draft("hello") if has_message else None
        form_key = key()

        def create() -> str:
            return group_chats.create(
                self.site, uid, kind, "Larks", other_uids, message, form_key, shared=shared
            )

        cid = create()
        assert create() == cid
        chat = Chat(kind, uid, self.config.chat_history, shared)
        self.chats[cid] = chat
        chat.owners.add(uid)
        for member in (uid, *other_uids):
            chat.add_member(member)
        if has_message:
            chat.send(uid, "hello")
        self.changed.add(cid)
        return cid

    @rule(cid=chats, person=people)
    def join(self, cid: str, person: int) -> None:
        uid = self.uids[person]
        chat = self.chats.get(cid)
        code = None
        if not chat or (uid not in chat.members and chat.kind != "open"):
            code = "no_chat"
        if chat and uid in chat.removed:
            code = "taken_out"
        with refused(code):
            membership.join(self.site, uid, cid)
            if chat and uid not in chat.members:
                chat.add_member(uid, chat.shared)
        self.changed.add(cid)

    @rule(cid=chats, actor=actors)
    def leave(self, cid: str, actor: int) -> None:
        uid = self.member(cid, actor)
        chat = self.chats.get(cid)
        with refused("no_chat" if not chat or chat.is_direct else None):
            membership.leave(self.site, uid, cid)
            if chat and uid in chat.members:
                self.remove_from_model(cid, uid)
        self.changed.add(cid)

    @rule(cid=chats, actor=actors, others=groups_of_people)
    def add_members(self, cid: str, actor: int, others: list[int]) -> None:
        """Add members. Only an owner may bring back somebody whom an owner removed."""
        uid = self.owner(cid, actor)
        chat = self.chats.get(cid)
        other_uids = [self.uids[other] for other in others if self.uids[other] != uid]
        code = self.group_error(cid, uid, owners_only=bool(chat and chat.only_owners_write))
        if chat and not code and uid not in chat.owners and chat.removed & {*other_uids}:
            code = "only_owners"
        with refused(code):
            membership.add(self.site, uid, cid, other_uids)
            for other in other_uids:
                if chat and other not in chat.members:
                    chat.add_member(other, chat.shared)
                    chat.removed.discard(other)
        self.changed.add(cid)

    @rule(cid=chats, actor=actors, person=people)
    def remove_member(self, cid: str, actor: int, person: int) -> None:
        uid = self.owner(cid, actor)
        member = self.uids[person]
        chat = self.chats.get(cid)
        leaves_group = uid == member and chat is not None and not chat.is_direct
        code = None if leaves_group else self.group_error(cid, uid, owners_only=True)
        with refused(code):
            membership.remove(self.site, uid, cid, member)
            if chat and member in chat.members:
                self.remove_from_model(cid, member)
                chat.removed |= {member} - {uid}
        self.changed.add(cid)

    @rule(cid=chats, actor=actors, person=people, wanted=st.booleans())
    def set_owner(self, cid: str, actor: int, person: int, wanted: bool) -> None:
        uid = self.owner(cid, actor)
        member = self.uids[person]
        chat = self.chats.get(cid)
        code = self.group_error(cid, uid, owners_only=True)
        if chat and not code and member not in chat.members:
            code = "no_member"
        elif chat and not code and not wanted and chat.owners == {member}:
            code = "last_owner"
        with refused(code):
            change = membership.promote if wanted else membership.demote
            change(self.db, uid, cid, member)
            if chat and wanted:
                chat.owners.add(member)
            elif chat:
                chat.owners.discard(member)
        self.changed.add(cid)

    @rule(cid=chats, actor=actors, name=st.sampled_from(sorted(CHOICES)), choice=st.integers(0, 2))
    def change_group(self, cid: str, actor: int, name: str, choice: int) -> None:
        uid = self.owner(cid, actor)
        chat = self.chats.get(cid)
        value = CHOICES[name][choice]
        with refused(self.group_error(cid, uid, owners_only=True)):
            group_chats.change(self.site, uid, cid, **{name: value})
            if chat:
                setattr(chat, name, value)
                chat.trim_fetched()
        self.changed.add(cid)

    @rule(cid=chats, actor=actors, number=st.integers(0, 2))
    def delete_group(self, cid: str, actor: int, number: int) -> None:
        """Delete a group, once in three times."""
        if number:
            return
        uid = self.owner(cid, actor)
        with refused(self.group_error(cid, uid, owners_only=True)):
            group_chats.delete(self.site, uid, cid)
            self.delete_from_model(cid)
