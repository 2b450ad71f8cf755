"""Serialize the content of messages, and parse chats and messages from the replies of scripts."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from webapp.core.text.entity_codec import pack_entities, unpack_entities

from .models import Card, Chat, Content, Message, Picture


def dump_content(content: Content) -> str:
    """Return content as JSON. The script that stores it adds its author and time."""
    fields: dict[str, Any] = {"text": content.text, "entities": pack_entities(content.entities)}
    if content.reply_to:
        fields["reply"] = content.reply_to
    if content.pictures:
        fields["pictures"] = [
            {
                "name": picture.name,
                "width": picture.width,
                "height": picture.height,
                "alt": picture.alt,
                **({"animated": True} if picture.animated else {}),
            }
            for picture in content.pictures
        ]
    if content.card:
        fields["card"] = [str(content.card.status_id), content.card.author_uid]
    return orjson.dumps(fields).decode()


def parse_chat(cid: str, flat_fields: Sequence[str], member_count: int) -> Chat:
    """Return the chat of a hash, given as a flat list of fields and values."""
    fields = dict(zip(flat_fields[::2], flat_fields[1::2], strict=True))
    return Chat(
        id=cid,
        kind=fields["kind"],
        name=fields.get("name", ""),
        topic=fields.get("topic", ""),
        picture=fields.get("picture", ""),
        history_shared=fields.get("shared") == "1",
        retention=fields["retention"],
        created=from_unix_ms(int(fields["created"])),
        creator_uid=int(fields["creator"]),
        last_id=int(fields["last"]),
        first_id=max(int(fields["first"]), 1),
        revision=int(fields["rev"]),
        member_count=member_count,
        accepted="accepted" in fields,
        group_slug=fields.get("group", ""),
    )


def parse_message(message_id: int | str, raw: str, reactions: str | None = None) -> Message:
    """Return the message of its JSON and that of its reactions."""
    data = orjson.loads(raw)
    sent_at = from_unix_ms(data["at"])
    if "gone" in data:
        return Message(int(message_id), data["by"], sent_at, deleted=True, raw=raw)
    return Message(
        id=int(message_id),
        author_uid=data["by"],
        sent_at=sent_at,
        text=data["text"],
        entities=unpack_entities(data["entities"]),
        edited=from_unix_ms(data["edited"]) if "edited" in data else None,
        reply_to=data.get("reply", 0),
        pictures=tuple(Picture(**picture) for picture in data.get("pictures", ())),
        card=Card(int(data["card"][0]), data["card"][1]) if "card" in data else None,
        reactions=_parse_reactions(reactions),
        raw=raw,
    )


def parse_messages(rows: Sequence[Sequence[Any]]) -> list[Message]:
    """Return the messages of a script's reply. A row: id, message, reactions."""
    return [parse_message(*row) for row in rows]


def from_unix_ms(ms: int) -> datetime:
    """Return the time of unix milliseconds, in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def _parse_reactions(reactions: str | None) -> dict[str, tuple[int, ...]]:
    if not reactions:
        return {}
    return {emoji: tuple(uids) for emoji, uids in orjson.loads(reactions).items()}
