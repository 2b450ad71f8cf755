"""Fan-out: what is posted, boosted and taken back goes to the homes of its author's followers. Safe to run twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from .. import keys
from ..config import Config
from ..db import Command
from ..events import Context, Event
from ..ids import PARTITIONS
from ..scripts import script
from ..statuses.visibility import Visibility
from .boosted import still_so, truth_command
from .projections import answered, by_partition, entry_name, grouped, id_and_author

DELIVER = script("timelines/deliver.lua")
REMOVE = script("timelines/remove.lua")
# For each partition: the keys, and beginnings of keys, that a delivery there needs. Making every name here would take
# longer than delivering.
NAMES = [(keys.active(p), keys.home_prefix(p), keys.following_prefix(p)) for p in range(PARTITIONS)]
ALL = tuple(chain(*NAMES))
QUESTIONS = 4  # replies to the commands of `_question`
BATCH_MAX = 4_000  # homes: a script's unpack() has its limit

Batch = tuple[Event, list[str]]  # what an event tells of, and the uids of some whose homes it goes to
Going = tuple[Event, list[str]]  # what is still so, and the first lists that its author is on, each with its score
Commands = Callable[[Context, Sequence[Batch]], list[Command]]  # that write these


def push(context: Context, events: Sequence[Event]) -> list[Going]:
    """Posted statuses, and boosts, enter the homes of their authors' followers, unless they are gone by now or the
    author is merged instead; a reply to another enters the homes of those who follow both; and what is for those alone
    whom it names enters the homes of those of them who follow, however many others do. Returns what else is to be done.
    """
    return _carry(context, events, _deliveries)


def take_back(context: Context, events: Sequence[Event]) -> list[Going]:
    """Deleted statuses, and boosts that are taken back, leave the homes of their authors' followers. (Homes they were
    merged into do not hold them.) Returns as `push`.
    """
    return _carry(context, events, _removals)


def batch_size(config: Config) -> int:
    """How many homes, or lists, a script may write."""
    return min(config.fanout_batch, BATCH_MAX)


def _carry(context: Context, events: Sequence[Event], commands: Commands) -> list[Going]:
    queue, going = Queue(context, commands), []
    replies = context.db.trip(*(command for event in events for command in _question(event, queue.most)))
    for event, at in zip(events, range(0, len(replies), QUESTIONS), strict=True):
        truth, pulled, found, lists = replies[at : at + QUESTIONS]
        if still_so(event, truth):
            going.append((event, lists))
            for uids in filter(None, _followers(event, pulled, found, queue)):
                queue.put(event, uids)
    queue.send()
    return going


class Queue:
    """What waits to be written until it makes a batch of homes, at most as many as a script may write at once."""

    def __init__(self, context: Context, commands: Commands) -> None:
        self._context, self._commands = context, commands
        self.most = batch_size(context.config)
        self._batches: list[Batch] = []
        self._homes = 0

    def put(self, event: Event, uids: list[str]) -> None:
        """Adds these homes, after sending what waits if it would be too much together."""
        if self._homes + len(uids) > self.most:
            self.send()
        self._batches.append((event, uids))
        self._homes += len(uids)

    def send(self, *more: Command) -> list[Any]:
        """Sends what waits, and `more`; the replies to `more`."""
        commands = self._commands(self._context, self._batches) if self._batches else []
        replies = self._context.db.trip(*commands, *more)
        self._context.beat()
        self._batches, self._homes = [], 0
        return replies[len(commands) :]


def _question(event: Event, most: int) -> list[Command]:
    """The QUESTIONS commands that ask whether an event is still so, whether its author is merged, and for the first
    followers, or for whom of those whom it is for alone follow, and the first lists that it goes to.
    """
    _, author = id_and_author(event)
    followers = keys.followers(author)
    readers = ("ZMSCORE", followers, *_named(event)) if _for_named(event) else ("ZRANGE", followers, 0, most - 1)
    lists = ("ZRANGE", keys.listers(author), 0, most - 1, "WITHSCORES")
    return [truth_command(event), ("HGET", keys.user(author), "pulled"), readers, lists]


def _followers(event: Event, pulled: str | None, found: list[Any], queue: Queue) -> Iterator[list[str]]:
    """The uids of the followers whom an event goes to, in batches: what was `found` first; where there may be more, all
    from the beginning, each batch asked for in the trip that sends what was put into the queue before.

    Followers are walked by when they followed, resuming after the last one: whoever comes or goes, none is skipped.
    """
    if _for_named(event):
        yield [uid for uid, at in zip(_named(event), found, strict=True) if at is not None]
    elif not pulled and len(found) < queue.most:
        yield found
    elif not pulled:
        after = "-inf"
        while after:
            last, uids = queue.send(*_page(id_and_author(event)[1], after, queue.most))
            yield uids
            after = f"({last[1]}" if last else ""


def _page(author: int, after: str, size: int) -> list[Command]:
    """The commands that read an author's next followers: when the last of them followed, if there are so many, and who
    they are. Asked in this order, a follower who leaves in between makes the next page begin too early, never too late;
    and without everybody's score, which would take as long again.
    """
    read = ("ZRANGE", keys.followers(author), after, "+inf", "BYSCORE", "LIMIT")
    return [(*read, size - 1, 1, "WITHSCORES"), (*read, 0, size)]


def _for_named(event: Event) -> bool:
    """Whether it posts what is for those alone whom it names or answers."""
    return event.type == "posted" and event.data.get("vis") == Visibility.MENTIONED.value


def _named(event: Event) -> list[str]:
    """The uids whom it names or answers, and one empty name at least: a command takes no fewer than one."""
    return event.data.get("who", "").split(" ")


def _deliveries(context: Context, batches: Sequence[Batch]) -> list[Command]:
    """One script for all on one server, which names the keys of all partitions once; one for each partition on a
    Cluster. The fence is the same for all events of an outbox.
    """
    event = batches[0][0]
    head = (*event.fence, context.config.home_max, context.config.home_slack)
    parts: dict[int, list[object]] = defaultdict(list)
    for told, uids in batches:
        status = (entry_name(told), *id_and_author(told), answered(told))
        groups = {event.partition: uids} if context.db.single else by_partition(uids)
        for partition, group in groups.items():
            parts[partition] += (*status, " ".join(group))
    return [
        DELIVER((keys.fences(keys.TAGS[p]), *(ALL if context.db.single else NAMES[p])), *head, *part)
        for p, part in parts.items()
    ]


def _removals(context: Context, batches: Sequence[Batch]) -> list[Command]:
    return [
        REMOVE(
            [fences, *(NAMES[p][1] for p in groups)], *event.fence, entry_name(event), *map(" ".join, groups.values())
        )
        for event, uids in batches
        for fences, groups in grouped(context, event, uids)
    ]
