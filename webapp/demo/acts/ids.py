"""Ids in the past: for a while, no partition remembers that it has given later ones."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from webapp.core.store import PARTITIONS, Db, first_id_at, partition_of, script
from webapp.statuses import keys

from .act import Act, World
from .post_acts import Write

RAISE_LAST_ID = script("demo/lua/raise_last_id.lua")
BATCH = 400  # ids that are looked up in one trip


def with_free_ids(db: Db, world: World, acts: Sequence[Act]) -> list[Act]:
    """Return the acts, all of them a ms earlier while an id of their posts is in use.

    A trip for each BATCH of posts.
    """
    acts = list(acts)
    while _any_taken(db, world, acts):
        acts = [replace(act, at_ms=act.at_ms - 1) for act in acts]
    return acts


def _any_taken(db: Db, world: World, acts: Sequence[Act]) -> bool:
    written = [(act.at_ms, world.uid(act.member)) for act in acts if isinstance(act, Write)]
    ids = [first_id_at(at_ms) + partition_of(uid) for at_ms, uid in written]
    found = [("EXISTS", keys.status(status_id)) for status_id in ids]
    return any(any(db.trip(*found[at : at + BATCH])) for at in range(0, len(found), BATCH))


@contextmanager
def earlier_ids(db: Db) -> Iterator[None]:
    """Let new posts have ids of their time, though the store has later ones. Two trips.

    If this is interrupted, new ids still follow all earlier ones: they come from the clock.
    """
    last_ids = db.trip_all(("GETDEL", keys.last_status_id(one)) for one in range(PARTITIONS))
    try:
        yield
    finally:
        db.trip_all(
            RAISE_LAST_ID(partition=partition, status_id=last_id)
            for partition, last_id in enumerate(last_ids)
            if last_id
        )
