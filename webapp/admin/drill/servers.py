"""The servers of a drill: the primary that ends, the replica that follows it, and a fresh one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from redis import Redis
from redis.connection import ConnectionPool
from redis.sentinel import SentinelConnectionPool

from webapp.config import socket_path
from webapp.core.errors import StoreError, Unavailable
from webapp.core.store import Db, keys
from webapp.core.store.servers.replicas import pool_at, read_replicas
from webapp.core.store.servers.routing import SingleServer
from webapp.server import embedded_store

from .writer import until

Address = tuple[str, int]  # host and port
ANSWER_SECONDS = 5.0


def replicas_of(db: Db) -> list[Address]:
    """Wait until a replica of the primary has all, and return those. Raises StoreError."""
    pool = db.primaries()[0]
    if not any(read_replicas(pool)):
        raise StoreError("The primary has no replica, so nothing can take over.")
    until(lambda: any(_linked(pool)), "no replica's link is up")
    return list(_linked(pool))


def end_primary(db: Db) -> None:
    """End the primary at once, without waiting for its replicas. Raises StoreError."""
    with suppress(Unavailable):  # it ended
        [refusal] = db.on_every_primary("SHUTDOWN", "NOSAVE", "NOW", "FORCE")
        raise StoreError(f"The primary cannot be ended: {refusal}.")


def take_over(db: Db, replicas: Sequence[Address]) -> tuple[Db, Address]:
    """Wait until Sentinels have promoted a replica, or else promote the one that has most.

    Return the new primary, and its address. Raises StoreError.
    """
    pool = db.primaries()[0]
    if isinstance(pool, SentinelConnectionPool):
        until(lambda: db.run(("ROLE",))[0] == "master", "the Sentinels promoted no replica")
        return db, pool.master_address
    clients = {one: Redis(connection_pool=pool_at(pool, *one, ANSWER_SECONDS)) for one in replicas}
    new = max(clients, key=lambda one: _offset(clients[one]))
    clients.pop(new).replicaof("NO", "ONE")
    for client in clients.values():
        client.replicaof(*new)
    return Db(SingleServer(pool_at(pool, *new, ANSWER_SECONDS))), new


class FreshReplica:
    """A server of this machine, on a socket in a throw-away folder."""

    def __init__(self, folder: Path) -> None:
        self._client: Any = Redis(unix_socket_path=str(socket_path(folder)), decode_responses=True)

    def follow(self, address: Address, pool: ConnectionPool) -> float:
        """Follow a primary that is reached as the servers of `pool`. Return seconds until it does.

        Raises StoreError.
        """
        for name, setting in (("username", "masteruser"), ("password", "masterauth")):
            if value := pool.connection_kwargs.get(name):
                self._client.config_set(setting, value)
        self._client.replicaof(*address)
        return until(
            lambda: self._client.info("replication")["master_link_status"] == "up",
            "the fresh replica cannot follow the new primary",
        )

    def count(self) -> int:
        """Return how many of the writes it has."""
        return int(self._client.scard(keys.drill_writes()))


@contextmanager
def fresh_replica() -> Iterator[FreshReplica]:
    """Start an empty server while the block runs. It follows nobody yet."""
    with TemporaryDirectory(prefix="linnet-drill-") as folder:
        process = embedded_store.start(Path(folder))
        try:
            yield FreshReplica(Path(folder))
        finally:
            embedded_store.stop(process)


def _linked(pool: ConnectionPool) -> Iterator[Address]:
    """Yield the replicas of a primary that follow it now."""
    for one in read_replicas(pool):
        if one.depth == 1 and one.info.get("master_link_status") == "up":
            host, _, port = one.address.rpartition(":")
            yield host, int(port)


def _offset(client: Any) -> int:
    """Return how far a replica has read."""
    return int(client.info("replication")["slave_repl_offset"])
