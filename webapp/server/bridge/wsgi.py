"""WSGI calls from ASGI: the environ of a request, and the app's whole response."""

from __future__ import annotations

import asyncio
import io
import re
import sys
from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

Environ = dict[str, Any]
WsgiApp = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
FastPath = Callable[[Environ, Callable[..., Any]], Iterable[bytes] | None]
Scope = dict[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]

# In the environ of every request: the response is collected before it is sent, so it must end.
BUFFERED_RESPONSE = "linnet.buffered_response"
NON_ASCII_BYTE = re.compile(rb"[\x80-\xff]")  # of a query, where it should be written as %XX
BODY_HEADERS = {"CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING"}  # one of them announces a body
HEADERS_MAX = 256  # names of headers that a process keeps converted: most are always the same
KEPT_NAME_MAX = 40  # bytes of a client's header that is kept


# A view sets it for a response that is too long to be collected: a large file of a fixed length.
STREAMED_RESPONSE = "linnet.streamed_response"


class WsgiResponse(NamedTuple):
    """A response: whole, or with `chunks` that are still to be read, in a thread, and closed."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    chunks: Iterable[bytes] | None = None


def call(app: FastPath, environ: Environ) -> WsgiResponse | None:
    """Call a WSGI app and return its response; None if it returns None."""
    started: list[Any] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: object = None
    ) -> None:
        started[:] = [status, headers]

    result = app(environ, start_response)
    if result is None:
        return None
    chunks = result if environ.get(STREAMED_RESPONSE) else None
    try:
        body = b"" if chunks is not None else b"".join(result)
    finally:
        if chunks is None:
            close(result)
        environ["wsgi.input"].close()
    status, headers = started
    encoded = [(_lowered(name), value.encode("latin-1")) for name, value in headers]
    return WsgiResponse(int(status.split(" ", 1)[0]), encoded, body, chunks)


@lru_cache(HEADERS_MAX)
def _lowered(name: str) -> bytes:
    return name.lower().encode("latin-1")


def close(result: Iterable[bytes]) -> None:
    """Close the response of a WSGI app, if it wants that."""
    getattr(result, "close", lambda: None)()


async def send_response(send: Send, response: WsgiResponse) -> None:
    """Send a response, whole or in chunks."""
    await send(
        {
            "type": "http.response.start",
            "status": response.status,
            "headers": response.headers,
        }
    )
    if response.chunks is not None:
        await _send_chunks(send, response.chunks)
    await send({"type": "http.response.body", "body": response.body})


async def _send_chunks(send: Send, chunks: Iterable[bytes]) -> None:
    """Send the chunks of a long response. Each is read in a thread: the disk may be slow."""
    try:
        iterator = iter(chunks)
        while chunk := await asyncio.to_thread(next, iterator, b""):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    finally:
        close(chunks)


def has_no_body(environ: Environ) -> bool:
    """Return True if a request reads something and has no body."""
    return environ["REQUEST_METHOD"] in ("GET", "HEAD") and not BODY_HEADERS & environ.keys()


def environ_of(scope: Scope) -> Environ:
    """Return the WSGI environ of an ASGI scope, with an empty body."""
    host, port = scope.get("server") or ("localhost", 80)
    path = scope.get("raw_path") or scope["path"]
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": _ascii_query(scope["query_string"]),
        "SERVER_NAME": str(host),
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": str((scope.get("client") or ("",))[0]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        BUFFERED_RESPONSE: True,
    }
    _add_headers(environ, scope["headers"])
    return environ


def _ascii_query(query: bytes) -> str:
    """Escape bytes that are not ASCII. They need not be UTF-8."""
    return NON_ASCII_BYTE.sub(lambda byte: b"%%%02X" % byte[0][0], query).decode("latin-1")


def _add_headers(environ: Environ, headers: Iterable[tuple[bytes, bytes]]) -> None:
    for raw, value in headers:
        if b"_" in raw:  # it would pass for a header with a hyphen
            continue
        name = _kept_name(raw) if len(raw) <= KEPT_NAME_MAX else _environ_name(raw)
        text = value.decode("latin-1")
        if name in environ:
            separator = "; " if name == "HTTP_COOKIE" else ","
            text = f"{environ[name]}{separator}{text}"
        environ[name] = text


def _environ_name(raw: bytes) -> str:
    name = raw.decode("latin-1").upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


_kept_name = lru_cache(HEADERS_MAX)(_environ_name)
