"""A cache in the process, bounded by bytes."""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """Values by all that they are made from, so they are never out of date. Safe in any thread.

    It has two generations. When the new generation fills half the space, it replaces the old one;
    entries not read since then are dropped. Reading takes no lock.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[V], int]) -> None:
        """`size_of` returns about how many bytes a value takes, with its key."""
        self._generation_max = max_bytes // 2
        self._size_of = size_of
        self._young: dict[Hashable, V] = {}
        self._old: dict[Hashable, V] = {}
        self._young_size = 0  # bytes
        self._lock = Lock()

    def get(self, key: Hashable) -> V | None:
        """Return the value of a key, None if it is not there."""
        value = self._young.get(key)
        if value is None and (value := self._old.get(key)) is not None:
            self.put(key, value)
        return value

    def put(self, key: Hashable, value: V) -> V:
        """Store a value, and return it."""
        size = self._size_of(value)
        with self._lock:
            if (replaced := self._young.pop(key, None)) is not None:
                self._young_size -= self._size_of(replaced)
            if self._young_size + size > self._generation_max:
                self._old, self._young, self._young_size = self._young, {}, 0
            self._young[key] = value
            self._young_size += size
        return value

    def __len__(self) -> int:
        return len(self._young | self._old)
