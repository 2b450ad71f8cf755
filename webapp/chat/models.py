"""Chats and their messages, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from webapp.core.media.storage import animation_path
from webapp.core.text.parser import Entity

from .ids import direct_members, other_member_uid


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat.

    `kind` is private, open, announcement or direct. With `history_shared` newcomers see older
    messages. `retention` is "history" or "fetched": then a message goes once every member has it.
    `last_id` is the newest message, `first_id` the oldest that is kept. `revision` counts changes
    of messages. `accepted`: both members of a direct chat want it. `group_slug`: the address of the
    group whose chat it is, "" for none.
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
    group_slug: str = ""

    @classmethod
    def new_direct(cls, cid: str) -> Chat:
        """Return a direct chat before its first message."""
        return cls(
            id=cid,
            kind="direct",
            name="",
            topic="",
            picture="",
            history_shared=False,
            retention="history",
            created=datetime.now(UTC),
            creator_uid=0,
            last_id=0,
            first_id=1,
            revision=0,
            member_count=2,
            accepted=False,
        )

    @property
    def direct_members(self) -> tuple[int, int] | None:
        """Return the two members of a direct chat, None for a group chat."""
        return direct_members(self.id)

    def other_member_uid(self, uid: int) -> int | None:
        """Return the other member of a direct chat, None for a group chat."""
        return other_member_uid(self.id, uid)

    def is_request_to(self, uid: int) -> bool:
        """Return True for a direct chat that somebody else began and this member must accept."""
        return self.direct_members is not None and not self.accepted and self.creator_uid != uid

    def is_request_from(self, uid: int) -> bool:
        """Return True for a direct chat that this member began and the other has not accepted."""
        return self.direct_members is not None and not self.accepted and self.creator_uid == uid


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a message: its name (`chat/<cid>/<hash>`), its size in pixels, its alt text.

    `digest`: a hash of its content, while it is being sent.
    """

    name: str
    width: int
    height: int
    alt: str = ""
    animated: bool = False
    digest: str = field(default="", compare=False)

    @property
    def files(self) -> tuple[str, ...]:
        """Return the paths of its files below the media folder: its still, and its animation."""
        still = f"{self.name}.webp"
        return (still, animation_path(self.name)) if self.animated else (still,)


@dataclass(frozen=True, slots=True)
class Card:
    """A status that is shared in a message: its id and its author's."""

    status_id: int
    author_uid: int


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a message, as its author sends it. `reply_to`: a message id, 0 for none."""

    text: str = ""
    entities: tuple[Entity, ...] = ()
    reply_to: int = 0
    pictures: tuple[Picture, ...] = ()
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A message. A deleted one has only its author and time.

    `reactions` maps emoji to uids. `raw` is the message as it is stored.
    """

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

    @property
    def content(self) -> Content:
        """Return its content, as its author would send it."""
        return Content(self.text, self.entities, self.reply_to, self.pictures, self.card)

    @property
    def picture_files(self) -> set[str]:
        """Return the paths of the files of its pictures, below the media folder."""
        return {file for picture in self.pictures for file in picture.files}

    def mentions(self, login: str) -> bool:
        """Return True if the member of this login is mentioned."""
        return login.lower() in self.mentioned_logins()

    def mentioned_logins(self) -> set[str]:
        """Return the logins that are mentioned, in lower case."""
        return {entity.text.lower() for entity in self.entities if entity.kind == "mention"}
