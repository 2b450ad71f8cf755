"""The API's endpoint without a server."""

import asyncio
import json
from typing import Any

from tests.support.processes import PATIENCE
from webapp.streaming.server import StreamApp


class Client:
    """One request to the app; it reads the response only while `reads` is set.

    `pause_after`: the part of the response after which it stops reading, empty for none.
    `body_length`: of a body that it announces, and never sends.
    """

    def __init__(
        self,
        app: StreamApp,
        kind: str,
        query: str,
        token: str = "",
        accept: str = "",
        pause_after: bytes = b"",
        peer: str = "192.0.2.1",
        body_length: int = 0,
    ) -> None:
        self.sent, self.more, self.started = b"", True, False
        self.reads, self.gone, self._news = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.reads.set()
        self._body_read, self._pause_after = body_length > 0, pause_after
        headers = [
            (b"authorization", f"Bearer {token}".encode()),
            (b"accept", accept.encode()),
            (b"host", b"x"),
            (b"content-length", str(body_length).encode()),
        ]
        path, address = f"/1.1/statuses/{kind}.json", (peer, 1)
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "path": path,
            "query_string": query.encode(),
            "client": address,
        }
        self.task = asyncio.create_task(
            app({**scope, "headers": headers}, self._receive, self._send)
        )

    async def _receive(self) -> dict[str, Any]:
        if not self._body_read:
            self._body_read = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.started = True
        await self.reads.wait()
        self.sent += message.get("body", b"")
        self.more = message["type"] == "http.response.start" or message.get("more_body", False)
        if self._pause_after and self._pause_after in self.sent:
            self.reads.clear()
        self._news.set()

    async def until(self, part: bytes) -> None:
        """Wait until the response contains some bytes."""
        async with asyncio.timeout(PATIENCE):
            while part not in self.sent:
                self._news.clear()
                await self._news.wait()

    async def ended(self) -> list[dict[str, Any]]:
        """Wait for the end of the response and return its messages."""
        async with asyncio.timeout(PATIENCE):
            await self.task
        assert not self.more
        return [json.loads(line) for line in self.sent.split(b"\r\n") if line]
