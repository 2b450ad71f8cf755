"""Who asked for a status, looked up from the status: the cost grows with what it matches, not with who is there."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from . import terms
from .predicates import Box, Predicate, involved
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
        self._by_phrase: Phrases[Group[T]] = Phrases()
        self._by_author: Postings[int, Group[T]] = Postings()
        self._by_place: Places[Group[T]] = Places()

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
                self._by_place.add(box, group)
        group.subscribers.add(subscriber)
        self._group_of[subscriber] = group

    def remove(self, subscriber: T) -> None:
        """This subscriber, if it is there, asks for nothing any more."""
        group = self._group_of.pop(subscriber, None)
        if group is None:
            return
        group.subscribers.discard(subscriber)
        if not group.subscribers:
            self._drop(group)

    def match(self, subject: Subject) -> set[T]:
        """The subscribers whose predicate matches."""
        if subject.protected or not self._groups:
            return set()
        groups = set(self._by_phrase.find(subject.searched))
        for uid in involved(subject):
            groups.update(self._by_author.of(uid))
        if subject.point:
            groups.update(self._by_place.find(subject.point))
        left = [group.subscribers for group in groups if not group.narrow or group.predicate.admits(subject)]
        return set().union(*left)

    def _drop(self, group: Group[T]) -> None:
        predicate = group.predicate
        del self._groups[predicate]
        for phrase in predicate.phrases:
            self._by_phrase.discard(phrase, group)
        for uid in predicate.follow:
            self._by_author.discard(uid, group)
        for box in predicate.boxes:
            self._by_place.discard(box, group)


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
        self._one: dict[K, V] = {}
        self._more: dict[K, set[V]] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._one or key in self._more

    def of(self, key: K) -> Iterable[V]:
        """All that is listed under a key."""
        if key in self._one:
            return (self._one[key],)
        return self._more.get(key, ())

    def count(self, key: K) -> int:
        """How many are listed under a key."""
        return 1 if key in self._one else len(self._more.get(key, ()))

    def add(self, key: K, value: V) -> None:
        """Lists a value, once."""
        if key in self._more:
            self._more[key].add(value)
        elif self._one.setdefault(key, value) != value:
            self._more[key] = {self._one.pop(key), value}

    def discard(self, key: K, value: V) -> None:
        """Lists a value no more."""
        if key in self._more:
            among = self._more[key]
            among.discard(value)
            if len(among) == 1:
                self._one[key] = among.pop()
                del self._more[key]
        elif key in self._one and self._one[key] == value:
            del self._one[key]


class Phrases(Generic[V]):
    """Values by phrase. A phrase that is itself a key is found by looking it up. Each other one is listed under one of
    its keys, the one under which the fewest are listed, and looked for in statuses that have this key.
    """

    def __init__(self) -> None:
        self._values: Postings[str, V] = Postings()
        self._listed: Postings[str, str] = Postings()  # key → phrases
        self._key: dict[str, str] = {}  # phrase → the key it is listed under

    def add(self, phrase: str, value: V) -> None:
        """Files a value under a phrase, as terms.phrase returns it."""
        if phrase not in self._values:
            keys = terms.keys_of(phrase)
            if phrase not in keys:
                key = min(keys, key=lambda key: (self._listed.count(key), -len(key)))
                self._key[phrase] = key
                self._listed.add(key, phrase)
        self._values.add(phrase, value)

    def discard(self, phrase: str, value: V) -> None:
        """Files it no more."""
        self._values.discard(phrase, value)
        if phrase in self._key and phrase not in self._values:
            self._listed.discard(self._key.pop(phrase), phrase)

    def find(self, searched: terms.Searched) -> Iterator[V]:
        """The values of all phrases that are found, some more than once."""
        for key in terms.keys(searched):
            yield from self._values.of(key)
            for phrase in self._listed.of(key):
                if terms.found(phrase, searched):
                    yield from self._values.of(phrase)


class Places(Generic[V]):
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
            for box, value in self._squares.of(square):
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
