"""Workers that read events from outboxes."""

from typing import Any

from tests.support import worker
from tests.support.world import OnSite
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.bulk_consumer import DONE, BulkConsumer
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.events.leases import LEASE
from webapp.core.events.outbox import BULK, Event
from webapp.core.store import Db, to_dict


class Workers(OnSite):
    """Read events from outboxes as workers do, each time as a new owner."""

    config: Config
    db: Db
    generation = 0

    def owner(self, group: str, partition: int) -> PartitionConsumer:
        """Expire a partition's lease and take it. Return the new owner's consumer."""
        token = self._take_over(group, partition)
        return worker.consumer(self.site, group, partition, token)

    def bulk_owner(self, partition: int) -> BulkConsumer:
        """Do the same for the group `bulk`."""
        token = self._take_over(BULK, partition)
        return worker.bulk_consumer(self.site, partition, token)

    def bulk_step(self, partition: int, slices: int, dies: bool) -> tuple[dict[str, str], bool]:
        """Apply some slices of the first bulk event; the worker may die before it saves the last.

        Return the event's fields, empty if there is none, and whether all of it is applied.
        """
        consumer = self.bulk_owner(partition)
        positions: list[str] = []
        save = consumer._save

        def save_unless_dying(event: Event, position: str) -> None:
            positions.append(position)
            if not dies or (len(positions) < slices and position != DONE):
                save(event, position)

        consumer._save = save_unless_dying  # type: ignore[method-assign]
        fields: dict[str, str] = {}
        for _ in range(slices):
            reply = self.db.trip_with_errors([consumer.command()])[0]
            if not reply:
                break
            fields = to_dict(reply[1])
            assert consumer.apply(reply, lambda: None), "applying failed"
            if positions[-1] == DONE:
                return fields, True
        return fields, False

    def _take_over(self, group: str, partition: int) -> int:
        """Expire a partition's lease and take it. Return its token."""
        self.expire(group, partition)
        self.generation += 1
        lease = LEASE(
            partition=partition,
            group=group,
            owner=f"worker-{self.generation}",
            duration=10_000,
        )
        return int(self.db.run(lease))

    def entries(self, consumer: PartitionConsumer) -> list[list[Any]] | None:
        """Read events: the unfinished ones of earlier owners first, then new ones."""
        reply = self.db.trip_with_errors([consumer.command()])[0]
        return reply if reply[1] else None

    def expire(self, group: str, partition: int) -> None:
        """Expire a partition's lease."""
        self.db.run(("HSET", event_keys.lease(partition, group), "until", 0))

    def listed(self, key: str) -> set[int]:
        """Return the members of a sorted set."""
        return set(map(int, self.db.run(("ZRANGE", key, 0, -1))))
