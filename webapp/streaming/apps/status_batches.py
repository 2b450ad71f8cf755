"""Collect the statuses that open streams are to be sent, and present them for many at once."""

from __future__ import annotations

import asyncio

from webapp.client_api.presentation import Wanted
from webapp.core.errors import Unavailable
from webapp.core.logs import log
from webapp.streaming.background import RETRY_SECONDS, log_wait, run_forever

from .presenter import Presenter

READERS_MAX = 500  # of one batch: each takes some ten commands

Statuses = dict[int, bytes]  # JSON by the id of a status or boost


class StatusBatches:
    """What streams wait for. Lives in the event loop's thread."""

    def __init__(self, presenter: Presenter) -> None:
        self._presenter = presenter
        self._waiting: list[tuple[Wanted, asyncio.Future[Statuses]]] = []
        self._wake = asyncio.Event()

    async def get(self, wanted: Wanted) -> Statuses:
        """Return those statuses that a reader may see. Waits while the store does not answer."""
        future: asyncio.Future[Statuses] = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, future))
        self._wake.set()
        return await future

    async def run(self) -> None:
        """Present batches for ever. What comes while one is presented is in the next one."""
        await run_forever("statuses for apps", self._present_next)

    async def _present_next(self) -> None:
        await self._wake.wait()
        batch = [pair for pair in self._waiting[:READERS_MAX] if not pair[1].done()]
        del self._waiting[:READERS_MAX]
        if not self._waiting:
            self._wake.clear()
        found = await self._present([wanted for wanted, _ in batch])
        for (_, future), statuses in zip(batch, found, strict=True):
            if not future.done():
                future.set_result(statuses)

    async def _present(self, wanted: list[Wanted]) -> list[Statuses]:
        while True:
            try:
                return await asyncio.to_thread(self._presenter.statuses, wanted)
            except Unavailable as error:
                log_wait("statuses for apps", error)
                await asyncio.sleep(RETRY_SECONDS)
            except Exception:  # a status that cannot be shown must not hold up those after it
                log.exception("statuses for apps cannot be presented")
                return [{} for _ in wanted]
