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
from typing import Any

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

from .errors import FROM_SCRIPT, LeaseLost, Unavailable

Command = tuple[Any, ...]
DOWN = (
    ConnectionError,
    TimeoutError,
    BusyLoadingError,
    ClusterDownError,
    ReadOnlyError,
    OutOfMemoryError,
    RedisClusterException,
)
KEYLESS = frozenset({"PING", "INFO", "PUBLISH", "DBSIZE", "CONFIG", "TIME", "SCRIPT", "FLUSHALL", "CLUSTER"})
LOOK_SECONDS = 1.0  # between two looks at which servers a Cluster has
REDIRECTS_MAX = 8  # a slot that is being moved redirects a few times at most


class Raw(tuple[Any, ...]):
    """A command whose reply is wanted in bytes, as it came: what is compressed is no text."""


class Db:
    """A pool of connections to one server (`pool`) or to a Cluster's primaries (`cluster`)."""

    def __init__(self, pool: ConnectionPool, cluster: Any = None) -> None:
        self._pool = pool
        self._cluster = cluster
        self._local = threading.local()
        self._looked = 0.0

    @property
    def single(self) -> bool:
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
        replies = self.replies(commands)
        for reply in replies:
            if isinstance(reply, Exception):
                raise _typed(reply)
        return replies

    def parts(self, *parts: Sequence[Command]) -> list[list[Any]]:
        """The replies to several parts of a trip, by part. Errors as `trip`."""
        replies = iter(self.trip(*chain(*parts)))
        return [list(islice(replies, len(commands))) for commands in parts]

    def replies(self, commands: Sequence[Command]) -> list[Any]:
        """As `trip`, but a refused command's exception stands in its place."""
        self._local.trips = self.trips + 1
        try:
            return self._settled(list(commands))
        except DOWN as error:
            self._look_again()
            raise Unavailable("store_down", retry_after=5) from error

    def primaries(self) -> list[ConnectionPool]:
        """A pool for every server that holds keys."""
        if self._cluster is None:
            return [self._pool]
        return [node.redis_connection.connection_pool for node in self._cluster.get_primaries()]

    def everywhere(self, *command: Any) -> list[Any]:
        """The replies of every primary to one command. Raises Unavailable."""
        try:
            return [_flush({pool: [(0, command, False)]})[0] for pool in self.primaries()]
        except DOWN as error:
            self._look_again()
            raise Unavailable("store_down", retry_after=5) from error

    def close(self) -> None:
        """Ends the connections."""
        for pool in self.primaries():
            pool.disconnect()

    def _look_again(self) -> None:
        """On a Cluster another server may have taken over: a dead one cannot tell."""
        if self._cluster and time.monotonic() - self._looked >= LOOK_SECONDS:
            self._looked = time.monotonic()
            with suppress(RedisError, RedisClusterException):
                self._cluster.nodes_manager.initialize()

    def _settled(self, commands: list[Command]) -> list[Any]:
        replies: list[Any] = [None] * len(commands)
        todo = [(index, _wire(command), False) for index, command in enumerate(commands)]
        routes: dict[int, ConnectionPool] = {}
        for _ in range(REDIRECTS_MAX):
            batches: dict[ConnectionPool, list[tuple[int, Command, bool]]] = {} if self._cluster else {self._pool: todo}
            for entry in todo if self._cluster else ():
                batches.setdefault(routes.get(entry[0]) or self._route(commands[entry[0]]), []).append(entry)
            for index, reply in _flush(batches).items():
                replies[index] = reply
            todo, routes = self._again(commands, replies, [i for i, *_ in todo if isinstance(replies[i], RedisError)])
            if not todo:
                return replies
        raise ClusterDownError("the store keeps redirecting")

    def _again(
        self, commands: list[Command], replies: list[Any], sent: Iterable[int]
    ) -> tuple[list[tuple[int, Command, bool]], dict[int, ConnectionPool]]:
        """What must be sent once more: scripts the server does not know, and slots that are elsewhere by now."""
        todo: list[tuple[int, Command, bool]] = []
        routes: dict[int, ConnectionPool] = {}
        moved = False
        for index in sent:
            reply = replies[index]
            if isinstance(reply, NoScriptError):
                todo.append((index, _wire(commands[index], whole=True), False))
            elif isinstance(reply, (MovedError, TryAgainError)):
                moved = moved or isinstance(reply, MovedError)
                todo.append((index, _wire(commands[index]), False))
            elif isinstance(reply, AskError):  # which MovedError derives from
                node = self._cluster.nodes_manager.get_node(reply.host, reply.port)
                if node:
                    routes[index] = node.redis_connection.connection_pool
                moved = moved or not node
                todo.append((index, _wire(commands[index]), node is not None))
        if moved:
            self._cluster.nodes_manager.initialize()
        return todo, routes

    def _route(self, command: Command) -> ConnectionPool:
        nodes, name = self._cluster.nodes_manager, _key(command)
        node = nodes.get_node_from_slot(key_slot(name.encode())) if name else self._cluster.get_primaries()[0]
        pool: ConnectionPool = node.redis_connection.connection_pool
        return pool


def _key(command: Command) -> str:
    """The key that says where a command must go, or '' when any server will do."""
    if command[0] == "EVALSHA":
        return str(command[3])
    if command[0] in KEYLESS:
        return ""
    if command[0] in ("XREADGROUP", "XREAD"):
        return str(command[command.index("STREAMS") + 1])
    return str(command[2] if command[0] in ("XGROUP", "XINFO", "OBJECT", "MEMORY") else command[1])


def _wire(command: Command, whole: bool = False) -> Command:
    """The command as it is sent: a script by its SHA-1 or, where the server does not know it, whole."""
    if command[0] != "EVALSHA":
        return command
    sent = ("EVAL", command[1].text, *command[2:]) if whole else ("EVALSHA", command[1].sha, *command[2:])
    return Raw(sent) if isinstance(command, Raw) else sent


def _flush(batches: dict[ConnectionPool, list[tuple[int, Command, bool]]]) -> dict[int, Any]:
    """Sends every batch, then reads every reply: one concurrent trip. Refusals are returned, failures raised."""
    open_: list[tuple[ConnectionPool, Connection]] = []
    replies: dict[int, Any] = {}
    try:
        for pool, entries in batches.items():
            connection = pool.get_connection()
            open_.append((pool, connection))
            _let_kernel_wait(connection)
            wire = [
                part for _, command, asking in entries for part in ([("ASKING",), command] if asking else [command])
            ]
            # One piece for the socket, however many commands: redis-py's own packing takes three times as long.
            connection.send_packed_command([b"".join(map(pack_command, wire))], check_health=False)
        for (_, connection), entries in zip(open_, batches.values(), strict=True):
            for index, command, asking in entries:
                if asking:
                    _read(connection)
                replies[index] = _read(connection, raw=isinstance(command, Raw))
    except BaseException:
        # A connection with replies still to come must not be used again.
        for _, connection in open_:
            connection.disconnect()
        raise
    finally:
        for pool, connection in open_:
            pool.release(connection)
    return replies


def _let_kernel_wait(connection: Connection) -> None:
    """Leaves the time limit of a connection to the kernel: Python's own asks before each piece whether there is any,
    and each time lets go of the interpreter, which a busy process takes long to get back.
    """
    wire = getattr(connection, "_sock", None)
    if type(wire) is socket and (seconds := wire.gettimeout()):  # not TLS, which reads for itself
        limit = pack("ll", int(seconds), 0)
        for way in (SO_RCVTIMEO, SO_SNDTIMEO):
            wire.setsockopt(SOL_SOCKET, way, limit)
        wire.settimeout(None)


def _read(connection: Connection, raw: bool = False) -> Any:
    try:
        return connection.read_response(disable_decoding=raw)
    except DOWN:
        raise
    except ResponseError as error:
        return error


def _typed(error: Exception) -> Exception:
    """The error that a script's refusal stands for; others as they are."""
    code = str(error).split(" ", 1)[0]
    if code == "LEASELOST":
        return LeaseLost()
    if code in ("MISCONF", "NOREPLICAS"):
        return Unavailable("store_down", retry_after=5)
    if code in FROM_SCRIPT and isinstance(error, RedisError):
        kind, name = FROM_SCRIPT[code]
        return kind(name, retry_after=5 if kind is Unavailable else None)
    return error
