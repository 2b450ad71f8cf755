"""Writes wait for the replicas of every server that they went to."""

from __future__ import annotations

from typing import Any

import pytest
from redis.connection import ConnectionPool
from redis.exceptions import NoScriptError

from webapp.core.errors import Unavailable
from webapp.core.store.servers import replication
from webapp.core.store.servers.circuit_breaker import CircuitBreaker
from webapp.core.store.servers.exchange import Request
from webapp.core.store.servers.routing import Batches

REPLICAS = 1


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
    return replication.exchange_and_wait(batches, CircuitBreaker(), REPLICAS)


def test_every_server_must_have_enough_replicas(monkeypatch: pytest.MonkeyPatch) -> None:
    assert exchanged(monkeypatch, ("OK", 1), ("OK", 2)) == {0: "OK", 1: "OK"}
    for counts in ((0, 1), (1, 0)):
        with pytest.raises(Unavailable):
            exchanged(monkeypatch, *(("OK", count) for count in counts))


def test_a_server_that_lacks_a_script_does_not_excuse_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unknown = NoScriptError("sent again")
    assert exchanged(monkeypatch, ("OK", 1), (unknown, 0)) == {0: "OK", 1: unknown}
    with pytest.raises(Unavailable):
        exchanged(monkeypatch, ("OK", 0), (unknown, 1))
