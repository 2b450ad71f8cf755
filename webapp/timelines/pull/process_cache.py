"""Values that a process keeps for a short time, for all members it serves."""

import time
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from webapp.core.store import Db

K = TypeVar("K")
V = TypeVar("V")


class ProcessCache(Generic[K, V]):
    """At most `max_size` values of each store, by key; cleared whole when it is full."""

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._values: WeakKeyDictionary[Db, dict[K, tuple[float, V]]] = WeakKeyDictionary()

    def get(self, db: Db, keys: Iterable[K], max_age: float) -> dict[K, V]:
        """Return the values of those keys that were put within `max_age` seconds."""
        values = self._values.get(db)
        if not values:
            return {}
        oldest = time.monotonic() - max_age
        entries = ((key, values[key]) for key in keys if key in values)
        return {key: value for key, (put_at, value) in entries if put_at > oldest}

    def put(self, db: Db, found: Mapping[K, V]) -> None:
        """Keep values."""
        values = self._values.setdefault(db, {})
        if len(values) + len(found) > self._max_size:
            values.clear()
        now = time.monotonic()
        values.update((key, (now, value)) for key, value in found.items())

    def remove(self, db: Db, key: K) -> None:
        """Forget one value."""
        self._values.get(db, {}).pop(key, None)

    def clear(self, db: Db) -> None:
        """Forget all values of a store."""
        self._values.pop(db, None)
