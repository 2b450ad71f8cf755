"""What posting, deleting and following do to timelines that belong to others, but for fan-out. Each of these is safe to
run twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..ids import PARTITIONS, partition_of
from ..scripts import script
from ..statuses.boosts import Told, entry, newest_command, newest_from, told_by
from ..statuses.store import Entry
from ..statuses.visibility import protected

MERGE = script("timelines/merge.lua")
PUBLISH = script("timelines/publish.lua")
LATEST = 7  # replies to the commands of `_latest`


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


def grouped(context: Context, event: Event, batch: Sequence[str]) -> Iterator[tuple[str, dict[int, list[str]]]]:
    """The homes of one script each, as (its fence key, partition → uids): all of them on one server, one partition's
    on a Cluster.
    """
    groups = by_partition(batch)
    if context.db.single:
        yield keys.fences(keys.TAGS[event.partition]), groups
    else:
        for partition, uids in groups.items():
            yield keys.fences(keys.TAGS[partition]), {partition: uids}


def by_partition(uids: Sequence[str]) -> dict[int, list[str]]:
    """Members by the partition they lie in."""
    groups: dict[int, list[str]] = defaultdict(list)
    for uid in uids:
        groups[int(uid) % PARTITIONS].append(uid)
    return groups


def id_and_author(event: Event) -> Entry:
    """The id of a status, or of a boost, and whose it is."""
    boost = told_by(event)
    return (boost.id, boost.by) if boost else (int(event.data["id"]), int(event.data["author"]))


def answered(event: Event) -> str:
    """The uid of the other member whom a status answers; nothing for a post, and for a reply to oneself."""
    to = event.data.get("to", "")
    return to if to != event.data["author"] else ""


def entry_name(event: Event) -> str:
    """How homes name a status, or a boost."""
    boost = told_by(event)
    if boost:
        return entry(boost)
    return ":".join(filter(None, (event.data["id"], event.data["author"], answered(event))))
