"""How messages are written into a response: as Server-Sent Events for pages or for API clients, or a line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from webapp.streaming.log.messages import LogPosition, Message, format_sse

SSE_TYPE = b"text/event-stream; charset=utf-8"
JSON_TYPE = b"application/json"


class SseEncoder:
    """Server-Sent Events, as the site's own pages read them."""

    content_type = SSE_TYPE
    heartbeat = 15.0  # seconds of silence after which something is sent, to keep proxies from closing the stream
    greeting = b": welcome\nretry: 3000\n\n"
    keepalive = b": still here\n\n"

    def __init__(self) -> None:
        self._last_encoded: tuple[list[Message], bytes] = [], b""

    def encode(self, messages: list[Message]) -> bytes:
        """Some messages: written once for all who are sent the same one after another, as those of one audience are."""
        last_messages, encoded = self._last_encoded
        if last_messages != messages:
            encoded = self._encode_all(messages)
            self._last_encoded = messages, encoded
        return encoded

    def _encode_all(self, messages: list[Message]) -> bytes:
        return b"".join(message.sse for message in messages)

    def encode_position(self, position: LogPosition) -> bytes:
        """Where in the log a quiet client is, so that its position does not grow too old to come back with."""
        return format_sse(position, "mark", {})

    def encode_control(self, data: Mapping[str, Any]) -> bytes:
        """What is about the stream itself: nothing a page wants to know."""
        return b""


class ApiSseEncoder(SseEncoder):
    """Server-Sent Events of the streaming API: the kind of each message is its event."""

    def _encode_all(self, messages: list[Message]) -> bytes:
        return b"".join(
            b"id: %d-%d\nevent: %s\ndata: %s\n\n"
            % (*message.position, message.kind.encode(), message.body)
            for message in messages
            if message.body
        )

    def encode_control(self, data: Mapping[str, Any]) -> bytes:
        return b"event: %s\ndata: %s\n\n" % (next(iter(data)).encode(), orjson.dumps(data))


class LineEncoder(SseEncoder):
    """One JSON object a line."""

    content_type = JSON_TYPE
    heartbeat = 30.0
    greeting = b"\r\n"
    keepalive = b"\r\n"

    def _encode_all(self, messages: list[Message]) -> bytes:
        return b"".join(self.encode_line(message.body) for message in messages if message.body)

    def encode_position(self, position: LogPosition) -> bytes:
        return self.keepalive

    def encode_control(self, data: Mapping[str, Any]) -> bytes:
        return self.encode_line(orjson.dumps(data))

    def encode_line(self, body: bytes) -> bytes:
        """One line."""
        return body + b"\r\n"


class LengthDelimitedEncoder(LineEncoder):
    """One JSON object a line, after a line with its length in bytes, its own end counted."""

    def encode_line(self, body: bytes) -> bytes:
        return b"%d\r\n%s\r\n" % (len(body) + 2, body)


PAGE_SSE, API_SSE, API_LINES, API_LENGTH_DELIMITED = (
    SseEncoder(),
    ApiSseEncoder(),
    LineEncoder(),
    LengthDelimitedEncoder(),
)
