"""Workers that apply events one by one, and die."""

from collections.abc import Mapping

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.support.state_machines.expected import ExpectedState
from tests.support.state_machines.strategies import MEMBERS, booleans
from webapp.core.errors import LeaseLost
from webapp.core.events import keys as event_keys
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.events.outbox import BULK, GROUPS, OUTBOX_GROUPS
from webapp.core.store import partition_of, send, to_dict

Entries = list[tuple[str, list[str]]]
EVERYTHING = 1_000  # more events than ever wait


class WorkerRules(ExpectedState):
    """Let workers apply events and die, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.dead_workers: list[tuple[PartitionConsumer, int, Entries]] = []

    def on_event_applied(self, group: str, kind: str, data: Mapping[str, str]) -> None:
        """Update the model after an event was applied completely."""

    def on_lease_lost(self) -> None:
        """Update the model after a lost lease: some events were applied in part."""

    def check(self) -> None:
        """Assert what must hold when no event is waiting."""

    @rule(index=st.integers(0, 2 * MEMBERS - 1), count=st.integers(1, 3), dies=booleans)
    def apply_some_events(self, index: int, count: int, dies: bool) -> None:
        """Apply a few events of a partition; the worker may die before it acknowledges them."""
        waiting = [(uid, group) for uid in self.members_with_events() for group in GROUPS]
        if waiting:
            uid, group = waiting[index % len(waiting)]
            if group == BULK:
                self._apply_bulk(uid, count, dies)
            else:
                self.apply_next(uid, group, count, dies)

    @precondition(lambda self: self.dead_workers)
    @rule(data=st.data())
    def resume_after_lost_lease(self, data: st.DataObject) -> None:
        """Let a worker whose lease expired apply the events that it had read."""
        self.resume(*data.draw(st.sampled_from(self.dead_workers)))

    def resume(self, consumer: PartitionConsumer, were_pending: int, entries: Entries) -> None:
        """Apply the events that a dead worker had read, and update the model."""
        try:
            self._apply(consumer, were_pending, entries)
        except LeaseLost:
            self.on_lease_lost()

    @rule()
    def apply_events(self) -> None:
        """Apply all waiting events."""
        while uids := self.members_with_events():
            for uid in uids:
                for group in OUTBOX_GROUPS:
                    self.apply_next(uid, group, EVERYTHING, False).sweep()
                while self._apply_bulk(uid, EVERYTHING, False):
                    pass
        self.check()

    def apply_next(self, uid: int, group: str, count: int, dies: bool) -> PartitionConsumer:
        """Apply the next events of a member's partition. Return the consumer."""
        consumer = self.owner(group, partition_of(uid))
        reply = self.entries(consumer)
        if reply:
            were_pending, entries = reply
            some = entries[:count]
            if dies:
                consumer._acknowledge = lambda applied: send()  # type: ignore[method-assign]
                self.dead_workers.append((consumer, were_pending, some))
            self._apply(consumer, were_pending, some)
        return consumer

    def _apply_bulk(self, uid: int, slices: int, dies: bool) -> bool:
        """Apply slices of a bulk event, and update the model. Return False if there was none."""
        self.forget_related()
        fields, is_done = self.bulk_step(partition_of(uid), slices, dies)
        if fields:
            self.forget_related()
            if is_done:
                self.on_event_applied(BULK, fields["type"], fields)
            else:
                self.on_lease_lost()
        return bool(fields)

    def members_with_events(self) -> list[int]:
        """Return the members in whose partitions events wait."""
        lengths = self.db.trip(
            *(
                ("XLEN", events(partition_of(uid)))
                for uid in self.logins
                for events in (event_keys.outbox, event_keys.bulk_events)
            )
        )
        pairs = zip(self.logins, lengths[::2], lengths[1::2], strict=True)
        return [uid for uid, waiting, bulk in pairs if waiting or bulk]

    def _apply(self, consumer: PartitionConsumer, were_pending: int, entries: Entries) -> None:
        """Apply events one by one, so that the model is updated right after each."""
        for entry_id, fields in entries:
            self.forget_related()
            consumer.apply([were_pending, [(entry_id, fields)]], lambda: None)
            assert consumer.ready, "applying failed"
            data = to_dict(fields)
            self.on_event_applied(consumer.group, data["type"], data)
