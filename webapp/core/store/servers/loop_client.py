"""Trips to the store in an event loop, which hold no thread.

All trips that begin in one turn of the loop share one write, and all of them one connection. That
suits pages that are requested often and made quickly. There is no connection on a Cluster, over
TLS, and for a moment after one is lost. Threads then send the commands (core/store/client.py).
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from socket import socket
from typing import Any

from hiredis import Reader
from redis.connection import Connection, ConnectionPool
from redis.exceptions import ConnectionError, RedisError

from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.store.replies import STORE_DOWN_ERRORS

from .circuit_breaker import CircuitBreaker
from .exchange import RawReply, Request, exchange, pack_requests
from .greenlets import wait_for

LOOKS = 20  # at a trip that waits
Replies = list[Any] | None


class LoopClient:
    """Trips of one event loop. The first one opens the connection, and so does one after a loss."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._connection: _Connection | None = None
        self._opening: asyncio.Task[None] | None = None
        self._is_possible = db.is_single_server

    async def trip(self, commands: Sequence[Command], packed: bytes) -> Replies:
        """Send commands in one trip. Return their replies, None if a thread must send them.

        `packed`: the commands as they are sent (exchange.py).
        """
        if (connection := self._usable()) is None:
            return None
        self._db.count_trip(commands)
        replies = await connection.ask(commands, packed)
        has_error = any(isinstance(one, RedisError) for one in replies or ())
        return None if has_error else replies

    def exchange(
        self, batches: dict[ConnectionPool, list[Request]], breaker: CircuitBreaker
    ) -> dict[int, Any]:
        """Exchange as `exchange` does (exchange.py), for a greenlet of the loop."""
        [(pool, requests)] = batches.items()
        breaker.check(pool)
        if (connection := self._usable()) is None:
            in_thread = asyncio.get_running_loop().run_in_executor
            return wait_for(in_thread(None, exchange, batches, breaker))
        commands = [request.command for request in requests]
        replies = wait_for(connection.ask(commands, pack_requests(requests)))
        if replies is None:
            raise ConnectionError("The connection to the store was lost.")
        for reply in replies:
            if isinstance(reply, STORE_DOWN_ERRORS):
                raise reply
        return {request.position: reply for request, reply in zip(requests, replies, strict=True)}

    @property
    def is_ready(self) -> bool:
        """Return True if there is a connection. Open one if there is none."""
        return self._usable() is not None

    async def close(self) -> None:
        """Close the connection, if there is one, for good."""
        self._is_possible = False
        if self._opening:
            await self._opening
        if self._connection:
            self._connection.abort()
            await asyncio.sleep(0)  # trips on their way learn of it

    def _usable(self) -> "_Connection | None":
        connection = self._connection
        if connection is None or connection.is_lost:
            self._open()
            return None
        if not self._db.primaries()[0].owns_connection(connection.opened):
            connection.abort()  # Sentinels have named another primary
            return None
        return connection

    def _open(self) -> None:
        if self._is_possible and self._opening is None and not self._db.is_silent:
            self._opening = asyncio.create_task(self._connect())

    async def _connect(self) -> None:
        try:
            with suppress(RedisError, OSError):
                pool = self._db.primaries()[0]
                opened = await asyncio.to_thread(_opened, pool)
                sock: Any = opened._sock
                self._is_possible &= type(sock) is socket
                if self._is_possible:
                    sock.setblocking(False)
                    loop = asyncio.get_running_loop()
                    protocol = _Connection(opened, pool, self._db.breaker)
                    await loop.create_connection(lambda: protocol, sock=sock)
                    self._connection = protocol
        finally:
            self._opening = None


def _opened(pool: ConnectionPool) -> Connection:
    """Return a new connection, on which the user and the database are set."""
    connection: Connection = pool.connection_class(**pool.connection_kwargs)
    connection.connect()
    return connection


@dataclass(slots=True)
class _Trip:
    commands: Sequence[Command]
    result: asyncio.Future[Replies]
    replies: list[Any] = field(default_factory=list)


class _Connection(asyncio.Protocol):
    """A connection whose server replies in the order in which it was asked."""

    def __init__(self, opened: Connection, pool: ConnectionPool, breaker: CircuitBreaker) -> None:
        self.opened = opened  # it closes the socket when nobody has it any longer
        self._pool, self._breaker = pool, breaker
        self._loop = asyncio.get_running_loop()
        self._reader = Reader(encoding="utf-8", replyError=opened._parser.parse_error)
        self._look_seconds = float(opened.socket_timeout or 1) / LOOKS
        self._unsent: list[bytes] = []
        self._trips = deque[_Trip]()
        self._is_timed = False
        self.is_lost = False

    def ask(self, commands: Sequence[Command], packed: bytes) -> asyncio.Future[Replies]:
        """Send commands at the end of this turn of the loop. The result: replies, None if lost."""
        if not self._trips:
            self._breaker.begin_trip()
        trip = _Trip(commands, self._loop.create_future())
        if not self._unsent:
            self._loop.call_soon(self._send)
        self._unsent.append(packed)
        self._trips.append(trip)
        if not self._is_timed:
            self._look()
        return trip.result

    def abort(self) -> None:
        """Close the connection; trips on their way are lost."""
        self.is_lost = True
        self._transport.abort()

    def connection_made(self, transport: Any) -> None:
        self._transport: asyncio.Transport = transport

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        while self._trips and self._has_all(self._trips[0]):
            self._end(self._trips[0].replies)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_lost = True
        while self._trips:
            self._end(None)
        self.opened.disconnect()

    def _has_all(self, trip: _Trip) -> bool:
        """Read replies of a trip. Return True if all of them are here."""
        for command in trip.commands[len(trip.replies) :]:
            reply = self._reader.gets(not isinstance(command, RawReply))
            if reply is False:  # it is still on its way
                return False
            if isinstance(reply, STORE_DOWN_ERRORS):
                self.abort()  # another server may have taken over
            trip.replies.append(reply)
        return True

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, []
        if not self.is_lost:  # uvloop refuses what asyncio ignores
            self._transport.write(b"".join(unsent))

    def _end(self, replies: Replies) -> None:
        result = self._trips.popleft().result
        self._breaker.end_trip()
        if self._trips:
            self._breaker.begin_trip()
        if not result.done():  # nobody waits any longer
            result.set_result(replies)

    def _look(self, last: _Trip | None = None, looks: int = 0) -> None:
        """Close the connection if a trip, and so all after it, waits longer than a thread would.

        A busy loop may read replies late, so it looks several times. `last`: the first trip at the
        last look, `looks`: at it until now.
        """
        first = self._trips[0] if self._trips else None
        looks = looks + 1 if first is last else 0
        self._is_timed = first is not None
        if first and looks < LOOKS:
            self._loop.call_later(self._look_seconds, self._look, first, looks)
        elif first:
            self._breaker.open(self._pool)
            self.abort()
