"""Tell the access log of the streams that a stream process ends."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

from webapp.config import Config
from webapp.core.net.ip import HEALTH_PATHS, forwarded_header
from webapp.core.web.request_log import NO_ROUTE, Answered
from webapp.streaming.http.asgi import Receive, Scope, Send
from webapp.streaming.http.requests import header_dict, peer_of

# What a stream's path begins with. The rest may be anything, line breaks too.
ROUTE = re.compile(r"/(?:stream|api|1\.1|statuses)/[a-z0-9.]{1,20}(?=/|\Z)")
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]


class LoggedStreams:
    """An ASGI application around one of streams. A line says when a stream ended.

    A member is who sent a cookie or a token, valid or not. A WebSocket has the status 101.
    """

    def __init__(self, app: AsgiApp, tell: Callable[[Answered], None], config: Config) -> None:
        self._app, self._tell, self._config = app, tell, config

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or scope["path"] in HEALTH_PATHS:
            return await self._app(scope, receive, send)
        started_at, status, size = time.perf_counter(), 101, 0

        async def counted_send(message: dict[str, Any]) -> None:
            nonlocal status, size
            status = message.get("status", status)
            size += len(message.get("body") or message.get("text") or "")
            await send(message)

        try:
            await self._app(scope, receive, counted_send)
        finally:
            seconds, headers = time.perf_counter() - started_at, header_dict(scope)
            found = ROUTE.match(scope["path"]) if status != 404 else None
            route = found[0] if found else NO_ROUTE
            address = forwarded_header(headers, "for", self._config.trusted_proxies)
            is_member = not headers.keys().isdisjoint(("cookie", "authorization"))
            who = address or peer_of(scope)
            self._tell(Answered(route, status, seconds, size, False, is_member, who))
