"""The Flask app behind an event loop: request bodies are awaited there, with a limit and a deadline, so that uploads
which stall hold no thread; the app gets the whole body, in one of a few threads, and gives the whole response. What
needs no waiting at all is answered in the loop.

(Granian's own WSGI server reads bodies in the app's threads, and stands still when it must answer while one of them
waits.)
"""

from __future__ import annotations

import asyncio
import contextvars
import io
import re
import sys
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from tempfile import SpooledTemporaryFile
from typing import Any
from urllib.parse import unquote_to_bytes

from webapp.config import Config
from webapp.core.forms.body_limits import BODY_TIMED_OUT, BODY_TOO_LARGE, UPLOADS_SATURATED

Environ = dict[str, Any]
WsgiApp = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
FastPath = Callable[[Environ, Callable[..., Any]], Iterable[bytes] | None]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
AppResponse = tuple[int, list[tuple[bytes, bytes]], bytes]  # status, headers, body
BUFFERED_RESPONSE = "linnet.whole"  # in the environ of every request: its answer is collected before it is sent, so it must end
NON_ASCII_BYTE = re.compile(
    rb"[\x80-\xff]"
)  # in a query: should be written as %XX, and need not be UTF-8
BODY_HEADERS = {"CONTENT_LENGTH", "HTTP_TRANSFER_ENCODING"}  # one of which tells of a body
UPLOADS_MAX = 16  # long bodies one process takes in at once
DISCARDED_BODY_MAX = (
    64 * 1024 * 1024
)  # bytes of a picture too large that are read all the same, so that its sender sees why


class AsgiBridge:
    """An ASGI application around a WSGI one."""

    def __init__(
        self,
        app: WsgiApp,
        config: Config,
        upload_limit: Callable[[Environ], int] | None = None,
        fast_path: FastPath | None = None,
    ) -> None:
        """`limit`, called in a thread: how many bytes a body may have whose declared length is over BODY_MAX.
        `at_once`: answers what it can without waiting for anything, before a thread is asked, or gives None.
        """
        self._app, self._config, self._fast_path = app, config, fast_path
        self._upload_limit = upload_limit or (lambda environ: config.body_max)
        self._active_uploads = 0
        self._threads = ThreadPoolExecutor(config.web_threads, "web")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            environ = _wsgi_environ(scope)
            if fast_response := self._try_fast_path(environ):
                await _send(send, *fast_response)
                return
            limit = await self._body_limit(environ)
            # A long body keeps its place until the app is done with it: so many are on the disk, never more.
            upload_slots = int(limit > self._config.body_max)
            self._active_uploads += upload_slots
            try:
                response = (
                    await self._run_app(environ)
                    if await self._read_body(environ, receive, limit)
                    else None
                )
            finally:
                self._active_uploads -= upload_slots
            if response:
                await _send(send, *response)

    async def _body_limit(self, environ: Environ) -> int:
        """How many bytes are kept of the body; 0 where there is none, and for one that is left unread, for the app to
        refuse by its length.
        """
        if _has_no_body(environ):
            return 0
        declared = environ.get("CONTENT_LENGTH", "0")
        if not declared.isdecimal() or len(declared) > 12:
            return 0
        if int(declared) <= self._config.body_max:
            return self._config.body_max
        limit = await asyncio.get_running_loop().run_in_executor(
            self._threads, self._upload_limit, environ
        )
        if limit <= self._config.body_max:
            return 0
        if self._active_uploads >= UPLOADS_MAX:
            environ[UPLOADS_SATURATED] = True
            return 0
        return limit

    async def _read_body(self, environ: Environ, receive: Receive, limit: int) -> bool:
        """Awaits a body and puts it into the environ; a long one is kept in a file meanwhile. False when the client has
        gone.
        """
        if not limit:
            return True
        in_memory = limit <= self._config.body_max
        deadline = self._config.body_deadline if in_memory else self._config.upload_deadline
        body = SpooledTemporaryFile(self._config.body_max)  # noqa: SIM115  # the app reads it
        length = 0
        try:
            async with asyncio.timeout(deadline):
                more_body = True
                while more_body and length <= (
                    limit if in_memory else max(limit, DISCARDED_BODY_MAX)
                ):
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        body.close()
                        return False
                    chunk = message.get("body", b"")
                    length += len(chunk)
                    if length <= limit:
                        body.write(chunk)
                    more_body = message.get("more_body", False)
            environ[BODY_TOO_LARGE] = length > limit
        except TimeoutError:
            environ[BODY_TIMED_OUT] = True
            length = 0
            body.truncate(0)
        body.seek(0)
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        environ["CONTENT_LENGTH"] = str(length)
        environ["wsgi.input"] = body
        return True

    def _try_fast_path(self, environ: Environ) -> AppResponse | None:
        """What can be answered at once, here in the event loop."""
        if self._fast_path is None or not _has_no_body(environ):
            return None
        return contextvars.copy_context().run(_call_wsgi, self._fast_path, environ.copy())

    async def _run_app(self, environ: Environ) -> AppResponse | None:
        loop, run = asyncio.get_running_loop(), contextvars.copy_context().run
        return await loop.run_in_executor(self._threads, run, _call_wsgi, self._app, environ)


def _has_no_body(environ: Environ) -> bool:
    """Whether a request asks for something and has no body."""
    return environ["REQUEST_METHOD"] in ("GET", "HEAD") and not BODY_HEADERS & environ.keys()


def _call_wsgi(app: FastPath, environ: Environ) -> AppResponse | None:
    """The app's whole answer, None where it gives none."""
    status_and_headers: list[Any] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: object = None
    ) -> None:
        status_and_headers[:] = [status, headers]

    result = app(environ, start_response)
    if result is None:
        return None
    try:
        body = b"".join(result)
    finally:
        getattr(result, "close", lambda: None)()
        environ["wsgi.input"].close()
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in status_and_headers[1]
    ]
    return int(status_and_headers[0].split(" ", 1)[0]), headers, body


def _wsgi_environ(scope: Scope) -> Environ:
    """The WSGI environ of an ASGI scope, without its body."""
    host, port = scope.get("server") or ("localhost", 80)
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope.get("raw_path") or scope["path"]).decode("latin-1"),
        "QUERY_STRING": NON_ASCII_BYTE.sub(
            lambda byte: b"%%%02X" % byte[0][0], scope["query_string"]
        ).decode("latin-1"),
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
    for raw, value in scope["headers"]:
        if b"_" not in raw:  # which would pass for another header's -
            name = raw.decode("latin-1").upper().replace("-", "_")
            name = name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"
            text = value.decode("latin-1")
            separator = "; " if name == "HTTP_COOKIE" else ","
            environ[name] = f"{environ[name]}{separator}{text}" if name in environ else text
    return environ


async def _send(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _lifespan(receive: Receive, send: Send) -> None:
    for _ in range(2):
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
