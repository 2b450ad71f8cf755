"""Streams of pages without a server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from tests.support.processes import PATIENCE
from tests.support.world import Web, World
from webapp.accounts.sessions import store as sessions
from webapp.streaming.server import StreamApp

Stage = tuple[StreamApp, Web, int, str]  # the app, the site, an author, the cookie of a reader
Play = Callable[[], AbstractAsyncContextManager[Stage]]


class Client:
    """One request to the app, and the response so far."""

    def __init__(
        self, app: StreamApp, path: str, query: str = "", cookie: str = "", token: str = ""
    ) -> None:
        self.sent, self.status, self._more, self._body_read = b"", 0, asyncio.Event(), False
        headers = [
            (b"host", b"127.0.0.1"),
            *([(b"cookie", f"linnet={cookie}".encode())] if cookie else []),
            *([(b"authorization", f"Bearer {token}".encode())] if token else []),
        ]
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "path": path,
            "query_string": query.encode(),
            "headers": headers,
        }
        self.task = asyncio.create_task(app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        if not self._body_read:
            self._body_read = True
            return {"type": "http.request", "body": b"", "more_body": False}
        return await asyncio.Future[dict[str, Any]]()

    async def _send(self, message: dict[str, Any]) -> None:
        self.status = message.get("status", self.status)
        self.sent += message.get("body", b"")
        self._more.set()

    async def until(self, part: bytes) -> None:
        """Wait until the response contains some bytes."""
        async with asyncio.timeout(PATIENCE):
            while part not in self.sent:
                self._more.clear()
                await self._more.wait()


@asynccontextmanager
async def running(app: StreamApp) -> AsyncIterator[None]:
    """Run the app while the block runs, and close its connections."""
    lifespan: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    started = asyncio.Event()

    async def on_message(message: dict[str, Any]) -> None:
        started.set()

    app_task = asyncio.create_task(app({"type": "lifespan"}, lifespan.get, on_message))
    await lifespan.put({"type": "lifespan.startup"})
    await started.wait()
    try:
        yield
    finally:
        await lifespan.put({"type": "lifespan.shutdown"})
        await app_task
        app.db.close()


@pytest.fixture
def play(web: Web, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Return a function that runs the app for a site, where ben follows ann and has a session."""
    monkeypatch.setenv("REDIS_URL", web.config.redis_url)

    @asynccontextmanager
    async def run() -> AsyncIterator[Stage]:
        ann, ben = web.people("ann", "ben")
        web.do(World.follow, ben, "ann")
        cookie = sessions.start(web, ben, sessions.INITIAL_EPOCH)
        app = StreamApp(web.config)
        async with running(app):
            yield app, web, ann, cookie

    return run
