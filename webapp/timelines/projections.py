"""What posting, deleting and following do to timelines that belong to others. Each of these is safe to run twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..ids import PARTITIONS, partition_of
from ..scripts import script
from ..statuses.boosts import Told, entry, newest_command, newest_from, told_by
from ..statuses.store import Entry
from ..statuses.visibility import Visibility, protected
from .boosted import still_so, truth_command

DELIVER = script("timelines/deliver.lua")
REMOVE = script("timelines/remove.lua")
MERGE = script("timelines/merge.lua")
PUBLISH = script("timelines/publish.lua")
# For each partition: the keys, and beginnings of keys, that a delivery there needs. Making every name here would take
# longer than delivering.
NAMES = [(keys.active(p), keys.home_prefix(p), keys.following_prefix(p)) for p in range(PARTITIONS)]
LATEST = 7  # replies to the commands of `_latest`
BATCH_MAX = 4_000  # homes: a script's unpack() has its limit


def publish(context: Context, events: Sequence[Event]) -> None:
    """Posted statuses enter the public timeline, unless they are gone by now; deleted ones leave it. Replies to others
    are never in it, nor is what is not public, or of a protected author.
    """
    events = [event for event in events if not answered(event) and not event.data.get("vis")]
    entries = [id_and_author(event) for event in events]
    exist = context.db.trip(*(("EXISTS", keys.status(status_id)) for status_id, _ in entries))
    hidden = protected(context.db, (author for _, author in entries))
    exist = [there and author not in hidden for there, (_, author) in zip(exist, entries, strict=True)]
    names, most = [keys.public(), keys.fences(keys.PUBLIC)], context.config.public_max
    context.db.trip(
        *(
            PUBLISH(names, *event.fence, f"{status_id}:{author}", status_id if there else "", most)
            for event, (status_id, author), there in zip(events, entries, exist, strict=True)
        )
    )


def push(context: Context, events: Sequence[Event]) -> None:
    """Posted statuses, and boosts, enter the homes of their authors' followers, unless they are gone by now or the
    author is merged instead; a reply to another enters the homes of those who follow both; and what is for those alone
    whom it names enters the homes of those of them who follow, however many others do.
    """
    cap, slack = context.config.home_max, context.config.home_slack
    queue = Queue(context)
    for_all = [event for event in events if not _for_named(event)]
    for event, batch in (*_named_followers(context, events), *_followers(context, for_all, queue)):
        status_id, author = id_and_author(event)
        head = (*event.fence, entry_name(event), status_id, author, answered(event), cap, slack)
        queue.put(len(batch), _deliveries(context, event, batch, head))
    queue.send()


def take_back(context: Context, events: Sequence[Event]) -> None:
    """Deleted statuses, and boosts that are taken back, leave the homes of their authors' followers. (Homes they were
    merged into do not hold them.)
    """
    queue = Queue(context)
    for event, batch in _followers(context, events, queue):
        queue.put(len(batch), _removals(context, event, entry_name(event), batch))
    queue.send()


def backfill(context: Context, events: Sequence[Event]) -> None:
    """A new follow brings the author's newest statuses into the follower's home, as many as they may see, and of their
    newest replies those to others who are followed; an author with very many followers is from now on merged when homes
    are read. The follower is on the author's list already, so that nothing falls between.
    """
    cap = context.config.home_max
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    replies = context.db.trip(*(command for uid, author in pairs for command in _latest(uid, author, cap + 1)))
    merges = []
    for event, (uid, author), at in zip(events, pairs, range(0, len(replies), LATEST), strict=True):
        count, pulled, newest, boosts, *others = replies[at : at + LATEST]
        if not pulled and count > context.config.push_max_followers:
            _pull(context, author)
            pulled = True
        if pulled:  # all of it is merged, but for what names the follower
            newest, boosts, others = [], [], others[-1:]
        if newest or boosts or any(others):
            names = [keys.home(uid), keys.following(uid), keys.active(partition_of(uid)), keys.fences(keys.tag(uid))]
            floor = int(newest[cap - 1]) if len(newest) > cap else 0
            entries = _entries(author, newest[:cap], [*chain(*others)], newest_from(author, boosts), floor)
            head = (uid, *event.fence, cap, context.config.home_slack, floor or "", "", "", "")
            merges.append(MERGE(names, *head, *entries))
    context.db.trip(*merges)


class Queue:
    """Commands that wait until they make a batch of homes, to go in one trip, in order."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._commands: list[Command] = []
        self._homes = 0

    def put(self, homes: int, commands: list[Command]) -> None:
        """Adds the commands that write so many homes, after sending what waits if it would be too much together."""
        if self._homes + homes > self._context.config.fanout_batch:
            self.send()
        self._commands += commands
        self._homes += homes

    def send(self, *more: Command) -> list[Any]:
        """Sends what waits, and `more`; the replies to `more`."""
        replies = self._context.db.trip(*self._commands, *more)
        self._context.beat()
        self._commands, self._homes = [], 0
        return replies[len(replies) - len(more) :]


def _latest(uid: int, author: int, count: int) -> list[Command]:
    """The LATEST commands that read what an author wrote lately, as many of each list as a follower may see."""
    limited = (keys.limited(author, keys.FOLLOWERS), keys.limited(author, uid))
    lists = (keys.profile(author), keys.replied(author), *limited)
    read = ("+inf", "-inf", "BYSCORE", "REV", "LIMIT", 0, count)
    return [
        ("ZCARD", keys.followers(author)),
        ("HGET", keys.user(author), "pulled"),
        ("ZRANGE", lists[0], *read),
        newest_command(author, None, count),
        *(("ZRANGE", listed, *read) for listed in lists[1:]),
    ]


def _entries(author: int, newest: list[str], others: list[str], boosts: list[Told], floor: int) -> list[str]:
    """The entries of an author's newest statuses, and of the others (`id`, or `id:to` of a reply) and boosts above
    `floor`, newest first.
    """
    found = {(told.id, entry(told)) for told in boosts if told.id > floor}
    found |= {(int(status_id), f"{status_id}:{author}") for status_id in newest}
    for other in others:
        status_id, _, to = other.partition(":")
        if int(status_id) > floor:
            found.add((int(status_id), ":".join(filter(None, (status_id, str(author), to)))))
    return [entry for _, entry in sorted(found, reverse=True)]


def _pull(context: Context, author: int) -> None:
    """Every partition learns of it before pushing stops: in between, a status may come both ways and is shown once."""
    context.db.trip(*(("SADD", keys.pulled(partition), author) for partition in range(PARTITIONS)))
    context.db.run(("HSET", keys.user(author), "pulled", 1))


def _followers(context: Context, events: Sequence[Event], queue: Queue) -> Iterator[tuple[Event, list[str]]]:
    """Each event with its author's followers, in batches of uids; without those of authors who are merged, and of what
    was posted or boosted but is gone by now. The first batches of all events come in one trip, each further one in
    the trip that sends what was put into the queue for the one before.

    Followers are walked by when they followed, resuming after the last one: whoever comes or goes, none is skipped.
    """
    size = min(context.config.fanout_batch, BATCH_MAX)
    heads: list[Command] = []
    for event in events:
        author = id_and_author(event)[1]
        heads += [truth_command(event), ("HGET", keys.user(author), "pulled"), *_page(author, "-inf", size)]
    replies = context.db.trip(*heads)
    for event, at in zip(events, range(0, len(replies), 4), strict=True):
        truth, pulled, last, page = replies[at : at + 4]
        if pulled or not still_so(event, truth):
            continue
        while page:
            yield event, page
            last, page = queue.send(*_page(id_and_author(event)[1], f"({last[1]}", size)) if last else ([], [])


def _named_followers(context: Context, events: Sequence[Event]) -> list[tuple[Event, list[str]]]:
    """Each event of a status that is there and for those alone whom it names, with the author's followers among them.
    One trip, none without such events.
    """
    named = [(event, event.data["who"].split()) for event in events if _for_named(event) and event.data.get("who")]
    commands: list[Command] = []
    for event, uids in named:
        status_id, author = id_and_author(event)
        commands += [("EXISTS", keys.status(status_id)), ("ZMSCORE", keys.followers(author), *uids)]
    replies = context.db.trip(*commands)
    return [
        (event, batch)
        for (event, uids), exists, scores in zip(named, replies[::2], replies[1::2], strict=True)
        if exists and (batch := [uid for uid, score in zip(uids, scores, strict=True) if score is not None])
    ]


def _page(author: int, after: str, size: int) -> list[Command]:
    """The commands that read an author's next followers: when the last of them followed, if there are so many, and who
    they are. Asked in this order, a follower who leaves in between makes the next page begin too early, never too late;
    and without everybody's score, which would take as long again.
    """
    read = ("ZRANGE", keys.followers(author), after, "+inf", "BYSCORE", "LIMIT")
    return [(*read, size - 1, 1, "WITHSCORES"), (*read, 0, size)]


def _deliveries(context: Context, event: Event, batch: list[str], head: tuple[object, ...]) -> list[Command]:
    return [
        DELIVER([fences, *(name for p in groups for name in NAMES[p])], *head, *map(" ".join, groups.values()))
        for fences, groups in grouped(context, event, batch)
    ]


def _removals(context: Context, event: Event, entry: str, batch: list[str]) -> list[Command]:
    return [
        REMOVE([fences, *(NAMES[p][1] for p in groups)], *event.fence, entry, *map(" ".join, groups.values()))
        for fences, groups in grouped(context, event, batch)
    ]


def grouped(context: Context, event: Event, batch: list[str]) -> Iterator[tuple[str, dict[int, list[str]]]]:
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


def id_and_author(event: Event) -> Entry:
    """The id of a status, or of a boost, and whose it is."""
    boost = told_by(event)
    return (boost.id, boost.by) if boost else (int(event.data["id"]), int(event.data["author"]))


def answered(event: Event) -> str:
    """The uid of the other member whom a status answers; nothing for a post, and for a reply to oneself."""
    to = event.data.get("to", "")
    return to if to != event.data["author"] else ""


def _for_named(event: Event) -> bool:
    """Whether a status is for those alone whom it names or answers."""
    return Visibility(event.data.get("vis", "")) is Visibility.MENTIONED


def entry_name(event: Event) -> str:
    """How homes name a status, or a boost."""
    boost = told_by(event)
    if boost:
        return entry(boost)
    return ":".join(filter(None, (event.data["id"], event.data["author"], answered(event))))
