"""Copies of cached pages in this process: a second old at most, and dropped when pages are.

While the store is silent, older copies are better than none.
"""

import threading
import time
from dataclasses import dataclass

from webapp.core.logs import log
from webapp.core.store import Db
from webapp.core.store.pubsub import Subscription

from .cached_page import CachedPage
from .invalidation import CHANNEL, parse_message
from .variant import CacheKey

TTL_SECONDS = 1.0
SILENT_TTL_SECONDS = 60.0  # while the store is silent: nobody can have newer pages
COPIES_MAX = 512
WAIT_SECONDS = 1.0  # for messages; and before trying again after an error


@dataclass(slots=True)
class LocalCopy:
    """A page as it was at `as_of` (monotonic seconds). `stale`: a newer one is to be rendered."""

    page: CachedPage
    as_of: float
    stale: bool = False


class LocalCache:
    """The copies of one process. It stores none until it listens to invalidations."""

    def __init__(self) -> None:
        self._copies: dict[CacheKey, LocalCopy] = {}  # the oldest first
        self._lock = threading.Lock()
        self._listening = False

    def get(self, key: CacheKey, max_age: float = TTL_SECONDS) -> LocalCopy | None:
        """Return the copy of a page, if it is younger than `max_age` seconds."""
        copy = self._copies.get(key)
        return copy if copy and time.monotonic() - copy.as_of < max_age else None

    def put(self, key: CacheKey, page: CachedPage, as_of: float) -> None:
        """Store a copy of a page that the store had at `as_of`, or after it."""
        if not self._listening:
            return
        with self._lock:
            self._copies.pop(key, None)
            if len(self._copies) >= COPIES_MAX:
                del self._copies[next(iter(self._copies))]
            self._copies[key] = LocalCopy(page, as_of)

    def listen(self, db: Db) -> None:
        """Start to listen, in a thread that lives as long as the process, and to store copies."""
        self._listening = True
        subscription = Subscription(db, CHANNEL)
        threading.Thread(
            target=self._listen, args=(subscription,), name="page-invalidations", daemon=True
        ).start()

    def on_invalidation(self, message: str) -> None:
        """Drop the copies that a message on the channel names, or mark them as stale."""
        mode, paths = parse_message(message)
        with self._lock:
            for key in [key for key in self._copies if key.path in paths or "*" in paths]:
                if mode == "soft":
                    self._copies[key].stale = True
                else:
                    del self._copies[key]

    def _listen(self, subscription: Subscription) -> None:
        while True:
            try:
                received = subscription.wait(WAIT_SECONDS)
                if received.missed:
                    self._drop_all()
                for message in received.messages:
                    self.on_invalidation(message)
            except Exception:  # the thread must go on: without it, copies would not be dropped
                log.warning("page invalidations were not received", exc_info=True)
                subscription.close()
                time.sleep(WAIT_SECONDS)

    def _drop_all(self) -> None:
        with self._lock:
            self._copies.clear()
