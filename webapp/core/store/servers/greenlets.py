"""Functions that wait for the store in an event loop, as others do in threads.

Views are plain functions. As a greenlet, one stops where it asks the store. The loop goes on, and
the view continues once its replies are here (after SQLAlchemy's `greenlet_spawn`). Whatever else a
greenlet waits for, or computes without a `pause`, holds up the loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import Any, Protocol, TypeVar, cast

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]
from redis.connection import ConnectionPool

from .circuit_breaker import CircuitBreaker
from .exchange import Request

T = TypeVar("T")
TURN_SECONDS = 0.005  # that a greenlet computes until it pauses


class Exchanger(Protocol):
    """A client of the store that greenlets use."""

    def exchange(
        self, batches: dict[ConnectionPool, list[Request]], breaker: CircuitBreaker
    ) -> dict[int, Any]:
        """Exchange as `exchange` does (exchange.py), while the loop goes on."""


class _Greenlet(greenlet):  # type: ignore[misc]
    client: Exchanger
    resumed_at: float  # in monotonic seconds


async def run_as_greenlet(client: Exchanger, function: Callable[..., T], *values: Any) -> T:
    """Run a function whose trips to the store go through a client of this loop.

    It sees the context variables of the caller, and its own changes are its own.
    """
    made = _Greenlet(function)
    made.client, made.gr_context = client, copy_context()
    made.resumed_at = time.monotonic()
    given = made.switch(*values)
    while not made.dead:
        try:
            result = await given
            made.resumed_at = time.monotonic()
        except BaseException as error:  # a cancelled task ends its function, too
            given = made.throw(error)
        else:
            given = made.switch(result)
    return cast(T, given)


def current_client() -> Exchanger | None:
    """Return the client of the greenlet that calls this, None in a thread."""
    current = getcurrent()
    return current.client if isinstance(current, _Greenlet) else None


def wait_for(awaitable: Awaitable[T]) -> T:
    """Return the result of an awaitable. Only a greenlet may call this; the loop goes on."""
    return cast(T, getcurrent().parent.switch(awaitable))


def pause() -> None:
    """Let the loop go on, if a greenlet calls this that has computed for a while."""
    current = getcurrent()
    if isinstance(current, _Greenlet) and time.monotonic() - current.resumed_at > TURN_SECONDS:
        wait_for(asyncio.sleep(0))
