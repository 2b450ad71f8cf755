"""An index from keys to values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


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
