"""The page cache: WSGI middleware that answers visitors who are not signed in with pages rendered once for all of them
(after Redis in Action, 2.3 to 2.5).

A view says that its page may be kept, and who is on it (visitors.py). Such a page is
rendered from what distinguishes its variant and from nothing else of any request (pagevariant.py), so it is the same
for whoever asks. Copies in the process are a second old at most (pagecopies.py); the store has the rest (pagestore.py).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask
from werkzeug.exceptions import HTTPException

from webapp.config import Config
from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.core.store.reads import Read
from webapp.core.web.prefetch import PREFETCHED, VISITOR, page_read
from webapp.core.web.request_log import bind_request_id, log_request
from webapp.core.web.view_options import view_options
from webapp.errors import Unavailable

from .decorators import CacheHints
from .local import LocalCache
from .response import PageResponse, from_cached, send
from .store import NOTHING, CachedPage, Lookup, PageStore, Prefetched
from .variant import CacheKey, Environ, cache_key

StartResponse = Callable[..., Any]
WsgiApp = Callable[[Environ, StartResponse], Iterable[bytes]]
FastPath = Callable[[Environ, StartResponse], Iterable[bytes] | None]
WAIT_SECONDS = 2.0  # for somebody else's rendering; then one's own is better
POLL_SECONDS = 0.01  # between two looks whether it is done
DOWN_SECONDS = 1.0  # without the cache, after the store did not answer


def init(app: Flask, config: Config, db: Db) -> None:
    """Puts the cache in front of the app, unless it may hold nothing."""
    if config.page_cache_bytes:
        app.extensions["linnet.pages"] = page_cache = PageCache(app, config, db)
        app.wsgi_app = page_cache  # type: ignore[method-assign]


def enable_local_cache(app: Flask) -> FastPath | None:
    """Lets this process keep copies of pages, for it hears from now on what drops them; gives what answers from them,
    where there is a cache.
    """
    page_cache: PageCache | None = app.extensions.get("linnet.pages")
    if page_cache is None:
        return None
    page_cache.enable_local_cache()
    return page_cache.fast_path


class PageCache:
    """The middleware."""

    def __init__(self, app: Flask, config: Config, db: Db) -> None:
        self._app, self._wsgi, self._config, self._db = app, app.wsgi_app, config, db
        self._store, self._local = PageStore(db, config), LocalCache()
        self._rendering: set[CacheKey] = set()
        self._url_adapter = app.url_map.bind("visitors")
        self._down_until = 0.0
        self._site = config.site_url.rstrip("/")

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        key = cache_key(environ, self._site)
        if key is None:
            return self._wsgi(environ, start_response)
        bind_request_id(environ, self._config)
        started, trips_before = time.perf_counter(), self._db.trips
        response = self._get_response(key)
        if response is None:
            return self._wsgi(environ, start_response)
        if isinstance(response, CachedPage):
            response = from_cached(response, key, environ)
        return _log_and_send(
            key, response, environ, start_response, started, self._db.trips - trips_before
        )

    def fast_path(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes] | None:
        """Answers from a copy in this process, or does nothing and gives None: it waits for nobody."""
        started, key = time.perf_counter(), cache_key(environ, self._site)
        page = self._local_page(key) if key else None
        if key is None or page is None:
            return None
        bind_request_id(environ, self._config)
        return _log_and_send(
            key, from_cached(page, key, environ), environ, start_response, started, 0
        )

    def enable_local_cache(self) -> None:
        """Keeps copies in this process from now on."""
        self._local.listen(self._db)

    def _get_response(self, key: CacheKey) -> CachedPage | PageResponse | None:
        """The page, what else the app had to say, or None when this request is no business of the cache."""
        page = self._local_page(key)
        if page:
            return page
        prefetch = self._prefetch(key)
        if time.monotonic() < self._down_until or prefetch is None:
            return None
        try:
            return self._lookup_or_render(key, prefetch)
        except Unavailable:
            self._mark_store_down()
            return None

    def _local_page(self, key: CacheKey) -> CachedPage | None:
        """The page from this process, unless there may be a newer one."""
        copy = self._local.get(key)
        if copy is None or (copy.stale and key not in self._rendering):
            return None
        self._store.count_view(key.path, hit=True)
        return copy.page

    def _prefetch(self, key: CacheKey) -> Read[Prefetched] | None:
        """Return what to read with the cached page; None if this path's pages are not cached."""
        try:
            endpoint, arguments = self._url_adapter.match(key.path, "GET")
        except HTTPException:
            return None
        view = self._app.view_functions[endpoint]
        options = view_options(view)
        if options.cached_params is None or not key.param_names <= options.cached_params:
            return None
        page = page_read(view, VISITOR, arguments) if options.prefetch_in_cache else None
        if page is None:
            return NOTHING
        deferred: Read[Prefetched] = page.deferred()
        return deferred

    def _lookup_or_render(
        self, key: CacheKey, prefetch: Read[Prefetched]
    ) -> CachedPage | PageResponse | None:
        """The page from the store, or rendered. While another renders it: one that is over, or theirs when it is there.
        Raises Unavailable.
        """
        token, deadline = secrets.token_hex(8), time.monotonic() + WAIT_SECONDS
        while True:
            looked_up_at = time.monotonic()
            result = self._store.lookup(key, token, prefetch)
            self._down_until = 0.0
            if result.state == "yours":
                return self._render(key, token, looked_up_at, result)
            if result.page:
                if result.state == "fresh":
                    self._local.put(key, result.page, looked_up_at)
                self._store.count_view(key.path, hit=True)
                return result.page
            stale_copy = self._local.get(key)
            if stale_copy:
                return stale_copy.page
            if result.state == "loose" or time.monotonic() > deadline:
                return None
            time.sleep(POLL_SECONDS)

    def _render(
        self, key: CacheKey, token: str, looked_up_at: float, result: Lookup
    ) -> CachedPage | PageResponse:
        """Renders a page, and keeps it if it is to be kept. The answer of the app, if it is not."""
        hints, version = CacheHints(), self._store.member_versions.latest
        self._rendering.add(key)
        try:
            response = _run_app(self._wsgi, key.to_environ(hints) | {PREFETCHED: result.prefetched})
        finally:
            self._rendering.discard(key)
        page = response.cacheable(key, hints.uids, version)
        try:
            if page and result.popular:
                if self._store.store(key, token, page):
                    self._local.put(key, page, looked_up_at)
            else:
                self._store.release(key, token)
        except Unavailable:
            self._mark_store_down()
        if page:
            self._store.count_view(key.path, hit=False)
        return page or response

    def _mark_store_down(self) -> None:
        """Says so once, until it was seen to be back."""
        if not self._down_until:
            log.warning("pages are rendered without the cache: the store does not answer")
        self._down_until = time.monotonic() + DOWN_SECONDS


def _log_and_send(
    key: CacheKey,
    response: PageResponse,
    environ: Environ,
    start_response: StartResponse,
    started: float,
    trips: int,
) -> Iterable[bytes]:
    method = environ["REQUEST_METHOD"]
    log_request(method, key.path, response.status, time.perf_counter() - started, trips)
    return send(response, method, start_response)


def _run_app(wsgi: WsgiApp, environ: Environ) -> PageResponse:
    """The app's answer to a request, whole."""
    status_and_headers: list[Any] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: object = None
    ) -> None:
        status_and_headers[:] = [status, headers]

    result = wsgi(environ, start_response)
    try:
        body = b"".join(result)
    finally:
        getattr(result, "close", lambda: None)()
    return PageResponse(status_and_headers[0], status_and_headers[1], body)
