"""Positions in the log, and messages as clients are sent them: with their position, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

SEQUENCE_MAX = 2**63 - 1
RELOAD_REASON = "Some updates were missed and cannot be replayed. The stream continues from here."


class LogPosition(NamedTuple):
    """The id of a log entry. Positions compare as the log orders its entries."""

    ms: int  # unix ms
    sequence: int

    def __str__(self) -> str:
        """Return the position as the store and clients write it: `ms-sequence`."""
        return f"{self.ms}-{self.sequence}"

    @classmethod
    def parse(cls, log_id: str) -> LogPosition:
        """Parse `ms-sequence`. Raises ValueError."""
        ms, _, sequence = log_id.partition("-")
        return cls(int(ms), int(sequence or 0))

    def previous(self) -> LogPosition:
        """Return the greatest position before this one; the start of the log has none before it."""
        if self.sequence:
            return LogPosition(self.ms, self.sequence - 1)
        return LogPosition(self.ms - 1, SEQUENCE_MAX) if self.ms else LOG_START


LOG_START = LogPosition(0, 0)  # before every entry


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
