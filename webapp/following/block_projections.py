"""What blocking does elsewhere: the lists of blockers, and the follows of those who are blocked. Safe to run twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..ids import partition_of
from ..scripts import script

MIRROR = script("following/mirror_block.lua")
FORGET = script("following/forget_blocks.lua")
BATCH = 1_000  # lists of others that a deleted account is taken off in one trip


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings the targets' lists of blockers up to what the blockers' own lists say by now, and ends the targets'
    follows of them.
    """
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    truth = context.db.trip(*(("ZSCORE", keys.blocks(uid), target) for uid, target in pairs))
    there = context.db.trip(
        *(_mirroring(event, *pair, at or "") for event, pair, at in zip(events, pairs, truth, strict=True))
    )
    # Whoever was blocked while their account was being deleted is forgotten by the blocker too.
    context.db.trip(
        *(
            FORGET([keys.fences(keys.tag(uid)), keys.blocks(uid)], *event.fence, target)
            for event, (uid, target), found in zip(events, pairs, there, strict=True)
            if found < 0
        )
    )


def dissolve(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave the lists of those they blocked and of those who blocked them. What is done is taken off
    their own lists, so that a new owner goes on where the last one stopped.
    """
    for event in events:
        uid = int(event.data["uid"])
        for own, others in ((keys.blocks(uid), keys.blockers), (keys.blockers(uid), keys.blocks)):
            while page := context.db.run(("ZRANGE", own, 0, BATCH - 1)):
                context.db.trip(*_forgetting(event, [int(other) for other in page], others))
                context.db.run(("ZREM", own, *page))
                context.beat()


def _mirroring(event: Event, uid: int, target: int, at: str) -> Command:
    p = partition_of(target)
    names = [
        *(keys.fences(keys.tag(target)), keys.blockers(target), keys.user(target), keys.following(target)),
        *(keys.home(target), keys.outbox(p), keys.active(p), keys.requested(target)),
    ]
    return MIRROR(names, *event.fence, uid, at, target, p, event.rid)


def _forgetting(event: Event, uids: Sequence[int], others: Callable[[int], str]) -> list[Command]:
    """One script a partition."""
    lists: dict[str, list[str]] = defaultdict(list)
    for uid in uids:
        lists[keys.tag(uid)].append(others(uid))
    return [FORGET([keys.fences(tag), *names], *event.fence, event.data["uid"]) for tag, names in lists.items()]
