"""Pages from the store, rendered by one of all who ask for the same page."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any

from webapp.core.errors import Unavailable
from webapp.core.logs import log
from webapp.core.store import Read
from webapp.core.web.prefetching import PREFETCHED

from .cached_page import CachedPage
from .decorators import CacheHints
from .local import LocalCache
from .response import PageResponse
from .store import Lookup, LookupState, PageStore, Prefetched
from .variant import CacheKey, Environ

WsgiApp = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
WAIT_SECONDS = 2.0  # for another's rendering; then a request renders its own
POLL_SECONDS = 0.01  # between two lookups meanwhile
DOWN_SECONDS = 1.0  # without the cache, once the store did not answer


class PageRenderer:
    """Finds pages in the store, and renders those that are missing with the app."""

    def __init__(self, wsgi: WsgiApp, store: PageStore, local: LocalCache) -> None:
        self._wsgi, self._store, self._local = wsgi, store, local
        self._rendering: set[CacheKey] = set()
        self._down_until = 0.0  # monotonic seconds; 0 while the store answers

    def get(self, key: CacheKey, prefetch: Read[Prefetched]) -> CachedPage | PageResponse | None:
        """Return a page, or the app's response if that cannot be cached.

        None if the app should answer by itself: the store is down, or another process takes too
        long over the page. At least one trip.
        """
        if time.monotonic() < self._down_until:
            return None
        try:
            return self._lookup_or_render(key, prefetch)
        except Unavailable:
            self._mark_store_down()
            return None

    def is_rendering(self, key: CacheKey) -> bool:
        """Return True while this process renders the page."""
        return key in self._rendering

    def _lookup_or_render(
        self, key: CacheKey, prefetch: Read[Prefetched]
    ) -> CachedPage | PageResponse | None:
        """Return the page from the store, or render it. While another renders it, wait for theirs.

        An expired page will do meanwhile. A trip for each lookup.
        """
        token, deadline = secrets.token_hex(8), time.monotonic() + WAIT_SECONDS
        while True:
            looked_up_at = time.monotonic()
            lookup = self._store.lookup(key, token, prefetch)
            self._down_until = 0.0
            if lookup.state is LookupState.LEASED:
                return self._render(key, token, looked_up_at, lookup)
            if lookup.page:
                if lookup.state is LookupState.FRESH:
                    self._local.put(key, lookup.page, looked_up_at)
                self._store.views.add(key.path, hit=True)
                return lookup.page
            if stale_copy := self._local.get(key):
                return stale_copy.page
            if lookup.state is LookupState.UNCACHEABLE or time.monotonic() > deadline:
                return None
            time.sleep(POLL_SECONDS)

    def _render(
        self, key: CacheKey, token: str, looked_up_at: float, lookup: Lookup
    ) -> CachedPage | PageResponse:
        """Render a page and cache it. Return the app's response if that cannot be cached."""
        hints, version = CacheHints(), self._store.member_versions.latest
        environ = key.to_environ(hints) | {PREFETCHED: lookup.prefetched}
        self._rendering.add(key)
        try:
            response = _run_app(self._wsgi, environ)
        finally:
            self._rendering.discard(key)
        page = response.to_cached(key, hints.uids, version)
        if page:
            self._store.views.add(key.path, hit=False)
        self._store_or_release(key, token, page if lookup.popular else None, looked_up_at, hints)
        return page or response

    def _store_or_release(
        self,
        key: CacheKey,
        token: str,
        page: CachedPage | None,
        looked_up_at: float,
        hints: CacheHints,
    ) -> None:
        """Store a page; without one, give the lease back."""
        try:
            if page is None:
                self._store.release(key, token)
            elif self._store.store(key, token, page, hints.seconds):
                self._local.put(key, page, looked_up_at)
        except Unavailable:
            self._mark_store_down()

    def _mark_store_down(self) -> None:
        """Do without the cache for a moment. Log it once, until the store has answered again."""
        if not self._down_until:
            log.warning(
                "pages are rendered without the cache: the store does not answer or refuses writes"
            )
        self._down_until = time.monotonic() + DOWN_SECONDS


def _run_app(wsgi: WsgiApp, environ: Environ) -> PageResponse:
    """Return the app's whole response to a request."""
    status, headers = "", list[tuple[str, str]]()

    def start_response(
        app_status: str, app_headers: list[tuple[str, str]], exc_info: object = None
    ) -> None:
        nonlocal status, headers
        status, headers = app_status, app_headers

    result = wsgi(environ, start_response)
    try:
        body = b"".join(result)
    finally:
        getattr(result, "close", lambda: None)()
    return PageResponse(status, headers, body)
