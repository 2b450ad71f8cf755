"""What follow requests and their answers do in other partitions. Each is safe to repeat.

Only the requester's events change the list of who waits, in order. An answer changes the
requester's own list, and so causes such an event.
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
from webapp.following import keys

SYNC_REQUEST = script("following/requests/lua/sync_request.lua")
RESOLVE_REQUEST = script("following/requests/lua/resolve_request.lua")
INVALID, UP_TO_DATE, GRANTABLE = 0, 1, 2  # replies of SYNC_REQUEST
BATCH = 500  # requests that end in one trip


def sync_requests(context: Context, events: Sequence[Event]) -> None:
    """Bring the lists of who waits up to date with the requesters' own lists.

    A request to a member who is public is granted; an invalid one ends. Follows matter only if
    they were requested.
    """
    events = [event for event in events if event.type != "followed" or "asked" in event.data]
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    scores = context.db.trip(
        *(("ZSCORE", keys.sent_follow_requests(uid), target) for uid, target in pairs)
    )
    limit = context.config.requests_max
    states = context.db.trip(
        *(
            _sync_command(event, uid, target, score is not None, limit)
            for event, (uid, target), score in zip(events, pairs, scores, strict=True)
        )
    )
    context.db.trip(
        *(
            _resolve_command(context, event, uid, target, granted=state == GRANTABLE)
            for event, (uid, target), state in zip(events, pairs, states, strict=True)
            if state != UP_TO_DATE
        )
    )


def resolve_requests(context: Context, events: Sequence[Event]) -> None:
    """Turn accepted requests into follows, and end refused ones."""
    context.db.trip(
        *(
            _resolve_command(
                context,
                event,
                uid=int(event.data["target"]),
                target=int(event.data["uid"]),
                granted=event.type == "accepted",
            )
            for event in events
        )
    )


def accept_all_waiting(context: Context, events: Sequence[Event]) -> None:
    """Accept all requests to members who became public, as long as they stay so.

    The requesters' events take them off the list.
    """
    for event in events:
        uid = int(event.data["uid"])
        for requesters in _uid_batches(context, keys.follow_requests(uid)):
            if context.db.run(("HEXISTS", account_keys.user(uid), "protected")):
                break
            context.db.trip(
                *(_resolve_command(context, event, other, uid, True) for other in requesters)
            )


def cancel_requests(context: Context, events: Sequence[Event]) -> None:
    """End all requests from and to suspended and deleted accounts."""
    for event in events:
        uid = int(event.data["uid"])
        for targets in _uid_batches(context, keys.sent_follow_requests(uid)):
            context.db.trip(
                *(_resolve_command(context, event, uid, other, False) for other in targets)
            )
        for requesters in _uid_batches(context, keys.follow_requests(uid)):
            context.db.trip(
                *(_resolve_command(context, event, other, uid, False) for other in requesters)
            )


def _uid_batches(context: Context, key: str) -> Iterator[list[int]]:
    """Yield the uids of a zset in batches, the lowest scores first."""
    lower_bound = "-inf"
    while reply := context.db.run(
        ("ZRANGE", key, lower_bound, "+inf", "BYSCORE", "LIMIT", 0, BATCH, "WITHSCORES")
    ):
        yield [int(uid) for uid in reply[::2]]
        last_score = reply[-1]
        lower_bound = f"({last_score}"
        context.heartbeat()


def _sync_command(event: Event, uid: int, target: int, is_pending: bool, limit: int) -> Command:
    source, token = event.fence
    return SYNC_REQUEST(
        fences=event_keys.fences(partition_tag(target)),
        requests=keys.follow_requests(target),
        member=account_keys.user(target),
        blocks=keys.blocks(target),
        source=source,
        token=token,
        uid=uid,
        is_pending=int(is_pending),
        limit=limit,
    )


def _resolve_command(
    context: Context, event: Event, uid: int, target: int, granted: bool
) -> Command:
    """Return the command that ends the request of `uid`, in their own partition."""
    partition = partition_of(uid)
    source, token = event.fence
    return RESOLVE_REQUEST(
        fences=event_keys.fences(partition_tag(uid)),
        requested=keys.sent_follow_requests(uid),
        following=keys.following(uid),
        outbox=event_keys.outbox(partition),
        member=account_keys.user(uid),
        blocks=keys.blocks(uid),
        blockers=keys.blockers(uid),
        source=source,
        token=token,
        uid=uid,
        target=target,
        granted=int(granted),
        following_max=context.config.following_max,
        partition=partition,
        rid=event.rid,
    )
