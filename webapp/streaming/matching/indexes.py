"""Indexes of subscribers: by key, by the phrases in a text, and by the boxes around a point."""

import math
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from . import terms
from .predicates import Box

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
Cell = tuple[int, int, int]  # scale, x and y of a square


class Postings(Generic[K, V]):
    """The values of each key. Most keys have one value, which is kept without a set around it."""

    def __init__(self) -> None:
        self._single: dict[K, V] = {}
        self._multiple: dict[K, set[V]] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._single or key in self._multiple

    def values(self, key: K) -> Iterable[V]:
        """Return all values of a key."""
        if key in self._single:
            return (self._single[key],)
        return self._multiple.get(key, ())

    def count(self, key: K) -> int:
        """Return how many values a key has."""
        return 1 if key in self._single else len(self._multiple.get(key, ()))

    def add(self, key: K, value: V) -> None:
        """Add a value to a key, once."""
        if key in self._multiple:
            self._multiple[key].add(value)
        elif self._single.setdefault(key, value) != value:
            self._multiple[key] = {self._single.pop(key), value}

    def discard(self, key: K, value: V) -> None:
        """Remove a value from a key, if it is there."""
        if key in self._multiple:
            values = self._multiple[key]
            values.discard(value)
            if len(values) == 1:
                self._single[key] = values.pop()
                del self._multiple[key]
        elif key in self._single and self._single[key] == value:
            del self._single[key]


class BoxIndex(Generic[V]):
    """Values by box.

    The map is cut into squares at several scales, each twice as fine as the one before. A box lies
    in at most four squares of the finest scale whose squares are not smaller than the box. A point
    lies in one square of each scale.
    """

    SCALES = range(-3, 10)  # squares of 2**scale degrees: from 0.125 to 512

    def __init__(self) -> None:
        self._squares: Postings[Cell, tuple[Box, V]] = Postings()

    def add(self, box: Box, value: V) -> None:
        """Add a value to a box."""
        for square in self._covering(box):
            self._squares.add(square, (box, value))

    def discard(self, box: Box, value: V) -> None:
        """Remove a value from a box."""
        for square in self._covering(box):
            self._squares.discard(square, (box, value))

    def find(self, point: tuple[float, float]) -> Iterator[V]:
        """Yield the values of all boxes around a latitude and longitude, some more than once."""
        latitude, longitude = point
        for scale in self.SCALES:
            square = scale, _square(longitude, scale), _square(latitude, scale)
            for box, value in self._squares.values(square):
                if box.contains(point):
                    yield value

    def _covering(self, box: Box) -> Iterator[Cell]:
        """Yield the squares that a box is listed under."""
        side = max(box.east - box.west, box.north - box.south)
        scale = max(math.frexp(side)[1], self.SCALES[0])
        for x in range(_square(box.west, scale), _square(box.east, scale) + 1):
            for y in range(_square(box.south, scale), _square(box.north, scale) + 1):
                yield scale, x, y


def _square(degrees: float, scale: int) -> int:
    return math.floor(math.ldexp(degrees, -scale))


class PhraseIndex(Generic[V]):
    """Values by phrase.

    A phrase that is itself an index term is found by looking that up. Any other phrase is listed
    under one of its index terms, the one with the fewest phrases. It is only compared with texts
    that have this term.
    """

    def __init__(self) -> None:
        self._values: Postings[str, V] = Postings()  # phrase → values
        self._phrases_by_term: Postings[str, str] = Postings()
        self._term_by_phrase: dict[str, str] = {}

    def add(self, phrase: str, value: V) -> None:
        """Add a value to a phrase, which must be normalized."""
        if phrase not in self._values:
            candidates = terms.index_terms_of(phrase)
            if phrase not in candidates:
                term = min(candidates, key=self._cost)
                self._term_by_phrase[phrase] = term
                self._phrases_by_term.add(term, phrase)
        self._values.add(phrase, value)

    def discard(self, phrase: str, value: V) -> None:
        """Remove a value from a phrase."""
        self._values.discard(phrase, value)
        if phrase in self._term_by_phrase and phrase not in self._values:
            self._phrases_by_term.discard(self._term_by_phrase.pop(phrase), phrase)

    def find(self, searched: terms.SearchText) -> Iterator[V]:
        """Yield the values of all phrases in a text, some more than once."""
        for term in terms.index_terms(searched):
            yield from self._values.values(term)
            for phrase in self._phrases_by_term.values(term):
                if terms.phrase_matches(phrase, searched):
                    yield from self._values.values(phrase)

    def _cost(self, term: str) -> tuple[int, int]:
        """Return a sort key: terms with few phrases first, then long terms."""
        return self._phrases_by_term.count(term), -len(term)
