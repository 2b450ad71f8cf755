"""How messages are written into a response: as Server-Sent Events for pages or for API clients, or a line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from .messages import Message, Order, rendered

EVENTS = b"text/event-stream; charset=utf-8"
LINES = b"application/json"


class Pages:
    """Server-Sent Events, as the site's own pages read them."""

    content_type = EVENTS
    heartbeat = 15.0  # seconds of silence after which something is sent, to keep proxies from closing the stream
    greeting = b": welcome\nretry: 3000\n\n"
    still = b": still here\n\n"

    def __init__(self) -> None:
        self._last: tuple[list[Message], bytes] = [], b""

    def messages(self, messages: list[Message]) -> bytes:
        """Some messages: written once for all who are sent the same one after another, as those of one audience are."""
        known, written = self._last
        if known != messages:
            written = self._write(messages)
            self._last = messages, written
        return written

    def _write(self, messages: list[Message]) -> bytes:
        return b"".join(message.sse for message in messages)

    def mark(self, position: Order) -> bytes:
        """Where in the log a quiet client is, so that its position does not grow too old to come back with."""
        return rendered(position, "mark", {})

    def control(self, data: Mapping[str, Any]) -> bytes:
        """What is about the stream itself: nothing a page wants to know."""
        return b""


class Events(Pages):
    """Server-Sent Events of the streaming API: the kind of each message is its event."""

    def _write(self, messages: list[Message]) -> bytes:
        return b"".join(
            b"id: %d-%d\nevent: %s\ndata: %s\n\n" % (*message.order, message.kind.encode(), message.body)
            for message in messages
            if message.body
        )

    def control(self, data: Mapping[str, Any]) -> bytes:
        return b"event: %s\ndata: %s\n\n" % (next(iter(data)).encode(), orjson.dumps(data))


class Lines(Pages):
    """One JSON object a line."""

    content_type = LINES
    heartbeat = 30.0
    greeting = b"\r\n"
    still = b"\r\n"

    def _write(self, messages: list[Message]) -> bytes:
        return b"".join(self.line(message.body) for message in messages if message.body)

    def mark(self, position: Order) -> bytes:
        return self.still

    def control(self, data: Mapping[str, Any]) -> bytes:
        return self.line(orjson.dumps(data))

    def line(self, body: bytes) -> bytes:
        """One line."""
        return body + b"\r\n"


class Lengths(Lines):
    """One JSON object a line, after a line with its length in bytes, its own end counted."""

    def line(self, body: bytes) -> bytes:
        return b"%d\r\n%s\r\n" % (len(body) + 2, body)


PAGES, API_EVENTS, API_LINES, API_LENGTHS = Pages(), Events(), Lines(), Lengths()
