"""The streams of apps in a web process, for those that know only the address of the pages."""

import asyncio
from collections.abc import Callable

from webapp.client_api.streams import is_for_apps

from .http.asgi import Receive, Scope, Send
from .server import StreamApp

WEB_STREAMS_MAX = 200  # of one web process, which is there for pages


class StreamsOnDemand:
    """Streams that are made and started with the first request for one."""

    def __init__(self, make: Callable[[], StreamApp]) -> None:
        self._make = make
        self._started: asyncio.Task[StreamApp] | None = None

    def take(self, scope: Scope) -> bool:
        """Return True if a request is for them."""
        return is_for_apps(scope["path"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._started is None:
            self._started = asyncio.create_task(self._start())
        streams = await asyncio.shield(self._started)
        await streams(scope, receive, send)

    async def stop(self) -> None:
        """End all streams, if any were opened."""
        if self._started:
            await (await self._started).stop()

    async def _start(self) -> StreamApp:
        try:
            streams = self._make()
            await streams.start()
        except BaseException:
            self._started = None  # so that the next request tries again
            raise
        return streams
