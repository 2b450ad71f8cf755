"""Compression of responses, in the encoding that a client takes.

Pages for one reader are compressed here. Pages for all visitors are left to the page cache, which
stores them compressed.
"""

import zlib
from dataclasses import dataclass
from functools import lru_cache
from struct import pack

import brotli
from flask import Flask, Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from webapp.core.web import unwrap, vary
from webapp.core.web.context import is_shared_page

ENCODINGS = ("br", "gzip")  # the better one first
MIN_BYTES = 1_000  # a shorter response fits one packet or two as it is
COMPRESSIBLE_TYPES = ("text/html", "application/json")
# For bodies that are sent once. Measured: 83 KB become 12.8 KB in 0.07 ms; brotli's 1 saves nothing
# more.
FAST = {"br": 0, "gzip": 1}
BEST = {"br": 11, "gzip": 9}  # for bodies that are kept as long as the process lives
END_MAX = 65_535  # bytes that one block of either encoding holds as they are
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


@dataclass(frozen=True, slots=True)
class CompressedStart:
    """The start of a body, compressed once, for bodies that differ only in their ends.

    `encoding`: one of ENCODINGS, or "" for none. `stream`: whole bytes of it, as it goes on.
    `length`, `checksum`: of the start itself; the end of a gzip stream counts them. Others have no
    checksum.
    """

    encoding: str
    stream: bytes
    length: int
    checksum: int

    def with_end(self, end: bytes) -> bytes:
        """Return the body with this end, which is short: it is sent as it is."""
        if self.encoding == "br":  # RFC 7932, 9.2: a block as it is, then an empty last one
            header = (1 << 19 | len(end) - 1 << 3).to_bytes(3, "little") if end else b""
            return b"".join((self.stream, header, end, b"\x03"))
        if self.encoding == "gzip":  # RFC 1951, 3.2.4, and RFC 1952, 2.3.1
            length, checksum = self.length + len(end), zlib.crc32(end, self.checksum)
            header = pack("<BHH", 1, len(end), len(end) ^ END_MAX)
            return b"".join((self.stream, header, end, pack("<II", checksum, length)))
        return self.stream + end


def compress_start(start: bytes, encoding: str) -> CompressedStart:
    """Compress the start of bodies, in one of ENCODINGS. Their ends have at most END_MAX bytes."""
    stream, checksum = start, 0
    if encoding == "br":
        compressor = brotli.Compressor(quality=FAST["br"])
        stream = compressor.process(start) + compressor.flush()
    elif encoding == "gzip":
        deflate = zlib.compressobj(FAST["gzip"], wbits=GZIP_WBITS)
        stream = deflate.compress(start) + deflate.flush(zlib.Z_SYNC_FLUSH)
        checksum = zlib.crc32(start)
    return CompressedStart(encoding, stream, len(start), checksum)


def accepted_encoding() -> str:
    """Return the encoding of this request's response: one of ENCODINGS, or "" for none."""
    return negotiate_encoding(unwrap(request).environ.get("HTTP_ACCEPT_ENCODING", ""))


def _compress_page(response: Response) -> Response:
    if response.mimetype not in COMPRESSIBLE_TYPES or is_shared_page():
        return response
    vary(response, "Accept-Encoding")
    if not response.is_sequence or len(body := response.get_data()) < MIN_BYTES:
        return response
    encoding = accepted_encoding()
    if encoding and "Content-Encoding" not in response.headers:
        response.set_data(compress(body, encoding))
        response.headers["Content-Encoding"] = encoding
    return response
