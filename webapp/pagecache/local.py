"""The copies of kept pages in this process: at most a second old, and dropped by what drops the pages themselves."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.core.store.pubsub import Subscription

from .store import INVALIDATION_CHANNEL, CachedPage
from .variant import CacheKey

TTL_SECONDS = 1.0
COPIES_MAX = 512
WAIT_SECONDS = 1.0  # for what is said, before looking whether to go on


@dataclass(slots=True)
class LocalCopy:
    """A page, as it was at `since` (monotonic seconds). `worn`: there is something newer, which may be shown later."""

    page: CachedPage
    as_of: float
    stale: bool = False


class LocalCache:
    """None are kept until somebody listens to what drops them."""

    def __init__(self) -> None:
        self._copies: dict[CacheKey, LocalCopy] = {}
        self._lock = threading.Lock()
        self._listening = False

    def get(self, key: CacheKey) -> LocalCopy | None:
        """The copy, if it is young enough."""
        copy = self._copies.get(key)
        return copy if copy and time.monotonic() - copy.as_of < TTL_SECONDS else None

    def put(self, key: CacheKey, page: CachedPage, as_of: float) -> None:
        """Keeps a copy of what the store had, or was given, after `since`."""
        if self._listening:
            with self._lock:
                self._copies.pop(key, None)
                if len(self._copies) >= COPIES_MAX:
                    del self._copies[next(iter(self._copies))]
                self._copies[key] = LocalCopy(page, as_of)

    def listen(self, db: Db) -> None:
        """Begins to listen, in a thread of its own, for as long as the process lives."""
        self._listening = True
        threading.Thread(
            target=self._listen,
            args=(Subscription(db, INVALIDATION_CHANNEL),),
            name="drops",
            daemon=True,
        ).start()

    def on_invalidation(self, message: str) -> None:
        """Does what was said on the channel: `soft` or `hard`, and paths; `*` for all."""
        mode, *paths = message.split(" ")
        with self._lock:
            for key in [one for one in self._copies if one.path in paths or paths == ["*"]]:
                if mode == "soft":
                    self._copies[key].stale = True
                else:
                    del self._copies[key]

    def _listen(self, channel: Subscription) -> None:
        while True:
            try:
                received = channel.wait(WAIT_SECONDS)
                for message in ["hard *"] if received.missed else received.messages:
                    self.on_invalidation(message)
            except (
                Exception
            ):  # a connection that was closed under it; a thread that ends would hear no more
                log.warning("what drops copies of pages was not heard", exc_info=True)
                channel.close()
                time.sleep(WAIT_SECONDS)
