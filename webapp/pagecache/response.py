"""Answers to visitors: what of the app's answers may be kept, and how a kept page is sent."""

from __future__ import annotations

import gzip
import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import Headers, ResponseCacheControl
from werkzeug.http import http_date, parse_cache_control_header, parse_date, parse_etags

from webapp.core.logs import request_id
from webapp.core.rendering.compression import compress

from .store import CachedPage
from .variant import CacheKey, Environ

PAGE_MAX = 1_048_576  # bytes of a body; a longer one is not kept
QUALITY = {"br": 5, "gzip": 6}  # for what is kept for minutes, while somebody waits for it
CACHE_CONTROL = "public, no-cache"  # anybody may store it, and must ask whether it still holds
VARY = "Accept-Encoding, Accept-Language, Cookie"
PER_RESPONSE_HEADERS = frozenset(  # made for one answer, or anew for each
    "cache-control connection content-encoding content-length date etag last-modified vary x-request-id".split()
)
NOT_MODIFIED_HEADERS = frozenset(
    "cache-control etag last-modified vary content-location expires x-request-id".split()
)


@dataclass(frozen=True, slots=True)
class PageResponse:
    """A whole answer: a status line, headers, a body."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes

    def cacheable(
        self, key: CacheKey, member_ids: frozenset[int] | None, version: int
    ) -> CachedPage | None:
        """The page to keep, or None: only a whole page that says whom it shows, sets no cookie and is for everybody."""
        headers = Headers(self.headers)
        control = parse_cache_control_header(
            ",".join(headers.getlist("Cache-Control")), cls=ResponseCacheControl
        )
        if (
            member_ids is None
            or self.status[:3] != "200"
            or len(self.body) > PAGE_MAX
            or "Set-Cookie" in headers
        ):
            return None
        if control.private is not None or control.no_store or not control.public:
            return None
        kept_headers = [
            (name, value)
            for name, value in self.headers
            if name.lower() not in PER_RESPONSE_HEADERS
        ]
        etag = hashlib.sha256(self.body).hexdigest()[:20]
        return CachedPage(
            kept_headers,
            etag,
            int(time.time()),
            version,
            sorted(member_ids),
            compress(self.body, key.encoding, QUALITY),
        )


def from_cached(page: CachedPage, key: CacheKey, environ: Environ) -> PageResponse:
    """A kept page as this client takes it: as it is, unpacked, or not at all because the client has it."""
    etag = f'"{page.etag}"' if key.uncompressed else f'"{page.etag}-{key.encoding}"'
    headers = [
        *page.headers,
        ("ETag", etag),
        ("Cache-Control", CACHE_CONTROL),
        ("Vary", VARY),
        ("Accept-Ranges", "none"),
    ]
    # Another version may be made in the same second; once it has passed, whoever is told of it has the last one.
    if page.rendered_at < int(time.time()):
        headers.append(("Last-Modified", http_date(page.rendered_at)))
    if _is_not_modified(page, etag, environ):
        headers = [pair for pair in headers if pair[0].lower() in NOT_MODIFIED_HEADERS]
        return PageResponse("304 NOT MODIFIED", headers, b"")
    body = gzip.decompress(page.body) if key.uncompressed else page.body
    if not key.uncompressed:
        headers.append(("Content-Encoding", key.encoding))
    headers.append(("Content-Length", str(len(body))))
    return PageResponse("200 OK", headers, body)


def send(
    response: PageResponse, method: str, start_response: Callable[..., Any]
) -> Iterable[bytes]:
    """Sends an answer, under the id of the request at work."""
    headers = [pair for pair in response.headers if pair[0] != "X-Request-ID"]
    start_response(response.status, [*headers, ("X-Request-ID", request_id.get())])
    return [] if method == "HEAD" else [response.body]


def _is_not_modified(page: CachedPage, etag: str, environ: Environ) -> bool:
    """Whether the client says that it has this very page."""
    if_none_match = environ.get("HTTP_IF_NONE_MATCH")
    if if_none_match is not None:
        return parse_etags(if_none_match).contains_weak(etag[1:-1])
    try:
        modified_since = parse_date(environ.get("HTTP_IF_MODIFIED_SINCE"))
    except OverflowError:  # numbers that no calendar takes
        return False
    return modified_since is not None and page.rendered_at <= modified_since.timestamp() < int(
        time.time()
    )
