"""Topics of pages that show the same to everybody, and of chats."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from webapp.core.search.plan import Plan
from webapp.core.search.syntax import parse
from webapp.core.text.parser import tag_names
from webapp.search.query.matching import matches, required_terms
from webapp.streaming.log.messages import Message
from webapp.streaming.matching.terms import Subject

from .topics import (
    ANY_AUTHOR,
    ANY_GROUP,
    ANY_SEARCH,
    ANY_TAG,
    EVERYTHING,
    Follows,
    IndexKey,
    Topic,
    TopicKind,
    is_reply_to_other,
)


@dataclass(frozen=True)
class Public(Topic):
    """Everything for everybody, without replies to others."""

    kind = "public"

    def index_keys(self) -> Iterable[IndexKey]:
        return (EVERYTHING,)

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return not is_reply_to_other(subject)


@dataclass(frozen=True)
class Profile(Topic):
    """The statuses and boosts of one author, without replies to others."""

    author: int
    kind = "profile"
    shows_unlisted = True

    @property
    def requested_authors(self) -> frozenset[int]:
        return frozenset({self.author})

    def index_keys(self) -> Iterable[IndexKey]:
        return (("author", self.author),)

    def may_want(self, author: int, follows: Follows) -> bool:
        return author == self.author

    def wants_author_change(self, message: Message, follows: Follows) -> bool:
        return message.author == self.author

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return message.author == self.author and not is_reply_to_other(subject)


@dataclass(frozen=True)
class Tag(Topic):
    """The statuses with a hashtag, by its folded name."""

    name: str
    kind = "tag"

    def index_keys(self) -> Iterable[IndexKey]:
        return (("tag", self.name), ANY_TAG, ANY_AUTHOR)

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return subject.content_unknown or self.name in tag_names(subject.entities)


@dataclass(frozen=True)
class Group(Topic):
    """The posts of a group that everybody may read."""

    gid: int
    kind = "group"

    def index_keys(self) -> Iterable[IndexKey]:
        return (("group", self.gid), ANY_GROUP, ANY_AUTHOR)

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return subject.content_unknown or self.gid in subject.groups


@dataclass(frozen=True)
class Search(Topic):
    """The public statuses that a query finds, replies included."""

    query: str
    kind = "search"

    @cached_property
    def plan(self) -> Plan:
        """Return the parsed query. Parsing takes a few ms, so it waits until someone is let in."""
        return parse(self.query).plan

    def index_keys(self) -> Iterable[IndexKey]:
        terms = required_terms(self.plan)
        by_term: Iterable[IndexKey] = (("term", term) for term in terms)
        return (ANY_SEARCH, ANY_AUTHOR, *(by_term if terms else (EVERYTHING,)))

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        if subject.document is None:
            return subject.content_unknown
        return matches(self.plan, subject.document)


@dataclass(frozen=True)
class Thread(Topic):
    """A status and its replies, at any depth."""

    status_id: int
    kind = "thread"
    shows_unlisted = True
    shows_muted = True

    def index_keys(self) -> Iterable[IndexKey]:
        return (("thread", self.status_id), ANY_AUTHOR)

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return self.status_id == message.status_id or self.status_id in message.ancestors


@dataclass(frozen=True)
class Nothing(Topic):
    """Nothing of the log: what is sent comes from elsewhere, as notifications do."""

    kind: ClassVar[TopicKind] = "nothing"

    def may_want(self, author: int, follows: Follows) -> bool:
        return False

    def wants(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return False

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return False


@dataclass(frozen=True)
class Chats(Nothing):
    """A member's chats."""

    kind = "chats"
    personal = True
