"""What the newest page of a timeline, or a thread, needs to tell of what is new (live.html)."""

from __future__ import annotations

from urllib.parse import quote

from flask import g

from webapp.core.web.context import config
from webapp.core.web.pagination import cursor

from .stream_urls import stream_base_url


def stream_for_timeline(name: str, position: str) -> dict[str, object] | None:
    """Where it listens, from which position of the log, how many it takes at once, and where a member's filters are to
    look; older pages do not.
    """
    if cursor() is not None:
        return None
    filter_context = (
        name.partition("/")[0].replace("tag", "public").replace("list", "home") if g.viewer else ""
    )
    stream = f"{stream_base_url()}/stream/{quote(name)}"
    return {
        "stream": stream,
        "position": position,
        "max_items": config().page_size,
        "filter_context": filter_context,
        "own_status_id": 0,
    }


def stream_for_thread(status_id: int, position: str) -> dict[str, object]:
    """The same for a status's own page: what is new below it has its place there, so the thread is taken anew."""
    filter_context = "thread" if g.viewer else ""
    stream = f"{stream_base_url()}/stream/thread/{status_id}"
    return {
        "stream": stream,
        "position": position,
        "max_items": 0,
        "filter_context": filter_context,
        "own_status_id": status_id,
    }
