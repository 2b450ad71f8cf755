"""How events are written to apps: as Server-Sent Events, or as frames of a WebSocket."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from webapp.streaming.delivery.encoders import SseEncoder
from webapp.streaming.log.position import LogPosition

EMPTY = b""


class AppEvents(SseEncoder):
    """Server-Sent Events. Some clients end a block at any empty line, even after a comment."""

    greeting = b":)\n"
    retry = b""
    keepalive = b":thump\n"

    def encode_position(self, position: LogPosition) -> bytes:
        return self.keepalive

    def event(self, name: str, payload: bytes) -> bytes:
        """Return an event. `payload`: JSON, or an id."""
        return b"event: %s\ndata: %s\n\n" % (name.encode(), payload or b"{}")


class AppFrames(AppEvents):
    """Frames, which name their stream. Clients expect no other ones, so there is no keepalive."""

    heartbeat = 60.0
    greeting = EMPTY
    keepalive = EMPTY

    def __init__(self, labels: Sequence[str]) -> None:
        """Write frames of the stream that clients know by `labels`."""
        super().__init__()
        self._labels = labels

    def event(self, name: str, payload: bytes) -> bytes:
        frame = {"stream": self._labels, "event": name, "payload": payload.decode()}
        return orjson.dumps(frame)
