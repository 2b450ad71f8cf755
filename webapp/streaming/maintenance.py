"""Streams while the site is in maintenance: open ones end, and new ones are refused."""

from __future__ import annotations

import asyncio

from webapp.core.errors import Unavailable
from webapp.core.settings.live import CLOSED_SECONDS
from webapp.core.site import Site
from webapp.streaming.hub.hub import Hub

CHECK_SECONDS = 0.5


def require_open(site: Site) -> None:
    """Raise Unavailable during maintenance, for admins too: their pages work without streams."""
    if site.config.maintenance:
        raise Unavailable("maintenance", retry_after=CLOSED_SECONDS)


async def end_streams_in_maintenance(site: Site, hub: Hub) -> None:
    """End the streams of a hub whenever the site is in maintenance. Runs for ever."""
    while True:
        await asyncio.sleep(CHECK_SECONDS)
        if site.config.maintenance:
            hub.end_streams()
