"""Writes that a drill counts, and waiting for what happens meanwhile."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from redis.exceptions import RedisError

from webapp.config import Config
from webapp.core.errors import StoreError, Unavailable
from webapp.core.store import Db, keys

PATIENCE = 60.0  # seconds for each step of a drill
POLL_SECONDS = 0.05
LASTS = 86_400  # seconds that the numbers of an interrupted drill stay


class Writer:
    """Adds one number after the other to a set. `acknowledged`: those that were answered."""

    def __init__(self, db: Db, config: Config) -> None:
        self.db, self.acknowledged = db, set[str]()
        self._config, self._is_over = config, threading.Event()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write while the block runs."""
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            thread.join()

    def until_more(self, count: int) -> None:
        """Wait until so many more are acknowledged. Raises StoreError."""
        goal = len(self.acknowledged) + count
        until(lambda: len(self.acknowledged) >= goal, "the store acknowledges no writes")

    def _run(self) -> None:
        number, config = 0, self._config
        while not self._is_over.is_set():
            number += 1
            self.db.wait_for_replicas(config.write_replicas, config.write_replicas_disk)
            try:
                self.db.trip(
                    ("SADD", keys.drill_writes(), number), ("EXPIRE", keys.drill_writes(), LASTS)
                )
                self.acknowledged.add(str(number))
            except (Unavailable, RedisError):  # it is away, or lacks a replica
                time.sleep(POLL_SECONDS)


def until(condition: Callable[[], object], fault: str) -> float:
    """Wait for something, and return how many seconds. Raises StoreError after PATIENCE."""
    began = time.monotonic()
    while True:
        with suppress(RedisError, Unavailable, StoreError, OSError):
            if condition():
                return time.monotonic() - began
        if time.monotonic() - began > PATIENCE:
            raise StoreError(f"The drill stopped after {PATIENCE:.0f} s: {fault}.")
        time.sleep(POLL_SECONDS)
