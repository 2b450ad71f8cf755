"""Topics of the streaming API."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from hashlib import sha256
from typing import Any

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
    """Some shares of all statuses, less those that `narrowing` leaves out."""

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
    shows_boosts = True

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


def fingerprint(topic: Topic) -> str:
    """Return 16 digits that are equal for equal topics, in every process."""
    text = repr((topic.kind, _canonical(topic)))
    return sha256(text.encode()).hexdigest()[:16]


def _canonical(value: Any) -> Any:
    """Return a topic or a part of one in plain values, sets in order."""
    if is_dataclass(value):
        return [_canonical(getattr(value, part.name)) for part in fields(value)]
    if isinstance(value, frozenset):
        return sorted(value)
    return value


def is_allowed(narrowing: Predicate | None, message: Message) -> bool:
    """Return True if languages and level leave a message; a deletion is always left."""
    return narrowing is None or message.subject is None or narrowing.allows(message.subject)
