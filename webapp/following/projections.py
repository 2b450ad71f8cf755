"""Sync lists of followers and subscribers with members' own, and end follows that are invalid.

The two members of a follow may be in different partitions. Each projection is safe to repeat.
"""

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context, Event, in_steps, own_entries
from webapp.core.store import Command, Steps, ask, partition_of, script, send, send_all
from webapp.core.store.schema import partition_tag

from . import keys

SYNC_FOLLOWER = script("following/lua/sync_follower.lua")
PURGE_DELETED = script("following/lua/purge_deleted.lua")
REVOKE_FOLLOW = script("following/lua/revoke_follow.lua")
TARGET_GONE, REQUEST_NEEDED = -1, -2  # replies of SYNC_FOLLOWER


@in_steps
def sync_followers(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Bring the targets' lists of followers up to date with the followers' own lists.

    A follow of a member who has become protected meanwhile turns into a request. A follow of a
    deleted account is removed from the follower's list.
    """
    follows = yield from ask(own_entries(events, keys.following))
    results = yield from send_all(_sync_command(*follow) for follow in follows)
    outcomes = [(*follow[:3], result) for follow, result in zip(follows, results, strict=True)]
    requests_max = context.config.requests_max
    yield from send(
        *(
            end_follow_command(event, uid, target, event.data["followed_at"], requests_max)
            for event, uid, target, result in outcomes
            if result == REQUEST_NEEDED
        ),
        *(
            _purge_command(event, uid, target)
            for event, uid, target, result in outcomes
            if result == TARGET_GONE
        ),
    )


def end_removed_follows(context: Context, events: Sequence[Event]) -> None:
    """End the follows of followers whom a member has removed, but none that began later."""
    context.db.trip_all(
        end_follow_command(
            event, event.number("target"), event.number("uid"), event.data.get("until", "")
        )
        for event in events
    )


def end_follow_command(
    event: Event, uid: int, target: int, until_us: str, requests_max: int = 0
) -> Command:
    """Return the command that ends the follow of `target`, in the follower's partition.

    `until_us`: one that began later stays, "" for none. `requests_max` above 0 turns the follow
    into a request.
    """
    return REVOKE_FOLLOW(
        event, uid=uid, target=target, until_us=until_us, requests_max=requests_max
    )


def _sync_command(event: Event, uid: int, target: int, score: str) -> Command:
    followed_at = str(int(float(score))) if score else ""  # without a decimal point
    is_event = bool(followed_at) and event.data.get("followed_at") == followed_at
    return SYNC_FOLLOWER(
        event,
        followers=keys.followers(target),
        target=target,
        uid=uid,
        followed_at=followed_at,
        is_event=int(is_event),
        was_requested=event.data.get("requested", ""),
    )


@in_steps
def sync_subscribers(_context: Context, events: Sequence[Event]) -> Steps[None]:
    """Bring the members' lists of subscribers up to date with the subscribers' lists. Two steps."""
    subscribed = yield from ask(own_entries(events, keys.subscriptions, "id"))
    yield from send_all(_subscriber_command(*one) for one in subscribed)


def purge_subscriptions(context: Context, events: Sequence[Event]) -> None:
    """Remove deleted accounts from the lists of subscribers. Two trips for each."""
    for event in events:
        uid = event.number("uid")
        targets = context.db.run(("ZRANGE", keys.subscriptions(uid), 0, -1))
        context.db.trip_all(_subscriber_command(event, uid, int(one), "") for one in targets)


def _subscriber_command(event: Event, uid: int, target: int, subscribed_at: str) -> Command:
    return SYNC_FOLLOWER(
        event,
        followers=keys.post_subscribers(target),
        target=target,
        uid=uid,
        followed_at=subscribed_at,
        is_event=1,  # being protected ends no subscription of a follower
        was_requested=1,
    )


def followers_prefixes(partition: int) -> list[str]:
    """Return the prefixes that PURGE_DELETED takes of a partition."""
    keys_of_followers = (keys.following, keys.subscriptions, keys.endorsements, account_keys.home)
    return [key.prefix(partition) for key in keys_of_followers]


def _purge_command(event: Event, uid: int, target: int) -> Command:
    """Return the command that removes a deleted account from a follower's lists and home."""
    return PURGE_DELETED(
        event,
        tag=partition_tag(uid),
        prefixes=followers_prefixes(partition_of(uid)),
        author=target,
        followers=[uid],
    )
