"""Run an ASGI response inside a WSGI app.

Flask's test client and `flask run` have no event loop. Each response gets one of its own, in a
thread; its chunks come out one after another. The ASGI side waits while a chunk is not taken, so a
slow reader holds a thread and one chunk.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar
from urllib.parse import quote

from werkzeug.datastructures import EnvironHeaders

from webapp.core.net.proxies import PATH_SAFE

from .asgi import Receive, Scope, Send

T = TypeVar("T")
Serve = Callable[[Receive, Send], Awaitable[None]]
CLOSE_SECONDS = 10.0  # longest wait for the ASGI side to clean up


def scope_of(environ: Mapping[str, Any]) -> Scope:
    """Return the ASGI scope of a WSGI environ.

    Flask's `request.url` would not do for signed requests: it decodes characters that clients sign
    encoded.
    """
    path = f"{environ.get('SCRIPT_NAME', '')}{environ.get('PATH_INFO', '')}".encode("latin-1")
    return {
        "type": "http",
        "method": environ["REQUEST_METHOD"],
        "scheme": environ["wsgi.url_scheme"],
        "path": path.decode("utf-8", "replace"),
        "raw_path": quote(path, safe=PATH_SAFE).encode(),
        "query_string": environ.get("QUERY_STRING", "").encode("latin-1"),
        "client": (environ.get("REMOTE_ADDR") or "", 0),
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in EnvironHeaders(dict(environ))
        ],
    }


class ResponseThread:
    """One ASGI response. `close` must be called, unless `start` raises."""

    def __init__(self, serve: Serve, body: bytes) -> None:
        """Prepare a response to a request with this body; `start` begins it."""
        self._serve = serve
        self._body: bytes | None = body
        self._loop = asyncio.new_event_loop()
        self._messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue(1)
        self._disconnected = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        threading.Thread(target=self._run_loop, name="asgi-response", daemon=True).start()

    def start(self) -> tuple[int, list[tuple[str, str]]]:
        """Begin the response and return its status and headers. Raises the errors of `serve`."""
        try:
            message = self._call(self._first_message())
        except BaseException:
            self.close()
            raise
        headers = [
            (name.decode().title(), value.decode("latin-1")) for name, value in message["headers"]
        ]
        return message["status"], headers

    def chunks(self) -> Iterator[bytes]:
        """Yield the parts of the body, each as soon as it is there."""
        while (message := self._call(self._messages.get())) is not None:
            if message["body"]:
                yield message["body"]

    def close(self) -> None:
        """End the response and wait until `serve` has returned. Do nothing the second time."""
        if self._closing:
            return
        self._closing = True
        try:
            self._call(self._finish(), CLOSE_SECONDS)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _run_loop(self) -> None:
        """Run the loop until `close`; work of its own threads ends by itself."""
        self._loop.run_forever()
        self._loop.close()

    def _call(self, coroutine: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Run a coroutine in the loop and return its result."""
        future: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result(timeout)

    async def _first_message(self) -> dict[str, Any]:
        self._task = asyncio.create_task(self._run())
        message = await self._messages.get()
        if message is None:
            await self._task  # raises why there is no response
            raise ConnectionResetError
        return message

    async def _run(self) -> None:
        try:
            await self._serve(self._receive, self._send)
        finally:
            await self._messages.put(None)

    async def _receive(self) -> dict[str, Any]:
        if self._body is not None:
            body = self._body
            self._body = None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._disconnected.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if not self._disconnected.is_set():
            await self._messages.put(message)

    async def _finish(self) -> None:
        """Tell the ASGI side that the client is gone, and discard its remaining messages."""
        self._disconnected.set()
        while self._task and not self._task.done():
            while not self._messages.empty():
                self._messages.get_nowait()
            await asyncio.wait([self._task], timeout=0.01)
