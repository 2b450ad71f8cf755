"""Responses to visitors: which of the app's may be cached, and how a cached page is sent."""

import gzip
import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from werkzeug.datastructures import Headers, ResponseCacheControl
from werkzeug.http import http_date, parse_cache_control_header, parse_date, parse_etags

from webapp.core.logs import request_id
from webapp.core.rendering.compression import compress

from .cached_page import CachedPage
from .variant import CacheKey, Environ

PAGE_MAX = 1_048_576  # bytes of a body; a longer one is not cached
QUALITY = {"br": 5, "gzip": 6}  # worth it for minutes of use, and bearable for who waits
CACHE_CONTROL = "public, no-cache"  # anybody may store it, and must check whether it still holds
VARY = "Accept-Encoding, Accept-Language, Cookie"
PER_RESPONSE_HEADERS = frozenset(  # belong to one response, or are set for each
    "cache-control connection content-encoding content-length date etag last-modified vary "
    "x-request-id".split()
)
written_date = lru_cache(512)(http_date)  # of the pages that are sent again and again
NOT_MODIFIED_HEADERS = frozenset(
    "cache-control etag last-modified vary content-location expires x-request-id".split()
)


@dataclass(frozen=True, slots=True)
class PageResponse:
    """A whole response: its status line, headers and body."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes

    def to_cached(
        self, key: CacheKey, uids: frozenset[int] | None, version: int
    ) -> CachedPage | None:
        """Return the page to cache, None if this response must not be.

        `uids`: the members on it, None if its view did not declare them. `version`: the newest
        change of a member before it was rendered.
        """
        if uids is None or not self._is_cacheable():
            return None
        return CachedPage(
            headers=[pair for pair in self.headers if pair[0].lower() not in PER_RESPONSE_HEADERS],
            etag=hashlib.sha256(self.body).hexdigest()[:20],
            rendered_at=int(time.time()),
            version=version,
            uids=sorted(uids),
            body=compress(self.body, key.encoding, QUALITY),
        )

    def _is_cacheable(self) -> bool:
        """Return True for a whole page that is for everybody and sets no cookie."""
        headers = Headers(self.headers)
        if self.status[:3] != "200" or len(self.body) > PAGE_MAX or "Set-Cookie" in headers:
            return False
        values = ",".join(headers.getlist("Cache-Control"))
        control = parse_cache_control_header(values, cls=ResponseCacheControl)
        return control.public and control.private is None and not control.no_store


def from_cached(page: CachedPage, key: CacheKey, environ: Environ) -> PageResponse:
    """Return a cached page for this client: compressed, plain, or 304 because the client has it."""
    etag = f'"{page.etag}"' if key.uncompressed else f'"{page.etag}-{key.encoding}"'
    headers = [
        *page.headers,
        ("ETag", etag),
        ("Cache-Control", CACHE_CONTROL),
        ("Vary", VARY),
        ("Accept-Ranges", "none"),
    ]
    # Within its second, another version may follow; after it, this date names the last one.
    if page.rendered_at < int(time.time()):
        headers.append(("Last-Modified", written_date(page.rendered_at)))
    if _is_not_modified(page, etag, environ):
        headers = [pair for pair in headers if pair[0].lower() in NOT_MODIFIED_HEADERS]
        return PageResponse("304 NOT MODIFIED", headers, b"")
    if key.uncompressed:
        body = gzip.decompress(page.body)
    else:
        body = page.body
        headers.append(("Content-Encoding", key.encoding))
    headers.append(("Content-Length", str(len(body))))
    return PageResponse("200 OK", headers, body)


def send(
    response: PageResponse, method: str, start_response: Callable[..., Any]
) -> Iterable[bytes]:
    """Send a response with the id of the current request; to HEAD, without the body."""
    headers = [pair for pair in response.headers if pair[0] != "X-Request-ID"]
    start_response(response.status, [*headers, ("X-Request-ID", request_id.get())])
    return [] if method == "HEAD" else [response.body]


def _is_not_modified(page: CachedPage, etag: str, environ: Environ) -> bool:
    """Return True if the client's If-None-Match or If-Modified-Since names this page."""
    if_none_match = environ.get("HTTP_IF_NONE_MATCH")
    if if_none_match is not None:
        return parse_etags(if_none_match).contains_weak(etag[1:-1])
    try:
        modified_since = parse_date(environ.get("HTTP_IF_MODIFIED_SINCE"))
    except OverflowError:  # a date beyond the calendar
        return False
    if modified_since is None:
        return False
    return page.rendered_at <= modified_since.timestamp() < int(time.time())
