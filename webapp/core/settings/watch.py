"""Let a process learn of changed settings: at once by a message, and within a second without it."""

from __future__ import annotations

import threading
import time

from webapp.core.errors import Unavailable
from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.core.store.pubsub import Subscription

from .live import LiveSettings
from .store import CHANNEL, refresh

WAIT_SECONDS = 0.9  # for a message, before the store is asked


def start(db: Db, live: LiveSettings) -> None:
    """Watch the settings in a thread that lives as long as the process.

    While the store is down, the last known values stay.
    """
    subscription = Subscription(db, CHANNEL)
    thread = threading.Thread(
        target=_watch, args=(db, live, subscription), name="settings", daemon=True
    )
    thread.start()


def _watch(db: Db, live: LiveSettings, subscription: Subscription) -> None:
    while True:
        try:
            subscription.wait(WAIT_SECONDS)
            refresh(db, live)
        except Unavailable:
            time.sleep(WAIT_SECONDS)
        except Exception:  # the thread must go on: without it, changes would not be seen
            log.warning("changed settings were not read", exc_info=True)
            subscription.close()
            time.sleep(WAIT_SECONDS)
