"""Chats and their messages as values, and how they are kept. The verbs are in the modules beside this one.

A group's id is a number, a direct chat's is made of both members' (`3-17`, the smaller first): whoever opens it, it is
the same chat, and it comes into being with its first message. Messages have dense ids, 1, 2, 3 …, in each chat.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from webapp.core.store.ids import parse_id
from webapp.core.text.parser import Entity
from webapp.statuses.entity_codec import pack_entities, unpack_entities

GROUP_KINDS = ("private", "open", "announcement")  # of groups


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat. `kind`: private, open, announcement or direct; `shared`: newcomers see what was before; `keep`: history,
    or fetched where a message goes once everybody has got it; `last` and `first`: the newest and the oldest kept
    message; `rev` counts what happened to its messages; `answered`: both sides of a direct chat want it.
    """

    id: str
    kind: str
    name: str
    topic: str
    picture: str
    history_shared: bool
    retention: str
    created: datetime
    creator_uid: int
    last_id: int
    first_id: int
    revision: int
    member_count: int
    accepted: bool

    @property
    def direct_members(self) -> tuple[int, int] | None:
        """The two members of a direct chat."""
        return direct_members(self.id)

    def other_member_uid(self, uid: int) -> int | None:
        """The other member of a direct chat."""
        return other_member_uid(self.id, uid)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a message: its name (`chat/<cid>/<hash>`), its size in pixels, and what it shows."""

    name: str
    width: int
    height: int
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A status that was sent on: its id and its author's."""

    status_id: int
    author_uid: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A message that is to be sent. `reply`: the message it answers, 0 for none."""

    text: str = ""
    entities: tuple[Entity, ...] = ()
    reply_to: int = 0
    pictures: tuple[Picture, ...] = ()
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A message. `reactions`: emoji → uids; `raw`: as it is stored. A deleted one has its author and its time."""

    id: int
    author_uid: int
    sent_at: datetime
    text: str = ""
    entities: tuple[Entity, ...] = ()
    edited: datetime | None = None
    deleted: bool = False
    reply_to: int = 0
    pictures: tuple[Picture, ...] = ()
    card: Card | None = None
    reactions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    raw: str = ""

    def mentions(self, login: str) -> bool:
        """Whether somebody of this name is mentioned."""
        return any(
            one.kind == "mention" and one.text.lower() == login.lower() for one in self.entities
        )


def direct_id(uid: int, other_uid: int) -> str:
    """The id of the direct chat of two members."""
    return f"{min(uid, other_uid)}-{max(uid, other_uid)}"


def direct_members(cid: str) -> tuple[int, int] | None:
    """The two members of a direct chat; None for a group."""
    one, dash, two = cid.partition("-")
    return (int(one), int(two)) if dash else None


def other_member_uid(cid: str, uid: int) -> int | None:
    """The other member of a direct chat; None for a group."""
    members = direct_members(cid)
    return (members[1] if members[0] == uid else members[0]) if members else None


def is_direct(cid: str) -> bool:
    """Whether a chat has two members and no more."""
    return "-" in cid


def parse_cid(text: str) -> str | None:
    """The chat id written in `text`, or None when it is none."""
    numbers = [parse_id(part) for part in text.split("-")]
    if len(numbers) > 2 or None in numbers:
        return None
    return text if len(numbers) == 1 or int(numbers[0] or 0) < int(numbers[1] or 0) else None


def digest(secret: str) -> str:
    """What is kept of a client's key or an invitation's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()[:32]


def to_stored(draft: Draft) -> str:
    """A draft as it is stored, but for who and when: the script writes those before it."""
    fields: dict[str, Any] = {"text": draft.text, "entities": pack_entities(draft.entities)}
    if draft.reply_to:
        fields["reply"] = draft.reply_to
    if draft.pictures:
        fields["pictures"] = [
            {"name": p.name, "width": p.width, "height": p.height, "alt": p.alt}
            for p in draft.pictures
        ]
    if draft.card:
        fields["card"] = [str(draft.card.status_id), draft.card.author_uid]
    return orjson.dumps(fields).decode()


def chat_from(cid: str, flat_fields: Sequence[str], member_count: int) -> Chat:
    """The chat in a script's reply."""
    fields = dict(zip(flat_fields[::2], flat_fields[1::2], strict=True))
    return Chat(
        id=cid,
        kind=fields["kind"],
        name=fields.get("name", ""),
        topic=fields.get("topic", ""),
        picture=fields.get("picture", ""),
        history_shared=fields.get("shared") == "1",
        retention=fields["keep"],
        created=from_unix_ms(int(fields["created"])),
        creator_uid=int(fields["by"]),
        last_id=int(fields["last"]),
        first_id=max(int(fields["first"]), 1),
        revision=int(fields["rev"]),
        member_count=member_count,
        accepted="answered" in fields,
    )


def message_from(message_id: int | str, raw: str, reactions: str | None = None) -> Message:
    """The message in a script's reply."""
    data = orjson.loads(raw)
    if "gone" in data:
        return Message(int(message_id), data["by"], from_unix_ms(data["at"]), deleted=True, raw=raw)
    card = Card(int(data["card"][0]), data["card"][1]) if "card" in data else None
    return Message(
        id=int(message_id),
        author_uid=data["by"],
        sent_at=from_unix_ms(data["at"]),
        text=data["text"],
        entities=unpack_entities(data["entities"]),
        edited=from_unix_ms(data["edited"]) if "edited" in data else None,
        reply_to=data.get("reply", 0),
        pictures=tuple(Picture(**picture) for picture in data.get("pictures", ())),
        card=card,
        reactions={emoji: tuple(uids) for emoji, uids in orjson.loads(reactions).items()}
        if reactions
        else {},
        raw=raw,
    )


def messages_from(rows: Sequence[Sequence[Any]]) -> list[Message]:
    """The messages in a script's reply, {id, message, reactions} each."""
    return [message_from(*entry) for entry in rows]


def from_unix_ms(ms: int) -> datetime:
    """A time of the store."""
    return datetime.fromtimestamp(ms / 1000, UTC)
