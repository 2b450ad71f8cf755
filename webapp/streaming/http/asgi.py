"""The types of ASGI, and the one way to send responses, compressed or not."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import orjson
from werkzeug.http import parse_accept_header

from webapp.core.errors import Refused, RequestTimedOut
from webapp.core.web.security import API_DISPOSITION

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]
Headers = list[Header]
TEXT = b"text/plain; charset=utf-8"
JSON = b"application/json"
COMMON_HEADERS: Headers = [
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]
# gzip with a window of 8 KB, enough for the last messages, and 64 KB of memory a client, not 256.
GZIP_WBITS = 16 + 13
GZIP_MEM_LEVEL = 6
VARY = (b"vary", b"Accept-Encoding")


class BodyTooLong(Exception):
    """A request body is longer than its limit."""


async def start_response(send: Send, status: int, content_type: bytes, *extra: Header) -> None:
    """Send the head of a response."""
    headers = [(b"content-type", content_type), *COMMON_HEADERS, *extra]
    if content_type == JSON:
        headers.append((b"content-disposition", API_DISPOSITION.encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def send_chunk(send: Send, body: bytes) -> None:
    """Send a part of the body; nothing if it is empty."""
    if body:
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def end_response(send: Send, body: bytes = b"") -> None:
    """Send the last part of the body."""
    await send({"type": "http.response.body", "body": body})


async def respond(
    send: Send, status: int, content_type: bytes, body: bytes, *extra: Header
) -> None:
    """Send a whole response."""
    await start_response(send, status, content_type, *extra)
    await end_response(send, body)


async def respond_text(send: Send, status: int, sentence: str, *extra: Header) -> None:
    """Send a whole response of one line of text."""
    await respond(send, status, TEXT, f"{sentence}\n".encode(), *extra)


async def respond_error(send: Send, status: int, sentence: str, *extra: Header) -> None:
    """Send a whole response that says in JSON why a request is refused."""
    body = orjson.dumps({"errors": [{"code": status, "message": sentence}]})
    await respond(send, status, JSON, body + b"\n", *extra)


@asynccontextmanager
async def disconnect_task(receive: Receive) -> AsyncIterator[asyncio.Task[None]]:
    """Yield a task that ends when the client goes; it is cancelled after the block."""
    task = asyncio.create_task(_wait_for_disconnect(receive))
    try:
        yield task
    finally:
        task.cancel()


async def read_body(receive: Receive, limit: int, deadline: float) -> bytes:
    """Return the body of a request, read within `deadline` seconds.

    Raises BodyTooLong, RequestTimedOut, and Refused if it is malformed or has no end.
    """
    body = bytearray()
    more_body = True
    try:
        async with asyncio.timeout(deadline):
            while more_body:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused("body_incomplete")
                body += message.get("body", b"")
                more_body = message.get("more_body", False)
                if len(body) > limit:
                    raise BodyTooLong
    except TimeoutError:
        raise RequestTimedOut("body_deadline") from None
    return bytes(body)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


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
