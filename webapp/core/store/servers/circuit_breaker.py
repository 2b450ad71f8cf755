"""The circuit breaker: nobody waits twice for a server of the store that has gone silent.

A command that times out opens its server's circuit. While it is open, commands for that server fail
immediately. A thread asks the server twice a second; its first answer closes the circuit.
(pybreaker tries again with a request, which would wait as long as the first one.)

`is_waiting_long` reports silent servers before the first timeout, for readers that have a fallback.
`record` counts outages: how often processes found a server silent, and for how long.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread, get_ident

from redis.connection import ConnectionPool
from redis.exceptions import RedisError, TimeoutError

from webapp.core.store import keys
from webapp.core.store.reads import Command, Read, read, to_dict
from webapp.core.store.scripts import script

RECORD = script("core/store/lua/record_outage.lua")
PROBE_SECONDS = 0.5  # between two probes, and the time that each waits
SILENT_SECONDS = 0.5  # that trips wait, and none of them ends, until the servers count as silent
OnClose = Callable[[float], None]


class CircuitBreaker:
    """The circuits of the store's servers, by their pools, shared by the threads of a process."""

    def __init__(self, on_close: OnClose = lambda seconds: None) -> None:
        """Start with all circuits closed. `on_close` gets how many seconds one was open."""
        self._on_close = on_close
        self._open: dict[ConnectionPool, float] = {}  # since when, in monotonic seconds
        self._lock = Lock()
        self._trips: dict[int, float] = {}  # when the trip of each thread began
        self._last_end = 0.0  # when a trip last ended, in any way
        self._stopped = Event()
        self._reporting = Lock()

    def stop(self) -> None:
        """End the probes, and report no more outages: nobody uses the servers any longer.

        Waits for a report that has begun.
        """
        self._stopped.set()
        with self._reporting:
            pass

    def begin_trip(self) -> None:
        """Note that this thread waits for servers."""
        self._trips[get_ident()] = time.monotonic()

    def end_trip(self) -> None:
        """Note that this thread waits no longer, with replies or without."""
        self._last_end = time.monotonic()
        del self._trips[get_ident()]

    @property
    def is_waiting_long(self) -> bool:
        """Return True if trips have waited for SILENT_SECONDS, and none ended meanwhile."""
        began = list(self._trips.values())
        return bool(began) and time.monotonic() - max(min(began), self._last_end) > SILENT_SECONDS

    def is_open(self, pool: ConnectionPool) -> bool:
        """Return True if the circuit of this server is open."""
        return pool in self._open

    def check(self, pool: ConnectionPool) -> None:
        """Raise TimeoutError if the circuit of this server is open."""
        if self.is_open(pool):
            raise TimeoutError("The store has not answered for a while.")

    def open(self, pool: ConnectionPool) -> None:
        """Open the circuit of a server, and probe the server until it answers."""
        with self._lock:
            if pool in self._open:
                return
            now = time.monotonic()
            self._open[pool] = self._trips.get(get_ident(), now)  # it has been silent since then
        Thread(target=self._await_answer, args=(pool,), daemon=True).start()

    @property
    def open_seconds(self) -> float:
        """Return for how long the longest open circuit has been open, 0 if all are closed."""
        opened = list(self._open.values())  # another thread may close one meanwhile
        return time.monotonic() - min(opened) if opened else 0.0

    def _await_answer(self, pool: ConnectionPool) -> None:
        while not (self._stopped.is_set() or _answers(pool)):
            self._stopped.wait(PROBE_SECONDS)
        with self._lock:
            opened_at = self._open.pop(pool)
        with self._reporting:
            if not self._stopped.is_set():
                self._on_close(time.monotonic() - opened_at)


def is_timeout(error: BaseException) -> bool:
    """Return True if an error means that a server stayed silent.

    Where the kernel keeps the time, redis-py raises a ConnectionError about an EAGAIN.
    """
    return isinstance(error, TimeoutError) or isinstance(error.__context__, BlockingIOError)


def _answers(pool: ConnectionPool) -> bool:
    """Return True if a server answers a new connection within PROBE_SECONDS."""
    timeouts = {"socket_timeout": PROBE_SECONDS, "socket_connect_timeout": PROBE_SECONDS}
    connection = pool.connection_class(**{**pool.connection_kwargs, **timeouts})
    with suppress(RedisError, OSError):
        connection.connect()
        connection.send_command("PING", check_health=False)
        connection.read_response()
        connection.disconnect()
        return True
    connection.disconnect()
    return False


@dataclass(frozen=True, slots=True)
class Outages:
    """The number of outages, each process's counted, and the last: its end, and its longest."""

    count: int
    last_ended_at: int  # unix seconds
    last_seconds: float


def record(seconds: float) -> Command:
    """Return the command that records an outage that has just ended."""
    return RECORD(seconds=f"{seconds:.1f}")


def outages() -> Read[Outages]:
    """Read the outages so far."""
    return read(("HGETALL", keys.outages()), _parse)


def _parse(reply: list[str]) -> Outages:
    fields = to_dict(reply)
    return Outages(
        int(fields.get("count", 0)),
        int(fields.get("last_ended_at", 0)),
        float(fields.get("last_seconds", 0)),
    )
