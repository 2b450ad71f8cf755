"""The Flask app behind an event loop.

Request bodies are awaited in the loop, with a limit and a deadline, so that slow uploads hold no
thread. A thread then runs the app with the whole body and gets the whole response. The loop itself
serves requests without waiting, such as cached pages. While a thread waits for the store, the loop
looks again: an older copy may do.

(Granian's own WSGI server reads bodies in the app's threads. It blocks if it must answer while one
of them waits.)
"""

import asyncio
import contextvars
import io
from collections import Counter
from collections.abc import Awaitable, Callable
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Protocol

from webapp.config import Config
from webapp.core.forms.body_limits import (
    BODY_INCOMPLETE,
    BODY_TIMED_OUT,
    BODY_TOO_LARGE,
    BODY_WITHOUT_FILES,
    SESSION_COOKIE_PREFIX,
    UPLOADER,
    UPLOADS_SATURATED,
)
from webapp.core.forms.part_trimmer import PartTrimmer
from webapp.core.logs import log

from .loop_threads import LoopThreads
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

Receive = Callable[[], Awaitable[dict[str, Any]]]
STORELESS_THREADS = 2
FAST_PATH_SECONDS = 0.25  # between two looks at the fast path, while a thread runs the app
UPLOADS_MAX = 16  # long bodies that one process reads at the same time
MEMBER_UPLOADS_MAX = 4  # of those, of one member
REFUSED_UPLOADS_MAX = 4  # of those without a session, whose files are cut
REFUSED_FILE_MAX = 1_024  # bytes that are left of a file, and what its headers take
REFUSED_BODY_FACTOR = 3  # how many BODY_MAX the texts and such files may have
CONTENT_LENGTH_DIGITS_MAX = 12
# Bytes of an oversized upload that are read and discarded, so that the client gets the response.
DISCARDED_BODY_MAX = 64 * 1024 * 1024


class IncompleteBody(Exception):
    """A body is malformed, or has no end. Granian says `http.disconnect` for either."""


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
    ) -> None:
        """Wrap `app`.

        `upload_limit` runs in a thread: how many bytes a body may have that is longer than
        BODY_MAX. `fast_path` runs in the event loop, so it must not wait; it responds, or returns
        None to leave a request to the app. `is_storeless`: whether a path, read by a visitor or
        not, is served without the store, so on threads of its own, which never wait for it.
        `streams` answers the requests that it takes.
        """
        self._app, self._config, self._fast_path = app, config, fast_path
        self._upload_limit = upload_limit or (lambda environ: config.body_max)
        self._active_uploads, self._active_refused = Counter[int](), Counter[int]()  # by member
        self._threads = LoopThreads(config.web_threads, "web")
        self._is_storeless, self._streams = is_storeless, streams
        self._storeless_threads = LoopThreads(STORELESS_THREADS, "storeless")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif self._streams and self._streams.take(scope):
            await self._streams(scope, receive, send)
        elif scope["type"] == "http":
            environ = environ_of(scope)
            response = self._try_fast_path(environ) or await self._respond(environ, receive)
            if response:
                await send_response(send, response)
        else:
            await send({"type": "websocket.close"})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        """Answer the server's messages at startup and shutdown."""
        for _ in range(2):
            message = await receive()
            if message["type"] == "lifespan.shutdown" and self._streams:
                await self._streams.stop()
            await send({"type": f"{message['type']}.complete"})

    def _try_fast_path(self, environ: Environ) -> WsgiResponse | None:
        if self._fast_path is None or not _is_visit(environ):
            return None
        environ = environ | {"wsgi.input": io.BytesIO()}  # a thread may use the other one
        return contextvars.copy_context().run(call, self._fast_path, environ)

    async def _respond(self, environ: Environ, receive: Receive) -> WsgiResponse | None:
        """Read the body and run the app.

        The client of an incomplete body may still wait for a response: it gets one.
        """
        limit = await self._body_limit(environ)
        # A long body keeps its slot until the app is done with it: it takes space on the disk.
        slot = Counter([environ.get(UPLOADER, 0)] * (limit > self._config.body_max))
        active = self._active_refused if environ.get(BODY_WITHOUT_FILES) else self._active_uploads
        active += slot
        try:
            if limit:
                await self._read_body(environ, receive, limit)
            return await self._run_app(environ)
        finally:
            active -= slot

    async def _body_limit(self, environ: Environ) -> int:
        """Return how many bytes of the body are kept.

        0 if there is none, or it stays unread; the app then refuses it by its declared length.
        """
        if has_no_body(environ):
            return 0
        declared = environ.get("CONTENT_LENGTH", "0")
        if not declared.isdecimal() or len(declared) > CONTENT_LENGTH_DIGITS_MAX:
            return 0
        if int(declared) <= self._config.body_max:
            return self._config.body_max
        limit = await self._threads.run(self._upload_limit, environ)
        if environ.get(BODY_WITHOUT_FILES):
            has_room = self._active_refused.total() < REFUSED_UPLOADS_MAX
            return REFUSED_BODY_FACTOR * self._config.body_max if has_room else 0
        if limit <= self._config.body_max:
            return 0
        own = self._active_uploads[environ.get(UPLOADER, 0)]
        if own >= MEMBER_UPLOADS_MAX or self._active_uploads.total() >= UPLOADS_MAX:
            environ[UPLOADS_SATURATED] = True
            return 0
        return limit

    async def _read_body(self, environ: Environ, receive: Receive, limit: int) -> None:
        """Await a body and put it into the environ. A long one is in a file."""
        is_long = limit > self._config.body_max
        deadline = self._config.upload_deadline if is_long else self._config.body_deadline
        read_max = max(limit, DISCARDED_BODY_MAX) if is_long else limit
        trimmer = self._trimmer(environ) if is_long else None
        body: IO[bytes] = SpooledTemporaryFile(self._config.body_max)  # noqa: SIM115  # app reads it
        length = 0
        try:
            async with asyncio.timeout(deadline):
                length = await _copy_body(receive, body, limit, read_max, trimmer)
            environ[BODY_TOO_LARGE] = length > limit
        except TimeoutError:
            environ[BODY_TIMED_OUT] = True
        except IncompleteBody:
            environ[BODY_INCOMPLETE] = True
        except OSError as error:  # no room on the disk
            log.error("an upload cannot be kept: %s", error)
            environ[UPLOADS_SATURATED] = True
        if not length:
            body.truncate(0)
        body.seek(0)
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        environ["CONTENT_LENGTH"] = str(length)
        environ["wsgi.input"] = body

    def _trimmer(self, environ: Environ) -> PartTrimmer | None:
        """Return what cuts pictures that are too big, so that their form can say so."""
        is_refused = environ.get(BODY_WITHOUT_FILES)
        part_max = REFUSED_FILE_MAX if is_refused else self._config.upload_max + 1
        return PartTrimmer.for_content_type(environ.get("CONTENT_TYPE", ""), part_max)

    async def _run_app(self, environ: Environ) -> WsgiResponse | None:
        """Return the app's response from a thread, or the fast path's meanwhile."""
        is_visit = _is_visit(environ)
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


async def _copy_body(
    receive: Receive, body: IO[bytes], limit: int, read_max: int, trimmer: PartTrimmer | None
) -> int:
    """Copy a body of up to `limit` bytes. Return its length, or the bytes read above `read_max`.

    Raises IncompleteBody.
    """
    length, received, more_body = 0, 0, True
    while more_body and received <= read_max:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise IncompleteBody
        chunk, more_body = message.get("body", b""), message.get("more_body", False)
        received += len(chunk)
        if trimmer:
            chunk = trimmer.feed(chunk, more_body)
        length += len(chunk)
        if length <= limit:
            body.write(chunk)
    return received if more_body else length
