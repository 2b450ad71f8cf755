"""Present statuses and notifications outside a request, as the client API answers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from flask import Flask

from webapp.client_api.http.responses import encoder
from webapp.client_api.news.notices import News
from webapp.client_api.presentation import Wanted, present_wanted


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
