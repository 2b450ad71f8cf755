"""A pool of connections that keeps no metrics.

Why, measured: redis-py counts connections whenever one is taken or given back, whether anybody
asks or not. That took a sixth of the time of a trip.
"""

from __future__ import annotations

from typing import Any

from redis.connection import Connection, ConnectionPool
from redis.exceptions import RedisError


class PlainPool(ConnectionPool):
    """A pool that keeps idle connections in a list of its own. To redis-py they stay in use.

    Not for Sentinels: redis-py asks them for the primary as it takes a connection back.
    """

    _idle: list[Connection]

    def reset(self) -> None:
        """Forget all connections: at first, and in a process that was forked."""
        super().reset()
        self._idle = []

    def get_connection(self, *args: Any, **options: Any) -> Connection:
        """Return a connection that can be used. Raises redis-py's errors."""
        self._checkpid()
        try:
            connection = self._idle.pop()
        except IndexError:
            return super().get_connection()
        if connection.is_connected and _is_idle(connection):
            return connection
        connection.disconnect()
        super().release(connection)
        return super().get_connection()  # connects it again, and waits for that once

    def release(self, connection: Any) -> None:
        """Take a connection back."""
        self._idle.append(connection)


def _is_idle(connection: Connection) -> bool:
    """Return True if a connection is open, as far as one knows, and has no reply left."""
    try:
        return not connection.can_read()
    except (RedisError, OSError):
        return False
