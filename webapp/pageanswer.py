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

from .compression import compress
from .events import request_id
from .pagestore import Kept
from .pagevariant import Environ, Wanted

PAGE_MAX = 1_048_576  # bytes of a body; a longer one is not kept
QUALITY = {"br": 5, "gzip": 6}  # for what is kept for minutes, while somebody waits for it
CONTROL = "public, no-cache"  # anybody may store it, and must ask whether it still holds
VARY = "Accept-Encoding, Accept-Language, Cookie"
OWN = frozenset(  # made for one answer, or anew for each
    "cache-control connection content-encoding content-length date etag last-modified vary x-request-id".split()
)
WHEN_UNCHANGED = frozenset("cache-control etag last-modified vary content-location expires x-request-id".split())


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: a status line, headers, a body."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes

    def kept(self, asked: Wanted, uids: frozenset[int] | None, seen: int) -> Kept | None:
        """The page to keep, or None: only a whole page that says whom it shows, sets no cookie and is for everybody."""
        headers = Headers(self.headers)
        control = parse_cache_control_header(",".join(headers.getlist("Cache-Control")), cls=ResponseCacheControl)
        if uids is None or self.status[:3] != "200" or len(self.body) > PAGE_MAX or "Set-Cookie" in headers:
            return None
        if control.private is not None or control.no_store or not control.public:
            return None
        lasting = [(name, value) for name, value in self.headers if name.lower() not in OWN]
        tag = hashlib.sha256(self.body).hexdigest()[:20]
        return Kept(lasting, tag, int(time.time()), seen, sorted(uids), compress(self.body, asked.encoding, QUALITY))


def answer_of(page: Kept, asked: Wanted, environ: Environ) -> Answer:
    """A kept page as this client takes it: as it is, unpacked, or not at all because the client has it."""
    tag = f'"{page.etag}"' if asked.plain else f'"{page.etag}-{asked.encoding}"'
    headers = [*page.headers, ("ETag", tag), ("Cache-Control", CONTROL), ("Vary", VARY), ("Accept-Ranges", "none")]
    # Another version may be made in the same second; once it has passed, whoever is told of it has the last one.
    if page.rendered < int(time.time()):
        headers.append(("Last-Modified", http_date(page.rendered)))
    if _has(page, tag, environ):
        headers = [pair for pair in headers if pair[0].lower() in WHEN_UNCHANGED]
        return Answer("304 NOT MODIFIED", headers, b"")
    body = gzip.decompress(page.body) if asked.plain else page.body
    if not asked.plain:
        headers.append(("Content-Encoding", asked.encoding))
    headers.append(("Content-Length", str(len(body))))
    return Answer("200 OK", headers, body)


def respond(answer: Answer, method: str, start: Callable[..., Any]) -> Iterable[bytes]:
    """Sends an answer, under the id of the request at work."""
    headers = [pair for pair in answer.headers if pair[0] != "X-Request-ID"]
    start(answer.status, [*headers, ("X-Request-ID", request_id.get())])
    return [] if method == "HEAD" else [answer.body]


def _has(page: Kept, tag: str, environ: Environ) -> bool:
    """Whether the client says that it has this very page."""
    given = environ.get("HTTP_IF_NONE_MATCH")
    if given is not None:
        return parse_etags(given).contains_weak(tag[1:-1])
    try:
        moment = parse_date(environ.get("HTTP_IF_MODIFIED_SINCE"))
    except OverflowError:  # numbers that no calendar takes
        return False
    return moment is not None and page.rendered <= moment.timestamp() < int(time.time())
