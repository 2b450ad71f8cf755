"""The wake-up channel: which partitions have new events. A message missed costs one poll interval, nothing more."""

from __future__ import annotations

import time
from random import choice

from redis.connection import Connection, ConnectionPool
from redis.exceptions import RedisError

from .db import Db
from .events import WAKE


class Bell:
    """A subscription on a connection of its own, opened when it is first waited on. Any server passes messages on."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._open: tuple[ConnectionPool, Connection] | None = None

    def wait(self, seconds: float) -> set[int]:
        """The partitions that were woken, after at most so many seconds; none when there is nobody to listen to."""
        woken: set[int] = set()
        try:
            _, connection = self._open or self._subscribe()
            while connection.can_read(0 if woken else seconds):
                kind, _, partition = connection.read_response()
                if kind == "message":
                    woken.add(int(partition))
                seconds = 0
        except (RedisError, OSError):
            self.close()
            time.sleep(seconds)  # the store is polled meanwhile
        return woken

    def close(self) -> None:
        """Ends the subscription; the next wait opens another."""
        if self._open:
            pool, connection = self._open
            self._open = None
            connection.disconnect()
            pool.release(connection)

    def _subscribe(self) -> tuple[ConnectionPool, Connection]:
        pool = choice(self._db.primaries())
        self._open = pool, pool.get_connection()
        self._open[1].send_command("SUBSCRIBE", WAKE)
        return self._open
