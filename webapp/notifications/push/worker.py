"""The thread of a worker that sends pushes, a few at the same time."""

from __future__ import annotations

import threading
from collections import Counter

from webapp.config import Config
from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.errors import Unavailable

from .queue import Push, claim, due_partitions
from .sending import send

REQUESTS_MAX = 8  # devices that one worker sends to
REQUESTS_PER_MEMBER = 2  # of them, of one member: slow push services must not hold up others
POLL_SECONDS = 0.5
BATCH = 8  # devices of a partition that `send_due` claims together


class PushSender:
    """Sends pushes beside the worker's other work."""

    def __init__(self, db: Db, config: Config) -> None:
        self._db, self._config = db, config
        self._slots = threading.Semaphore(REQUESTS_MAX)
        self._lock = threading.Lock()
        self._in_flight: Counter[int] = Counter()  # uid → devices that are sent to

    def run(self, stop: threading.Event) -> None:
        """Send until `stop` is set, and wait while the store is down.

        What is not finished then is sent again.
        """
        while self._config.web_push != "off" and not stop.is_set():
            try:
                started = self._start_due(stop)
            except Exception as error:  # a loop that ends would leave devices without messages
                _log_error("pushes pause: %r", error)
                started = False
            if not started:
                stop.wait(POLL_SECONDS)

    def _start_due(self, stop: threading.Event) -> bool:
        """Start one push in each partition where one is due. Return False if none was."""
        started = False
        for partition in self._db.read(due_partitions()):
            while not self._slots.acquire(timeout=POLL_SECONDS):
                if stop.is_set():
                    return False
            started = self._start_one(partition) or started
        return started

    def _start_one(self, partition: int) -> bool:
        """Start a push in a slot that is acquired already. Return False if none is due."""
        started = False
        try:
            for push in claim(self._db, partition, 1, self._busy_members()):
                self._track(push.uid, 1)
                threading.Thread(target=self._send, args=(push,), daemon=True, name="push").start()
                started = True
        finally:
            if not started:
                self._slots.release()
        return started

    def _busy_members(self) -> list[int]:
        with self._lock:
            return [uid for uid, count in self._in_flight.items() if count >= REQUESTS_PER_MEMBER]

    def _track(self, uid: int, delta: int) -> None:
        with self._lock:
            self._in_flight[uid] += delta
            if not self._in_flight[uid]:
                del self._in_flight[uid]

    def _send(self, push: Push) -> None:
        try:
            send(self._db, self._config, push)
        except Exception as error:  # it comes again when the lease runs out
            _log_error(f"push to member {push.uid}: %r", error)
        finally:
            self._track(push.uid, -1)
            self._slots.release()


def send_due(db: Db, config: Config) -> int:
    """Send what is due, one device after the other. Return how many devices."""
    count = 0
    while pushes := [
        push for partition in db.read(due_partitions()) for push in claim(db, partition, BATCH)
    ]:
        for push in pushes:
            send(db, config, push)
        count += len(pushes)
    return count


def _log_error(message: str, error: Exception) -> None:
    """Log an error, with its traceback unless the store is down."""
    log.warning(message, error, exc_info=not isinstance(error, Unavailable))
