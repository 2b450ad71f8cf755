"""Serve the API's streams from a web process, where there is no stream process.

Each response has a hub and an endpoint of its own, which read the log from its end on.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.streaming.event_log import EventLog
from webapp.streaming.http.asgi import Receive, Scope, Send
from webapp.streaming.http.wsgi import ResponseThread
from webapp.streaming.hub.hub import Hub

from .endpoint import ApiEndpoint


def open_stream(
    db: Db, config: Config, kind: str, scope: Scope, body: bytes, site: str
) -> ResponseThread:
    """Return the response to a request; `site` is the public address of the pages.

    One trip. Raises Unavailable.
    """
    behind_no_proxy = replace(config, trusted_proxies=0)  # the web process has heeded them already
    hub = Hub(1, config.stream_queue)
    log = EventLog(db, hub, site)
    endpoint = ApiEndpoint(db, behind_no_proxy, hub, log, one_by_one=True)
    log.begin_at_end()

    async def serve(receive: Receive, send: Send) -> None:
        tasks = [
            asyncio.create_task(coroutine) for coroutine in (log.follow(), endpoint.refresh_slots())
        ]
        try:
            await endpoint.serve(kind, scope, receive, send)
            await endpoint.wait_for_releases()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    return ResponseThread(serve, body)
