"""The page cache as WSGI middleware: it answers visitors with pages rendered once for all of them.

A view says that its page may be cached, and whom it shows (decorators.py). The page is rendered
from its cache key and nothing else (variant.py). It comes from this process (local.py), else from
the store, else it is rendered (rendering.py). Members, and all other pages, go past the cache.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from werkzeug.exceptions import HTTPException

from webapp.config import Config
from webapp.core.i18n.preferences import ENGLISH
from webapp.core.metrics.recorder import CACHED_PAGES, count_request, time_route
from webapp.core.settings.live import LiveSettings
from webapp.core.store import Db, Read, Site
from webapp.core.store.servers.heartbeat import start_heartbeat
from webapp.core.web.prefetching import VISITOR, page_read
from webapp.core.web.request_log import (
    LISTENER,
    NO_ROUTE,
    Answered,
    bind_request_id,
    log_request,
    route_name,
)
from webapp.core.web.view_options import view_options

from .cached_page import CachedPage
from .local import SILENT_TTL_SECONDS, TTL_SECONDS, LocalCache
from .rendering import PageRenderer
from .response import PageResponse, from_cached, send
from .store import NO_PREFETCH, PageStore, Prefetched
from .variant import CacheKey, Environ, Shared, cache_key

StartResponse = Callable[..., Any]
FastPath = Callable[[Environ, StartResponse], Iterable[bytes] | None]


def init(app: Flask, config: Config, db: Db) -> None:
    """Put the cache in front of an app, unless its size is 0."""
    if config.page_cache_bytes:
        app.extensions["linnet.pages"] = page_cache = PageCache(app, config, db)
        app.wsgi_app = page_cache  # type: ignore[method-assign]


def enable_local_cache(app: Flask) -> FastPath | None:
    """Subscribe to invalidations and keep copies of pages in this process.

    Return the handler that answers from them, None without a page cache.
    """
    page_cache: PageCache | None = app.extensions.get("linnet.pages")
    if page_cache is None:
        return None
    page_cache.enable_local_cache()
    return page_cache.fast_path


@dataclass(frozen=True, slots=True)
class Visit:
    """A visitor's request, and when it began."""

    key: CacheKey
    environ: Environ
    start_response: StartResponse
    trips_before: int
    started_at: float = field(default_factory=time.perf_counter)


class PageCache:
    """The middleware."""

    def __init__(self, app: Flask, config: Config, db: Db) -> None:
        self._app, self._wsgi, self._config, self._db = app, app.wsgi_app, config, db
        self._live: LiveSettings = app.extensions["linnet.settings"]
        self._store, self._local = PageStore(Site(db, config)), LocalCache()
        self._renderer = PageRenderer(self._wsgi, self._store, self._local)
        self._url_adapter = app.url_map.bind("visitors")
        self._site = config.site_url.rstrip("/")

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        key = self._key(environ)
        if key is None:
            return self._wsgi(environ, start_response)
        visit = Visit(key, environ, start_response, self._db.trips)
        bind_request_id(environ, self._config)
        response = self._get_response(key)
        if response is None:
            return self._wsgi(environ, start_response)
        return self._send(visit, response)

    def fast_path(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes] | None:
        """Answer from a copy in this process, without waiting for anything. None without a copy."""
        key = self._key(environ)
        if key is None:
            return None
        visit = Visit(key, environ, start_response, self._db.trips)
        page = self._local_page(key)
        if page is None:
            return None
        bind_request_id(environ, self._config)
        return self._send(visit, page)

    def enable_local_cache(self) -> None:
        """Keep copies in this process from now on, and send them while the store is silent."""
        self._local.listen(self._db)
        start_heartbeat(self._db)

    def _key(self, environ: Environ) -> CacheKey | None:
        """Return the key of a visitor's request, None for others and during maintenance."""
        version, settings = self._live.version, self._live.current
        if settings.maintenance:
            return None
        has_announcement = settings.announcement(ENGLISH.code, time.time())
        announcement = settings.announcement_id if has_announcement else ""
        shared = Shared("" if version == "0" else version, announcement, settings.default_language)
        return cache_key(environ, self._site, shared)

    def _get_response(self, key: CacheKey) -> CachedPage | PageResponse | None:
        """Return a page, or the app's response if it is not cacheable. None: bypass the cache."""
        page = self._local_page(key)
        if page:
            return page
        prefetch = self._prefetch(key)
        response = self._renderer.get(key, prefetch) if prefetch else None
        return response or self._local_page(key)  # the store may have fallen silent meanwhile

    def _local_page(self, key: CacheKey) -> CachedPage | None:
        """Return the copy of a page.

        A stale one only while its successor is rendered here, or nothing newer can be had.
        """
        is_silent = self._db.is_silent
        copy = self._local.get(key, SILENT_TTL_SECONDS if is_silent else TTL_SECONDS)
        may_be_stale = is_silent or self._renderer.is_rendering(key)
        if copy is None or (copy.stale and not may_be_stale):
            return None
        self._store.views.add(key.path, hit=True)
        return copy.page

    def _prefetch(self, key: CacheKey) -> Read[Prefetched] | None:
        """Return the read that goes with a lookup; None if this path's pages are not cached."""
        try:
            endpoint, arguments = self._url_adapter.match(key.path, "GET")
        except HTTPException:
            return None
        view = self._app.view_functions[endpoint]
        options = view_options(view)
        if options.cached_params is None or not key.param_names <= options.cached_params:
            return None
        page = page_read(view, VISITOR, arguments) if options.prefetch_in_cache else None
        if self._db.replicas:  # the lookup goes to the primary, and the page to a replica
            page = None
        if page is None:
            return NO_PREFETCH
        deferred: Read[Prefetched] = page.deferred()
        return deferred

    def _route(self, path: str) -> str:
        try:
            rule, _ = self._url_adapter.match(path, "GET", return_rule=True)
        except HTTPException:
            return NO_ROUTE
        return route_name(rule.rule)

    def _send(self, visit: Visit, response: CachedPage | PageResponse) -> Iterable[bytes]:
        """Send a response, and log the request."""
        is_cached = isinstance(response, CachedPage)
        if isinstance(response, CachedPage):
            response = from_cached(response, visit.key, visit.environ)
        method = visit.environ["REQUEST_METHOD"]
        seconds = time.perf_counter() - visit.started_at
        trips = self._db.trips - visit.trips_before
        log_request(CACHED_PAGES, method, visit.key.path, response.status, seconds, trips)
        count_request("cached" if is_cached else "page", response.status)
        time_route(CACHED_PAGES, seconds)
        if tell := self._app.extensions.get(LISTENER):
            route, size = self._route(visit.key.path), len(response.body)
            code, address = int(response.status[:3]), visit.environ.get("REMOTE_ADDR", "")
            tell(Answered(route, code, seconds, size, is_cached, False, address))
        return send(response, method, visit.start_response)
