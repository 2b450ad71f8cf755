"""Fan-out: deliver statuses and boosts to the homes of followers, and retract them.

All of it is safe to run twice.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.metrics.names import DELIVERIES
from webapp.core.metrics.recorder import count
from webapp.core.store import PARTITIONS, Command, Steps, ask, collect, script
from webapp.core.store.reads import distinct
from webapp.core.store.schema import partition_tag
from webapp.following import keys as following_keys

from .batches import BuildCommands, DeliveryBatch, HomeDelivery
from .events import home_entry, id_and_poster, reply_to_uid
from .listed_on import ListedOnPage
from .partitions import group_by_fence, group_by_partition
from .recipients import add_followers, probe_recipients

DELIVER = script("timelines/fanout/lua/deliver.lua")
RETRACT = script("timelines/fanout/lua/retract.lua")
# Keys and prefixes of each partition. Naming each home here would take longer than the delivery.
PARTITION_KEYS = [
    (
        account_keys.active_members(p),
        account_keys.home.prefix(p),
        following_keys.following.prefix(p),
    )
    for p in range(PARTITIONS)
]
ALL_KEYS = tuple(chain(*PARTITION_KEYS))


@dataclass(frozen=True, slots=True)
class ListDelivery:
    """An event that still holds, and the first lists that its author is on."""

    event: Event
    lists: ListedOnPage


def deliver(context: Context, events: Sequence[Event]) -> Steps[list[ListDelivery]]:
    """Deliver new statuses and boosts to homes. Return the deliveries to lists.

    Replies to others go to followers of both. Statuses for mentioned members go to those of them
    who follow the author. Other statuses of pull authors are not delivered.
    """
    return (yield from _fan_out(context, events, _deliver_commands))


def retract(context: Context, events: Sequence[Event]) -> Steps[list[ListDelivery]]:
    """Remove deleted statuses and boosts from homes. Return the removals from lists."""
    return (yield from _fan_out(context, events, _retract_commands))


def _fan_out(
    context: Context, events: Sequence[Event], build_commands: BuildCommands
) -> Steps[list[ListDelivery]]:
    batch = DeliveryBatch(context, build_commands)
    # The followers of an author who posted several statuses are read once.
    reads = collect(probe_recipients(event, batch.max_homes) for event in events)
    probes = yield from ask(distinct(reads))
    for_lists = []
    for event, probe in zip(events, probes, strict=True):
        if probe.holds:
            for_lists.append(ListDelivery(event, probe.lists))
            yield from add_followers(event, probe, batch)
    yield from batch.flush()
    return for_lists


def _deliver_commands(context: Context, deliveries: Sequence[HomeDelivery]) -> list[Command]:
    """Return one command for all on one server, or one for each partition on a Cluster.

    The fence is the same for all events of an outbox.
    """
    is_single_server = context.db.is_single_server
    first_event = deliveries[0].event
    by_partition: dict[int, list[object]] = defaultdict(list)
    for delivery in deliveries:
        event, uids = delivery.event, delivery.uids
        count(DELIVERIES, len(uids))
        status = (home_entry(event), *id_and_poster(event), reply_to_uid(event))
        groups = {first_event.partition: uids} if is_single_server else group_by_partition(uids)
        for partition, group in groups.items():
            by_partition[partition] += (*status, " ".join(group))
    return [
        DELIVER(
            first_event,
            tag=partition_tag(partition),
            partitions=ALL_KEYS if is_single_server else PARTITION_KEYS[partition],
            home_max=context.config.home_max,
            home_slack=context.config.home_slack,
            deliveries=arguments,
        )
        for partition, arguments in by_partition.items()
    ]


def _retract_commands(context: Context, deliveries: Sequence[HomeDelivery]) -> list[Command]:
    return [
        RETRACT(
            delivery.event,
            tag=tag,
            home_prefixes=[account_keys.home.prefix(p) for p in groups],
            entry=home_entry(delivery.event),
            uids=map(" ".join, groups.values()),
        )
        for delivery in deliveries
        for tag, groups in group_by_fence(context, delivery.event, delivery.uids)
    ]
