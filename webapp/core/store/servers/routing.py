"""Send each command to its server: the only one, or a primary of a Cluster."""

import time
from contextlib import suppress
from typing import Any

from redis.connection import ConnectionPool
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    MovedError,
    NoScriptError,
    RedisClusterException,
    RedisError,
    TryAgainError,
)

from webapp.core.store.reads import Command
from webapp.core.store.schema import PARTITION_TAGS

from .exchange import Request, encode

KEYLESS_COMMANDS = frozenset(
    {"PING", "INFO", "PUBLISH", "DBSIZE", "CONFIG", "TIME", "SCRIPT", "FLUSHALL", "CLUSTER"}
)
SUBCOMMANDS = frozenset({"XGROUP", "XINFO", "OBJECT", "MEMORY"})  # their key comes third
STREAM_READS = frozenset({"XREADGROUP", "XREAD"})
REFRESH_SECONDS = 1.0  # at least, between two reads of the Cluster's topology

Batches = dict[ConnectionPool, list[Request]]


def routing_key(command: Command) -> str:
    """Return the key that decides where a command goes, "" if any server will do."""
    name = command[0]
    if name == "EVALSHA":
        return str(command[3])
    if name in KEYLESS_COMMANDS:
        return ""
    if name in STREAM_READS:
        return str(command[command.index("STREAMS") + 1])
    return str(command[2] if name in SUBCOMMANDS else command[1])


def sampled_key(command: Command) -> str:
    """Return the noun, partition and number of a command's key. "" if it has none.

    What else a key names may be secret, such as a session; so may a hash tag of its own, such as
    the code of an invitation.
    """
    with suppress(IndexError, ValueError):  # it is of a server, not of a key
        parts = routing_key(command).split(":")
        if parts[1:2] and parts[1].strip("{}") not in PARTITION_TAGS:
            return parts[0]
        return ":".join(parts[: 3 if parts[2:3] and parts[2].isdecimal() else 2])
    return ""


class SingleServer:
    """One server, which gets everything."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool

    def primaries(self) -> list[ConnectionPool]:
        """Return a pool for every server that holds keys."""
        return [self._pool]

    def batches(self, commands: list[Command]) -> Batches:
        """Return the requests of a trip, by server."""
        return {self._pool: [Request(i, encode(command)) for i, command in enumerate(commands)]}

    def retries(self, commands: list[Command], replies: dict[int, Any]) -> Batches:
        """Return the requests to send again: scripts that the server does not know."""
        requests = [
            Request(index, encode(commands[index], with_source=True))
            for index, reply in replies.items()
            if isinstance(reply, NoScriptError)
        ]
        return {self._pool: requests} if requests else {}

    def refresh(self) -> None:
        """Do nothing: there is only this server."""


class Cluster:
    """The primaries of a Cluster. redis-py knows its topology."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self._refreshed_at = 0.0

    def primaries(self) -> list[ConnectionPool]:
        """Return a pool for every server that holds keys."""
        return [_pool_of(node) for node in self._cluster.get_primaries()]

    def batches(self, commands: list[Command]) -> Batches:
        """Return the requests of a trip, by server."""
        batches: Batches = {}
        for index, command in enumerate(commands):
            batches.setdefault(self._route(command), []).append(Request(index, encode(command)))
        return batches

    def retries(self, commands: list[Command], replies: dict[int, Any]) -> Batches:
        """Return the requests to send again, by server.

        These are scripts that a server does not know, and commands for slots that have moved.
        """
        node_at = self._cluster.nodes_manager.get_node
        asking = {i: node_at(one.host, one.port) for i, one in replies.items() if _is_ask(one)}
        has_moved = any(isinstance(reply, MovedError) for reply in replies.values())
        if has_moved or None in asking.values():
            self._cluster.nodes_manager.initialize()
        batches: Batches = {}
        for index, reply in replies.items():
            command = commands[index]
            node = asking.get(index)
            if node is not None:
                # One that is new to the Cluster knows no script yet.
                request = Request(index, encode(command, with_source=True), asking=True)
                batches.setdefault(_pool_of(node), []).append(request)
            elif isinstance(reply, (NoScriptError, MovedError, TryAgainError, AskError)):
                request = Request(index, encode(command, isinstance(reply, NoScriptError)))
                batches.setdefault(self._route(command), []).append(request)
        return batches

    def refresh(self) -> None:
        """Read the topology again, once a second at most: another server may have taken over."""
        if time.monotonic() - self._refreshed_at >= REFRESH_SECONDS:
            self._refreshed_at = time.monotonic()
            with suppress(RedisError, RedisClusterException):
                self._cluster.nodes_manager.initialize()

    def _route(self, command: Command) -> ConnectionPool:
        key = routing_key(command)
        if not key:
            return _pool_of(self._cluster.get_primaries()[0])
        slot = key_slot(key.encode())
        return _pool_of(self._cluster.nodes_manager.get_node_from_slot(slot))


def _is_ask(reply: Any) -> bool:
    """Return True for an ASK redirect. In redis-py a MOVED redirect is one too."""
    return isinstance(reply, AskError) and not isinstance(reply, MovedError)


def _pool_of(node: Any) -> ConnectionPool:
    pool: ConnectionPool = node.redis_connection.connection_pool
    return pool
