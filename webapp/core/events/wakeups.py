"""Wake-ups: scripts publish a partition's number when they append an event to its outbox."""

from __future__ import annotations

from webapp.core.store.client import Db
from webapp.core.store.pubsub import Subscription

from .keys import WAKE_CHANNEL


class WakeupListener:
    """A subscription to wake-ups. A missed one costs at most one poll interval."""

    def __init__(self, db: Db) -> None:
        self._subscription = Subscription(db, WAKE_CHANNEL)

    def wait(self, seconds: float) -> set[int]:
        """Return the partitions that were woken, after at most `seconds`."""
        return set(map(int, self._subscription.wait(seconds).messages))

    def close(self) -> None:
        """End the subscription. The next `wait` opens another one."""
        self._subscription.close()
