"""The wake-up channel: which partitions have new events. A message missed costs one poll interval, nothing more."""

from __future__ import annotations

from redis.connection import Connection
from redis.exceptions import RedisError

from .db import Db
from .errors import Unavailable
from .events import WAKE


class Bell:
    """A subscription on a connection of its own, opened when it is first waited on."""

    def __init__(self, db: Db) -> None:
        self._pool = db.primaries()[0]
        self._connection: Connection | None = None

    def wait(self, seconds: float) -> set[int]:
        """The partitions that were woken, after at most so many seconds. Raises Unavailable."""
        try:
            connection = self._connection or self._subscribe()
            woken: set[int] = set()
            while connection.can_read(0 if woken else seconds):
                kind, _, partition = connection.read_response()
                if kind == "message":
                    woken.add(int(partition))
                seconds = 0
            return woken
        except (RedisError, OSError) as error:
            self.close()
            raise Unavailable("store_down") from error

    def close(self) -> None:
        """Ends the subscription; the next wait opens another."""
        connection, self._connection = self._connection, None
        if connection:
            connection.disconnect()
            self._pool.release(connection)

    def _subscribe(self) -> Connection:
        self._connection = connection = self._pool.get_connection()
        connection.send_command("SUBSCRIBE", WAKE)
        return connection
