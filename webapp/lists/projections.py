"""What acts on lists, posting, blocks and departures do elsewhere. Each of these is safe to run twice."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.store.reads import Command
from webapp.core.store.schema import PARTITION_TAGS, partition_tag
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines.fanout import deliver
from webapp.timelines.fanout.projections import home_entry, id_and_author, replied_to_uid

from . import keys

DELIVER = script("lists/lua/deliver.lua")
SYNC_MEMBER = script("following/lua/sync_follower.lua")
REMOVE_MEMBER = script("lists/lua/remove_member.lua")


def sync_listed_on(context: Context, events: Sequence[Event]) -> None:
    """Brings the members' own lists of the lists that they are on up to what these say by now. What was posted
    meanwhile may have missed the list, which is therefore built anew at the next look.
    """
    triples = [
        tuple(int(event.data[name]) for name in ("uid", "list", "target")) for event in events
    ]
    db, now = context.db, time.time()
    scores = db.trip(
        *(("ZSCORE", keys.list_members(uid, number), target) for uid, number, target in triples)
    )
    results = db.trip(
        *(
            _sync_member_command(event, f"{uid}:{number}", target, at or "")
            for event, (uid, number, target), at in zip(events, triples, scores, strict=True)
        )
    )
    rebuild_marks = (
        ("ZADD", keys.active_lists(partition_of(uid)), "XX", f"{-now:.6f}", f"{uid}:{number}")
        for uid, number, _ in triples
    )
    # Whoever was listed while their account was being deleted is taken off again.
    outcomes = zip(events, triples, results, strict=True)
    db.trip(
        *rebuild_marks,
        *(
            _remove_member_command(event, uid, target)
            for event, (uid, _, target), count in outcomes
            if count < 0
        ),
    )


def _sync_member_command(event: Event, list_name: str, target: int, listed_at: str) -> Command:
    source, token = event.fence
    return SYNC_MEMBER(
        fences=event_keys.fences(partition_tag(target)),
        followers=keys.listed_on(target),
        member=account_keys.user(target),
        source=source,
        token=token,
        uid=list_name,
        followed_at=listed_at,
        is_event=1,  # being protected keeps nobody off lists
        was_requested=1,
    )


def purge_deleted_list(context: Context, events: Sequence[Event]) -> None:
    """Deleted lists leave their members' own."""
    for event in events:
        _remove_listed_on(
            context, int(event.data["uid"]), int(event.data["list"]), event.data["members"].split()
        )


def on_block(context: Context, events: Sequence[Event]) -> None:
    """A block takes both off each other's lists, unless it is gone by now."""
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    scores = context.db.trip(
        *(("ZSCORE", following_keys.blocks(uid), target) for uid, target in pairs)
    )
    active_blocks = [
        (event, *pair) for event, pair, at in zip(events, pairs, scores, strict=True) if at
    ]
    context.db.trip(
        *(
            _remove_member_command(event, *pair)
            for event, uid, target in active_blocks
            for pair in ((uid, target), (target, uid))
        )
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave all lists, and theirs go. What is done is taken off their own, so that a new owner goes on
    where the last one stopped.
    """
    for event in events:
        uid = int(event.data["uid"])
        while page := context.db.run(
            ("ZRANGE", keys.listed_on(uid), 0, context.config.fanout_batch - 1)
        ):
            owners = sorted({int(name.partition(":")[0]) for name in page})
            context.db.trip(*(_remove_member_command(event, owner, uid) for owner in owners))
            context.db.run(("ZREM", keys.listed_on(uid), *page))
            context.heartbeat()
        for number in map(int, context.db.run(("ZRANGE", keys.lists(uid), 0, -1))):
            _remove_listed_on(
                context,
                uid,
                number,
                context.db.run(("ZRANGE", keys.list_members(uid, number), 0, -1)),
            )
            list_keys = (
                keys.list_(uid, number),
                keys.list_members(uid, number),
                keys.list_home(uid, number),
            )
            context.db.trip(
                *(("UNLINK", name) for name in list_keys),
                ("ZREM", keys.active_lists(partition_of(uid)), f"{uid}:{number}"),
                ("ZREM", keys.lists(uid), number),
            )
            context.heartbeat()
        context.db.run(("UNLINK", keys.home_excluded(uid)))


def deliver_statuses(context: Context, undelivered: Sequence[deliver.Undelivered]) -> None:
    """Posted statuses, and boosts, enter homes and the timelines of the lists that their authors are on, unless they
    are gone by now. Authors who are merged into homes are pushed to lists all the same: only those are written that
    are looked at.
    """
    _update_lists(context, undelivered, True)


def retract_statuses(context: Context, undelivered: Sequence[deliver.Undelivered]) -> None:
    """Deleted statuses, and boosts that are taken back, leave them."""
    _update_lists(context, undelivered, False)


def _update_lists(
    context: Context, undelivered: Sequence[deliver.Undelivered], adding: bool
) -> None:
    """Puts what is going on into lists, or takes it out. The first lists of all authors came with their followers. An
    author's lists are walked by when they were put on them, resuming after the last: whatever comes or goes, none is
    skipped.
    """
    size = deliver.batch_size(context.config)
    for event, page in undelivered:
        while page:
            commands = list(_deliver_commands(context, event, page[::2], adding))
            if len(page) < 2 * size:
                context.db.trip(*commands)
                break
            *_, page = context.db.trip(*commands, _listed_on_command(event, f"({page[-1]}", size))
            context.heartbeat()


def _listed_on_command(event: Event, after: str, size: int) -> Command:
    _, author = id_and_author(event)
    return (
        "ZRANGE",
        keys.listed_on(author),
        after,
        "+inf",
        "BYSCORE",
        "LIMIT",
        0,
        size,
        "WITHSCORES",
    )


def _deliver_commands(
    context: Context, event: Event, lists: Sequence[str], adding: bool
) -> Iterator[Command]:
    """One script for all lists on one server, one for each partition on a Cluster."""
    data, lists_by_partition = event.data, defaultdict[int, list[str]](list)
    for name in lists:
        lists_by_partition[int(name.partition(":")[0]) % PARTITIONS].append(name)
    status_id, author = id_and_author(event)
    restricted_visibility = data["vis"] if Visibility(data.get("vis", "")).restricted else ""
    for batch in (
        [lists_by_partition]
        if context.db.is_single_server
        else [{p: names} for p, names in lists_by_partition.items()]
    ):
        partition = event.partition if context.db.is_single_server else next(iter(batch))
        yield DELIVER(
            fences=event_keys.fences(PARTITION_TAGS[partition]),
            partitions=[name for p in batch for name in _partition_keys(p)],
            source=event.fence[0],
            token=event.fence[1],
            entry=home_entry(event),
            id=status_id if adding else "",
            author=author,
            reply_to=replied_to_uid(event),
            visibility=restricted_visibility,
            mentioned=data.get("who", ""),
            limit=context.config.list_home_max,
            names=map(" ".join, batch.values()),
        )


def _partition_keys(partition: int) -> tuple[str, ...]:
    return (
        keys.active_lists(partition),
        keys.list_home.prefix(partition),
        keys.list_members.prefix(partition),
        following_keys.following.prefix(partition),
    )


def _remove_listed_on(context: Context, owner: int, number: int, members: Iterable[str]) -> None:
    context.db.trip(*(("ZREM", keys.listed_on(int(uid)), f"{owner}:{number}") for uid in members))


def _remove_member_command(event: Event, owner: int, target: int) -> Command:
    p = partition_of(owner)
    return REMOVE_MEMBER(
        fences=event_keys.fences(partition_tag(owner)),
        lists=keys.lists(owner),
        list_prefix=keys.list_.prefix(p),
        members_prefix=keys.list_members.prefix(p),
        active=keys.active_lists(p),
        excluded=keys.home_excluded(owner),
        outbox=event_keys.outbox(p),
        source=event.fence[0],
        token=event.fence[1],
        uid=owner,
        target=target,
        partition=p,
        rid=event.rid,
    )
