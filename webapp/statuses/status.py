"""A status as it is read, from the fields that are stored of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from webapp.accounts.quote_policy import QuotePolicy
from webapp.accounts.store import Member
from webapp.core.rendering.bounded_cache import BoundedCache
from webapp.core.store import ids
from webapp.core.store.reads import Command
from webapp.core.text.parser import Entity

from . import keys
from .attachments.pictures import Picture, unpack_pictures
from .attachments.places import Place
from .entity_codec import unpack_entities
from .polls.poll import Poll, Tally, unpack_poll, unpack_tally
from .threads.replies import InReplyTo
from .visibility.reply_policy import ReplyPolicy, unpack_reply_rule
from .visibility.visibility import Visibility, effective_visibility
from .visibility.visibility import unpack_uids as unpack_named

CACHE_BYTES = 16 * 1024 * 1024  # bytes of statuses that a process keeps as they were read
# What of a status is read; what is counted comes last.
STATIC_FIELDS = "text entities lang lat long place cw edited pinned media vis who poll may quote quoted quoting".split()
FIELDS = [
    *STATIC_FIELDS,
    "reply",
    "to",
    "to_login",
    "likes",
    "replies",
    "boosts",
    "quotes",
    "tally",
]


@dataclass(frozen=True, slots=True)
class Status:
    """A status as pages show it. `lang`: BCP 47, or nothing where it could not be told. `cw`: what its author warns of.
    `version`: when it was edited last, unix ms, 0 when it never was. `pinned`: to its author's profile. `reply`: what
    it answers. `visibility`: at this moment, by its author's protection too. `named`: the uids of whom it names or
    answers, where it was posted as not for everybody. `answerers`: who may reply to its thread. `quote`: the id of the
    status that it quotes, and its author's uid; `quoting`: who may quote it. `likes`, `replies`, `boosts`, `quotes`:
    how many were counted, `tally`: what of its poll, if it asks one: with more of these it is the same status.
    """

    id: int
    author: Member
    text: str
    entities: tuple[Entity, ...]
    lang: str = ""
    place: Place | None = None
    cw: str = ""
    version: int = 0
    pinned: bool = False
    in_reply_to: InReplyTo | None = None
    pictures: tuple[Picture, ...] = ()
    visibility: Visibility = Visibility.PUBLIC
    mentioned_uids: frozenset[int] = frozenset()
    poll: Poll | None = None
    reply_policy: ReplyPolicy = ReplyPolicy.EVERYBODY
    quote: tuple[int, int] | None = None
    quote_policy: QuotePolicy = QuotePolicy.EVERYONE
    likes: int = field(default=0, compare=False)
    replies: int = field(default=0, compare=False)
    boosts: int = field(default=0, compare=False)
    quotes: int = field(default=0, compare=False)
    tally: Tally = field(default=(), compare=False)

    @property
    def created(self) -> datetime:
        """When it was posted, in UTC."""
        return ids.created_at(self.id)

    @property
    def reply_to_uid(self) -> int:
        """The uid of the other member whom it answers; 0 for a post, and for a reply to oneself, which is as good."""
        return (
            self.in_reply_to.uid
            if self.in_reply_to and self.in_reply_to.uid != self.author.uid
            else 0
        )

    def quotable_by(self, uid: int) -> bool:
        """Whether a member may quote it, as far as it says so itself: whom they follow is not known here."""
        if self.visibility.restricted:
            return False
        return uid == self.author.uid or self.quote_policy is not QuotePolicy.NOBODY

    @property
    def edited(self) -> datetime | None:
        """When it was edited last, in UTC."""
        return datetime.fromtimestamp(self.version / 1000, UTC) if self.version else None

    @property
    def preview(self) -> str:
        """What may be said of it where it is not shown itself: the warning, or the text when there is none."""
        return self.cw or self.text

    def __hash__(self) -> int:  # quick: statuses are part of keys
        return self.id


def status_command(status_id: int) -> Command:
    """The command whose reply `status_from` reads."""
    return ("HMGET", keys.status(status_id), *FIELDS)


def status_from(status_id: int, author: Member | None, fields: Sequence[Any]) -> Status | None:
    """The status in a reply to `status_command`, or None when it or its author is gone."""
    if author is None or fields[0] is None:
        return None
    *static, likes, replies, boosts, quotes, tally = fields
    key = (
        status_id,
        author,
        *static,
    )  # without what is counted: the same status is kept whatever the numbers
    status = _cache.get(key) or _cache.put(key, _build_status(*key))
    if not (likes or replies or boosts or quotes or tally):
        return status
    likes, replies, boosts, quotes = (
        int(number or 0) for number in (likes, replies, boosts, quotes)
    )
    counts = unpack_tally(tally)
    return replace(status, likes=likes, replies=replies, boosts=boosts, quotes=quotes, tally=counts)


def _build_status(
    status_id: int,
    author: Member,
    text: str,
    entities: str,
    lang: str | None,
    lat: str | None,
    long: str | None,
    place_name: str | None,
    cw: str | None,
    edited: str | None,
    pinned: str | None,
    media: str | None,
    vis: str | None,
    mentioned: str | None,
    poll: str | None,
    stored_reply_rule: str | None,
    quote: str | None,
    quoted_author: str | None,
    quote_policy: str | None,
    *reply_fields: str | None,
) -> Status:
    place = Place(float(lat), float(long), place_name or "") if lat and long else None
    reply, reply_to, login = reply_fields
    in_reply_to = InReplyTo(int(reply), int(reply_to or 0), login or "") if reply else None
    edit_args = (cw or "", int(edited or 0), bool(pinned))
    visibility_args = (effective_visibility(vis, author), unpack_named(mentioned))
    poll_and_policy = (unpack_poll(poll, status_id), unpack_reply_rule(stored_reply_rule).policy)
    quote_args = (
        (int(quote), int(quoted_author)) if quote and quoted_author else None,
        QuotePolicy(quote_policy or ""),
    )
    remaining_args = (
        *edit_args,
        in_reply_to,
        unpack_pictures(media),
        *visibility_args,
        *poll_and_policy,
        *quote_args,
    )
    return Status(
        status_id, author, text, unpack_entities(entities), lang or "", place, *remaining_args
    )


# By what the store says of them and of their authors: homes of many members show the same.
_cache: BoundedCache[Status] = BoundedCache(
    CACHE_BYTES,
    lambda one: 2_000 + 8 * len(one.text) + 300 * len(one.entities) + 3_000 * len(one.pictures),
)
