"""Trips to the store in an event loop, which hold no thread.

All trips that begin in one turn of the loop share one write, and all of them one connection. That
suits pages that are requested often and made quickly. Callers need another way: on a Cluster, over
TLS, and whenever anything goes wrong, threads send the commands (core/store/client.py).
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from socket import socket
from typing import Any

from hiredis import Reader, ReplyError
from redis.connection import Connection, ConnectionPool
from redis.exceptions import RedisError

from webapp.core.store.client import Db
from webapp.core.store.reads import Command

from .exchange import RawReply

REPLY_SECONDS = 0.5  # that a trip waits before a thread makes it
LOOKS = 2  # at a trip that waits
OF_SERVER = ("READONLY", "LOADING", "MASTERDOWN")  # errors of a server that others may replace
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
        connection = self._connection
        if connection is None or connection.is_lost:
            self._open()
            return None
        if not self._db.primaries()[0].owns_connection(connection.opened):
            connection.abort()  # Sentinels have named another primary
        self._db.count_trip(commands)
        replies = await connection.ask(commands, packed)
        error = next((one for one in replies or () if isinstance(one, ReplyError)), None)
        if error is None:
            return replies
        if str(error).startswith(OF_SERVER):
            connection.abort()
        return None

    async def close(self) -> None:
        """Close the connection, if there is one, for good."""
        self._is_possible = False
        if self._opening:
            await self._opening
        if self._connection:
            self._connection.abort()
            await asyncio.sleep(0)  # trips on their way learn of it

    def _open(self) -> None:
        if self._is_possible and self._opening is None and not self._db.is_silent:
            self._opening = asyncio.create_task(self._connect())

    async def _connect(self) -> None:
        try:
            with suppress(RedisError, OSError):
                opened = await asyncio.to_thread(_opened, self._db.primaries()[0])
                sock: Any = opened._sock
                self._is_possible &= type(sock) is socket
                if self._is_possible:
                    sock.setblocking(False)
                    loop = asyncio.get_running_loop()
                    made = await loop.create_connection(lambda: _Connection(opened), sock=sock)
                    self._connection = made[1]
        finally:
            self._opening = None


def _opened(pool: ConnectionPool) -> Connection:
    """Return a new connection, which has told the server its user and database."""
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

    def __init__(self, opened: Connection) -> None:
        self.opened = opened  # it closes the socket when nobody has it any longer
        self._loop = asyncio.get_running_loop()
        self._reader = Reader(encoding="utf-8")
        self._unsent: list[bytes] = []
        self._trips = deque[_Trip]()
        self._is_timed = False
        self.is_lost = False

    def ask(self, commands: Sequence[Command], packed: bytes) -> asyncio.Future[Replies]:
        """Send commands at the end of this turn of the loop. The result: replies, None if lost."""
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
        self._transport.abort()

    def connection_made(self, transport: Any) -> None:
        self._transport: asyncio.Transport = transport

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        while self._trips:
            trip = self._trips[0]
            for command in trip.commands[len(trip.replies) :]:
                reply = self._reader.gets(not isinstance(command, RawReply))
                if reply is False:  # it is still on its way
                    return
                trip.replies.append(reply)
            self._end(trip.replies)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_lost = True
        while self._trips:
            self._end(None)
        self.opened.disconnect()

    def _send(self) -> None:
        unsent, self._unsent = self._unsent, []
        if not self.is_lost:  # uvloop refuses what asyncio ignores
            self._transport.write(b"".join(unsent))

    def _end(self, replies: Replies) -> None:
        result = self._trips.popleft().result
        if not result.done():  # nobody waits any longer
            result.set_result(replies)

    def _look(self, last: _Trip | None = None, looks: int = 0) -> None:
        """Close the connection if a trip, and so all after it, still waits after REPLY_SECONDS.

        A busy loop may read replies late, so it looks twice. `last`: the first trip at the last
        look, `looks`: at it until now.
        """
        first = self._trips[0] if self._trips else None
        looks = looks + 1 if first is last else 0
        self._is_timed = first is not None
        if first and looks < LOOKS:
            self._loop.call_later(REPLY_SECONDS / LOOKS, self._look, first, looks)
        elif first:
            self.abort()
