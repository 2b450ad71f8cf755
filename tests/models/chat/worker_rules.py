"""Workers that apply events and die, and what members' inboxes must show afterwards."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.models.chat.machine import ChatMachineBase, chats
from tests.support import worker
from tests.support.chat import expire_leases, read_events, remaining_keys, take_over_partition
from webapp.chat import keys as chat_keys
from webapp.chat.inbox import keys as inbox_keys, listing
from webapp.core.errors import LeaseLost
from webapp.core.store import PARTITIONS, send


class WorkerRules(ChatMachineBase):
    """Let workers apply events, each as a new owner of its partition."""

    @rule(cid=chats, count=st.integers(1, 3), dies=st.booleans())
    def apply_some_events(self, cid: str, count: int, dies: bool) -> None:
        """Apply a few events of a partition; the worker may die before it acknowledges them."""
        self.workers += 1
        partition = chat_keys.chat_partition(cid)
        owner = f"worker-{self.workers}"
        consumer = take_over_partition(self.site, partition, owner)
        reply = read_events(self.db, consumer)
        if not reply:
            return
        were_pending, entries = reply
        some = [were_pending, entries[:count]]
        if dies:
            consumer._acknowledge = lambda applied: send()  # type: ignore[method-assign]
            self.dead_workers.append((consumer, some))
        consumer.apply(some, lambda: None)

    @precondition(lambda self: self.dead_workers)
    @rule(data=st.data())
    def resume_after_lost_lease(self, data: st.DataObject) -> None:
        """Let a worker whose lease expired apply the events that it had read."""
        consumer, reply = data.draw(st.sampled_from(self.dead_workers))
        try:
            consumer.apply(reply, lambda: None)
        except LeaseLost:
            return

    @rule()
    def apply_events(self) -> None:
        """Apply all events and compare each member's inbox with the model."""
        self.workers += 1
        expire_leases(self.db, range(PARTITIONS))
        worker.drain(self.site, f"worker-{self.workers}")
        for uid in self.uids:
            self._compare_inbox(uid)
        for cid in self.deleted_chats:
            assert not remaining_keys(self.db, cid)

    def _compare_inbox(self, uid: int) -> None:
        rows = listing.inbox(self.db, uid)
        expected = {
            cid: chat.unread(uid) for cid, chat in self.chats.items() if uid in chat.members
        }
        # A chat that somebody added them to counts as one until they open it.
        for row in rows:
            if row.unread == 1 and uid in self.chats[row.chat.id].unopened:
                expected[row.chat.id] = max(expected[row.chat.id], 1)
        assert {row.chat.id: row.unread for row in rows} == expected
        assert len(rows) == len(expected)
        for row in rows:
            newest = self.chats[row.chat.id].newest_visible(uid)
            assert (row.newest and row.newest.text) == (newest and newest.text)
        listed, fields = self.db.trip(
            ("ZRANGE", inbox_keys.member_chats(uid), 0, -1),
            ("HKEYS", inbox_keys.member_chat_state(uid)),
        )
        assert set(listed) == {field.split(":")[1] for field in fields} == expected.keys()
