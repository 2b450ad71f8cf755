"""Workers that apply events and die."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.models.site.machine import SiteMachineBase, members
from tests.support import worker
from webapp.core.errors import LeaseLost
from webapp.core.events.outbox import BULK, GROUPS
from webapp.core.store import partition_of, send
from webapp.following import keys as following_keys


class WorkerRules(SiteMachineBase):
    """Let workers apply events, each as a new owner of its partition."""

    @rule(uid=members, group=st.sampled_from(GROUPS), count=st.integers(1, 3), dies=st.booleans())
    def apply_some_events(self, uid: int, group: str, count: int, dies: bool) -> None:
        """Apply a few events of a partition; the worker may die before it acknowledges them.

        Events that were read but not acknowledged stay pending for the next owner.
        """
        partition = partition_of(uid)
        if group == BULK:
            self._apply_bulk_event(partition, dies)
            return
        consumer = self.owner(group, partition)
        reply = self.entries(consumer)
        if not reply:
            return
        were_pending, entries = reply
        some = [were_pending, entries[:count]]
        if dies:
            consumer._acknowledge = lambda applied: send()  # type: ignore[method-assign]
        consumer.apply(some, lambda: None)
        pending = self.model.pending_events[group, partition]
        applied = pending[: len(entries[:count])]
        for event in applied:
            self.model.apply(group, event)
        if dies:
            self.dead_workers.append((consumer, some, applied))
        else:
            del pending[: len(applied)]

    @precondition(lambda self: self.dead_workers)
    @rule(data=st.data())
    def resume_after_lost_lease(self, data: st.DataObject) -> None:
        """Let a worker whose lease expired apply the events that it had read.

        Events bring what they are about up to the current state. Without the lease, only the ends
        of follows that a block caused are written.
        """
        consumer, reply, events = data.draw(st.sampled_from(self.dead_workers))
        try:
            consumer.apply(reply, lambda: None)
        except LeaseLost:
            events = [
                event
                for event in events
                if event.type == "blocked" and not self._follows(event.target, event.subject)
            ]
            self._copy_applied_relationships()
        for event in events:
            self.model.apply(consumer.group, event)

    def apply_all_events(self) -> None:
        """Apply all waiting events to the store and to the model."""
        for uid in self.model.logins:
            for group in GROUPS:
                self.expire(group, partition_of(uid))
        worker.drain(self.site, f"worker-{self.generation}")
        pending = self.model.pending_events
        # Applied events may cause others.
        while waiting := [key for key, events in pending.items() if events]:
            for key in waiting:
                events = pending[key]
                pending[key] = []
                for event in events:
                    self.model.apply(key[0], event)

    def _apply_bulk_event(self, partition: int, dies: bool) -> None:
        """Apply a bulk event; the worker may die before it says so."""
        fields, is_done = self.bulk_step(partition, 1_000, dies)
        if fields:
            pending = self.model.pending_events[BULK, partition]
            assert is_done and fields["type"] == pending[0].type
            self.model.apply(BULK, pending[0])
            if not dies:
                del pending[0]

    def _copy_applied_relationships(self) -> None:
        """Copy into the model what a worker did to requests before it lost its lease."""
        for uid in self.model.logins:
            requested = self.listed(following_keys.sent_follow_requests(uid))
            follows = self.listed(following_keys.following(uid))
            for other in list(self.model.requested[uid]):
                if other in requested:
                    continue
                if other in follows:
                    self.model.begin_follow(uid, other)
                else:
                    self.model.end_request(uid, other)
            for other in requested - set(self.model.requested[uid]):  # a follow became a request
                self.model.end_follow(uid, other)
                self.model.begin_request(uid, other)
            self.model.applied_requests[uid] = self.listed(following_keys.follow_requests(uid))
            self.model.applied_blockers[uid] = self.listed(following_keys.blockers(uid))

    def _follows(self, uid: int, other: int) -> bool:
        return self.db.run(("ZSCORE", following_keys.following(uid), other)) is not None
