"""Bodies of requests, which the event loop reads with a limit and a deadline."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from webapp.config import Config
from webapp.core.forms.body_limits import (
    BODY_INCOMPLETE,
    BODY_TIMED_OUT,
    BODY_TOO_LARGE,
    BODY_WITHOUT_FILES,
    UPLOADER,
    UPLOADS_SATURATED,
)
from webapp.core.forms.part_trimmer import PartTrimmer
from webapp.core.logs import log

from .wsgi import Environ

Receive = Callable[[], Awaitable[dict[str, Any]]]
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


class RequestBodies:
    """The bodies that one process reads. `active_uploads`, `active_refused`: long ones, by uid."""

    def __init__(self, config: Config, upload_limit: Callable[[Environ], Awaitable[int]]) -> None:
        """`upload_limit`: how many bytes a body may have that is longer than BODY_MAX."""
        self._config, self._upload_limit = config, upload_limit
        self.active_uploads, self.active_refused = Counter[int](), Counter[int]()

    @asynccontextmanager
    async def read(self, environ: Environ, receive: Receive) -> AsyncIterator[None]:
        """Read the body of a request into its environ. It takes space until the block ends."""
        limit = await self._limit(environ)
        slot = Counter([environ.get(UPLOADER, 0)] * (limit > self._config.body_max))
        active = self.active_refused if environ.get(BODY_WITHOUT_FILES) else self.active_uploads
        active += slot
        try:
            if limit:
                await self._read(environ, receive, limit)
            yield
        finally:
            active -= slot

    async def _limit(self, environ: Environ) -> int:
        """Return how many bytes of the body are kept.

        0 if it stays unread; the app then refuses it by its declared length.
        """
        declared = environ.get("CONTENT_LENGTH", "0")
        if not declared.isdecimal() or len(declared) > CONTENT_LENGTH_DIGITS_MAX:
            return 0
        if int(declared) <= self._config.body_max:
            return self._config.body_max
        limit = await self._upload_limit(environ)
        if environ.get(BODY_WITHOUT_FILES):
            has_room = self.active_refused.total() < REFUSED_UPLOADS_MAX
            return REFUSED_BODY_FACTOR * self._config.body_max if has_room else 0
        if limit <= self._config.body_max:
            return 0
        own = self.active_uploads[environ.get(UPLOADER, 0)]
        if own >= MEMBER_UPLOADS_MAX or self.active_uploads.total() >= UPLOADS_MAX:
            environ[UPLOADS_SATURATED] = True
            return 0
        return limit

    async def _read(self, environ: Environ, receive: Receive, limit: int) -> None:
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
        """Return a trimmer of pictures that are too big, so that their form can say so."""
        is_refused = environ.get(BODY_WITHOUT_FILES)
        part_max = REFUSED_FILE_MAX if is_refused else self._config.upload_max + 1
        return PartTrimmer.for_content_type(environ.get("CONTENT_TYPE", ""), part_max)


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
