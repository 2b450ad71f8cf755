"""Collect the statuses that open streams are to be sent, and present them for many at once."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from flask import Flask

from webapp.client_api.http.responses import encoder
from webapp.client_api.news.notices import News
from webapp.client_api.presentation import Wanted, present_wanted
from webapp.core.errors import Unavailable
from webapp.core.logs import log, log_pause
from webapp.streaming.background import RETRY_SECONDS, run_forever

READERS_MAX = 500  # of one batch: each takes some ten commands

Statuses = dict[int, bytes]  # JSON by the id of a status or boost


class EncodedNews(NamedTuple):
    """News as JSON: see News."""

    entities: list[bytes]
    last: int


# From the place of the last news of each member, by uid, and how many are wanted.
PresentNews = Callable[[Mapping[int, int], int], dict[int, News]]


class Presenter:
    """Presents for any readers. Safe in any thread."""

    def __init__(self, app: Flask, site_url: str) -> None:
        """Present for the app, whose pages are at the public address `site_url`."""
        self._app, self._site_url = app, site_url

    def statuses(self, wanted: Sequence[Wanted]) -> list[dict[int, bytes]]:
        """Return the statuses that each reader may see as JSON, by id. Four trips at most."""
        encoded: dict[int, bytes] = {}  # by object: many readers share one
        with self._context():
            found = present_wanted(wanted)
            for status in (status for statuses in found for status in statuses.values()):
                if id(status) not in encoded:
                    encoded[id(status)] = encoder.encode(status)
        return [{key: encoded[id(one)] for key, one in each.items()} for each in found]

    def news(
        self, present: PresentNews, since: Mapping[int, int], count: int
    ) -> dict[int, EncodedNews]:
        """Return the next news of members after a place each. Trips as `present`."""
        with self._context():
            return {
                uid: EncodedNews(list(map(encoder.encode, found.entities)), found.last)
                for uid, found in present(since, count).items()
            }

    def _context(self) -> Any:
        return self._app.test_request_context(base_url=self._site_url)


class StatusBatches:
    """Batches of statuses that streams wait for. Lives in the event loop's thread."""

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
                log_pause("statuses for apps wait", error)
                await asyncio.sleep(RETRY_SECONDS)
            except Exception:  # a status that cannot be shown must not hold up those after it
                log.exception("statuses for apps cannot be presented")
                return [{} for _ in wanted]
