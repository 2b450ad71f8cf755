"""Values kept in the process by what they were made of, so that none is ever out of date."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """Values by key, up to so many bytes in all. Two generations: what was not asked for while a whole one grew goes
    with it. Safe to use in any thread.
    """

    def __init__(self, max_bytes: int, size_of: Callable[[V], int]) -> None:
        """`most`: bytes; `weigh`: how many a value takes, with its key, about."""
        self._generation_max, self._size_of = max_bytes // 2, size_of
        self._young: dict[Hashable, V] = {}
        self._old: dict[Hashable, V] = {}
        self._size = 0  # bytes of the young
        self._lock = Lock()

    def get(self, key: Hashable) -> V | None:
        """The value of a key, if it is still there."""
        value = self._young.get(key)
        if value is None and (value := self._old.get(key)) is not None:
            self.put(key, value)
        return value

    def put(self, key: Hashable, value: V) -> V:
        """Keeps a value, and gives it back."""
        size = self._size_of(value)
        with self._lock:
            if self._size + size > self._generation_max:
                self._old, self._young, self._size = self._young, {}, 0
            self._young[key] = value
            self._size += size
        return value

    def __len__(self) -> int:
        return len(self._young | self._old)
