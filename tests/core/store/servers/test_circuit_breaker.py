"""The circuit breaker, in front of a store that falls silent and comes back."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from redis.connection import ConnectionPool
from redis.exceptions import TimeoutError

from tests.support.concurrently import at_once
from tests.support.processes import until
from tests.support.silent_store import SilentStore, silent_store
from webapp.core.errors import Unavailable
from webapp.core.store import Db, keys
from webapp.core.store.servers import circuit_breaker
from webapp.core.store.servers.circuit_breaker import PROBE_SECONDS, SILENT_SECONDS, CircuitBreaker
from webapp.core.store.servers.heartbeat import start_heartbeat
from webapp.core.store.servers.routing import SingleServer

TIMEOUT = 1.0  # seconds: a store that answers must do so in this time


@pytest.fixture
def store() -> Iterator[SilentStore]:
    """A store that answers until it is told to stay silent."""
    with silent_store() as store:
        yield store


def test_a_silent_store_is_waited_for_once(store: SilentStore) -> None:
    db = Db(SingleServer(store.pool(TIMEOUT)))
    assert db.run(("SET", "a", 1)) in ("OK", b"OK")
    store.answering.clear()
    with pytest.raises(Unavailable):
        db.run(("SET", "b", 2))
    sent = store.commands
    for _ in range(50):
        with pytest.raises(Unavailable):
            db.run(("GET", "must not be sent"))
    assert store.commands - sent <= 3  # probes alone
    assert db.breaker.open_seconds > 0 and db.is_silent
    store.answering.set()
    until(lambda: not db.breaker.open_seconds)
    assert not db.is_silent
    assert db.run(("SET", "c", 3)) in ("OK", b"OK")


def test_threads_that_wait_together_open_the_circuit_once(store: SilentStore) -> None:
    ended: list[float] = []
    pool = store.pool(TIMEOUT)
    breaker = CircuitBreaker(ended.append)
    store.answering.clear()
    at_once(20, lambda _: breaker.open(pool), range(50))
    store.answering.set()
    until(lambda: not breaker.open_seconds)
    assert len(ended) == 1


def test_an_open_circuit_stays_open_while_probes_get_no_answer(store: SilentStore) -> None:
    breaker = CircuitBreaker()
    pool = store.pool(TIMEOUT)
    store.answering.clear()
    breaker.open(pool)
    until(lambda: breaker.open_seconds > 3 * PROBE_SECONDS)
    with pytest.raises(TimeoutError):
        breaker.check(pool)
    store.answering.set()
    until(lambda: not breaker.open_seconds)
    breaker.check(pool)


def test_a_closed_client_probes_no_longer_and_reports_nothing(store: SilentStore) -> None:
    ended: list[float] = []
    pool = store.pool(TIMEOUT)
    breaker = CircuitBreaker(ended.append)
    store.answering.clear()
    breaker.open(pool)
    until(lambda: store.commands > 0)
    breaker.stop()
    until(lambda: not breaker.open_seconds)
    store.answering.set()
    breaker.open(pool)
    until(lambda: not breaker.open_seconds)
    assert ended == []


def test_a_client_that_closes_waits_for_a_report_that_has_begun(store: SilentStore) -> None:
    steps: list[str] = []
    began, may_end = Event(), Event()

    def report(_seconds: float) -> None:
        began.set()
        may_end.wait()
        steps.append("reported")

    breaker = CircuitBreaker(report)
    breaker.open(store.pool(TIMEOUT))
    began.wait()
    stopping = Thread(target=lambda: (breaker.stop(), steps.append("stopped")))
    stopping.start()
    may_end.set()
    stopping.join()
    assert steps == ["reported", "stopped"]


def test_a_refused_connection_does_not_open_the_circuit() -> None:
    with silent_store() as store:
        pool = store.pool(TIMEOUT)
    db = Db(SingleServer(pool))
    with pytest.raises(Unavailable):
        db.run(("PING",))
    assert not db.breaker.open_seconds


def test_outages_are_counted_with_the_length_of_the_last(db: Db) -> None:
    assert db.read(circuit_breaker.outages()) == circuit_breaker.Outages(0, 0, 0.0)
    for seconds in (1.25, 12.34, 9.5):  # as three processes saw it
        db.run(circuit_breaker.record(seconds))
    recorded = db.read(circuit_breaker.outages())
    assert (recorded.count, recorded.last_seconds) == (3, 12.3)
    db.run(("HINCRBY", keys.outages(), "last_ended_at", -60))
    db.run(circuit_breaker.record(2))
    later = db.read(circuit_breaker.outages())
    assert later.last_seconds == 2 and later.last_ended_at >= recorded.last_ended_at


def test_an_outage_began_with_the_trip_that_found_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    monkeypatch.setattr(circuit_breaker, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(circuit_breaker, "Thread", lambda **_: SimpleNamespace(start=list))
    breaker = CircuitBreaker()
    breaker.begin_trip()
    now[0] += 2
    breaker.open(ConnectionPool())
    now[0] += 8
    assert breaker.open_seconds == 10


def test_trips_wait_long_only_while_none_of_them_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(circuit_breaker, "time", clock)
    breaker = CircuitBreaker()
    now[0] += 2 * SILENT_SECONDS
    assert not breaker.is_waiting_long  # nobody asks
    breaker.begin_trip()
    assert not breaker.is_waiting_long
    now[0] += 2 * SILENT_SECONDS
    assert breaker.is_waiting_long
    with ThreadPoolExecutor(1) as another:
        another.submit(breaker.begin_trip).result()
        assert breaker.is_waiting_long
        another.submit(breaker.end_trip).result()
        assert not breaker.is_waiting_long  # the servers answer somebody
    now[0] += 2 * SILENT_SECONDS
    assert breaker.is_waiting_long
    breaker.end_trip()
    assert not breaker.is_waiting_long


def test_a_store_is_silent_before_its_trips_time_out(store: SilentStore) -> None:
    db = Db(SingleServer(store.pool(3600)))
    store.answering.clear()
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(db.run, ("GET", "a"))
        until(lambda: db.is_silent)
        assert not db.breaker.open_seconds
        store.answering.set()
        store.shut_down_connections()
        assert answer.result() == b"OK"  # of another connection
    assert not db.is_silent


def test_a_heartbeat_tells_of_a_silence_that_nobody_waits_for(store: SilentStore) -> None:
    db = Db(SingleServer(store.pool(3600)))
    start_heartbeat(db)
    until(lambda: store.commands > 2)
    assert not db.is_silent
    store.answering.clear()
    until(lambda: db.is_silent)
    store.answering.set()
    store.shut_down_connections()
    until(lambda: not db.is_silent)
