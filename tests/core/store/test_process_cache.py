"""Values that a process keeps: the same one stays, also in a full cache that threads share."""

from __future__ import annotations

from typing import cast

from webapp.core.store import Db
from webapp.core.store.caches.process_cache import ProcessCache


class Store:
    """Stands for a store: it only selects the values."""


def new_store() -> Db:
    """Return a store without values."""
    return cast(Db, Store())


def test_an_equal_value_does_not_take_the_place_of_the_only_one() -> None:
    cache, db = ProcessCache[str, list[int]](1), new_store()
    first = cache.put(db, {"": [1]}, 60)[""]
    assert cache.put(db, {"": [1]}, 60)[""] is first
    assert cache.put(db, {"": [2]}, 60)[""] == [2]
    assert cache.put(db, {"other": [3]}, 60) and not cache.get(db, [""], 60)


def test_another_thread_may_clear_it_while_it_is_read() -> None:
    cache, db = ProcessCache[str, int](1), new_store()
    cache.put(db, {"song": 1}, 60)

    class Asked(str):
        """A key during whose second look-up the cache is cleared."""

        looks = 0

        def __hash__(self) -> int:
            self.looks += 1
            if self.looks == 2:
                cache.put(db, {"another": 2}, 60)
            return hash(str(self))

    for _ in range(2):
        assert cache.get(db, [Asked("song")], 60).get("song", 1) == 1
