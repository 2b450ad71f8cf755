"""Who asked for a status, looked up from the status: the cost grows with what it matches, not with who is there."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from . import terms
from .predicates import Box, Predicate, involved_uids
from .terms import Subject

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
T = TypeVar("T", bound=Hashable)
Cell = tuple[int, int, int]


class Matcher(Generic[T]):
    """Subscribers by what they asked for. Those who asked for the same share all that is kept of it."""

    def __init__(self) -> None:
        self._groups: dict[Predicate, Group[T]] = {}
        self._group_of: dict[T, Group[T]] = {}
        self._by_phrase: PhraseIndex[Group[T]] = PhraseIndex()
        self._by_author: Postings[int, Group[T]] = Postings()
        self._by_box: BoxIndex[Group[T]] = BoxIndex()

    def __len__(self) -> int:
        return len(self._group_of)

    def add(self, subscriber: T, predicate: Predicate) -> None:
        """This subscriber asks for this, and no more for what it asked for before."""
        self.remove(subscriber)
        group = self._groups.get(predicate)
        if group is None:
            group = self._groups[predicate] = Group(predicate)
            for phrase in predicate.phrases:
                self._by_phrase.add(phrase, group)
            for uid in predicate.follow:
                self._by_author.add(uid, group)
            for box in predicate.boxes:
                self._by_box.add(box, group)
        group.subscribers.add(subscriber)
        self._group_of[subscriber] = group

    def remove(self, subscriber: T) -> None:
        """This subscriber, if it is there, asks for nothing any more."""
        group = self._group_of.pop(subscriber, None)
        if group is None:
            return
        group.subscribers.discard(subscriber)
        if not group.subscribers:
            self._remove_group(group)

    def match(self, subject: Subject) -> set[T]:
        """The subscribers whose predicate matches."""
        if subject.protected or not self._groups:
            return set()
        groups = set(self._by_phrase.find(subject.searched))
        for uid in involved_uids(subject):
            groups.update(self._by_author.values(uid))
        if subject.point:
            groups.update(self._by_box.find(subject.point))
        matched = [
            group.subscribers
            for group in groups
            if not group.narrow or group.predicate.allows(subject)
        ]
        return set().union(*matched)

    def _remove_group(self, group: Group[T]) -> None:
        predicate = group.predicate
        del self._groups[predicate]
        for phrase in predicate.phrases:
            self._by_phrase.discard(phrase, group)
        for uid in predicate.follow:
            self._by_author.discard(uid, group)
        for box in predicate.boxes:
            self._by_box.discard(box, group)


class Group(Generic[T]):
    """All subscribers with one predicate. Compared by identity, which is fast."""

    __slots__ = ("narrow", "predicate", "subscribers")

    def __init__(self, predicate: Predicate) -> None:
        self.predicate = predicate
        self.narrow = bool(predicate.languages) or predicate.level != "none"
        self.subscribers: set[T] = set()


class Postings(Generic[K, V]):
    """What is listed under each key. Most keys list one thing, which is kept without a set around it."""

    def __init__(self) -> None:
        self._single: dict[K, V] = {}
        self._multiple: dict[K, set[V]] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._single or key in self._multiple

    def values(self, key: K) -> Iterable[V]:
        """All that is listed under a key."""
        if key in self._single:
            return (self._single[key],)
        return self._multiple.get(key, ())

    def count(self, key: K) -> int:
        """How many are listed under a key."""
        return 1 if key in self._single else len(self._multiple.get(key, ()))

    def add(self, key: K, value: V) -> None:
        """Lists a value, once."""
        if key in self._multiple:
            self._multiple[key].add(value)
        elif self._single.setdefault(key, value) != value:
            self._multiple[key] = {self._single.pop(key), value}

    def discard(self, key: K, value: V) -> None:
        """Lists a value no more."""
        if key in self._multiple:
            values = self._multiple[key]
            values.discard(value)
            if len(values) == 1:
                self._single[key] = values.pop()
                del self._multiple[key]
        elif key in self._single and self._single[key] == value:
            del self._single[key]


class PhraseIndex(Generic[V]):
    """Values by phrase. A phrase that is itself a key is found by looking it up. Each other one is listed under one of
    its keys, the one under which the fewest are listed, and looked for in statuses that have this key.
    """

    def __init__(self) -> None:
        self._values: Postings[str, V] = Postings()
        self._phrases_by_key: Postings[str, str] = Postings()  # key → phrases
        self._key_by_phrase: dict[str, str] = {}  # phrase → the key it is listed under

    def add(self, phrase: str, value: V) -> None:
        """Files a value under a phrase, as terms.phrase returns it."""
        if phrase not in self._values:
            candidates = terms.index_terms_of(phrase)
            if phrase not in candidates:
                key = min(candidates, key=lambda key: (self._phrases_by_key.count(key), -len(key)))
                self._key_by_phrase[phrase] = key
                self._phrases_by_key.add(key, phrase)
        self._values.add(phrase, value)

    def discard(self, phrase: str, value: V) -> None:
        """Files it no more."""
        self._values.discard(phrase, value)
        if phrase in self._key_by_phrase and phrase not in self._values:
            self._phrases_by_key.discard(self._key_by_phrase.pop(phrase), phrase)

    def find(self, searched: terms.SearchText) -> Iterator[V]:
        """The values of all phrases that are found, some more than once."""
        for key in terms.index_terms(searched):
            yield from self._values.values(key)
            for phrase in self._phrases_by_key.values(key):
                if terms.phrase_matches(phrase, searched):
                    yield from self._values.values(phrase)


class BoxIndex(Generic[V]):
    """Values by box. The map is cut into squares at several scales, each twice as fine as the one before. A box lies in
    at most four squares of the finest scale whose squares are no smaller; a point lies in one square of each scale.
    """

    SCALES = range(-3, 10)  # squares of 2**scale degrees: from 0.125 to 512

    def __init__(self) -> None:
        self._squares: Postings[Cell, tuple[Box, V]] = Postings()

    def add(self, box: Box, value: V) -> None:
        """Files a value under a box."""
        for square in self._covering(box):
            self._squares.add(square, (box, value))

    def discard(self, box: Box, value: V) -> None:
        """Files it no more."""
        for square in self._covering(box):
            self._squares.discard(square, (box, value))

    def find(self, point: tuple[float, float]) -> Iterator[V]:
        """The values of all boxes around a latitude and longitude, some more than once."""
        latitude, longitude = point
        for scale in self.SCALES:
            square = scale, _square(longitude, scale), _square(latitude, scale)
            for box, value in self._squares.values(square):
                if box.contains(point):
                    yield value

    def _covering(self, box: Box) -> Iterator[Cell]:
        side = max(box.east - box.west, box.north - box.south)
        scale = max(math.frexp(side)[1], self.SCALES[0])
        for x in range(_square(box.west, scale), _square(box.east, scale) + 1):
            for y in range(_square(box.south, scale), _square(box.north, scale) + 1):
                yield scale, x, y


def _square(degrees: float, scale: int) -> int:
    return math.floor(math.ldexp(degrees, -scale))
