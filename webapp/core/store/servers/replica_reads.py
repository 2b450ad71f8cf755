"""Reads from replicas, so that the primary has more time for all else.

A trip sends all commands to one replica. At the same time it asks the primary for its fence: a
number that grows with each change that hides something. The replica returns its own number first.
If that is lower, the replica may lack such a change, and the trip is made at the primary.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from itertools import count
from typing import Any

from redis.connection import ConnectionPool
from redis.exceptions import NoScriptError

from webapp.core.logs import describe_error, log, log_at_times
from webapp.core.store.reads import Command, parse_info
from webapp.core.store.replies import STORE_DOWN_ERRORS

from .circuit_breaker import CircuitBreaker
from .exchange import Request, encode, exchange
from .replicas import pool_at, states_of
from .routing import SingleServer

LATE_SECONDS = 2.0  # a replica that is more behind is not asked
LOOK_SECONDS = 0.5  # between two looks at the replicas
ANSWER_SECONDS = 0.5  # that a trip waits for a replica, before it is made at the primary
PRIMARY, REPLICA = -1, -2  # positions of the fence's replies
READS = frozenset(
    "EXISTS GET GETBIT HEXISTS HGET HGETALL HLEN HMGET LLEN LRANGE MGET SCARD SISMEMBER SMEMBERS "
    "SMISMEMBER TIME XLEN XRANGE XREVRANGE ZCARD ZCOUNT ZMSCORE ZRANGE ZRANK ZREVRANK "
    "ZSCORE".split()
)


class ReplicaReads:
    """The replicas of a primary that can be asked. Safe to use in any thread."""

    def __init__(self, servers: SingleServer, fence: Command) -> None:
        """`fence`: reads the member with the highest score, which is the number, and its score."""
        self._servers, self._fence = servers, fence
        self._breaker = CircuitBreaker()  # of its own: a silent replica is no outage of the store
        self._pools: dict[str, ConnectionPool] = {}
        self.usable: list[ConnectionPool] = []
        self._turns = count()
        self._offsets: deque[tuple[float, int]] = deque()  # of the primary, and when
        self._stopped = threading.Event()

    def start(self) -> None:
        """Look at the replicas all the time, in a thread, until `stop`."""
        threading.Thread(target=self._watch, name="replicas", daemon=True).start()

    def stop(self) -> None:
        """End the thread and close all connections."""
        self._stopped.set()
        self._breaker.stop()
        for pool in self._pools.values():
            pool.disconnect()

    def read(self, commands: Sequence[Command]) -> list[Any] | None:
        """Return a replica's replies. None if none can be asked, is too late or refuses."""
        usable = self.usable
        if not usable or not all(map(only_reads, commands)):
            return None
        pool = usable[next(self._turns) % len(usable)]
        try:
            replies = self._ask(pool, commands)
        except STORE_DOWN_ERRORS:
            self.usable = [one for one in usable if one is not pool]
            return None
        is_behind = _number(replies.pop(REPLICA)) < _number(replies.pop(PRIMARY))
        if is_behind or any(isinstance(reply, Exception) for reply in replies.values()):
            return None
        return [replies[position] for position in range(len(commands))]

    def look(self) -> None:
        """Find the replicas that answer and are not late, as far as the primary knows. One trip."""
        primary = self._servers.primaries()[0]
        info = parse_info(self._exchange(primary, [("INFO", "replication")])[0])
        now, offset = time.monotonic(), int(info["master_repl_offset"])
        self._offsets.append((now, offset))
        while len(self._offsets) > 1 and self._offsets[1][0] <= now - LATE_SECONDS:
            self._offsets.popleft()
        then, needed = self._offsets[0]
        if then > now - LATE_SECONDS:
            needed = offset
        pools = [
            self._pool(primary, one["ip"], int(one["port"]))
            for one in states_of(info)
            if one["state"] == "online"
            and int(one["lag"]) <= LATE_SECONDS
            and int(one["offset"]) >= needed
        ]
        usable = [pool for pool in pools if not self._breaker.is_open(pool)]
        if len(usable) != len(self.usable):
            log.info("visitors' pages are read from %d replicas", len(usable))
        self.usable = usable

    def _watch(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            try:
                self.look()
            except Exception as error:  # without this thread, late replicas would be asked
                self.usable = []
                expected = isinstance(error, STORE_DOWN_ERRORS)
                sentence = f"no replica is asked: {describe_error(error)}"
                log_at_times(logging.WARNING, sentence, None if expected else error)

    def _ask(self, pool: ConnectionPool, commands: Sequence[Command]) -> dict[int, Any]:
        primary = self._servers.primaries()[0]
        requests = [Request(index, encode(command)) for index, command in enumerate(commands)]
        batches = {
            pool: [Request(REPLICA, self._fence), *requests],
            primary: [Request(PRIMARY, self._fence)],
        }
        replies = exchange(batches, self._breaker)
        unknown = [
            Request(index, encode(commands[index], with_source=True))
            for index, reply in replies.items()
            if isinstance(reply, NoScriptError)
        ]
        return replies | exchange({pool: unknown}, self._breaker) if unknown else replies

    def _exchange(self, pool: ConnectionPool, commands: Sequence[Command]) -> dict[int, Any]:
        requests = [Request(index, command) for index, command in enumerate(commands)]
        return exchange({pool: requests}, self._breaker)

    def _pool(self, primary: ConnectionPool, host: str, port: int) -> ConnectionPool:
        address = f"{host}:{port}"
        if address not in self._pools:
            self._pools[address] = pool_at(primary, host, port, ANSWER_SECONDS)
        return self._pools[address]


def only_reads(command: Command) -> bool:
    """Return True if a command changes nothing."""
    if command[0] == "EVALSHA":
        header = command[1].header
        return not (header.writes or header.emits)
    return command[0] in READS


def _number(reply: Any) -> int:
    """Return the number in a reply to the fence's command, 0 if there is none yet."""
    return int(reply[1]) if isinstance(reply, list) and reply else 0
