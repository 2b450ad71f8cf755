"""Fan-out: deliver statuses and boosts to the homes of followers, and retract them.

All of it is safe to run twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.reads import Command, Read, collect, gather, read
from webapp.core.store.schema import PARTITION_TAGS
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.timelines import keys

from .batches import BuildCommands, Delivery, DeliveryBatch
from .events import (
    home_entry,
    id_and_poster,
    is_for_mentioned_only,
    mentioned_uids,
    reply_to_uid,
    still_holds,
)
from .listed_on import ListedOnPage, listed_on_page
from .partitions import group_by_fence, group_by_partition

DELIVER = script("timelines/fanout/lua/deliver.lua")
RETRACT = script("timelines/fanout/lua/retract.lua")
# The keys, and beginnings of keys, that deliver.lua needs of each partition. To build the name of
# each home here would take longer than the delivery.
PARTITION_KEYS = [
    (keys.active_members(p), keys.home.prefix(p), following_keys.following.prefix(p))
    for p in range(PARTITIONS)
]
ALL_KEYS = tuple(chain(*PARTITION_KEYS))


@dataclass(frozen=True, slots=True)
class ListDelivery:
    """An event that still holds, and the first lists that its author is on."""

    event: Event
    lists: ListedOnPage


@dataclass(frozen=True, slots=True)
class _Probe:
    """What decides where an event goes. `followers`: the first of them, or those it mentions."""

    holds: bool
    is_pull_author: bool
    followers: list[str]
    lists: ListedOnPage


def deliver(context: Context, events: Sequence[Event]) -> list[ListDelivery]:
    """Deliver new statuses and boosts to homes. Return what lists must get.

    Replies to others go to followers of both. Statuses for mentioned members go to those of them
    who follow the author. Other statuses of pull authors are not delivered.
    """
    return _fan_out(context, events, _deliver_commands)


def retract(context: Context, events: Sequence[Event]) -> list[ListDelivery]:
    """Remove deleted statuses and boosts from homes. Return what must go from lists."""
    return _fan_out(context, events, _retract_commands)


def _fan_out(
    context: Context, events: Sequence[Event], build_commands: BuildCommands
) -> list[ListDelivery]:
    batch = DeliveryBatch(context, build_commands)
    probes = context.db.read(collect(_probe(event, batch.max_homes) for event in events))
    for_lists = []
    for event, probe in zip(events, probes, strict=True):
        if probe.holds:
            for_lists.append(ListDelivery(event, probe.lists))
            for uids in filter(None, _followers(event, probe, batch)):
                batch.add(event, uids)
    batch.flush()
    return for_lists


def _probe(event: Event, limit: int) -> Read[_Probe]:
    author = id_and_poster(event)[1]
    return gather(
        still_holds(event),
        read(("HGET", account_keys.user(author), "pulled"), bool),
        _mentioned_followers(event, author)
        if is_for_mentioned_only(event)
        else read(("ZRANGE", following_keys.followers(author), 0, limit - 1), list),
        listed_on_page(author, "-inf", limit),
    ).map(lambda results: _Probe(*results))


def _mentioned_followers(event: Event, author: int) -> Read[list[str]]:
    uids = mentioned_uids(event)
    return read(
        ("ZMSCORE", following_keys.followers(author), *uids),
        lambda scores: [uid for uid, score in zip(uids, scores, strict=True) if score is not None],
    )


def _followers(event: Event, probe: _Probe, batch: DeliveryBatch) -> Iterator[list[str]]:
    """Yield the uids of the followers whom an event goes to, in batches.

    If there may be more than one batch, all are read again in the order in which they followed.
    Each read resumes after the last follower, in the trip that sends the batch before: so nobody is
    skipped, whoever comes or goes.
    """
    if is_for_mentioned_only(event):
        yield probe.followers
    elif probe.is_pull_author:
        return
    elif len(probe.followers) < batch.max_homes:
        yield probe.followers
    else:
        author, after = id_and_poster(event)[1], "-inf"
        while after:
            after, uids = batch.flush_and_read(_next_followers(author, after, batch.max_homes))
            yield uids


def _next_followers(author: int, after: str, size: int) -> Read[tuple[str, list[str]]]:
    """Read the next followers, and the bound after which to go on; '' if they are the last.

    The bound is read first: a follower who leaves in between makes the next batch begin too early,
    never too late. Scores of all of them would take as long again.
    """
    range_args = ("ZRANGE", following_keys.followers(author), after, "+inf", "BYSCORE", "LIMIT")
    return gather(
        read((*range_args, size - 1, 1, "WITHSCORES"), lambda last: f"({last[1]}" if last else ""),
        read((*range_args, 0, size), list[str]),
    )


def _deliver_commands(context: Context, deliveries: Sequence[Delivery]) -> list[Command]:
    """Return one command for all on one server, or one for each partition on a Cluster.

    The fence is the same for all events of an outbox.
    """
    is_single_server = context.db.is_single_server
    first_event = deliveries[0].event
    source, token = first_event.fence
    by_partition: dict[int, list[object]] = defaultdict(list)
    for delivery in deliveries:
        event, uids = delivery.event, delivery.uids
        status = (home_entry(event), *id_and_poster(event), reply_to_uid(event))
        groups = {first_event.partition: uids} if is_single_server else group_by_partition(uids)
        for partition, group in groups.items():
            by_partition[partition] += (*status, " ".join(group))
    return [
        DELIVER(
            fences=event_keys.fences(PARTITION_TAGS[partition]),
            partitions=ALL_KEYS if is_single_server else PARTITION_KEYS[partition],
            source=source,
            token=token,
            home_max=context.config.home_max,
            home_slack=context.config.home_slack,
            deliveries=arguments,
        )
        for partition, arguments in by_partition.items()
    ]


def _retract_commands(context: Context, deliveries: Sequence[Delivery]) -> list[Command]:
    return [
        RETRACT(
            fences=fences,
            home_prefixes=[keys.home.prefix(p) for p in groups],
            source=delivery.event.fence[0],
            token=delivery.event.fence[1],
            entry=home_entry(delivery.event),
            uids=map(" ".join, groups.values()),
        )
        for delivery in deliveries
        for fences, groups in group_by_fence(context, delivery.event, delivery.uids)
    ]
