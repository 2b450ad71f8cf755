"""Channels of the store: messages reach those who listen at the time, and are not stored."""

import time
from random import choice
from typing import NamedTuple

from redis.connection import Connection, ConnectionPool
from redis.exceptions import ConnectionError, RedisError

from .client import Db

MESSAGES_MAX = 1_000  # returned by one wait
KEEPALIVE_SECONDS = 15.0  # of silence before a PING; after as long again the server counts as gone


class Received(NamedTuple):
    """The messages of one wait. `missed`: listening has just begun, so earlier ones may be lost."""

    messages: list[str]
    missed: bool = False


class Subscription:
    """A subscription to one channel, on a connection of its own.

    The first `wait` connects, to any server: each passes on all messages. A connection that
    broke is replaced by the next `wait`.
    """

    def __init__(self, db: Db, channel: str) -> None:
        self._db, self._channel = db, channel
        self._connected: tuple[ConnectionPool, Connection] | None = None
        self._last_received = self._last_ping = 0.0  # monotonic seconds

    def wait(self, seconds: float) -> Received:
        """Return the messages that arrive within `seconds`; none while the store is down."""
        messages: list[str] = []
        missed = False
        try:
            _, connection = self._connected or self._subscribe()
            while len(messages) < MESSAGES_MAX:
                has_some = bool(messages or missed)
                if not connection.can_read(0 if has_some else seconds):
                    break
                kind, *_, text = connection.read_response()
                self._last_received = time.monotonic()
                if kind == "subscribe":
                    missed = True
                elif kind == "message":
                    messages.append(text)
            self._keepalive(connection)
        except (RedisError, OSError):
            self.close()
            time.sleep(seconds)
        return Received(messages, missed)

    def close(self) -> None:
        """End the subscription. The next `wait` opens another one."""
        if self._connected:
            pool, connection = self._connected
            self._connected = None
            connection.disconnect()
            pool.release(connection)

    def _subscribe(self) -> tuple[ConnectionPool, Connection]:
        pool = choice(self._db.primaries())
        connection = pool.get_connection()
        self._connected = pool, connection
        connection.send_command("SUBSCRIBE", self._channel)
        self._last_received = self._last_ping = time.monotonic()
        return self._connected

    def _keepalive(self, connection: Connection) -> None:
        """Tell a quiet server from one that vanished. Raises ConnectionError for the latter."""
        now = time.monotonic()
        if now - self._last_received > 2 * KEEPALIVE_SECONDS:
            raise ConnectionError("the server says nothing")
        if now - max(self._last_received, self._last_ping) > KEEPALIVE_SECONDS:
            self._last_ping = now
            connection.send_command("PING")
