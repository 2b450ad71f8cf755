"""Projections: deliver statuses and boosts to the timelines of lists. Safe to run twice.

Fan-out delivers to homes first, and hands over the events that still hold.
"""

from collections.abc import Mapping, Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.store import PARTITIONS, Command, Steps, ask, gather, script
from webapp.core.store.schema import partition_tag
from webapp.following import keys as following_keys
from webapp.statuses import Visibility
from webapp.statuses.listings.timeline import no_result
from webapp.timelines.fanout.batches import batch_size
from webapp.timelines.fanout.deliver import ListDelivery
from webapp.timelines.fanout.events import home_entry, id_and_poster, reply_to_uid
from webapp.timelines.fanout.listed_on import listed_on_page

from . import keys

DELIVER = script("lists/lua/deliver.lua")


def deliver_statuses(context: Context, deliveries: Sequence[ListDelivery]) -> Steps[None]:
    """Add statuses and boosts to the active lists that their authors are on.

    Pull authors' too: only lists that somebody reads are written.
    """
    for delivery in deliveries:
        yield from _update_lists(context, delivery, adding=True)


def retract_statuses(context: Context, deliveries: Sequence[ListDelivery]) -> Steps[None]:
    """Remove deleted statuses and boosts from lists."""
    for delivery in deliveries:
        yield from _update_lists(context, delivery, adding=False)


def _update_lists(context: Context, delivery: ListDelivery, adding: bool) -> Steps[None]:
    """Write the lists of an event's author, in batches. One step a batch, which reads the next."""
    event, page = delivery.event, delivery.lists
    author, size = id_and_poster(event)[1], batch_size(context.config)
    while page.names:
        commands = no_result(*_deliver_commands(context, event, page.names, adding))
        if not page.next:
            yield from ask(commands)
            return
        _, page = yield from ask(gather(commands, listed_on_page(author, page.next, size)))
        context.heartbeat()


def _deliver_commands(
    context: Context, event: Event, names: Sequence[str], adding: bool
) -> list[Command]:
    """Return one command for all lists on one server, or one for each partition on a Cluster."""
    groups: dict[int, list[str]] = {}
    for name in names:
        groups.setdefault(int(name.partition(":")[0]) % PARTITIONS, []).append(name)
    if context.db.is_single_server:
        return [_deliver_command(context, event, event.partition, groups, adding)]
    return [
        _deliver_command(context, event, partition, {partition: group}, adding)
        for partition, group in groups.items()
    ]


def _deliver_command(
    context: Context,
    event: Event,
    partition: int,
    groups: Mapping[int, Sequence[str]],
    adding: bool,
) -> Command:
    """Return the command that writes lists by partition, fenced in `partition`."""
    status_id, author = id_and_poster(event)
    visibility = event.data.get("visibility", "")
    return DELIVER(
        event,
        tag=partition_tag(partition),
        partitions=[name for p in groups for name in _partition_keys(p)],
        entry=home_entry(event),
        id=status_id if adding else "",
        author=author,
        reply_to=reply_to_uid(event),
        visibility=visibility if Visibility(visibility).restricted else "",
        mentioned=event.data.get("mentioned", ""),
        limit=context.config.list_home_max,
        names=map(" ".join, groups.values()),
    )


def _partition_keys(partition: int) -> tuple[str, ...]:
    """Return the keys, and beginnings of keys, that deliver.lua needs of a partition."""
    return (
        keys.active_lists(partition),
        keys.list_home.prefix(partition),
        keys.list_members.prefix(partition),
        following_keys.following.prefix(partition),
    )
