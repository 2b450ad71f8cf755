"""Trips that are made again, because a connection was lost before their replies came.

What came before may have been done. So only commands are repeated of which the second one changes
nothing. All views of an event loop share one connection, whose loss would fail each of them.
"""

from collections.abc import Callable, Iterable
from typing import Any

from redis.exceptions import ConnectionError

from webapp.core.store.reads import Command

from .circuit_breaker import CircuitBreaker, is_timeout
from .replica_reads import only_reads
from .routing import Batches

Exchange = Callable[[Batches, CircuitBreaker], dict[int, Any]]


def repeat_if_lost(
    exchange: Exchange, commands: Iterable[Command], batches: Batches, breaker: CircuitBreaker
) -> dict[int, Any]:
    """Exchange as `exchange` does, once more if it loses a connection and `commands` allow it."""
    try:
        return exchange(batches, breaker)
    except ConnectionError as error:
        if is_timeout(error) or not all(map(is_idempotent, commands)):
            raise
    return exchange(batches, breaker)


def is_idempotent(command: Command) -> bool:
    """Return True if a command may be sent again whose reply was lost."""
    if command[0] == "EVALSHA" and command[1].header.is_idempotent:
        return True
    return command[0] == "PFCOUNT" or only_reads(command)
