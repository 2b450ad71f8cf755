"""What the newest page of a timeline, or a thread, needs to tell of what is new (live.html)."""

from __future__ import annotations

from urllib.parse import quote

from flask import g

from .app import config
from .paging import cursor
from .streams_url import stream_address


def listening(name: str, position: str) -> dict[str, object] | None:
    """Where it listens, from which position of the log, how many it takes at once, and where a member's filters are to
    look; older pages do not.
    """
    if cursor() is not None:
        return None
    where = name.partition("/")[0].replace("tag", "public").replace("list", "home") if g.viewer else ""
    stream = f"{stream_address()}/stream/{quote(name)}"
    return {"stream": stream, "position": position, "most": config().page_size, "where": where, "own": 0}


def listening_thread(status_id: int, position: str) -> dict[str, object]:
    """The same for a status's own page: what is new below it has its place there, so the thread is taken anew."""
    where = "thread" if g.viewer else ""
    stream = f"{stream_address()}/stream/thread/{status_id}"
    return {"stream": stream, "position": position, "most": 0, "where": where, "own": status_id}
