"""What requests to follow, and the answers to them, do elsewhere. Safe to run twice. Who waits for a member is written
by the events of who asks alone, in order; an answer changes the asker's own list, and so makes such an event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys

SYNC_REQUEST = script("following/requests/lua/sync_request.lua")
RESOLVE_REQUEST = script("following/requests/lua/resolve_request.lua")
INVALID, PENDING, GRANTABLE = 0, 1, 2  # replies of MIRROR
BATCH = 500  # requests ended in one trip


def sync_requests(context: Context, events: Sequence[Event]) -> None:
    """Brings the lists of who asks up to what the askers' own lists say by now. What need not be asked, as the member
    has become public, is granted; what cannot be asked ends. Of follows only those that were asked for matter.
    """
    events = [event for event in events if event.type != "followed" or "asked" in event.data]
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    scores = context.db.trip(
        *(("ZSCORE", following_keys.sent_follow_requests(uid), target) for uid, target in pairs)
    )
    requests_max = context.config.requests_max
    states = context.db.trip(
        *(
            _sync_command(event, *pair, int(at is not None), requests_max)
            for event, pair, at in zip(events, pairs, scores, strict=True)
        )
    )
    context.db.trip(
        *(
            _resolve_command(context, event, *pair, int(state == GRANTABLE))
            for event, pair, state in zip(events, pairs, states, strict=True)
            if state != PENDING
        )
    )


def resolve_requests(context: Context, events: Sequence[Event]) -> None:
    """Who was accepted follows; who was refused asks no more."""
    context.db.trip(
        *(
            _resolve_command(
                context,
                event,
                int(event.data["target"]),
                int(event.data["uid"]),
                int(event.type == "accepted"),
            )
            for event in events
        )
    )


def accept_all_waiting(context: Context, events: Sequence[Event]) -> None:
    """Members who are public again accept all who wait, as long as they stay so. The events of those who asked take
    them off the list.
    """
    for event in events:
        uid = int(event.data["uid"])
        for askers in _uid_batches(context, following_keys.follow_requests(uid)):
            if context.db.run(("HEXISTS", account_keys.user(uid), "protected")):
                break
            context.db.trip(*(_resolve_command(context, event, asker, uid, 1) for asker in askers))


def cancel_requests(context: Context, events: Sequence[Event]) -> None:
    """Suspended and deleted accounts ask nobody any more, and are asked by nobody."""
    for event in events:
        uid = int(event.data["uid"])
        for targets in _uid_batches(context, following_keys.sent_follow_requests(uid)):
            context.db.trip(*(_resolve_command(context, event, uid, other, 0) for other in targets))
        for askers in _uid_batches(context, following_keys.follow_requests(uid)):
            context.db.trip(*(_resolve_command(context, event, asker, uid, 0) for asker in askers))


def _uid_batches(context: Context, key: str) -> Iterator[list[int]]:
    """The members on a list, by when they came to it."""
    lower_bound = "-inf"
    while range_reply := context.db.run(
        ("ZRANGE", key, lower_bound, "+inf", "BYSCORE", "LIMIT", 0, BATCH, "WITHSCORES")
    ):
        yield [int(uid) for uid in range_reply[::2]]
        lower_bound = f"({range_reply[-1]}"
        context.heartbeat()


def _sync_command(
    event: Event, uid: int, target: int, is_pending: int, requests_max: int
) -> Command:
    names = [
        event_keys.fences(partition_tag(target)),
        following_keys.follow_requests(target),
        account_keys.user(target),
        following_keys.blocks(target),
    ]
    return SYNC_REQUEST(names, *event.fence, uid, is_pending, requests_max)


def _resolve_command(
    context: Context, event: Event, uid: int, target: int, granted: int
) -> Command:
    """The command that ends the request of `uid`, in their own partition."""
    p = partition_of(uid)
    names = [
        event_keys.fences(partition_tag(uid)),
        following_keys.sent_follow_requests(uid),
        following_keys.following(uid),
        event_keys.outbox(p),
        account_keys.user(uid),
    ]
    names += [following_keys.blocks(uid), following_keys.blockers(uid)]
    return RESOLVE_REQUEST(
        names, *event.fence, uid, target, granted, context.config.following_max, p, event.rid
    )
