"""Writes wait for the replicas of every server that they went to."""

from typing import Any

import pytest
from redis.connection import ConnectionPool
from redis.exceptions import NoScriptError

from webapp.core.errors import Unavailable
from webapp.core.store import Command, Db
from webapp.core.store.servers import replication
from webapp.core.store.servers.circuit_breaker import CircuitBreaker
from webapp.core.store.servers.exchange import Request, exchange
from webapp.core.store.servers.routing import Batches
from webapp.core.web import keys
from webapp.core.web.rate_limits import CONSUME

REPLICAS = 1
UNKNOWN_SCRIPT = CONSUME(bucket=keys.rate_limit("like", "1"), burst=9, period=1)


def exchanged(monkeypatch: pytest.MonkeyPatch, *servers: tuple[Any, int]) -> dict[int, Any]:
    """Write to servers, each with its reply and its number of replicas that have the write."""
    batches: Batches = {
        ConnectionPool(): [Request(position, ("SET", "key", 1))] for position in range(len(servers))
    }

    def reply(with_waits: Batches, _: CircuitBreaker) -> dict[int, Any]:
        sent = [request.position for requests in with_waits.values() for request in requests]
        replies = {position: servers[position][0] for position in sent if position >= 0}
        return replies | {position: servers[~position][1] for position in sent if position < 0}

    monkeypatch.setattr(replication, "exchange", reply)
    return replication.ReplicaWait(REPLICAS).exchange(batches, CircuitBreaker())


def test_every_server_must_have_enough_replicas(monkeypatch: pytest.MonkeyPatch) -> None:
    assert exchanged(monkeypatch, ("OK", 1), ("OK", 2)) == {0: "OK", 1: "OK"}
    for lacking, counts in enumerate(((0, 1), (1, 0))):
        found = exchanged(monkeypatch, *(("OK", count) for count in counts))
        assert isinstance(found[lacking], Unavailable) and found[1 - lacking] == "OK"


def test_writes_may_wait_for_the_files_of_replicas(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[Command] = []

    def reply(batches: Batches, _: CircuitBreaker) -> dict[int, Any]:
        [requests] = batches.values()
        waits.append(requests[-1].command)
        return {0: "OK", ~0: on_disk}

    monkeypatch.setattr(replication, "exchange", reply)
    for on_disk in ([1, 1], [1, 0]):  # of the server itself, of replicas
        wait = replication.ReplicaWait(REPLICAS, on_disk=True)
        batches = {ConnectionPool(): [Request(0, ("SET", "key", 1))]}
        found = wait.exchange(batches, CircuitBreaker())[0]
        assert found == "OK" if on_disk[1] else isinstance(found, Unavailable)
    assert waits == [("WAITAOF", 0, 1, 1_000)] * 2


def test_a_server_that_lacks_a_script_does_not_excuse_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unknown = NoScriptError("sent again")
    assert exchanged(monkeypatch, ("OK", 1), (unknown, 0)) == {0: "OK", 1: unknown}
    assert isinstance(exchanged(monkeypatch, ("OK", 0), (unknown, 1))[0], Unavailable)


@pytest.mark.parametrize(
    "command", [("SET", keys.rate_limit("like", "1"), 1, "EX", 9), UNKNOWN_SCRIPT]
)
def test_a_request_waits_a_second_for_replicas_however_many_trips_it_makes(
    db: Db, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    waits: list[int] = []

    def note_waits(batches: Batches, breaker: CircuitBreaker) -> dict[int, Any]:
        commands = [request.command for requests in batches.values() for request in requests]
        waits.extend(command[2] for command in commands if command[0] == "WAIT")
        return exchange(batches, breaker)

    monkeypatch.setattr(replication, "exchange", note_waits)
    db.on_every_primary("SCRIPT", "FLUSH")
    for _ in range(2):  # requests
        db.wait_for_replicas(REPLICAS)
        for _ in range(3):
            with pytest.raises(Unavailable, match="not_replicated"):
                db.run(command)
    db.wait_for_replicas(0)
    again = [1, 1, 1] if command is UNKNOWN_SCRIPT else [1, 1]  # it is sent again with its source
    assert waits == [1000, *again, 1000, 1, 1], "milliseconds"
