"""The replicas of a server, and their own replicas, as they describe themselves."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from redis import Redis
from redis.connection import Connection, ConnectionPool, SSLConnection
from redis.exceptions import RedisError

ANSWER_SECONDS = 1.0
SLAVE = re.compile(r"slave\d+")
DEPTH_MAX = 3  # replicas of deeper ones are not looked for
OF_PLACE = {"host", "port", "path", "connection_pool"}  # of another server's connections


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


@dataclass(slots=True)
class ReplicaState:
    """A replica. `depth`: 1 if it follows the primary. `info`: empty if it does not answer."""

    address: str
    depth: int
    info: dict[str, Any] = field(default_factory=dict)
    fsync: str = "unknown"


def states_of(info: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the states of a primary's replicas from its INFO: `ip`, `port`, `state`, `lag`.

    The count in INFO also has replicas that are only connecting; these have another `state`.
    """
    lines = (value for name, value in info.items() if SLAVE.fullmatch(name))
    return [dict(pair.split("=", 1) for pair in line.split(",")) for line in lines]


def read_replicas(pool: ConnectionPool, depth: int = 1) -> Iterator[ReplicaState]:
    """Ask the replicas of a server, and theirs, with the same user. Three trips for each."""
    with suppress(RedisError, OSError):
        info: dict[str, Any] = Redis(connection_pool=pool).info("replication")
        for one in [one for one in info.values() if isinstance(one, dict) and "ip" in one]:
            own_pool = pool_at(pool, one["ip"], int(one["port"]))
            state = ReplicaState(f"{one['ip']}:{one['port']}", depth)
            _ask(own_pool, state)
            yield state
            if depth < DEPTH_MAX:
                yield from read_replicas(own_pool, depth + 1)
            own_pool.disconnect()


def pool_at(
    pool: ConnectionPool, host: str, port: int, seconds: float = ANSWER_SECONDS
) -> PlainPool:
    """Return a pool of another server that is reached as the one of `pool` is.

    `seconds`: how long it may take to answer.
    """
    is_encrypted = issubclass(pool.connection_class, SSLConnection)
    options = {name: one for name, one in pool.connection_kwargs.items() if name not in OF_PLACE}
    place = {"host": host, "port": port, "socket_timeout": seconds}
    connection_class = SSLConnection if is_encrypted else Connection
    return PlainPool(connection_class, **{**options, **place, "socket_connect_timeout": seconds})


def _ask(pool: ConnectionPool, state: ReplicaState) -> None:
    """Fill in what a replica says. Managed stores refuse CONFIG."""
    client: Any = Redis(connection_pool=pool)
    with suppress(RedisError, OSError):
        state.info = client.info()
        state.fsync = client.config_get("appendfsync").get("appendfsync", state.fsync)
