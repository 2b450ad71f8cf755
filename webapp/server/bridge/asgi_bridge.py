"""The Flask app behind an event loop.

Request bodies are awaited in the loop, with a limit and a deadline, so that slow uploads hold no
thread. A thread then runs the app with the whole body and gets the whole response. The loop itself
serves requests without waiting, such as cached pages, and pages of members that are sent again. It
also runs members' views that wait for the store alone. While a thread waits for the store, the loop
looks again: an older copy may do.

(Granian's own WSGI server reads bodies in the app's threads. It blocks if it must answer while one
of them waits.)
"""

import asyncio
import contextvars
import io
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from webapp.config import Config
from webapp.core.forms.body_limits import SESSION_COOKIE_PREFIX

from .loop_replays import LoopReplays
from .loop_threads import LoopThreads
from .loop_views import LoopViews
from .request_bodies import Receive, RequestBodies
from .wsgi import (
    Environ,
    FastPath,
    Scope,
    Send,
    WsgiApp,
    WsgiResponse,
    call,
    environ_of,
    has_no_body,
    send_response,
)

STORELESS_THREADS = 2
FAST_PATH_SECONDS = 0.25  # between two looks at the fast path, while a thread runs the app


class Streams(Protocol):
    """Endless responses, which no thread runs."""

    def take(self, scope: Scope) -> bool:
        """Return True if a request is for them."""

    async def stop(self) -> None:
        """End them all."""

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer a request."""


class AsgiBridge:
    """An ASGI application around a WSGI one."""

    def __init__(
        self,
        app: WsgiApp,
        config: Config,
        upload_limit: Callable[[Environ], int] | None = None,
        fast_path: FastPath | None = None,
        is_storeless: Callable[[str, bool], bool] = lambda path, is_visit: False,
        streams: Streams | None = None,
        replays: LoopReplays | None = None,
        views: LoopViews | None = None,
    ) -> None:
        """Wrap `app`.

        `upload_limit` runs in a thread: how many bytes a body may have that is longer than
        BODY_MAX. `fast_path` runs in the event loop, so it must not wait; it responds, or returns
        None to leave a request to the app. `is_storeless`: whether a path, read by a visitor or
        not, is served without the store, so on threads of its own, which never wait for it.
        `streams` answers the requests that it takes, `replays` those of members that need no view,
        and `views` runs the app for those that it takes.
        """
        self._app, self._fast_path = app, fast_path
        self._threads = LoopThreads(config.web_threads, "web")
        limit = upload_limit or (lambda environ: config.body_max)
        self.bodies = RequestBodies(config, partial(self._threads.run, limit))
        self._is_storeless, self._streams, self._replays = is_storeless, streams, replays
        self._views = views
        self._storeless_threads = LoopThreads(STORELESS_THREADS, "storeless")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif self._streams and self._streams.take(scope):
            await self._streams(scope, receive, send)
        elif scope["type"] == "http":
            environ = environ_of(scope)
            response = (
                self._try_fast_path(environ)
                or await self._replayed(environ)
                or await self._respond(environ, receive)
            )
            if response:
                await send_response(send, response)
        else:
            await send({"type": "websocket.close"})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        """Answer the server's messages at startup and shutdown."""
        for _ in range(2):
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                await self._stop()
            await send({"type": f"{message['type']}.complete"})

    async def _stop(self) -> None:
        if self._streams:
            await self._streams.stop()
        if self._replays:
            await self._replays.stop()

    def _try_fast_path(self, environ: Environ) -> WsgiResponse | None:
        if self._fast_path is None or not _is_visit(environ):
            return None
        environ = environ | {"wsgi.input": io.BytesIO()}  # a thread may use the other one
        return contextvars.copy_context().run(call, self._fast_path, environ)

    async def _replayed(self, environ: Environ) -> WsgiResponse | None:
        """Return a member's page that needs no view, None if there is none."""
        if self._replays is None or not has_no_body(environ) or _is_visit(environ):
            return None
        return await self._replays.get(environ)

    async def _respond(self, environ: Environ, receive: Receive) -> WsgiResponse | None:
        """Read the body and run the app.

        The client of an incomplete body may still wait for a response: it gets one.
        """
        if has_no_body(environ):
            return await self._run_app(environ)
        async with self.bodies.read(environ, receive):
            return await self._run_app(environ)

    async def _run_app(self, environ: Environ) -> WsgiResponse | None:
        """Return the app's response from a thread, or the fast path's meanwhile."""
        is_visit = _is_visit(environ)
        if self._views and not is_visit and self._views.take(environ):
            return await self._views.run(call, self._app, environ)
        is_storeless = self._is_storeless(environ["PATH_INFO"], is_visit)
        threads = self._storeless_threads if is_storeless else self._threads
        if not is_visit:
            return await threads.run(call, self._app, environ)
        response = threads.run(call, self._app, environ.copy())
        while not (await asyncio.wait([response], timeout=FAST_PATH_SECONDS))[0]:
            if meanwhile := self._try_fast_path(environ):
                response.cancel()  # unless a thread has begun
                return meanwhile
        return response.result()


def _is_visit(environ: Environ) -> bool:
    """Return True for a request that reads without a session: the fast path may answer it."""
    return has_no_body(environ) and SESSION_COOKIE_PREFIX not in environ.get("HTTP_COOKIE", "")
