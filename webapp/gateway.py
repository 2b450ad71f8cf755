"""The Flask app behind an event loop: request bodies are awaited there, with a limit and a deadline, so that uploads
which stall hold no thread; the app gets the whole body, in one of a few threads, and gives the whole response.

(Granian's own WSGI server reads bodies in the app's threads, and stands still when it must answer while one of them
waits.)
"""

from __future__ import annotations

import asyncio
import contextvars
import io
import sys
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import unquote_to_bytes

from .config import Config

Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
LATE = "linnet.late"  # in the environ of a request whose body did not come in time


class Gateway:
    """An ASGI application around a WSGI one."""

    def __init__(self, app: Wsgi, config: Config) -> None:
        self._app = app
        self._most, self._deadline = config.body_max, config.body_deadline
        self._threads = ThreadPoolExecutor(config.web_threads, "web")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            environ = _environ(scope)
            if await self._read(environ, receive):
                await self._answer(environ, send)

    async def _read(self, environ: Environ, receive: Receive) -> bool:
        """Puts the body into the environ; False when the client has gone. One that is too long is left unread, for the
        app to refuse by its length.
        """
        declared = environ.get("CONTENT_LENGTH", "0")
        if not declared.isdecimal() or int(declared) > self._most:
            return True
        body = bytearray()
        try:
            async with asyncio.timeout(self._deadline):
                more = True
                while more and len(body) <= self._most:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return False
                    body += message.get("body", b"")
                    more = message.get("more_body", False)
        except TimeoutError:
            environ[LATE] = True
            body.clear()
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        environ["CONTENT_LENGTH"] = str(len(body))
        environ["wsgi.input"] = io.BytesIO(body)
        return True

    async def _answer(self, environ: Environ, send: Send) -> None:
        loop, run = asyncio.get_running_loop(), contextvars.copy_context().run
        status, headers, body = await loop.run_in_executor(self._threads, run, self._call, environ)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _call(self, environ: Environ) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        head: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], failure: object = None) -> None:
            head[:] = [status, headers]

        result = self._app(environ, start)
        try:
            body = b"".join(result)
        finally:
            getattr(result, "close", lambda: None)()
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in head[1]]
        return int(head[0].split(" ", 1)[0]), headers, body


def _environ(scope: Scope) -> Environ:
    """The WSGI environ of an ASGI scope, without its body."""
    host, port = scope.get("server") or ("localhost", 80)
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope.get("raw_path") or scope["path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
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
    }
    for raw, value in scope["headers"]:
        if b"_" not in raw:  # which would pass for another header's -
            name = raw.decode("latin-1").upper().replace("-", "_")
            name = name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"
            text = value.decode("latin-1")
            joint = "; " if name == "HTTP_COOKIE" else ","
            environ[name] = f"{environ[name]}{joint}{text}" if name in environ else text
    return environ


async def _live(receive: Receive, send: Send) -> None:
    for _ in range(2):
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
