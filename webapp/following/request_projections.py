"""What requests to follow, and the answers to them, do elsewhere. Safe to run twice. Who waits for a member is written
by the events of who asks alone, in order; an answer changes the asker's own list, and so makes such an event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..ids import partition_of
from ..scripts import script

MIRROR = script("following/mirror_request.lua")
SETTLE = script("following/settle_request.lua")
VOID, WAITS, OPEN = 0, 1, 2  # replies of MIRROR
BATCH = 500  # requests ended in one trip


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings the lists of who asks up to what the askers' own lists say by now. What need not be asked, as the member
    has become public, is granted; what cannot be asked ends. Of follows only those that were asked for matter.
    """
    events = [event for event in events if event.type != "followed" or "asked" in event.data]
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    truth = context.db.trip(*(("ZSCORE", keys.requested(uid), target) for uid, target in pairs))
    most = context.config.requests_max
    found = context.db.trip(
        *(
            _mirroring(event, *pair, int(at is not None), most)
            for event, pair, at in zip(events, pairs, truth, strict=True)
        )
    )
    context.db.trip(
        *(
            _settling(context, event, *pair, int(state == OPEN))
            for event, pair, state in zip(events, pairs, found, strict=True)
            if state != WAITS
        )
    )


def answered(context: Context, events: Sequence[Event]) -> None:
    """Who was accepted follows; who was refused asks no more."""
    context.db.trip(
        *(
            _settling(context, event, int(event.data["target"]), int(event.data["uid"]), int(event.type == "accepted"))
            for event in events
        )
    )


def admit(context: Context, events: Sequence[Event]) -> None:
    """Members who are public again accept all who wait, as long as they stay so. The events of those who asked take
    them off the list.
    """
    for event in events:
        uid = int(event.data["uid"])
        for asking in _batches(context, keys.requests(uid)):
            if context.db.run(("HEXISTS", keys.user(uid), "protected")):
                break
            context.db.trip(*(_settling(context, event, asker, uid, 1) for asker in asking))


def dissolve(context: Context, events: Sequence[Event]) -> None:
    """Suspended and deleted accounts ask nobody any more, and are asked by nobody."""
    for event in events:
        uid = int(event.data["uid"])
        for asked in _batches(context, keys.requested(uid)):
            context.db.trip(*(_settling(context, event, uid, other, 0) for other in asked))
        for asking in _batches(context, keys.requests(uid)):
            context.db.trip(*(_settling(context, event, asker, uid, 0) for asker in asking))


def _batches(context: Context, key: str) -> Iterator[list[int]]:
    """The members on a list, by when they came to it."""
    last = "-inf"
    while flat := context.db.run(("ZRANGE", key, last, "+inf", "BYSCORE", "LIMIT", 0, BATCH, "WITHSCORES")):
        yield [int(uid) for uid in flat[::2]]
        last = f"({flat[-1]}"
        context.beat()


def _mirroring(event: Event, uid: int, target: int, asks: int, most: int) -> Command:
    names = [keys.fences(keys.tag(target)), keys.requests(target), keys.user(target), keys.blocks(target)]
    return MIRROR(names, *event.fence, uid, asks, most)


def _settling(context: Context, event: Event, uid: int, target: int, granted: int) -> Command:
    """The command that ends the request of `uid`, in their own partition."""
    p = partition_of(uid)
    names = [keys.fences(keys.tag(uid)), keys.requested(uid), keys.following(uid), keys.outbox(p), keys.user(uid)]
    names += [keys.blocks(uid), keys.blockers(uid)]
    return SETTLE(names, *event.fence, uid, target, granted, context.config.following_max, p, event.rid)
