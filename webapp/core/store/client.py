"""The client of the store: round trips that reach every server they need.

A single server, Sentinel or Cluster is detected by `connection.py`, not from the URL.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from itertools import chain, cycle, islice
from typing import Any, TypeVar, overload

from redis.connection import ConnectionPool
from redis.exceptions import ClusterDownError, RedisError, TryAgainError

from webapp.core.errors import Unavailable
from webapp.core.metrics.names import STORE_ERRORS, STORE_TRIPS
from webapp.core.metrics.recorder import count, sample

from .caches.recording import current_recording
from .reads import Command, Read, gather
from .replies import STORE_DOWN_ERRORS, checked, checked_apart, store_down
from .servers import circuit_breaker
from .servers.circuit_breaker import CircuitBreaker
from .servers.exchange import RawReply as RawReply, Request, exchange
from .servers.greenlets import current_client
from .servers.repetition import repeat_if_lost
from .servers.replica_reads import ReplicaReads
from .servers.replication import ReplicaWait
from .servers.routing import Cluster, SingleServer, sampled_key

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
T = TypeVar("T")
SAMPLED = 101  # one trip of so many: a prime, as pages take the same trips again and again
ATTEMPTS_MAX = 8  # a slot that is being moved redirects a few times
MOVING_SECONDS = 0.01  # before the second attempt at keys that are being moved; then twice as long
_trips: ContextVar[int] = ContextVar("trips", default=0)
_turns = cycle(range(SAMPLED))  # of all trips of this process, whichever request they are of


class Db:
    """The store, through pools of connections that threads share."""

    def __init__(self, servers: SingleServer | Cluster) -> None:
        self._servers = servers
        self._local = threading.local()
        self.breaker = CircuitBreaker(self._record_outage)
        self.replicas: ReplicaReads | None = None

    @property
    def is_single_server(self) -> bool:
        """Return True if one script may touch several partitions, since one server has them all."""
        return isinstance(self._servers, SingleServer)

    @property
    def trips(self) -> int:
        """Return how many trips this context has made."""
        return _trips.get()

    def read(self, read: Read[T]) -> T:
        """Return the result of one read. One trip, none without commands. Errors as `trip`."""
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

    def run(self, command: Command) -> Any:
        """Return the reply to one command. One trip. Errors as `trip`."""
        return self.trip(command)[0]

    def trip(self, *commands: Command) -> list[Any]:
        """Send commands in one round trip to all servers they need. Return their replies.

        Commands for one partition run in the order given. Raises the first refusal among the
        replies as its typed error. Raises Unavailable if the store does not answer; a write may
        have happened then.
        """
        if not commands:
            return []
        return checked(commands, self.trip_with_errors(commands))

    def trip_all(self, commands: Iterable[Command]) -> list[Any]:
        """Send any number of commands in one trip, as `trip` does."""
        return self.trip(*commands)

    def trip_apart(self, groups: Sequence[Sequence[Command]]) -> list[list[Any] | Exception]:
        """Send groups of commands in one trip. Return each group's replies, or its first refusal.

        Raises Unavailable if the store does not answer.
        """
        replies = iter(self.trip_with_errors(list(chain(*groups))))
        return [checked_apart(group, list(islice(replies, len(group)))) for group in groups]

    def trip_with_errors(self, commands: Sequence[Command]) -> list[Any]:
        """Send commands as `trip` does. Return a refusal, or a lack of replicas, in its place.

        Raises Unavailable.
        """
        recording = current_recording()
        return recording.trip(commands, self._trip) if recording else self._trip(commands)

    def _trip(self, commands: Sequence[Command]) -> list[Any]:
        self.count_trip(commands)
        try:
            if self.replicas and getattr(self._local, "asks_replicas", False):
                replies = self.replicas.read(commands)
                if replies is not None:
                    return replies
            return self._send_all(list(commands))
        except STORE_DOWN_ERRORS as error:
            count(STORE_ERRORS)
            self._servers.refresh()
            raise store_down() from error

    def count_trip(self, commands: Sequence[Command]) -> None:
        """Count a trip of this context, and sample its keys."""
        _trips.set(_trips.get() + 1)
        count(STORE_TRIPS)
        if not next(_turns):
            sample(map(sampled_key, commands))

    def wait_for_replicas(self, count: int, on_disk: bool = False) -> None:
        """Let this thread's trips wait until so many replicas have their writes. 0: none.

        `on_disk`: in their append-only files. Otherwise in their memory.

        A trip whose writes too few replicas have raises Unavailable. Later ones hardly wait, so
        that the request is answered. Call it at the start of each request.
        """
        self._local.wait = ReplicaWait(count, on_disk) if count else None

    def start_replica_reads(self, fence: Command) -> bool:
        """Let threads ask replicas. Return False on a Cluster, where none is asked.

        `fence`: see ReplicaReads.
        """
        if isinstance(self._servers, Cluster):
            return False
        self.replicas = ReplicaReads(self._servers, fence)
        self.replicas.start()
        return True

    def ask_replicas(self, wanted: bool) -> None:
        """Let this thread's trips go to replicas or not, if replica reads were started.

        Call it at the start and the end of each request. Trips with a write go to the primary, and
        so do a greenlet's: its thread is that of others, and must not wait.
        """
        self._local.asks_replicas = wanted and current_client() is None

    def primaries(self) -> list[ConnectionPool]:
        """Return a pool for every server that holds keys."""
        return self._servers.primaries()

    @property
    def is_silent(self) -> bool:
        """Return True while this process gets no answer from any server."""
        if self.breaker.is_waiting_long:
            return True
        return bool(self.breaker.open_seconds) and all(map(self.breaker.is_open, self.primaries()))

    def on_every_primary(self, *command: Any) -> list[Any]:
        """Send one command to every primary and return the replies."""
        try:
            return [self._ask(pool, command) for pool in self.primaries()]
        except STORE_DOWN_ERRORS as error:
            self._servers.refresh()
            raise store_down() from error

    def scan(self, pattern: str, slots: int) -> Iterator[list[str]]:
        """Yield the names of keys that match a pattern, server by server. A trip for each list.

        A list may be empty, and a key may come twice: see SCAN.
        """
        for pool in self.primaries():
            cursor = None
            while cursor != "0":
                command = ("SCAN", cursor or "0", "MATCH", pattern, "COUNT", slots)
                try:
                    cursor, names = self._ask(pool, command)
                except STORE_DOWN_ERRORS as error:
                    raise store_down() from error
                yield names

    def close(self) -> None:
        """Close the connections."""
        self.breaker.stop()
        if self.replicas:
            self.replicas.stop()
        for pool in self.primaries():
            pool.disconnect()

    def _ask(self, pool: ConnectionPool, command: Command) -> Any:
        return self._exchange({pool: [Request(0, command)]}, self.breaker)[0]

    @property
    def _exchange(self) -> Callable[..., dict[int, Any]]:
        """Return the function that sends commands: that of the event loop in a greenlet."""
        client = current_client()
        return client.exchange if client else exchange

    def _record_outage(self, seconds: float) -> None:
        """Store that a server was silent, for `linnet doctor`."""
        with suppress(Unavailable, OSError):  # `close` may end its connection
            self.run(circuit_breaker.record(seconds))

    def _send_all(self, commands: list[Command]) -> list[Any]:
        """Send commands until none is to be sent again: to another server, or with its source."""
        replies: list[Any] = [None] * len(commands)
        wait: ReplicaWait | None = getattr(self._local, "wait", None)
        send = wait.exchange if wait else self._exchange
        batches = self._servers.batches(commands)
        errors: dict[int, Any] = {}
        for attempt in range(ATTEMPTS_MAX):
            if any(isinstance(error, TryAgainError) for error in errors.values()):
                time.sleep(MOVING_SECONDS * 2 ** (attempt - 1))
            errors = {}
            for index, reply in repeat_if_lost(send, commands, batches, self.breaker).items():
                replies[index] = reply
                if isinstance(reply, RedisError):
                    errors[index] = reply
            batches = self._servers.retries(commands, errors) if errors else {}
            if not batches:
                return replies
        raise ClusterDownError("the store keeps redirecting")
