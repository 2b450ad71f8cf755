"""A status as pages show it, built from the fields of its hash."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.accounts.store import Member
from webapp.core.rendering.bounded_cache import BoundedCache
from webapp.core.store import ids
from webapp.core.text.entity_codec import unpack_entities
from webapp.core.text.parser import Entity

from .values.card import LinkCard, first_link, unpack_card
from .values.pictures import Picture, unpack_pictures
from .values.places import Place
from .values.poll import Poll, Tally, unpack_poll, unpack_tally
from .values.reply_policy import ReplyPolicy, unpack_reply_rule
from .values.visibility import Visibility, effective_visibility, unpack_uids

CACHE_BYTES = 16 * 1024 * 1024  # of built statuses that a process keeps


@dataclass(frozen=True, slots=True)
class InReplyTo:
    """The status that a reply answers: its id, and its author's uid and login."""

    id: int
    uid: int
    login: str


@dataclass(frozen=True, slots=True)
class Status:
    """A status as pages show it. Two that differ only in their counts are equal."""

    id: int
    author: Member
    text: str
    entities: tuple[Entity, ...]
    lang: str = ""  # BCP 47; empty if it was not recognised
    place: Place | None = None
    cw: str = ""  # the author's content warning
    sensitive: bool = False  # its pictures are covered, whether or not it has a warning
    version: int = 0  # time of the last edit, unix ms; 0: never edited
    described: int = 0  # how often its pictures were described anew
    pinned: bool = False  # to its author's profile
    in_reply_to: InReplyTo | None = None
    pictures: tuple[Picture, ...] = ()
    visibility: Visibility = Visibility.PUBLIC  # the effective one, see `effective_visibility`
    mentioned_uids: frozenset[int] = frozenset()  # mentioned or answered; only if restricted
    group: int = 0  # the group it was posted to
    more_groups: tuple[int, ...] = ()  # further ones, all of them open
    poll: Poll | None = None
    reply_policy: ReplyPolicy = ReplyPolicy.EVERYBODY  # of its whole thread
    quote: tuple[int, int] | None = None  # id and author's uid of the quoted status
    quote_policy: QuotePolicy = QuotePolicy.EVERYONE
    card: LinkCard | None = None  # of its first link
    conversation: int = field(default=0, compare=False)  # the id of its first post
    likes: int = field(default=0, compare=False)
    replies: int = field(default=0, compare=False)
    boosts: int = field(default=0, compare=False)
    quotes: int = field(default=0, compare=False)
    tally: Tally = field(default=(), compare=False)  # votes of its poll

    @property
    def counts(self) -> tuple[object, ...]:
        """Return all of its counts."""
        return self.likes, self.replies, self.boosts, self.quotes, self.tally

    @property
    def gids(self) -> tuple[int, ...]:
        """Return all groups that it was posted to."""
        return (self.group, *self.more_groups) if self.group else ()

    @property
    def created(self) -> datetime:
        """Return when it was posted, in UTC."""
        return ids.created_at(self.id)

    @property
    def reply_to_uid(self) -> int:
        """Return the uid of another member whom it answers; 0 for posts and replies to oneself."""
        if self.in_reply_to and self.in_reply_to.uid != self.author.uid:
            return self.in_reply_to.uid
        return 0

    @property
    def covers_pictures(self) -> bool:
        """Return True if its pictures are shown only to who asks for them."""
        return bool(self.cw) or self.sensitive

    def quotable_by(self, uid: int) -> bool:
        """Return False if `uid` certainly may not quote it. Follows are not checked here."""
        if self.visibility.restricted:
            return False
        return uid == self.author.uid or self.quote_policy is not QuotePolicy.NOBODY

    @property
    def revision(self) -> str:
        """Return its version and that of its pictures' descriptions, as edits name them."""
        return f"{self.version}.{self.described}" if self.described else str(self.version)

    @property
    def edited(self) -> datetime | None:
        """Return when it was edited last, in UTC."""
        return datetime.fromtimestamp(self.version / 1000, UTC) if self.version else None

    def __hash__(self) -> int:  # quick: statuses are part of cache keys
        return self.id


@dataclass(frozen=True, slots=True)
class StoredStatus:
    """A stored status whose author is read apart. `fields`: names and values in turn."""

    id: int
    fields: Sequence[str]

    def by_name(self) -> dict[str, str]:
        """Return its fields, none if it is gone."""
        return dict(zip(self.fields[::2], self.fields[1::2], strict=True))

    def with_author(self, author: Member | None) -> Status | None:
        """Return the status, None if it or its author is gone."""
        return parse_status(self.id, author, self.fields)


def parse_status(status_id: int, author: Member | None, fields: Sequence[str]) -> Status | None:
    """Build a status from the names and values of its hash; None if it or its author is gone."""
    if author is None:
        return None
    key = (status_id, author, *fields)
    if status := _cache.get(key):
        return status
    stored = dict(zip(fields[::2], fields[1::2], strict=True))
    if "text" not in stored:
        return None
    return _cache.put(key, _build_status(status_id, author, stored))


def _build_status(status_id: int, author: Member, stored: Mapping[str, str]) -> Status:
    entities = unpack_entities(stored["entities"])
    return Status(
        status_id,
        author,
        stored["text"],
        entities,
        lang=stored.get("lang", ""),
        place=_build_place(stored) if status_id > author.places_hidden_up_to else None,
        cw=stored.get("cw", ""),
        sensitive=bool(stored.get("sensitive")),
        version=int(stored.get("edited") or 0),
        described=int(stored.get("described") or 0),
        pinned=bool(stored.get("pinned")),
        in_reply_to=_build_in_reply_to(stored),
        pictures=unpack_pictures(stored.get("media")),
        visibility=effective_visibility(stored.get("visibility"), author),
        mentioned_uids=unpack_uids(stored.get("mentioned")),
        group=int(stored.get("group", 0)),
        more_groups=tuple(map(int, stored.get("more_groups", "").split())),
        poll=unpack_poll(stored.get("poll"), status_id),
        reply_policy=unpack_reply_rule(stored.get("reply_rule")).policy,
        quote=_build_quote(stored),
        quote_policy=QuotePolicy(stored.get("quote_policy", "")),
        card=_build_card(stored.get("card"), entities),
        conversation=_build_conversation(status_id, stored),
        likes=int(stored.get("likes", 0)),
        replies=int(stored.get("replies", 0)),
        boosts=int(stored.get("boosts", 0)),
        quotes=int(stored.get("quotes", 0)),
        tally=unpack_tally(stored.get("tally")),
    )


def _build_place(stored: Mapping[str, str]) -> Place | None:
    name = stored.get("place", "")
    if stored.get("lat") and stored.get("long"):
        return Place(float(stored["lat"]), float(stored["long"]), name)
    return Place(name=name) if name else None


def _build_in_reply_to(stored: Mapping[str, str]) -> InReplyTo | None:
    if not stored.get("reply_to_id"):
        return None
    return InReplyTo(
        int(stored["reply_to_id"]),
        int(stored.get("reply_to_uid") or 0),
        stored.get("reply_to_login", ""),
    )


def _build_conversation(status_id: int, stored: Mapping[str, str]) -> int:
    """Return the id of the first post: the stored one, else the first of the path to a reply."""
    return int(stored.get("root") or stored.get("ancestors", "").partition(".")[0] or status_id)


def _build_quote(stored: Mapping[str, str]) -> tuple[int, int] | None:
    if not stored.get("quoted_id") or not stored.get("quoted_uid"):
        return None
    return int(stored["quoted_id"]), int(stored["quoted_uid"])


def _build_card(stored: str | None, entities: Sequence[Entity]) -> LinkCard | None:
    """Return the card of a status, None if an edit has taken its link away."""
    card = unpack_card(stored)
    return card if card and card.url == first_link(entities) else None


# Keyed by the stored values of a status and its author: many homes show the same ones.
_cache: BoundedCache[Status] = BoundedCache(
    CACHE_BYTES,
    lambda status: (
        2_000 + 8 * len(status.text) + 300 * len(status.entities) + 3_000 * len(status.pictures)
    ),
)
