"""What acts on lists, posting, blocks and departures do elsewhere. Each of these is safe to run twice."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..ids import PARTITIONS, partition_of
from ..scripts import script
from ..statuses.visibility import Visibility
from ..timelines import fanout
from ..timelines.projections import answered, entry_name, id_and_author

DELIVER = script("lists/deliver.lua")
MIRROR = script("following/mirror.lua")
TAKE_OFF = script("lists/take_off.lua")


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings the members' own lists of the lists that they are on up to what these say by now. What was posted
    meanwhile may have missed the list, which is therefore built anew at the next look.
    """
    triples = [tuple(int(event.data[name]) for name in ("uid", "list", "target")) for event in events]
    db, now = context.db, time.time()
    truth = db.trip(*(("ZSCORE", keys.list_members(uid, number), target) for uid, number, target in triples))
    counts = db.trip(
        *(
            MIRROR(
                [keys.fences(keys.tag(target)), keys.listers(target), keys.user(target)],
                *(*event.fence, f"{uid}:{number}", at or "", 1, 1),  # being protected keeps nobody off lists
            )
            for event, (uid, number, target), at in zip(events, triples, truth, strict=True)
        )
    )
    marks = (
        ("ZADD", keys.active_lists(partition_of(uid)), "XX", f"{-now:.6f}", f"{uid}:{number}")
        for uid, number, _ in triples
    )
    # Whoever was listed while their account was being deleted is taken off again.
    gone = zip(events, triples, counts, strict=True)
    db.trip(*marks, *(_taking_off(event, uid, target) for event, (uid, _, target), count in gone if count < 0))


def forget(context: Context, events: Sequence[Event]) -> None:
    """Deleted lists leave their members' own."""
    for event in events:
        _unlist(context, int(event.data["uid"]), int(event.data["list"]), event.data["members"].split())


def part(context: Context, events: Sequence[Event]) -> None:
    """A block takes both off each other's lists, unless it is gone by now."""
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    truth = context.db.trip(*(("ZSCORE", keys.blocks(uid), target) for uid, target in pairs))
    blocks = [(event, *pair) for event, pair, at in zip(events, pairs, truth, strict=True) if at]
    context.db.trip(
        *(_taking_off(event, *pair) for event, uid, target in blocks for pair in ((uid, target), (target, uid)))
    )


def dissolve(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave all lists, and theirs go. What is done is taken off their own, so that a new owner goes on
    where the last one stopped.
    """
    for event in events:
        uid = int(event.data["uid"])
        while page := context.db.run(("ZRANGE", keys.listers(uid), 0, context.config.fanout_batch - 1)):
            owners = sorted({int(name.partition(":")[0]) for name in page})
            context.db.trip(*(_taking_off(event, owner, uid) for owner in owners))
            context.db.run(("ZREM", keys.listers(uid), *page))
            context.beat()
        for number in map(int, context.db.run(("ZRANGE", keys.lists(uid), 0, -1))):
            _unlist(context, uid, number, context.db.run(("ZRANGE", keys.list_members(uid, number), 0, -1)))
            own = (keys.list_(uid, number), keys.list_members(uid, number), keys.list_home(uid, number))
            context.db.trip(
                *(("UNLINK", name) for name in own),
                ("ZREM", keys.active_lists(partition_of(uid)), f"{uid}:{number}"),
                ("ZREM", keys.lists(uid), number),
            )
            context.beat()
        context.db.run(("UNLINK", keys.aside(uid)))


def push(context: Context, events: Sequence[Event]) -> None:
    """Posted statuses, and boosts, enter homes and the timelines of the lists that their authors are on, unless they
    are gone by now. Authors who are merged into homes are pushed to lists all the same: only those are written that
    are looked at.
    """
    _carry(context, fanout.push(context, events), True)


def take_back(context: Context, events: Sequence[Event]) -> None:
    """Deleted statuses, and boosts that are taken back, leave them."""
    _carry(context, fanout.take_back(context, events), False)


def _carry(context: Context, going: Sequence[fanout.Going], put: bool) -> None:
    """Puts what is going on into lists, or takes it out. The first lists of all authors came with their followers. An
    author's lists are walked by when they were put on them, resuming after the last: whatever comes or goes, none is
    skipped.
    """
    size = fanout.batch_size(context.config)
    for event, page in going:
        while page:
            commands = list(_deliveries(context, event, page[::2], put))
            if len(page) < 2 * size:
                context.db.trip(*commands)
                break
            *_, page = context.db.trip(*commands, _listers(event, f"({page[-1]}", size))
            context.beat()


def _listers(event: Event, after: str, size: int) -> Command:
    _, author = id_and_author(event)
    return ("ZRANGE", keys.listers(author), after, "+inf", "BYSCORE", "LIMIT", 0, size, "WITHSCORES")


def _deliveries(context: Context, event: Event, lists: Sequence[str], put: bool) -> Iterator[Command]:
    """One script for all lists on one server, one for each partition on a Cluster."""
    data, groups = event.data, defaultdict[int, list[str]](list)
    for name in lists:
        groups[int(name.partition(":")[0]) % PARTITIONS].append(name)
    number, author = id_and_author(event)
    limited = data["vis"] if Visibility(data.get("vis", "")).limited else ""
    what = (entry_name(event), number if put else "", author, answered(event), limited, data.get("who", ""))
    head = (*event.fence, *what)
    for parts in [groups] if context.db.single else [{p: names} for p, names in groups.items()]:
        partition = event.partition if context.db.single else next(iter(parts))
        names = [keys.fences(keys.TAGS[partition]), *(name for p in parts for name in _places(p))]
        yield DELIVER(names, *head, context.config.list_home_max, *map(" ".join, parts.values()))


def _places(p: int) -> tuple[str, ...]:
    return keys.active_lists(p), keys.list_home_prefix(p), keys.list_members_prefix(p), keys.following_prefix(p)


def _unlist(context: Context, owner: int, number: int, members: Iterable[str]) -> None:
    context.db.trip(*(("ZREM", keys.listers(int(uid)), f"{owner}:{number}") for uid in members))


def _taking_off(event: Event, owner: int, target: int) -> Command:
    p = partition_of(owner)
    names = [keys.fences(keys.tag(owner)), keys.lists(owner), keys.list_prefix(p), keys.list_members_prefix(p)]
    names += [keys.active_lists(p), keys.aside(owner), keys.outbox(p)]
    return TAKE_OFF(names, *event.fence, owner, target, p, event.rid)
