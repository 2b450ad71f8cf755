"""Fetching and reading, and what chats must show after each step."""

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.models.chat import searching
from tests.models.chat.machine import ChatMachineBase, actors, chats, offsets, people, refused
from tests.models.chat.model import Chat
from tests.support.chat import all_messages, all_messages_forwards, fetch
from webapp.chat import reading
from webapp.chat.api import fetch as api_fetch
from webapp.chat.inbox import chat_state
from webapp.chat.members import membership

PAGE_SIZE = 2


class ReadingRules(ChatMachineBase):
    """Let members fetch and read, and compare each changed chat with the model."""

    @rule(person=people, mark=st.booleans())
    def fetch(self, person: int, mark: bool) -> None:
        self.fetch_pending(self.uids[person], mark)

    @rule(person=people)
    def fetch_again(self, person: int) -> None:
        """Fetch twice without marking, as after a lost response, then mark as fetched."""
        uid = self.uids[person]
        self.fetch_pending(uid, mark=False)
        for cid, message_ids in self.fetch_pending(uid, mark=False).items():
            api_fetch.mark_fetched(self.db, uid, {cid: message_ids[-1]})
            self.chats[cid].mark_fetched(uid, message_ids[-1])

    @rule(cid=chats, actor=actors, offset=offsets)
    def mark_read(self, cid: str, actor: int, offset: int) -> None:
        uid = self.member(cid, actor)
        chat = self.chats.get(cid)
        message_id = self.message_id(cid, offset)
        with refused(None if chat and uid in chat.members else "not_in_chat"):
            chat_state.mark_read(self.db, uid, cid, message_id)
            if chat:
                chat.mark_read(uid, message_id)
        self.changed.add(cid)

    @invariant()
    def chats_equal_the_model(self) -> None:
        for cid in self.changed:
            if cid in self.chats:
                self._compare(cid, self.chats[cid])
            else:
                with refused("no_chat"):
                    self.db.read(reading.open_page(self.uids[0], cid, size=PAGE_SIZE))
        if self.changed and self.chats:
            searching.compare(self.db, self.uids[:1], self.chats, self.uids[1])
        self.changed.clear()

    def fetch_pending(self, uid: int, mark: bool) -> dict[str, list[int]]:
        """Fetch; the messages are the oldest pending ones, without a gap. Return ids by chat."""
        if mark:
            fetched = fetch(self.site, uid)
        else:
            results = api_fetch.fetch_pending(self.site, uid, mark_as_fetched=False)
            fetched = {
                result.chat.id: [message.id for message in result.messages] for result in results
            }
        for cid, message_ids in fetched.items():
            pending = self.chats[cid].pending[uid]
            assert message_ids and pending[: len(message_ids)] == message_ids
            if mark:
                self.chats[cid].mark_fetched(uid, message_ids[-1])
                self.changed.add(cid)
        return fetched

    def _compare(self, cid: str, chat: Chat) -> None:
        listed = membership.list_members(self.db, cid)
        assert [entry.member.uid for entry in listed] == chat.members
        assert {entry.member.uid for entry in listed if entry.is_owner} == chat.owners
        for uid in self.uids:
            if uid in chat.members:
                self._compare_messages(cid, chat, uid)
                self._compare_page(cid, chat, uid)
            else:
                with refused("not_in_chat"):
                    self.db.read(reading.open_page(uid, cid, size=PAGE_SIZE))
        searching.compare(self.db, self.uids, {cid: chat}, self.uids[1])
        searching.compare_index(self.db, cid, chat)

    def _compare_messages(self, cid: str, chat: Chat, uid: int) -> None:
        """Compare all messages that a member sees, paged in both directions."""
        expected = chat.visible(uid)
        shown = all_messages(self.db, uid, cid, PAGE_SIZE)
        assert [message.id for message in shown] == [*expected]
        forwards = all_messages_forwards(self.db, uid, cid, PAGE_SIZE)
        assert [message.id for message in forwards] == [*expected]
        for message in shown:
            model = expected[message.id]
            assert message.author_uid == model.author
            assert message.text == model.text
            assert message.deleted == model.deleted
            assert bool(message.edited) == model.edited
            reactions = {emoji: list(uids) for emoji, uids in message.reactions.items()}
            assert reactions == model.reactions

    def _compare_page(self, cid: str, chat: Chat, uid: int) -> None:
        page = self.db.read(reading.open_page(uid, cid, size=PAGE_SIZE))
        assert page.chat.kind == chat.kind
        assert page.chat.last_id == chat.last_id
        assert page.chat.member_count == len(chat.members)
        assert page.is_owner == (uid in chat.owners)
