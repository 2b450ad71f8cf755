"""The store: a connection from REDIS_URL, scripts, and pipelines that reach every server they need in one trip.

One server, Sentinel or Cluster is found out by asking, not from the URL. This module alone pipelines.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice
from socket import SO_RCVTIMEO, SO_SNDTIMEO, SOL_SOCKET, socket
from struct import pack
from typing import Any, TypeVar, overload

from hiredis import pack_command
from redis.connection import Connection, ConnectionPool
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    BusyLoadingError,
    ClusterDownError,
    ConnectionError,
    MovedError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TimeoutError,
    TryAgainError,
)

from webapp.errors import SCRIPT_ERRORS, LeaseLost, Unavailable

from .reads import Command, Read, gather

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
T = TypeVar("T")
STORE_DOWN_ERRORS = (
    ConnectionError,
    TimeoutError,
    BusyLoadingError,
    ClusterDownError,
    ReadOnlyError,
    OutOfMemoryError,
    RedisClusterException,
)
KEYLESS_COMMANDS = frozenset(
    {"PING", "INFO", "PUBLISH", "DBSIZE", "CONFIG", "TIME", "SCRIPT", "FLUSHALL", "CLUSTER"}
)
TOPOLOGY_REFRESH_SECONDS = 1.0  # between two looks at which servers a Cluster has
REDIRECTS_MAX = 8  # a slot that is being moved redirects a few times at most


class RawReply(tuple[Any, ...]):
    """A command whose reply is wanted in bytes, as it came: what is compressed is no text."""


class Db:
    """A pool of connections to one server (`pool`) or to a Cluster's primaries (`cluster`)."""

    def __init__(self, pool: ConnectionPool, cluster: Any = None) -> None:
        self._pool = pool
        self._cluster = cluster
        self._local = threading.local()
        self._topology_refreshed_at = 0.0

    @property
    def is_single_server(self) -> bool:
        """True when all keys lie on one server, so that one script may touch several partitions."""
        return self._cluster is None

    @property
    def trips(self) -> int:
        """How many trips this thread has made."""
        return getattr(self._local, "trips", 0)

    def run(self, command: Command) -> Any:
        """The reply to one command: a trip of its own. Errors as `trip`."""
        return self.trip(command)[0]

    def trip(self, *commands: Command) -> list[Any]:
        """The replies to `commands`, sent at once to every server they need.

        Commands for one partition run in the order given. Raises the first refusal among the replies as its typed error
        (errors.py); Unavailable when the store cannot answer, in which case a write may or may not have happened.
        """
        if not commands:
            return []
        replies = self.trip_with_errors(commands)
        for reply in replies:
            if isinstance(reply, Exception):
                raise _to_typed_error(reply)
        return replies

    def trip_by_group(self, *groups: Sequence[Command]) -> list[list[Any]]:
        """The replies to several parts of a trip, by part. Errors as `trip`."""
        replies = iter(self.trip(*chain(*groups)))
        return [list(islice(replies, len(commands))) for commands in groups]

    def read(self, read: Read[T]) -> T:
        """Return the result of one read. One trip, none if it needs no command. Errors as `trip`."""
        return read.parse(self.trip(*read.commands))

    @overload
    def fetch(self, a: Read[A], b: Read[B], /) -> tuple[A, B]: ...
    @overload
    def fetch(self, a: Read[A], b: Read[B], c: Read[C], /) -> tuple[A, B, C]: ...
    @overload
    def fetch(self, a: Read[A], b: Read[B], c: Read[C], d: Read[D], /) -> tuple[A, B, C, D]: ...
    @overload
    def fetch(
        self, a: Read[A], b: Read[B], c: Read[C], d: Read[D], e: Read[E], /
    ) -> tuple[A, B, C, D, E]: ...
    @overload
    def fetch(self, *reads: Read[Any]) -> tuple[Any, ...]: ...
    def fetch(self, *reads: Read[Any]) -> tuple[Any, ...]:
        """Send reads in one trip and return their results, in order. Errors as `trip`."""
        return self.read(gather(*reads))

    def trip_with_errors(self, commands: Sequence[Command]) -> list[Any]:
        """As `trip`, but a refused command's exception stands in its place."""
        self._local.trips = self.trips + 1
        try:
            return self._send_all(list(commands))
        except STORE_DOWN_ERRORS as error:
            self._refresh_topology()
            raise Unavailable("store_down", retry_after=5) from error

    def primaries(self) -> list[ConnectionPool]:
        """A pool for every server that holds keys."""
        if self._cluster is None:
            return [self._pool]
        return [node.redis_connection.connection_pool for node in self._cluster.get_primaries()]

    def on_every_primary(self, *command: Any) -> list[Any]:
        """The replies of every primary to one command. Raises Unavailable."""
        try:
            return [_exchange({pool: [(0, command, False)]})[0] for pool in self.primaries()]
        except STORE_DOWN_ERRORS as error:
            self._refresh_topology()
            raise Unavailable("store_down", retry_after=5) from error

    def close(self) -> None:
        """Ends the connections."""
        for pool in self.primaries():
            pool.disconnect()

    def _refresh_topology(self) -> None:
        """On a Cluster another server may have taken over: a dead one cannot tell."""
        if (
            self._cluster
            and time.monotonic() - self._topology_refreshed_at >= TOPOLOGY_REFRESH_SECONDS
        ):
            self._topology_refreshed_at = time.monotonic()
            with suppress(RedisError, RedisClusterException):
                self._cluster.nodes_manager.initialize()

    def _send_all(self, commands: list[Command]) -> list[Any]:
        replies: list[Any] = [None] * len(commands)
        to_send = [(index, _encode(command), False) for index, command in enumerate(commands)]
        routes: dict[int, ConnectionPool] = {}
        for _ in range(REDIRECTS_MAX):
            batches: dict[ConnectionPool, list[tuple[int, Command, bool]]] = (
                {} if self._cluster else {self._pool: to_send}
            )
            for entry in to_send if self._cluster else ():
                batches.setdefault(
                    routes.get(entry[0]) or self._route(commands[entry[0]]), []
                ).append(entry)
            for index, reply in _exchange(batches).items():
                replies[index] = reply
            to_send, routes = self._retries(
                commands, replies, [i for i, *_ in to_send if isinstance(replies[i], RedisError)]
            )
            if not to_send:
                return replies
        raise ClusterDownError("the store keeps redirecting")

    def _retries(
        self, commands: list[Command], replies: list[Any], sent: Iterable[int]
    ) -> tuple[list[tuple[int, Command, bool]], dict[int, ConnectionPool]]:
        """What must be sent once more: scripts the server does not know, and slots that are elsewhere by now."""
        to_send: list[tuple[int, Command, bool]] = []
        routes: dict[int, ConnectionPool] = {}
        moved = False
        for index in sent:
            reply = replies[index]
            if isinstance(reply, NoScriptError):
                to_send.append((index, _encode(commands[index], with_source=True), False))
            elif isinstance(reply, (MovedError, TryAgainError)):
                moved = moved or isinstance(reply, MovedError)
                to_send.append((index, _encode(commands[index]), False))
            elif isinstance(reply, AskError):  # which MovedError derives from
                node = self._cluster.nodes_manager.get_node(reply.host, reply.port)
                if node:
                    routes[index] = node.redis_connection.connection_pool
                moved = moved or not node
                to_send.append((index, _encode(commands[index]), node is not None))
        if moved:
            self._cluster.nodes_manager.initialize()
        return to_send, routes

    def _route(self, command: Command) -> ConnectionPool:
        nodes, name = self._cluster.nodes_manager, _routing_key(command)
        node = (
            nodes.get_node_from_slot(key_slot(name.encode()))
            if name
            else self._cluster.get_primaries()[0]
        )
        pool: ConnectionPool = node.redis_connection.connection_pool
        return pool


def _routing_key(command: Command) -> str:
    """The key that says where a command must go, or '' when any server will do."""
    if command[0] == "EVALSHA":
        return str(command[3])
    if command[0] in KEYLESS_COMMANDS:
        return ""
    if command[0] in ("XREADGROUP", "XREAD"):
        return str(command[command.index("STREAMS") + 1])
    return str(command[2] if command[0] in ("XGROUP", "XINFO", "OBJECT", "MEMORY") else command[1])


def _encode(command: Command, with_source: bool = False) -> Command:
    """The command as it is sent: a script by its SHA-1 or, where the server does not know it, whole."""
    if command[0] != "EVALSHA":
        return command
    encoded = (
        ("EVAL", command[1].text, *command[2:])
        if with_source
        else ("EVALSHA", command[1].sha, *command[2:])
    )
    return RawReply(encoded) if isinstance(command, RawReply) else encoded


def _exchange(batches: dict[ConnectionPool, list[tuple[int, Command, bool]]]) -> dict[int, Any]:
    """Sends every batch, then reads every reply: one concurrent trip. Refusals are returned, failures raised."""
    connections: list[tuple[ConnectionPool, Connection]] = []
    replies: dict[int, Any] = {}
    try:
        for pool, entries in batches.items():
            connection = pool.get_connection()
            connections.append((pool, connection))
            _use_kernel_timeouts(connection)
            to_write = [
                part
                for _, command, asking in entries
                for part in ([("ASKING",), command] if asking else [command])
            ]
            # One piece for the socket, however many commands: redis-py's own packing takes three times as long.
            connection.send_packed_command(
                [b"".join(map(pack_command, to_write))], check_health=False
            )
        for (_, connection), entries in zip(connections, batches.values(), strict=True):
            for index, command, asking in entries:
                if asking:
                    _read_reply(connection)
                replies[index] = _read_reply(connection, raw=isinstance(command, RawReply))
    except BaseException:
        # A connection with replies still to come must not be used again.
        for _, connection in connections:
            connection.disconnect()
        raise
    finally:
        for pool, connection in connections:
            pool.release(connection)
    return replies


def _use_kernel_timeouts(connection: Connection) -> None:
    """Leaves the time limit of a connection to the kernel: Python's own asks before each piece whether there is any,
    and each time lets go of the interpreter, which a busy process takes long to get back.
    """
    sock = getattr(connection, "_sock", None)
    if type(sock) is socket and (seconds := sock.gettimeout()):  # not TLS, which reads for itself
        limit = pack("ll", int(seconds), 0)
        for option in (SO_RCVTIMEO, SO_SNDTIMEO):
            sock.setsockopt(SOL_SOCKET, option, limit)
        sock.settimeout(None)


def _read_reply(connection: Connection, raw: bool = False) -> Any:
    try:
        return connection.read_response(disable_decoding=raw)
    except STORE_DOWN_ERRORS:
        raise
    except ResponseError as error:
        return error


def _to_typed_error(error: Exception) -> Exception:
    """The error that a script's refusal stands for; others as they are."""
    code = str(error).split(" ", 1)[0]
    if code == "LEASELOST":
        return LeaseLost()
    if code in ("MISCONF", "NOREPLICAS"):
        return Unavailable("store_down", retry_after=5)
    if code in SCRIPT_ERRORS and isinstance(error, RedisError):
        kind, name = SCRIPT_ERRORS[code]
        return kind(name, retry_after=5 if kind is Unavailable else None)
    return error
