"""Fan-out: what is posted, boosted and taken back goes to the homes of its author's followers. Safe to run twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.reads import Command
from webapp.core.store.schema import PARTITION_TAGS
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.lists import keys as list_keys
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines import keys as timeline_keys
from webapp.timelines.entries import exists_command, still_valid

from .projections import (
    group_by_fence,
    group_by_partition,
    home_entry,
    id_and_author,
    replied_to_uid,
)

DELIVER = script("timelines/fanout/lua/deliver.lua")
RETRACT = script("timelines/fanout/lua/retract.lua")
# For each partition: the keys, and beginnings of keys, that a delivery there needs. Making every name here would take
# longer than delivering.
PARTITION_KEYS = [
    (
        timeline_keys.active_members(p),
        timeline_keys.home.prefix(p),
        following_keys.following.prefix(p),
    )
    for p in range(PARTITIONS)
]
ALL_KEYS = tuple(chain(*PARTITION_KEYS))
PROBE_REPLIES = 4  # replies to the commands of `_question`
BATCH_MAX = 4_000  # homes: a script's unpack() has its limit

Batch = tuple[
    Event, list[str]
]  # what an event tells of, and the uids of some whose homes it goes to
Undelivered = tuple[
    Event, list[str]
]  # what is still so, and the first lists that its author is on, each with its score
CommandBuilder = Callable[[Context, Sequence[Batch]], list[Command]]  # that write these


def deliver(context: Context, events: Sequence[Event]) -> list[Undelivered]:
    """Posted statuses, and boosts, enter the homes of their authors' followers, unless they are gone by now or the
    author is merged instead; a reply to another enters the homes of those who follow both; and what is for those alone
    whom it names enters the homes of those of them who follow, however many others do. Returns what else is to be done.
    """
    return _fan_out(context, events, _deliver_commands)


def retract(context: Context, events: Sequence[Event]) -> list[Undelivered]:
    """Deleted statuses, and boosts that are taken back, leave the homes of their authors' followers. (Homes they were
    merged into do not hold them.) Returns as `push`.
    """
    return _fan_out(context, events, _remove_commands)


def batch_size(config: Config) -> int:
    """How many homes, or lists, a script may write."""
    return min(config.fanout_batch, BATCH_MAX)


def _fan_out(
    context: Context, events: Sequence[Event], build_commands: CommandBuilder
) -> list[Undelivered]:
    batch, undelivered = DeliveryBatch(context, build_commands), []
    replies = context.db.trip(
        *(command for event in events for command in _probe(event, batch.max_homes))
    )
    for event, start in zip(events, range(0, len(replies), PROBE_REPLIES), strict=True):
        exists_reply, is_pulled, first_page, lists = replies[start : start + PROBE_REPLIES]
        if still_valid(event, exists_reply):
            undelivered.append((event, lists))
            for uids in filter(None, _followers(event, is_pulled, first_page, batch)):
                batch.add(event, uids)
    batch.flush()
    return undelivered


class DeliveryBatch:
    """What waits to be written until it makes a batch of homes, at most as many as a script may write at once."""

    def __init__(self, context: Context, build_commands: CommandBuilder) -> None:
        self._context, self._build_commands = context, build_commands
        self.max_homes = batch_size(context.config)
        self._batches: list[Batch] = []
        self._home_count = 0

    def add(self, event: Event, uids: list[str]) -> None:
        """Adds these homes, after sending what waits if it would be too much together."""
        if self._home_count + len(uids) > self.max_homes:
            self.flush()
        self._batches.append((event, uids))
        self._home_count += len(uids)

    def flush(self, *extra: Command) -> list[Any]:
        """Sends what waits, and `more`; the replies to `more`."""
        commands = self._build_commands(self._context, self._batches) if self._batches else []
        replies = self._context.db.trip(*commands, *extra)
        self._context.heartbeat()
        self._batches, self._home_count = [], 0
        return replies[len(commands) :]


def _probe(event: Event, limit: int) -> list[Command]:
    """The QUESTIONS commands that ask whether an event is still so, whether its author is merged, and for the first
    followers, or for whom of those whom it is for alone follow, and the first lists that it goes to.
    """
    _, author = id_and_author(event)
    followers = following_keys.followers(author)
    readers = (
        ("ZMSCORE", followers, *_mentioned_uids(event))
        if _is_mentioned_only(event)
        else ("ZRANGE", followers, 0, limit - 1)
    )
    lists = ("ZRANGE", list_keys.listed_on(author), 0, limit - 1, "WITHSCORES")
    return [exists_command(event), ("HGET", account_keys.user(author), "pulled"), readers, lists]


def _followers(
    event: Event, is_pulled: str | None, first_page: list[Any], batch: DeliveryBatch
) -> Iterator[list[str]]:
    """The uids of the followers whom an event goes to, in batches: what was `found` first; where there may be more, all
    from the beginning, each batch asked for in the trip that sends what was put into the queue before.

    Followers are walked by when they followed, resuming after the last one: whoever comes or goes, none is skipped.
    """
    if _is_mentioned_only(event):
        yield [
            uid
            for uid, score in zip(_mentioned_uids(event), first_page, strict=True)
            if score is not None
        ]
    elif not is_pulled and len(first_page) < batch.max_homes:
        yield first_page
    elif not is_pulled:
        after = "-inf"
        while after:
            last, uids = batch.flush(
                *_next_followers_commands(id_and_author(event)[1], after, batch.max_homes)
            )
            yield uids
            after = f"({last[1]}" if last else ""


def _next_followers_commands(author: int, after: str, size: int) -> list[Command]:
    """The commands that read an author's next followers: when the last of them followed, if there are so many, and who
    they are. Asked in this order, a follower who leaves in between makes the next page begin too early, never too late;
    and without everybody's score, which would take as long again.
    """
    range_args = ("ZRANGE", following_keys.followers(author), after, "+inf", "BYSCORE", "LIMIT")
    return [(*range_args, size - 1, 1, "WITHSCORES"), (*range_args, 0, size)]


def _is_mentioned_only(event: Event) -> bool:
    """Whether it posts what is for those alone whom it names or answers."""
    return event.type == "posted" and event.data.get("vis") == Visibility.MENTIONED.value


def _mentioned_uids(event: Event) -> list[str]:
    """The uids whom it names or answers, and one empty name at least: a command takes no fewer than one."""
    return event.data.get("who", "").split(" ")


def _deliver_commands(context: Context, batches: Sequence[Batch]) -> list[Command]:
    """One script for all on one server, which names the keys of all partitions once; one for each partition on a
    Cluster. The fence is the same for all events of an outbox.
    """
    event = batches[0][0]
    source, token = event.fence
    args_by_partition: dict[int, list[object]] = defaultdict(list)
    for batch_event, uids in batches:
        status = (home_entry(batch_event), *id_and_author(batch_event), replied_to_uid(batch_event))
        groups = (
            {event.partition: uids} if context.db.is_single_server else group_by_partition(uids)
        )
        for partition, group in groups.items():
            args_by_partition[partition] += (*status, " ".join(group))
    return [
        DELIVER(
            fences=event_keys.fences(PARTITION_TAGS[p]),
            partitions=ALL_KEYS if context.db.is_single_server else PARTITION_KEYS[p],
            source=source,
            token=token,
            home_max=context.config.home_max,
            home_slack=context.config.home_slack,
            deliveries=arguments,
        )
        for p, arguments in args_by_partition.items()
    ]


def _remove_commands(context: Context, batches: Sequence[Batch]) -> list[Command]:
    return [
        RETRACT(
            fences=fences,
            home_prefixes=[PARTITION_KEYS[p][1] for p in groups],
            source=event.fence[0],
            token=event.fence[1],
            entry=home_entry(event),
            uids=map(" ".join, groups.values()),
        )
        for event, uids in batches
        for fences, groups in group_by_fence(context, event, uids)
    ]
