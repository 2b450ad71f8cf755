"""Wake-ups: scripts publish a partition's number when they append an event to its outbox."""

from __future__ import annotations

from webapp.core.store.client import Db
from webapp.core.store.pubsub import Subscription

from .keys import BULK_WAKE_CHANNEL, WAKE_CHANNEL
from .outbox import BULK


class WakeupListener:
    """A subscription to a group's wake-ups. A missed one costs at most one poll interval."""

    def __init__(self, db: Db, group: str) -> None:
        channel = BULK_WAKE_CHANNEL if group == BULK else WAKE_CHANNEL
        self._subscription = Subscription(db, channel)

    def wait(self, seconds: float) -> set[int]:
        """Return the partitions that were woken, after at most `seconds`."""
        return set(map(int, self._subscription.wait(seconds).messages))

    def close(self) -> None:
        """End the subscription. The next `wait` opens another one."""
        self._subscription.close()
