"""Deliver follow requests and their answers to other partitions.

Each projection is safe to repeat. Only the requester's events change the target's list of waiting
requests, in their order. An answer changes the requester's own list, and so causes such an event.
"""

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event, in_steps, own_entries, read_page
from webapp.core.store import Command, Steps, ask, script, send_all
from webapp.following import keys

SYNC_REQUEST = script("following/requests/lua/sync_request.lua")
RESOLVE_REQUEST = script("following/requests/lua/resolve_request.lua")
INVALID, UP_TO_DATE, GRANTABLE = 0, 1, 2  # replies of SYNC_REQUEST
BATCH = 500  # requests of one slice


@in_steps
def sync_requests(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Bring the lists of who waits up to date with the requesters' own lists.

    A request to a member who is public is granted; an invalid one ends. Follows matter only if
    they were requested.
    """
    events = [event for event in events if event.type != "followed" or "requested" in event.data]
    requests = yield from ask(own_entries(events, keys.sent_follow_requests))
    limit = context.config.requests_max
    states = yield from send_all(
        _sync_command(*one[:3], is_pending=bool(one[3]), limit=limit) for one in requests
    )
    yield from send_all(
        _resolve_command(context, event, uid, target, granted=state == GRANTABLE)
        for (event, uid, target, _), state in zip(requests, states, strict=True)
        if state != UP_TO_DATE
    )


def resolve_requests(context: Context, events: Sequence[Event]) -> None:
    """Turn accepted requests into follows, and end refused ones."""
    context.db.trip_all(
        _resolve_command(
            context,
            event,
            uid=event.number("target"),
            target=event.number("uid"),
            granted=event.type == "accepted",
        )
        for event in events
    )


def accept_waiting(context: Context, event: Event, cursor: str) -> str | None:
    """Accept some requests to a member who became public, as long as they stay so.

    The requesters' events take them off the list.
    """
    uid = event.number("uid")
    if context.db.run(("HEXISTS", account_keys.user(uid), "protected")):
        return None
    return _resolve_page(context, event, keys.follow_requests(uid), cursor, granted=True)


def cancel_received(context: Context, event: Event, cursor: str) -> str | None:
    """End some requests to an account, provided that it is still suspended or deleted."""
    uid = event.number("uid")
    if _is_active(context, uid):
        return None
    return _resolve_page(context, event, keys.follow_requests(uid), cursor, granted=False)


def cancel_sent(context: Context, event: Event, cursor: str) -> str | None:
    """End some requests from an account, provided that it is still suspended or deleted."""
    uid = event.number("uid")
    if _is_active(context, uid):
        return None
    targets, next_cursor = read_page(
        context, keys.sent_follow_requests(uid), cursor, BATCH, oldest_first=True
    )
    context.db.trip_all(
        _resolve_command(context, event, uid, int(other), False) for other in targets
    )
    return next_cursor


def _is_active(context: Context, uid: int) -> bool:
    login, suspended = context.db.run(("HMGET", account_keys.user(uid), "login", "suspended"))
    return bool(login and not suspended)


def _resolve_page(
    context: Context, event: Event, key: str, cursor: str, granted: bool
) -> str | None:
    """Resolve the next requests to the event's member. Return the next cursor."""
    uid = event.number("uid")
    requesters, next_cursor = read_page(context, key, cursor, BATCH, oldest_first=True)
    context.db.trip_all(
        _resolve_command(context, event, int(other), uid, granted) for other in requesters
    )
    return next_cursor


def _sync_command(event: Event, uid: int, target: int, is_pending: bool, limit: int) -> Command:
    return SYNC_REQUEST(event, target=target, uid=uid, is_pending=int(is_pending), limit=limit)


def _resolve_command(
    context: Context, event: Event, uid: int, target: int, granted: bool
) -> Command:
    """Return the command that ends the request of `uid`, in their own partition."""
    return RESOLVE_REQUEST(
        event,
        uid=uid,
        target=target,
        granted=int(granted),
        following_max=context.config.following_max,
    )
