"""Sync lists of subscribers with subscriptions. Each projection is safe to repeat."""

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event, in_steps, own_entries
from webapp.core.store import Command, Steps, ask, script, send_all
from webapp.following import keys

SYNC_SUBSCRIBER = script("following/lua/sync_follower.lua")


@in_steps
def sync_subscribers(_context: Context, events: Sequence[Event]) -> Steps[None]:
    """Bring the members' lists of subscribers up to date with the subscribers' lists. Two steps."""
    subscribed = yield from ask(own_entries(events, keys.subscriptions, "id"))
    yield from send_all(_sync_command(*one) for one in subscribed)


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove deleted accounts from the lists of subscribers. Two trips for each."""
    for event in events:
        uid = event.number("uid")
        targets = context.db.run(("ZRANGE", keys.subscriptions(uid), 0, -1))
        context.db.trip_all(_sync_command(event, uid, int(target), "") for target in targets)


def _sync_command(event: Event, uid: int, target: int, subscribed_at: str) -> Command:
    return SYNC_SUBSCRIBER(
        event,
        followers=keys.post_subscribers(target),
        target=target,
        uid=uid,
        followed_at=subscribed_at,
        is_event=1,  # being protected ends no subscription of a follower
        was_requested=1,
    )
