"""Channels of the store: what is said on one is heard by those who listen just then, and kept nowhere."""

from __future__ import annotations

import time
from random import choice
from typing import NamedTuple

from redis.connection import Connection, ConnectionPool
from redis.exceptions import ConnectionError, RedisError

from webapp.core.events.outbox import WAKE_CHANNEL

from .client import Db

MESSAGES_MAX = 1_000  # heard in one go
KEEPALIVE_SECONDS = 15.0  # of silence, after which the server is asked whether it is there; after as long again it is not


class Received(NamedTuple):
    """What was said. `missed`: anything may have been said before that nobody heard, for listening has just begun."""

    messages: list[str]
    missed: bool = False


class Subscription:
    """A channel, on a connection of its own that is opened when it is first waited on, and again after it broke. Any
    server passes messages on.
    """

    def __init__(self, db: Db, channel: str) -> None:
        self._db, self._channel = db, channel
        self._connected: tuple[ConnectionPool, Connection] | None = None
        self._last_received = self._last_ping = 0.0  # monotonic seconds

    def wait(self, seconds: float) -> Received:
        """What was said, after at most so many seconds; nothing when there is nobody to listen to."""
        messages, missed = list[str](), False
        try:
            _, connection = self._connected or self._subscribe()
            while len(messages) < MESSAGES_MAX and connection.can_read(
                0 if messages or missed else seconds
            ):
                kind, *_, text = connection.read_response()
                self._last_received = time.monotonic()
                missed = missed or kind == "subscribe"
                if kind == "message":
                    messages.append(text)
            self._keepalive(connection)
        except (RedisError, OSError):
            self.close()
            time.sleep(seconds)  # what was missed is looked for then
        return Received(messages, missed)

    def close(self) -> None:
        """Ends the subscription; the next wait opens another."""
        if self._connected:
            pool, connection = self._connected
            self._connected = None
            connection.disconnect()
            pool.release(connection)

    def _subscribe(self) -> tuple[ConnectionPool, Connection]:
        pool = choice(self._db.primaries())
        self._connected = pool, pool.get_connection()
        self._connected[1].send_command("SUBSCRIBE", self._channel)
        self._last_received = self._last_ping = time.monotonic()
        return self._connected

    def _keepalive(self, connection: Connection) -> None:
        """A server that vanished without a word is silent, as one is with nothing to say."""
        now = time.monotonic()
        if now - self._last_received > 2 * KEEPALIVE_SECONDS:
            raise ConnectionError("the server says nothing")
        if now - max(self._last_received, self._last_ping) > KEEPALIVE_SECONDS:
            self._last_ping = now
            connection.send_command("PING")


class WakeupListener:
    """The wake-up channel: which partitions have new events. A message missed costs one poll interval, no more."""

    def __init__(self, db: Db) -> None:
        self._subscription = Subscription(db, WAKE_CHANNEL)
        self.close = self._subscription.close

    def wait(self, seconds: float) -> set[int]:
        """The partitions that were woken, after at most so many seconds."""
        return set(map(int, self._subscription.wait(seconds).messages))
