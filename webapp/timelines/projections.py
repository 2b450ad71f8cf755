"""What posting, deleting and following do to timelines that belong to others. Each of these is safe to run twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from .. import keys
from ..db import Command, script
from ..events import Context, Event
from ..ids import PARTITIONS, partition_of
from ..statuses.store import Entry

DELIVER = script("timelines/deliver.lua")
REMOVE = script("timelines/remove.lua")
MERGE = script("timelines/merge.lua")
PUBLISH = script("timelines/publish.lua")
# For each partition keys.active and the beginnings of its keys.home and keys.following: making every name here would
# take longer than delivering.
NAMES = [
    (keys.active(p), keys.home_prefix(p), keys.following(p).removesuffix(str(p)))  # member p lives in partition p
    for p in range(PARTITIONS)
]
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
    first = (("EXISTS", keys.status(status_id)), ("HGET", keys.user(author), "pulled"))
    exists, pulled, page = context.db.trip(*first, _page(context, author))
    if exists and not pulled:
        cap, slack = context.config.home_max, context.config.home_slack
        head = (*event.fence, f"{status_id}:{author}", status_id, author, cap, slack)
        _walk(context, author, page, lambda batch: _deliveries(context, event, batch, head))


def take_back(context: Context, event: Event) -> None:
    """A deleted status leaves the homes of its author's followers. (Homes it was merged into do not hold it.)"""
    status_id, author = _entry(event)
    pulled, page = context.db.trip(("HGET", keys.user(author), "pulled"), _page(context, author))
    if not pulled:
        _walk(context, author, page, lambda batch: _removals(context, event, f"{status_id}:{author}", batch))


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


def _page(context: Context, author: int, after: str = "-inf") -> Command:
    """The command that reads an author's next followers, with when they followed. They are walked by that, resuming
    after the last one: whoever comes or goes, none is skipped.
    """
    size = min(context.config.fanout_batch, BATCH_MAX)
    return ("ZRANGE", keys.followers(author), after, "+inf", "BYSCORE", "LIMIT", 0, size, "WITHSCORES")


def _walk(context: Context, author: int, page: list[str], commands: Callable[[list[str]], list[Command]]) -> None:
    """Sends what `commands` gives for each batch of followers, the first of which is `page`; each in the trip that
    reads the next.
    """
    size = min(context.config.fanout_batch, BATCH_MAX)
    while len(page) == 2 * size:
        page = context.db.trip(_page(context, author, f"({page[-1]}"), *commands(page[::2]))[0]
        context.beat()
    if page:
        context.db.trip(*commands(page[::2]))


def _deliveries(context: Context, event: Event, batch: list[str], head: tuple[object, ...]) -> list[Command]:
    return [
        DELIVER([fences, *(name for p in groups for name in NAMES[p])], *head, *map(" ".join, groups.values()))
        for fences, groups in _grouped(context, event, batch)
    ]


def _removals(context: Context, event: Event, entry: str, batch: list[str]) -> list[Command]:
    return [
        REMOVE([fences, *(NAMES[p][1] for p in groups)], *event.fence, entry, *map(" ".join, groups.values()))
        for fences, groups in _grouped(context, event, batch)
    ]


def _grouped(context: Context, event: Event, batch: list[str]) -> Iterator[tuple[str, dict[int, list[str]]]]:
    """The homes of one script each, as (its fence key, partition → uids): all of them on one server, one partition's
    on a Cluster.
    """
    groups: dict[int, list[str]] = defaultdict(list)
    for uid in batch:
        groups[int(uid) % PARTITIONS].append(uid)
    if context.db.single:
        yield keys.fences(keys.TAGS[event.partition]), groups
    else:
        for partition, uids in groups.items():
            yield keys.fences(keys.TAGS[partition]), {partition: uids}


def _entry(event: Event) -> Entry:
    return int(event.data["id"]), int(event.data["author"])
