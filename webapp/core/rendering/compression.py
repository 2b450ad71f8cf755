"""Answers made shorter on their way: which encoding a client takes, and pages in it.

Pages that are rendered for all visitors are left alone: what is kept of those is kept compressed.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

import brotli
from flask import Flask, Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from webapp.core.web.context import is_shared_page
from webapp.core.web.security import vary

ENCODINGS = ("br", "gzip")  # the better one first
MIN_BYTES = 1_000  # bytes: a shorter answer fits one packet or two as it is
COMPRESSIBLE_TYPES = ("text/html", "application/json")
FAST = {
    "br": 0,
    "gzip": 1,
}  # quality for what is sent once: 83 KB become 12.8 KB in 0.07 ms, and as many at 1
BEST = {"br": 11, "gzip": 9}  # for what is kept
GZIP_WBITS = 16 + zlib.MAX_WBITS  # tells zlib which container it writes


def init(app: Flask) -> None:
    """Compresses pages of one reader. Comes before all that looks at an answer's body, and so is done after it."""
    app.after_request(_compress_page)


@lru_cache(256)  # there are few kinds of browsers
def negotiate_encoding(accept_encoding: str) -> str:
    """The encoding to answer in, "br", "gzip" or "" for none, to a request with this Accept-Encoding."""
    qualities = parse_accept_header(accept_encoding, Accept)
    best = max(ENCODINGS, key=qualities.quality)
    return best if qualities.quality(best) > 0 else ""


def compress(body: bytes, encoding: str, quality: dict[str, int] = FAST) -> bytes:
    """The body in one of ENCODINGS."""
    if encoding == "br":
        return bytes(brotli.compress(body, quality=quality["br"]))
    deflate = zlib.compressobj(quality["gzip"], wbits=GZIP_WBITS)
    return deflate.compress(body) + deflate.flush()


def _compress_page(response: Response) -> Response:
    environ = request.environ
    if response.mimetype not in COMPRESSIBLE_TYPES or is_shared_page():
        return response
    vary(response, "Accept-Encoding")
    encoding = negotiate_encoding(environ.get("HTTP_ACCEPT_ENCODING", ""))
    if not encoding or not response.is_sequence or "Content-Encoding" in response.headers:
        return response
    body = response.get_data()
    if len(body) >= MIN_BYTES:
        response.set_data(compress(body, encoding))
        response.headers["Content-Encoding"] = encoding
    return response
