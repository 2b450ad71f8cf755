"""Deadlines: sorted sets of a partition's entries by the time at which each is due, unix ms."""

import time
from collections.abc import Callable, Iterable, Iterator

from webapp.core.store import Db


def due_entries(
    db: Db, key: Callable[[int], str], partitions: Iterable[int], limit: int
) -> Iterator[tuple[int, list[str]]]:
    """Return each partition with its entries that are due, the earliest first. One trip.

    `key`: of a partition's sorted set. `limit`: most entries of one partition.
    """
    every = list(partitions)
    bounds = ("-inf", int(time.time() * 1000), "BYSCORE", "LIMIT", 0, limit)
    found = db.trip_all(("ZRANGE", key(one), *bounds) for one in every)
    return zip(every, found, strict=True)
