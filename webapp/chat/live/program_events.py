"""The events of chats for programs. `docs/chat-api.md` explains each.

Pages get HTML instead (updates.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from webapp.accounts.store import Member
from webapp.chat.api.serializers import message_to_json
from webapp.chat.models import Message

from .hints import Position


class ProgramEvent(NamedTuple):
    """An event, as a Server-Sent Event and as JSON."""

    sse: bytes
    json: bytes


def program_event(name: str, cid: str = "", position: str = "", **fields: Any) -> ProgramEvent:
    """Return an event. After it, its reader has everything of the chat up to `position`."""
    data: dict[str, Any] = {"event": name}
    if cid:
        data["chat_id"] = cid
    if position:
        data["position"] = position
    body = orjson.dumps(data | fields)
    id_line = f"id: {position}\n".encode() if position else b""
    return ProgramEvent(id_line + b"event: %s\ndata: %s\n\n" % (name.encode(), body), body)


READY = program_event("ready")  # from here on a program gets everything


def message_events(
    cid: str,
    messages: Sequence[Message],
    people: Mapping[int, Member],
    since: Position,
    reached: Position,
) -> Iterator[ProgramEvent]:
    """Yield an event for each message that is new or has changed since a position.

    Only the last one names the position that is reached: a reader who comes back before it gets
    all of them again.
    """
    for message in messages:
        is_last = message is messages[-1]
        yield program_event(
            _event_name(message, since),
            cid,
            position_text(cid, reached if is_last else since),
            message=message_to_json(cid, message, people),
        )


def position_text(cid: str, position: Position) -> str:
    """Return a position as clients send it back."""
    return f"{cid}:{position[0]}.{position[1]}"


def _event_name(message: Message, since: Position) -> str:
    if message.deleted:
        return "message_deleted"
    return "message" if message.id > since[0] else "message_updated"
