"""What posting, deleting and following do to timelines that belong to others. Each of these is safe to run twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .. import keys
from ..db import Command, script
from ..events import Context, Event
from ..ids import PARTITIONS, partition_of
from ..statuses.store import Entry

DELIVER = script("timelines/deliver.lua")
REMOVE = script("timelines/remove.lua")
MERGE = script("timelines/merge.lua")
PUBLISH = script("timelines/publish.lua")
BATCH_MAX = 4_000  # homes: a script's unpack() has its limit


def publish(context: Context, event: Event) -> None:
    """A posted status enters the public timeline, unless it is gone by now; a deleted one leaves it."""
    status_id, author = _entry(event)
    stays = event.type == "posted" and context.db.run(("EXISTS", keys.status(status_id)))
    names = [keys.public(), keys.fences(keys.PUBLIC)]
    entry = f"{status_id}:{author}"
    context.db.run(PUBLISH(names, *event.fence, entry, status_id if stays else "", context.config.public_max))


def push(context: Context, event: Event) -> None:
    """A posted status enters the homes of its author's followers, unless it is gone by now or the author is merged
    instead.
    """
    status_id, author = _entry(event)
    exists, pulled = context.db.trip(("EXISTS", keys.status(status_id)), ("HGET", keys.user(author), "pulled"))
    if exists and not pulled:
        cap, slack = context.config.home_max, context.config.home_slack
        head = (*event.fence, f"{status_id}:{author}", status_id, author, cap, slack)
        _walk(context, author, lambda batch: _deliveries(context, event, author, batch, head))


def take_back(context: Context, event: Event) -> None:
    """A deleted status leaves the homes of its author's followers. (Homes it was merged into do not hold it.)"""
    status_id, author = _entry(event)
    if not context.db.run(("HGET", keys.user(author), "pulled")):
        _walk(context, author, lambda batch: _removals(context, event, f"{status_id}:{author}", batch))


def backfill(context: Context, event: Event) -> None:
    """A new follow brings the author's newest statuses into the follower's home; an author with very many followers is
    from now on merged when homes are read. The follower is on the author's list already, so that nothing falls
    between.
    """
    uid, author = int(event.data["uid"]), int(event.data["target"])
    cap = context.config.home_max
    count, pulled, newest = context.db.trip(
        ("ZCARD", keys.followers(author)),
        ("HGET", keys.user(author), "pulled"),
        ("ZRANGE", keys.profile(author), "+inf", "-inf", "BYSCORE", "REV", "LIMIT", 0, cap + 1),
    )
    if not pulled and count > context.config.push_max_followers:
        _pull(context, author)
    elif not pulled and newest:
        names = [keys.home(uid), keys.following(uid), keys.active(partition_of(uid)), keys.fences(keys.tag(uid))]
        entries = [f"{status_id}:{author}" for status_id in newest[:cap]]
        more = int(len(newest) > cap)
        context.db.run(MERGE(names, uid, *event.fence, cap, context.config.home_slack, more, "", *entries))


def _pull(context: Context, author: int) -> None:
    """Every partition learns of it before pushing stops: in between, a status may come both ways and is shown once."""
    context.db.trip(*(("SADD", keys.pulled(partition), author) for partition in range(PARTITIONS)))
    context.db.run(("HSET", keys.user(author), "pulled", 1))


def _walk(context: Context, author: int, commands: Callable[[Sequence[int]], list[Command]]) -> None:
    """Calls `commands` with the author's followers in batches and sends what it gives, each batch in the trip that
    reads the next. Followers are walked by the time they followed, resuming after the last one: whoever comes or goes,
    none is skipped.
    """
    size = min(context.config.fanout_batch, BATCH_MAX)
    after = "-inf"
    pending: list[Command] = []
    while True:
        read = ("ZRANGE", keys.followers(author), after, "+inf", "BYSCORE", "LIMIT", 0, size, "WITHSCORES")
        flat = context.db.trip(read, *pending)[0]
        batch, pending = flat[::2], []
        if batch:
            pending = commands([int(uid) for uid in batch])
            after = f"({flat[-1]}"
        if len(batch) < size:
            context.db.trip(*pending)
            return
        context.beat()


def _deliveries(
    context: Context, event: Event, author: int, batch: Sequence[int], head: tuple[object, ...]
) -> list[Command]:
    commands = []
    for fences, groups in _grouped(context, event, batch):
        names, values = [fences], list(head)
        for partition, uids in groups.items():
            names.append(keys.active(partition))
            for uid in uids:
                names += (keys.home(uid), keys.following(uid))
            values += (len(uids), *uids)
        commands.append(DELIVER(names, *values))
    return commands


def _removals(context: Context, event: Event, entry: str, batch: Sequence[int]) -> list[Command]:
    return [
        REMOVE([fences, *(keys.home(uid) for uids in groups.values() for uid in uids)], *event.fence, entry)
        for fences, groups in _grouped(context, event, batch)
    ]


def _grouped(context: Context, event: Event, batch: Sequence[int]) -> Iterator[tuple[str, dict[int, list[int]]]]:
    """The homes of one script each, as (its fence key, partition → uids): all of them on one server, one partition's
    on a Cluster.
    """
    groups: dict[int, list[int]] = {}
    for uid in batch:
        groups.setdefault(partition_of(uid), []).append(uid)
    if context.db.single:
        yield keys.fences(keys.TAGS[event.partition]), groups
    else:
        for partition, uids in groups.items():
            yield keys.fences(keys.TAGS[partition]), {partition: uids}


def _entry(event: Event) -> Entry:
    return int(event.data["id"]), int(event.data["author"])
