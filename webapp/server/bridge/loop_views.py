"""Members' requests whose views run in the event loop, as greenlets.

Under load a thread costs a request more than its view. It is woken, waits for the interpreter after
each trip, and finds the processor's caches cold. Views that would block the loop run in threads:
those that compute for long or wait for something else than the store, and pictures.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from werkzeug.sansio.http import parse_cookie

from webapp.core.store.servers.greenlets import run_as_greenlet
from webapp.core.store.servers.loop_client import LoopClient
from webapp.core.web.context import SESSION_COOKIES

from .wsgi import Environ

T = TypeVar("T")
RUNNING_MAX = 16  # views at once; so many replies may come in one turn of the loop
BODY_MAX = 65_536  # bytes that are parsed in the loop
NO_FILE = b'filename=""'  # what browsers send of a field for files that is empty
DRAFT_PICTURE = b'stored"'  # ends the name of the field of a stored picture, whose files are copied


class LoopViews:
    """Views of one event loop."""

    def __init__(self, client: LoopClient, is_for_loop: Callable[[str, str], bool]) -> None:
        """`is_for_loop`: whether the view of a path and method runs in event loops."""
        self._client, self._is_for_loop = client, is_for_loop
        self._slots = asyncio.Semaphore(RUNNING_MAX)

    def take(self, environ: Environ) -> bool:
        """Return True if a request, whose body is here, is for them.

        Visitors wait for each other's pages (pagecache/rendering.py), so none comes here.
        """
        return (
            self._is_for_loop(environ["PATH_INFO"], environ["REQUEST_METHOD"])
            and not parse_cookie(environ.get("HTTP_COOKIE")).keys().isdisjoint(SESSION_COOKIES)
            and self._client.is_ready
            and not _has_file(environ)
        )

    async def run(self, function: Callable[..., T], *values: object) -> T:
        """Return the result of a function once few others run."""
        async with self._slots:
            return await run_as_greenlet(self._client, function, *values)


def _has_file(environ: Environ) -> bool:
    """Return True for a long body, and for a form that may hold a file or a draft's picture."""
    if int(environ.get("CONTENT_LENGTH") or 0) > BODY_MAX:
        return True
    if "multipart" not in environ.get("CONTENT_TYPE", "").lower():
        return False
    stream = environ["wsgi.input"]
    body = stream.read().lower()
    stream.seek(0)
    return bool(DRAFT_PICTURE in body or body.count(b"filename") != body.count(NO_FILE))
