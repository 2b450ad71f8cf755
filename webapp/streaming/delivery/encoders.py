"""Encode messages for a response: as Server-Sent Events or as lines of JSON."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from webapp.streaming.log.messages import Message
from webapp.streaming.log.position import LogPosition, format_sse, join_sse

Chunk = tuple[int, bytes]  # how many messages it has, and they as bytes
# Of messages in one chunk. Measured: each chunk costs about as much as ten messages. A reader of
# 10 KB/s takes one in less than LAG_GRACE_SECONDS.
CHUNK_BYTES = 131_072

SSE_TYPE = b"text/event-stream; charset=utf-8"
JSON_TYPE = b"application/json"


class SseEncoder:
    """Server-Sent Events, as the site's own pages read them."""

    content_type = SSE_TYPE
    heartbeat = 15.0  # seconds of silence before a keepalive, so that proxies keep the stream open
    greeting = b": welcome\n\n"
    retry = b"retry: 3000\n"  # begins the first event; alone, some clients take it for an event
    keepalive = b": still here\n\n"

    def __init__(self) -> None:
        self._last_encoded: tuple[list[Message], int, list[Chunk]] = [], 0, []

    def encode_chunks(self, messages: list[Message], max_bytes: int) -> list[Chunk]:
        """Return messages as chunks of at most `max_bytes`, or of one message.

        The last result is kept: the connections of a channel encode the same list in turn.
        """
        last_messages, last_max_bytes, chunks = self._last_encoded
        if last_max_bytes != max_bytes or last_messages != messages:
            split = split_messages(messages, max_bytes)
            chunks = [(len(chunk), self.encode(chunk)) for chunk in split]
            self._last_encoded = messages, max_bytes, chunks
        return chunks

    def encode(self, messages: list[Message]) -> bytes:
        """Return messages as bytes."""
        return b"".join(message.sse for message in messages)

    def encode_position(self, position: LogPosition) -> bytes:
        """Return a quiet client's position, so that it does not grow too old to come back with."""
        return format_sse(position, "mark", {})

    def encode_control(self, data: Mapping[str, Any]) -> bytes:
        """Return a message about the stream itself; pages get none."""
        return b""


class ApiSseEncoder(SseEncoder):
    """Server-Sent Events of the streaming API: a message's kind is its event."""

    def encode(self, messages: list[Message]) -> bytes:
        return b"".join(
            join_sse(message.position, message.kind, message.body)
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
    retry = b""
    keepalive = b"\r\n"

    def encode(self, messages: list[Message]) -> bytes:
        bodies = [message.body for message in messages if message.body]
        return b"\r\n".join((*bodies, b""))

    def encode_position(self, position: LogPosition) -> bytes:
        return self.keepalive

    def encode_control(self, data: Mapping[str, Any]) -> bytes:
        return self.encode_line(orjson.dumps(data))

    def encode_line(self, body: bytes) -> bytes:
        """Return one line."""
        return body + b"\r\n"


class LengthDelimitedEncoder(LineEncoder):
    """One JSON object a line, after a line with its length in bytes, line end included."""

    def encode(self, messages: list[Message]) -> bytes:
        return b"".join(self.encode_line(message.body) for message in messages if message.body)

    def encode_line(self, body: bytes) -> bytes:
        return b"%d\r\n%s\r\n" % (len(body) + 2, body)


PAGE_SSE = SseEncoder()
API_SSE = ApiSseEncoder()
API_LINES = LineEncoder()
API_LENGTH_DELIMITED = LengthDelimitedEncoder()


def split_messages(
    messages: list[Message], max_bytes: int = CHUNK_BYTES
) -> Iterator[list[Message]]:
    """Yield messages in chunks of at most `max_bytes`, or of one message that is longer."""
    chunk: list[Message] = []
    size = 0
    for message in messages:
        if chunk and size + message.size > max_bytes:
            yield chunk
            chunk, size = [], 0
        chunk.append(message)
        size += message.size
    if chunk:
        yield chunk
