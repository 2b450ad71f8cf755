"""Write one stream to an app: messages of the log as events of the client API.

They are Server-Sent Events, or frames of a WebSocket.
"""

from collections.abc import Iterator, Sequence

import orjson

from webapp.client_api.presentation import Wanted
from webapp.client_api.streams import Stream
from webapp.statuses import BoostRef, Entry
from webapp.streaming.delivery.credentials import CheckedCredentials
from webapp.streaming.delivery.delivery import StreamDelivery
from webapp.streaming.delivery.encoders import SseEncoder
from webapp.streaming.http.asgi import Send, send_chunk
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.hub import Hub
from webapp.streaming.hub.subscriptions import Channel
from webapp.streaming.log.messages import Message, MessageKind
from webapp.streaming.log.position import LogPosition
from webapp.streaming.log_reader import LogReader

from .status_batches import StatusBatches, Statuses

EMPTY = b""
# The events of messages that show a status.
SHOWING: dict[MessageKind, str] = {
    "update": "update",
    "boost": "update",
    "edit": "status.update",
    "card": "status.update",
}
GONE: set[MessageKind] = {"delete", "unboost"}
Event = tuple[str, bytes]  # its name and its payload


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
        about = {"payload": payload.decode()} if payload else {}
        return orjson.dumps({"stream": self._labels, "event": name, **about})


class AppDelivery(StreamDelivery):
    """The writer of one stream."""

    def __init__(
        self,
        hub: Hub,
        log: LogReader,
        connection: Connection,
        channel: Channel,
        credentials: CheckedCredentials | None,
        encoder: AppEvents,
        *,
        stream: Stream,
        batches: StatusBatches,
    ) -> None:
        """Make a delivery. `credentials` are None for a visitor."""
        super().__init__(hub, log, connection, channel, credentials, encoder)
        self._events = encoder
        self._kind = stream.kind
        self._viewer = connection.uid or None
        self._batches = batches

    async def _send_messages(self, send: Send, messages: list[Message]) -> None:
        """Send messages one by one: each is as this reader sees it."""
        entries = tuple(_entry(message) for message in messages if message.kind in SHOWING)
        shown: Statuses = {}
        if entries:
            kind = self._kind
            wanted = Wanted(self._viewer, entries, kind.context, only_media=kind.only_media)
            shown = await self._batches.get(wanted)
        for name, payload in _events_of(messages, shown, self._kind.news):
            if not self._connection.discarded:
                await send_chunk(send, self._events.event(name, payload))


def _entry(message: Message) -> Entry | BoostRef:
    if message.boosted:
        return BoostRef(message.status_id, message.author, *message.boosted)
    return message.status_id, message.author


def _events_of(messages: list[Message], shown: Statuses, news: str) -> Iterator[Event]:
    """Yield the events of messages; nothing for those that an app is not told.

    `news`: the name of the events that are not of the log.
    """
    for message in messages:
        if message.kind in SHOWING and message.status_id in shown:
            yield SHOWING[message.kind], shown[message.status_id]
        elif message.kind in GONE:
            yield "delete", str(message.status_id).encode()
        elif message.kind == "filters":
            yield "filters_changed", b""
        elif message.kind == "ephemeral":
            yield news, message.body
