"""Messages: sending, editing and deleting them, and reactions."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import multiple, precondition, rule

from tests.models.chat.machine import ChatMachineBase, actors, chats, offsets, people, refused
from tests.models.chat.model import Chat
from tests.support.chat import draft
from webapp.chat.ids import direct_id
from webapp.chat.messages import sending
from webapp.core.text.parser import parse

EMOJI = ("👍", "🐦")


class MessageRules(ChatMachineBase):
    """Let members write."""

    @rule(cid=chats, actor=actors, count=st.integers(1, 3))
    def send(self, cid: str, actor: int, count: int) -> None:
        """Send messages to a group, or one message to a direct chat."""
        uid = self.member(cid, actor)
        chat = self.chats.get(cid)
        if chat and chat.is_direct:
            self._send_directly(uid, next(other for other in chat.members if other != uid))
            return
        with refused(self.group_error(cid, uid, owners_only=bool(chat and chat.only_owners_write))):
            for _ in range(count):
                self.send_message(cid, uid)

    @rule(target=chats, person=people, other=people)
    def send_directly(self, person: int, other: int) -> Any:
        """Send a direct message to another member."""
        if person == other:
            return multiple()
        return self._send_directly(self.uids[person], self.uids[other])

    def _send_directly(self, uid: int, other: int) -> str:
        cid = direct_id(uid, other)
        chat = self.chats.get(cid)
        is_full_request = (
            chat
            and not chat.accepted
            and chat.creator == uid
            and chat.last_id >= self.config.chat_request_max
        )
        with refused("request_waits" if is_full_request else None):
            if not chat:
                chat = self._begin_direct_chat(cid, uid, other)
            self.send_message(cid, uid)
            if chat.creator != uid:
                chat.accepted = True
        return cid

    def _begin_direct_chat(self, cid: str, uid: int, other: int) -> Chat:
        accepted = self.follow_each_other(other, uid)
        chat = Chat("direct", uid, self.config.chat_history, accepted=accepted)
        for member in (uid, other):
            chat.add_member(member)
        self.chats[cid] = chat
        return chat

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        """Send a message again with the same key, as after a lost response."""
        message = data.draw(st.sampled_from(self.sent))
        cid, uid = message.cid, message.uid
        if cid not in self.chats or uid not in self.chats[cid].members:
            return
        message_id = sending.send(self.site, uid, cid, draft(message.text), message.idempotency_key)
        assert message_id == message.message_id
        self.changed.add(cid)

    @rule(cid=chats, actor=actors, offset=offsets)
    def edit(self, cid: str, actor: int, offset: int) -> None:
        """Edit a message. A deleted one is missing even for members who may not see it."""
        uid = self.member(cid, actor)
        chat = self.chats.get(cid)
        message_id = self.message_id(cid, offset)
        message, code = self.visible_message(cid, uid, message_id)
        stored = chat.messages.get(message_id) if chat else None
        if not stored or stored.deleted:
            message, code = None, "no_message"
        elif message and message.author != uid:
            code = "not_yours"
        elif message and chat and chat.only_owners_write and uid not in chat.owners:
            code = "only_owners"
        with refused(code):
            text = parse(f"edited by {uid}")
            sending.edit(self.site, uid, cid, message_id, text.text, text.entities)
            if message:
                message.text = text.text
                message.edited = True
        self._mark_changed(cid)

    @rule(cid=chats, actor=actors, offset=offsets)
    def delete(self, cid: str, actor: int, offset: int) -> None:
        uid = self.member(cid, actor)
        chat = self.chats.get(cid)
        message_id = self.message_id(cid, offset)
        message, code = self.visible_message(cid, uid, message_id)
        if message and chat and message.author != uid and uid not in chat.owners:
            code = "not_yours"
        with refused(code):
            sending.delete(self.site, uid, cid, message_id)
            if message and chat:
                chat.deleted_ids.add(message_id)
                message.text = ""
                message.deleted = True
                message.edited = False
                message.reactions = {}
        self._mark_changed(cid)

    @rule(cid=chats, actor=actors, offset=offsets, emoji=st.sampled_from(EMOJI), add=st.booleans())
    def react(self, cid: str, actor: int, offset: int, emoji: str, add: bool) -> None:
        uid = self.member(cid, actor)
        message_id = self.message_id(cid, offset)
        message, code = self.visible_message(cid, uid, message_id)
        if message and message.deleted:
            code = "no_message"
        with refused(code):
            sending.react(self.site, uid, cid, message_id, emoji, add)
            if message:
                uids = message.reactions.pop(emoji, [])
                if add and uid not in uids:
                    uids.append(uid)
                elif not add and uid in uids:
                    uids.remove(uid)
                if uids:
                    message.reactions[emoji] = uids
        self._mark_changed(cid)

    def _mark_changed(self, cid: str) -> None:
        if cid in self.chats:
            self.changed.add(cid)
