"""Writes that wait for replicas, so that a failover cannot lose what a member was told.

WAIT goes along in the same trip. It covers every write before it, so repeating a write that was
stored but not replicated waits for the first one too.
"""

from __future__ import annotations

from typing import Any

from redis.exceptions import RedisError

from webapp.core.store.replies import not_replicated

from .circuit_breaker import CircuitBreaker
from .exchange import Request, exchange
from .routing import Batches

WAIT_MILLISECONDS = 1_000  # for the replicas to answer; less than a page waits for the store


def exchange_and_wait(batches: Batches, breaker: CircuitBreaker, replicas: int) -> dict[int, Any]:
    """Exchange as `exchange` does, and wait until so many replicas of each server have it all.

    Raises Unavailable if too few have it; a retry is safe where the write is idempotent.
    """
    wait = ("WAIT", replicas, WAIT_MILLISECONDS)
    with_waits = {
        pool: [*requests, Request(~number, wait)]  # negative: no command of the trip
        for number, (pool, requests) in enumerate(batches.items())
    }
    replies = exchange(with_waits, breaker)
    for number, requests in enumerate(batches.values()):
        reached = replies.pop(~number)
        if any(isinstance(replies[request.position], RedisError) for request in requests):
            continue  # a refusal is told, or the command is sent again and waits again
        if not isinstance(reached, int) or reached < replicas:
            raise not_replicated()
    return replies
