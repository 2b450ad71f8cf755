"""Projections: members whose followers have become more, or fewer, by a digit.

Those who follow are in other partitions. The member gets an event in their own, where one worker
after the other changes their place in the index.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.logs import request_id
from webapp.core.store import (
    Command,
    Site,
    Steps,
    ask,
    collect,
    gather,
    partition_of,
    read,
    script,
    send_all,
)
from webapp.following import keys as following_keys

from . import keys
from .ranks import rank_of

REQUEST_SYNC = script("autocomplete/lua/request_sync.lua")
WAITING_MAX = 200  # events of a partition that may wait before more are added


@in_steps
def compare_ranks(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Have those synced who got a follower, or lost one, and so another rank. One or two steps."""
    return _compare({event.number("target"): event.rid for event in events})


@in_steps
def compare_own_ranks(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Have those synced who removed a follower, and so got another rank. One or two steps."""
    return _compare({event.number("uid"): event.rid for event in events})


def sync_command(
    partition: int,
    uids: Iterable[int],
    event_type: str,
    request_id: str,
    outbox_max: int | None = None,
) -> Command:
    """Return the command that asks for members of a partition to be synced.

    `outbox_max` refuses it while so many events wait. Projections give none: their own event may be
    one of them.
    """
    return REQUEST_SYNC(
        partition=partition,
        event_type=event_type,
        request_id=request_id,
        outbox_max="" if outbox_max is None else outbox_max,
        uids=uids,
    )


def _compare(request_ids: dict[int, str]) -> Steps[None]:
    ranks = yield from ask(
        collect(
            gather(
                read(("ZCARD", following_keys.followers(uid)), rank_of),
                read(
                    ("HGET", keys.indexed_names(partition_of(uid)), uid),
                    lambda record: (record or "").partition(" ")[0],
                ),
            )
            for uid in request_ids
        )
    )
    yield from send_all(
        sync_command(partition_of(uid), [uid], "rank_changed", rid)
        for (uid, rid), (rank, recorded) in zip(request_ids.items(), ranks, strict=True)
        if recorded not in ("", str(rank))
    )


def request_reindex(site: Site, uids: Iterable[int]) -> None:
    """Have the worker index members, in order with their events. One trip.

    Handing a member over twice changes nothing. Raises Unavailable while workers have enough to do;
    some members are handed over then.
    """
    by_partition = defaultdict[int, list[int]](list)
    for uid in uids:
        by_partition[partition_of(uid)].append(uid)
    site.db.trip_all(
        sync_command(partition, some, "reindex_requested", request_id.get(), WAITING_MAX)
        for partition, some in by_partition.items()
    )
