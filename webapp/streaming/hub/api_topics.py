"""Topics of the streaming API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.streaming.log.messages import Message
from webapp.streaming.matching.predicates import Predicate
from webapp.streaming.matching.terms import Subject

from .topics import ANY_AUTHOR, EVERYTHING, Follows, IndexKey, Topic, share_of


@dataclass(frozen=True)
class Firehose(Topic):
    """Everything for everybody, less the languages and levels that `narrowing` leaves out."""

    narrowing: Predicate | None = None
    kind = "firehose"

    def index_keys(self) -> Iterable[IndexKey]:
        return (EVERYTHING,)

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return is_allowed(self.narrowing, message)


@dataclass(frozen=True)
class Sample(Topic):
    """Some shares of everything, less what `narrowing` leaves out."""

    shares: frozenset[int]
    narrowing: Predicate | None = None
    kind = "sample"

    def index_keys(self) -> Iterable[IndexKey]:
        return (ANY_AUTHOR, *(("share", share) for share in self.shares))

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return share_of(message.status_id) in self.shares and is_allowed(self.narrowing, message)


@dataclass(frozen=True)
class Filter(Topic):
    """The statuses that a predicate matches. The matcher finds them without asking each filter."""

    predicate: Predicate
    kind = "filter"

    @property
    def requested_authors(self) -> frozenset[int]:
        return self.predicate.follow

    @property
    def search(self) -> Predicate:
        return self.predicate

    def index_keys(self) -> Iterable[IndexKey]:
        return (ANY_AUTHOR,)

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return self.predicate.matches(subject)


def is_allowed(narrowing: Predicate | None, message: Message) -> bool:
    """Return True if languages and level leave a message; a deletion is always left."""
    return narrowing is None or message.subject is None or narrowing.allows(message.subject)
