"""The thread of a worker that makes the requests of webhooks, a few at the same time."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence

from webapp.accounts import store as accounts
from webapp.config import Config
from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.core.store.reads import collect, read
from webapp.errors import Unavailable

from . import keys
from .deliveries import Delivery, claim, due_partitions
from .webhook_delivery import deliver

REQUESTS_MAX = 8  # requests of one worker
REQUESTS_PER_OWNER = 2  # of them, for bots of one member: slow bots must not hold up others
POLL_SECONDS = 0.5


class Deliverer:
    """Makes requests beside the worker's other work."""

    def __init__(self, db: Db, config: Config) -> None:
        self._db, self._config = db, config
        self._slots = threading.Semaphore(REQUESTS_MAX)
        self._lock = threading.Lock()
        self._in_flight: Counter[int] = Counter()  # uid of an owner → requests for their bots

    def run(self, stop: threading.Event) -> None:
        """Deliver until `stop` is set, and wait while the store is down.

        Requests that are not finished then are made again.
        """
        while not stop.is_set():
            try:
                started = self._start_due(stop)
            except Exception as error:  # a loop that ends would leave bots without messages
                _log_error("deliveries pause: %r", error)
                started = False
            if not started:
                stop.wait(POLL_SECONDS)

    def _start_due(self, stop: threading.Event) -> bool:
        """Start one delivery in each partition where one is due. Return False if none was."""
        started = False
        for partition in self._db.read(due_partitions()):
            while not self._slots.acquire(timeout=POLL_SECONDS):
                if stop.is_set():
                    return False
            started = self._start_one(partition) or started
        return started

    def _start_one(self, partition: int) -> bool:
        """Start a delivery in a slot that is acquired already. Return False if none is due."""
        started = False
        try:
            for delivery in claim(self._db, partition, 1, self._saturated_bots()):
                owner = self._owner_uid(delivery.bot_uid)
                self._track(owner, 1)
                arguments = (delivery, owner)
                threading.Thread(
                    target=self._deliver, args=arguments, daemon=True, name="delivery"
                ).start()
                started = True
        finally:
            if not started:
                self._slots.release()
        return started

    def _saturated_bots(self) -> Sequence[int]:
        """Return the bots of members who have their share of requests. At most one trip."""
        with self._lock:
            counts = list(self._in_flight.items())
        owners = [owner for owner, count in counts if count >= REQUESTS_PER_OWNER]
        lists = self._db.read(
            collect(read(("ZRANGE", keys.bots(owner), 0, -1), list) for owner in owners)
        )
        return [int(bot_uid) for bots in lists for bot_uid in bots]

    def _owner_uid(self, bot_uid: int) -> int:
        """Return the uid of a bot's owner, 0 if the bot is gone. One trip."""
        bot = self._db.read(accounts.get(bot_uid))
        return bot.bot_owner if bot else 0

    def _track(self, owner: int, delta: int) -> None:
        with self._lock:
            self._in_flight[owner] += delta
            if not self._in_flight[owner]:
                del self._in_flight[owner]

    def _deliver(self, delivery: Delivery, owner: int) -> None:
        try:
            deliver(self._db, self._config, delivery)
        except Exception as error:  # it comes again when the lease runs out
            _log_error(f"delivery {delivery.id}: %r", error)
        finally:
            self._track(owner, -1)
            self._slots.release()


def deliver_due(db: Db, config: Config) -> int:
    """Make the requests that are due, one after the other. Return how many."""
    count = 0
    while deliveries := _claim_due(db):
        for delivery in deliveries:
            deliver(db, config, delivery)
        count += len(deliveries)
    return count


def _claim_due(db: Db) -> list[Delivery]:
    partitions = db.read(due_partitions())
    return [delivery for partition in partitions for delivery in claim(db, partition, REQUESTS_MAX)]


def _log_error(message: str, error: Exception) -> None:
    """Log an error, with its traceback unless the store is down."""
    log.warning(message, error, exc_info=not isinstance(error, Unavailable))
