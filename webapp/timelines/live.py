"""What the newest page of a timeline needs to tell of new posts (live.html)."""

from __future__ import annotations

from urllib.parse import quote

from ..app import config
from ..paging import cursor
from ..streams_url import stream_address


def listening(name: str, position: str) -> dict[str, object] | None:
    """Where it listens, from which position of the log, and how many it takes at once; older pages do not."""
    if cursor() is not None:
        return None
    return {"stream": f"{stream_address()}/stream/{quote(name)}", "position": position, "most": config().page_size}
