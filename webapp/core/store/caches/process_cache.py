"""Values that a process keeps for a short time, for all members it serves."""

import time
from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from operator import eq
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from webapp.core.store import Db, Read, constant
from webapp.core.store.caches.recording import changes_at, holds_while

K = TypeVar("K")
V = TypeVar("V")
Reread = Callable[[Mapping[K, V]], Read[dict[K, V]]]
YES, NO = constant(True), constant(False)
NOTHING = (0.0, None)


class ProcessCache(Generic[K, V]):
    """At most `max_size` values of each store, by key; cleared whole when it is full.

    A page made with such values may be sent again while the cache has the same ones (replays.py).
    `is_same`: whether pages show two values alike.
    """

    def __init__(self, max_size: int, is_same: Callable[[V, V], bool] = eq) -> None:
        self._max_size, self._is_same = max_size, is_same
        self._values: WeakKeyDictionary[Db, dict[K, tuple[float, V]]] = WeakKeyDictionary()

    def get(
        self, db: Db, keys: Iterable[K], max_age: float, reread: Reread[K, V] | None = None
    ) -> dict[K, V]:
        """Return the values of those keys that were put within `max_age` seconds.

        `reread`: reads values again; those that are no longer there are left out.
        """
        values = self._values.get(db)
        if not values:
            return {}
        oldest = time.monotonic() - max_age
        entries = ((key, entry) for key in keys if (entry := values.get(key)))
        found = {key: value for key, (put_at, value) in entries if put_at > oldest}
        if found:
            holds_while(partial(self._has, db, found, max_age, reread))
        return found

    def put(
        self, db: Db, found: Mapping[K, V], max_age: float, asked: Container[K] | None = None
    ) -> dict[K, V]:
        """Keep values for `max_age` seconds. Return them; the same one that is there stays.

        `asked`: keys that the page which is made would get from here, all if None.
        """
        if not max_age:
            return dict(found)
        values = self._values.setdefault(db, {})
        if len(values) + sum(key not in values for key in found) > self._max_size:
            values.clear()
        now, kept = time.monotonic(), dict[K, V]()
        for key, value in found.items():
            before = values.get(key)
            kept[key] = before[1] if before and self._is_same(before[1], value) else value
            values[key] = (now, kept[key])
            if asked is None or key in asked:
                changes_at(0)  # the next page asks the store for less
        return kept

    def remove(self, db: Db, key: K) -> None:
        """Forget one value."""
        self._values.get(db, {}).pop(key, None)

    def clear(self, db: Db) -> None:
        """Forget all values of a store."""
        self._values.pop(db, None)

    def _has(
        self, db: Db, found: Mapping[K, V], max_age: float, reread: Reread[K, V] | None
    ) -> Read[bool]:
        """Read whether the same values are still there. Those that are too old are read again."""
        values, now = self._values.get(db, {}), time.monotonic()
        times = []
        for key, value in found.items():
            put_at, present = values.get(key, NOTHING)
            if present is not value:
                return NO
            times.append(put_at)
        if min(times) > now - max_age:
            return YES
        if not reread:
            return NO
        half = now - max_age / 2  # those that are soon too old are read too
        old = {key: found[key] for key, put_at in zip(found, times, strict=True) if put_at <= half}

        def is_same(again: Mapping[K, V]) -> bool:
            kept = self.put(db, again, max_age)
            return all(kept.get(key) is value for key, value in old.items())

        return reread(old).map(is_same)
