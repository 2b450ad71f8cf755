"""Loops that run for as long as a stream process does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from webapp.core.errors import Unavailable
from webapp.core.logs import log

T = TypeVar("T")
RETRY_SECONDS = 0.5  # pause while the store does not answer


async def run_forever(name: str, step: Callable[[], Awaitable[object]]) -> None:
    """Run `step` again and again, whatever it raises: a loop that ended would silence streams."""
    while True:
        await run_until_done(name, step)


async def run_until_done(name: str, step: Callable[[], Awaitable[T]]) -> T:
    """Run `step` until it raises nothing, with a pause after each failure; return its result."""
    while True:
        try:
            return await step()
        except Exception as error:
            log_wait(name, error)
            await asyncio.sleep(RETRY_SECONDS)


def log_wait(name: str, error: Exception) -> None:
    """Log that a loop waits because of an error, with its traceback unless the store is down."""
    unexpected = not isinstance(error, Unavailable)
    log.warning("%s waits: %r", name, error.__cause__ or error, exc_info=unexpected)
