"""A heartbeat: a process asks the store all the time, so that it knows of a silence immediately.

Without it, the first visitor after a quiet time would wait to find out. It asks Sentinels, too: a
primary that was replaced while it answers may take writes for ten seconds more, which are lost.
"""

import time
from contextlib import suppress
from threading import Thread

from redis.exceptions import RedisError
from redis.sentinel import SentinelConnectionPool

from webapp.core.errors import Unavailable
from webapp.core.store.client import Db

HEARTBEAT_SECONDS = 0.25  # between two


def start_heartbeat(db: Db) -> None:
    """Ask every server each HEARTBEAT_SECONDS, in a thread that lives as long as the process.

    After a silence has opened a circuit, the probe of that circuit asks instead.
    """
    Thread(target=_ask, args=(db,), name="heartbeat", daemon=True).start()


def _ask(db: Db) -> None:
    while True:
        if not db.breaker.open_seconds:
            with suppress(Unavailable, RedisError, OSError):
                db.on_every_primary("PING")
                for pool in db.primaries():
                    if isinstance(pool, SentinelConnectionPool):
                        pool.get_master_address()  # ends connections to another server
        time.sleep(HEARTBEAT_SECONDS)
