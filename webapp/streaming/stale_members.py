"""Members of whom something is read again, soon after it has changed."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence

from .background import run_forever


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
