"""Serve the API's streams from a web process, where there is no stream process.

Each response has a hub and an endpoint of its own, which read the log from its end on.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from webapp.core.site import Site
from webapp.streaming.event_log import EventLog
from webapp.streaming.http.asgi import Receive, Scope, Send
from webapp.streaming.http.wsgi import ResponseThread
from webapp.streaming.hub.hub import Hub
from webapp.streaming.maintenance import end_streams_in_maintenance

from .endpoint import ApiEndpoint
from .held_slots import HeldSlots


def open_stream(
    site: Site, live: Site, kind: str, scope: Scope, body: bytes, site_url: str
) -> ResponseThread:
    """Return the response to a request; `site_url` is the public address of the pages.

    `live` has the settings of each moment: the stream ends with maintenance. One trip.
    Raises Unavailable.
    """
    # The web process has heeded the proxies already.
    behind_no_proxy = Site(site.db, replace(site.config, trusted_proxies=0))
    hub = Hub(1, site.config.stream_queue)
    log = EventLog(site.db, hub, site_url)
    slots = HeldSlots(behind_no_proxy)
    endpoint = ApiEndpoint(behind_no_proxy, hub, log, slots, one_by_one=True)
    log.begin_at_end()

    async def serve(receive: Receive, send: Send) -> None:
        work = log.follow(), slots.refresh(), end_streams_in_maintenance(live, hub)
        tasks = [asyncio.create_task(coroutine) for coroutine in work]
        try:
            await endpoint.serve(kind, scope, receive, send)
            await slots.wait_for_releases()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    return ResponseThread(serve, body)
