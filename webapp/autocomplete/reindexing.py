"""Indexing the members and hashtags of a site that has some already.

The worker does it: each member gets an event, so that it happens in order with all that changes the
member meanwhile. Only so many events wait at a time, so posts and follows are not held up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from time import sleep

from webapp.accounts import keys as account_keys
from webapp.core.errors import Unavailable
from webapp.core.logs import request_id
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of

from . import keys
from .rank_projections import sync_command

BATCH = 1_280  # member ids that are handed over together: 20 of each partition
WAITING_MAX = 200  # events of a partition that may wait before more are added
PAUSE = 0.2  # seconds until the next look, where too many wait


def request_reindex(db: Db) -> Iterator[tuple[int, int]]:
    """Hand all members to the worker. Yield (ids handed over, all ids) after each batch.

    It continues where an earlier call ended. Waits while workers have enough to do, which is for
    ever if none runs. Handing a member over twice changes nothing.
    """
    done, last = (int(value or 0) for value in _counters(db))
    while done < last:
        uids = range(done + 1, min(done + BATCH, last) + 1)
        _hand_over(db, uids)
        done = uids[-1]
        db.run(("SET", keys.reindexed_up_to(), done))
        yield done, last
    db.run(("DEL", keys.reindexed_up_to()))


def _counters(db: Db) -> list[str | None]:
    return db.trip(("GET", keys.reindexed_up_to()), ("GET", account_keys.last_uid()))


def _hand_over(db: Db, uids: range) -> None:
    by_partition = defaultdict[int, list[int]](list)
    for uid in uids:
        by_partition[partition_of(uid)].append(uid)
    while by_partition:
        replies = db.trip_with_errors(
            [
                sync_command(p, some, "reindex_requested", request_id.get(), WAITING_MAX)
                for p, some in by_partition.items()
            ]
        )
        for partition, reply in list(zip(by_partition, replies, strict=True)):
            if not isinstance(reply, Exception):
                del by_partition[partition]
            elif not (isinstance(reply, Unavailable) and reply.code == "overloaded"):
                raise reply
        if by_partition:
            sleep(PAUSE)
