"""Loops that run for as long as a stream process does.

One ends streams in maintenance; others read again what has changed of members.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import TypeVar

from webapp.core.errors import Unavailable
from webapp.core.logs import log_pause
from webapp.core.settings.live import CLOSED_SECONDS
from webapp.core.store import Site
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
            log_pause(f"{name} waits", error)
            await asyncio.sleep(RETRY_SECONDS)


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


class StaleMembers(ABC):
    """Reads something of members again while they listen. Lives in the event loop's thread.

    `name`: of its loop, in the log. `read_max`: members who are read at once. `pause`: seconds
    between two rounds, so that many changes cost one round.
    """

    name: str
    read_max = 500
    pause = 0.5

    def __init__(self, listening: Collection[int]) -> None:
        """Make it for the uids in `listening`, as they are at each moment."""
        self._listening = listening
        self._stale: dict[int, None] = {}  # uids, in the order they came
        self._wake = asyncio.Event()

    def mark_stale(self, uids: Iterable[int] | None = None) -> None:
        """Note that something of these members may have changed; None for all members."""
        named = self._listening if uids is None else uids
        self._stale.update(dict.fromkeys(uid for uid in named if uid in self._listening))
        if self._stale:
            self._wake.set()

    async def run(self) -> None:
        """Refresh what is stale for ever."""
        await run_forever(self.name, self._refresh_stale)

    @abstractmethod
    async def refresh(self, uids: Sequence[int]) -> None:
        """Read something of members again, at most `read_max` of them, and send what is new."""

    async def _refresh_stale(self) -> None:
        """Refresh those who are stale now. Those marked meanwhile wait for the next round."""
        await self._wake.wait()
        self._wake.clear()
        uids = list(self._stale)
        self._stale.clear()
        try:
            for start in range(0, len(uids), self.read_max):
                await self.refresh(uids[start : start + self.read_max])
        except Exception:
            self.mark_stale(uids)
            raise
        await asyncio.sleep(self.pause)
