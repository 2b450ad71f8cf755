"""Loops that run for as long as a stream process does, and what they do in maintenance."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from webapp.core.errors import Unavailable
from webapp.core.logs import log
from webapp.core.settings.live import CLOSED_SECONDS
from webapp.core.site import Site
from webapp.streaming.hub.hub import Hub

T = TypeVar("T")
RETRY_SECONDS = 0.5  # pause while the store does not answer
CHECK_SECONDS = 0.5


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


def require_open(site: Site) -> None:
    """Raise Unavailable during maintenance, for admins too: their pages work without streams."""
    if site.config.maintenance:
        raise Unavailable("maintenance", retry_after=CLOSED_SECONDS)


async def end_streams_in_maintenance(site: Site, hub: Hub) -> None:
    """End the streams of a hub whenever the site is in maintenance. Runs for ever."""
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        if site.config.maintenance:
            hub.end_streams()
