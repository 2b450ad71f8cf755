"""Encode messages as Server-Sent Events and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from .position import LogPosition

RELOAD_REASON = "Some updates were missed and cannot be replayed. The stream continues from here."


def format_sse(position: LogPosition, event: str, data: Mapping[str, Any]) -> bytes:
    """Return one Server-Sent Event."""
    return join_sse(position, event, orjson.dumps(data))


def join_sse(position: LogPosition, event: str, data: bytes) -> bytes:
    """Return one Server-Sent Event whose data is JSON already."""
    return b"id: %d-%d\nevent: %s\ndata: %s\n\n" % (*position, event.encode(), data)


def api_json(position: LogPosition, data: Mapping[str, Any]) -> bytes:
    """Return a message of the API: its data with the log id that a client may come back with."""
    return compact_json({**data, "event_id": str(LogPosition(*position))})


def compact_json(data: Mapping[str, Any]) -> bytes:
    """Return JSON that takes only the memory it needs.

    The result of orjson keeps its buffer of 8 KB and more, and messages are kept by the thousand.
    """
    return bytes(memoryview(orjson.dumps(data)))
