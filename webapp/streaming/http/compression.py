"""Compress the body of a stream, chunk by chunk."""

from __future__ import annotations

import zlib
from typing import Any

from werkzeug.http import parse_accept_header

from .asgi import Headers, Scope, Send

# gzip with a window of 8 KB, enough for the last messages, and 64 KB of memory a client, not 256.
GZIP_WBITS = 16 + 13
GZIP_MEM_LEVEL = 6
VARY = (b"vary", b"Accept-Encoding")


def with_compression(send: Send, scope: Scope) -> tuple[Send, Headers]:
    """Return a `send` that compresses if the client accepts gzip, and the headers that say so."""
    accepted = dict(scope["headers"]).get(b"accept-encoding", b"").decode("latin-1")
    if not parse_accept_header(accepted)["gzip"]:
        return send, [VARY]
    compressor = zlib.compressobj(wbits=GZIP_WBITS, memLevel=GZIP_MEM_LEVEL)

    async def send_compressed(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body":
            flush_mode = zlib.Z_SYNC_FLUSH if message.get("more_body") else zlib.Z_FINISH
            body = compressor.compress(message["body"]) + compressor.flush(flush_mode)
            message = {**message, "body": body}
        await send(message)

    return send_compressed, [(b"content-encoding", b"gzip"), VARY]
