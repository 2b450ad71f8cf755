"""Compression of responses, in the encoding that a client takes.

Pages for one reader are compressed here. Pages for all visitors are left to the page cache, which
stores them compressed.
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
MIN_BYTES = 1_000  # a shorter response fits one packet or two as it is
COMPRESSIBLE_TYPES = ("text/html", "application/json")
# For bodies that are sent once. Measured: 83 KB become 12.8 KB in 0.07 ms; brotli's 1 saves nothing
# more.
FAST = {"br": 0, "gzip": 1}
BEST = {"br": 11, "gzip": 9}  # for bodies that are kept as long as the process lives
GZIP_WBITS = 16 + zlib.MAX_WBITS  # tells zlib to write a gzip container


def init(app: Flask) -> None:
    """Compress pages for one reader. Register this first: Flask then runs it last."""
    app.after_request(_compress_page)


@lru_cache(256)  # browsers differ in few ways
def negotiate_encoding(accept_encoding: str) -> str:
    """Return "br", "gzip" or "" (none) for an Accept-Encoding header."""
    qualities = parse_accept_header(accept_encoding, Accept)
    best = max(ENCODINGS, key=qualities.quality)
    return best if qualities.quality(best) > 0 else ""


def compress(body: bytes, encoding: str, quality: dict[str, int] = FAST) -> bytes:
    """Return the body in one of ENCODINGS."""
    if encoding == "br":
        return bytes(brotli.compress(body, quality=quality["br"]))
    deflate = zlib.compressobj(quality["gzip"], wbits=GZIP_WBITS)
    return deflate.compress(body) + deflate.flush()


def _compress_page(response: Response) -> Response:
    if response.mimetype not in COMPRESSIBLE_TYPES or is_shared_page():
        return response
    vary(response, "Accept-Encoding")
    encoding = negotiate_encoding(request.environ.get("HTTP_ACCEPT_ENCODING", ""))
    if not encoding or not response.is_sequence or "Content-Encoding" in response.headers:
        return response
    body = response.get_data()
    if len(body) >= MIN_BYTES:
        response.set_data(compress(body, encoding))
        response.headers["Content-Encoding"] = encoding
    return response
