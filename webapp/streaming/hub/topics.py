"""The topics of streams, one class each.

A topic says under which keys the subscription index lists it (`index_keys`), and decides by itself
whether a message is for it (`wants`). The index finds candidates by the keys of a message
(`message_keys`), so the keys of a topic must cover everything it wants. `wants` has the last word.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol
from zlib import crc32

from webapp.core.text.parser import tag_names
from webapp.streaming.log.messages import Message
from webapp.streaming.log.restricted import RestrictedAudience
from webapp.streaming.matching.predicates import Predicate
from webapp.streaming.matching.terms import Subject

TopicKind = Literal[
    "public",
    "firehose",
    "sample",
    "filter",
    "tag",
    "group",
    "search",
    "thread",
    "profile",
    "list",
    "home",
    "chats",
    "nothing",
]
KeyKind = Literal[
    "everything",
    "author",
    "tag",
    "group",
    "term",
    "thread",
    "share",
    "any_author",
    "any_tag",
    "any_group",
    "any_search",
    "home",
]
IndexKey = tuple[KeyKind, int | str]

EVERYTHING: IndexKey = ("everything", 0)  # all that everybody may see
ANY_AUTHOR: IndexKey = ("any_author", 0)  # may show statuses of any author
ANY_TAG: IndexKey = ("any_tag", 0)  # shows some hashtag
ANY_GROUP: IndexKey = ("any_group", 0)  # shows the posts of some group
ANY_SEARCH: IndexKey = ("any_search", 0)  # shows the results of a query
ANY_HOME: IndexKey = ("home", 0)  # is a home
SAMPLE_SHARES = 1_000  # the parts that all statuses fall into


def share_of(status_id: int) -> int:
    """Return the part of a sample that a status falls into, from 0 to SAMPLE_SHARES - 1.

    Statuses of one author, or of one second, fall into many parts.
    """
    return crc32(str(status_id).encode()) % SAMPLE_SHARES


def message_keys(message: Message, subject: Subject) -> Iterator[IndexKey]:
    """Yield the keys under which every topic is listed that may want a message."""
    yield ("author", message.author)
    if message.restricted_to:
        return
    if not message.status_id:
        yield from (EVERYTHING, ANY_AUTHOR)
        if message.kind == "protect":
            yield ANY_HOME
        return
    for status_id in (message.status_id, *message.ancestors):
        yield ("thread", status_id)
    if message.unlisted:
        return
    yield EVERYTHING
    yield ("share", share_of(message.status_id))
    if subject.content_unknown:
        yield from (ANY_TAG, ANY_GROUP, ANY_SEARCH)
    if subject.document:
        for term in subject.document.terms:
            yield ("term", term)
    for name in tag_names(subject.entities):
        yield ("tag", name)
    for gid in subject.groups:
        yield ("group", gid)


class Follows(Protocol):
    """The authors and hashtags that the reader of a topic follows, or that are on its list."""

    tags: frozenset[str]

    def follows(self, author: int) -> bool:
        """Return True if this author is one of them."""


@dataclass(frozen=True)
class Topic(ABC):
    """A topic. Equal topics share one channel."""

    kind: ClassVar[TopicKind]
    shows_unlisted: ClassVar[bool] = False  # it shows unlisted statuses, and members' own messages
    personal: ClassVar[bool] = False  # its streams are for signed-in members only
    shows_restricted: ClassVar[bool] = False  # it may show statuses that are not for everybody
    shows_boosts: ClassVar[bool] = False  # it shows boosts although it shows no unlisted statuses
    shows_muted: ClassVar[bool] = False  # it shows authors that its reader has muted

    def index_keys(self) -> Iterable[IndexKey]:
        """Return the keys that the topic is listed under from the start."""
        return ()

    @property
    def requested_authors(self) -> frozenset[int]:
        """Return the authors that the reader asks for by name; a mute does not hide them."""
        return frozenset()

    @property
    def search(self) -> Predicate | None:
        """Return the predicate by which the matcher finds statuses for it, if there is one."""
        return None

    def may_want(self, author: int, follows: Follows) -> bool:
        """Return True if it may want some message about this author."""
        return True

    def wants(self, message: Message, subject: Subject, follows: Follows) -> bool:
        """Return True if its connections are sent a message about this subject."""
        if message.recipient:
            return self.shows_unlisted
        if message.restricted_to:
            return self.wants_restricted(message, message.restricted_to, follows)
        if message.unlisted and not self.shows_unlisted:
            is_boost = self.shows_boosts and message.is_boost_for_filters
            return is_boost and self.wants_status(message, subject, follows)
        if not message.status_id:
            return self.wants_author_change(message, follows)
        return self.wants_status(message, subject, follows)

    def wants_restricted(
        self, message: Message, audience: RestrictedAudience, follows: Follows
    ) -> bool:
        """Return True if it wants a message that is not for everybody."""
        return False

    def wants_author_change(self, message: Message, follows: Follows) -> bool:
        """Return True if it wants a message about all statuses of an author."""
        return True

    @abstractmethod
    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        """Return True if it wants a message about one status or boost."""


def is_reply_to_other(subject: Subject) -> bool:
    """Return True if a status replies to another member."""
    return subject.reply_to not in (0, subject.author)
