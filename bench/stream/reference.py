"""Run `python -m bench.stream.reference`: a minimal ASGI stream under the site's server.

`GET /stream` is a response that stays open, and so is any WebSocket. `POST /push` sends all
responses, each as one piece, the bytes that lie ready in the file `prepared` of DATA_DIR.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from webapp.config import load
from webapp.server import granian

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
PREPARED = "prepared"


class Pusher:
    """Push prepared bytes to all open streams, which wait for one event."""

    def __init__(self, prepared: Path) -> None:
        self._prepared = prepared
        self._body = b""
        self._pushed = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept", "subprotocol": scope["subprotocols"][0]})
            while (await receive())["type"] != "websocket.disconnect":
                pass
        elif scope["type"] == "http" and scope["path"] == "/stream":
            await self._stream(receive, send)
        elif scope["type"] == "http":
            if scope["path"] == "/push":
                self._body = self._prepared.read_bytes()
                pushed, self._pushed = self._pushed, asyncio.Event()
                pushed.set()
            await _start(send)
            await send({"type": "http.response.body", "body": b"ok"})

    async def _live(self, receive: Receive, send: Send) -> None:
        kind = ""
        while not kind.endswith("shutdown"):
            kind = (await receive())["type"]
            await send({"type": f"{kind}.complete"})

    async def _stream(self, receive: Receive, send: Send) -> None:
        sending = asyncio.create_task(self._send(send))
        while (await receive())["type"] != "http.disconnect":
            pass
        sending.cancel()

    async def _send(self, send: Send) -> None:
        await _start(send)
        await send({"type": "http.response.body", "body": b"\r\n", "more_body": True})
        while True:
            await self._pushed.wait()
            await send({"type": "http.response.body", "body": self._body, "more_body": True})


async def _start(send: Send) -> None:
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-type", b"application/json")],
        }
    )


def pusher() -> Pusher:
    """Create the app from the environment's settings."""
    return Pusher(load().data_dir / PREPARED)


if __name__ == "__main__":
    from .reference import pusher as importable  # by its real name: another process must find it

    granian.serve_streams(load(), importable)
