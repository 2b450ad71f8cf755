"""Sync lists of followers with follows, and end follows that have become invalid.

The two members of a follow may be in different partitions. Each projection is safe to repeat.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command, collect, read
from webapp.core.store.scripts import script
from webapp.timelines import keys as timeline_keys

from . import keys

SYNC_FOLLOWER = script("following/lua/sync_follower.lua")
PURGE_DELETED = script("following/lua/purge_deleted.lua")
REVOKE_FOLLOW = script("following/lua/revoke_follow.lua")
TARGET_GONE, REQUEST_NEEDED = -1, -2  # replies of SYNC_FOLLOWER


def sync_followers(context: Context, events: Sequence[Event]) -> None:
    """Bring the targets' lists of followers up to date with the followers' own lists.

    A follow of a member who has become protected meanwhile turns into a request. A follow of a
    deleted account is removed from the follower's list.
    """
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    scores = context.db.read(
        collect(read(("ZSCORE", keys.following(uid), target), _score) for uid, target in pairs)
    )
    results = context.db.trip(
        *(
            _sync_command(event, uid, target, score)
            for event, (uid, target), score in zip(events, pairs, scores, strict=True)
        )
    )
    outcomes = list(zip(events, pairs, results, strict=True))
    context.db.trip(
        *(
            end_follow_command(event, *pair, context.config.requests_max, event.data["followed_at"])
            for event, pair, result in outcomes
            if result == REQUEST_NEEDED
        )
    )
    context.db.trip(
        *(
            _purge_command(event, uid, target)
            for event, (uid, target), result in outcomes
            if result == TARGET_GONE
        )
    )


def end_removed_follows(context: Context, events: Sequence[Event]) -> None:
    """End the follows of followers whom a member has removed."""
    context.db.trip(
        *(
            end_follow_command(event, int(event.data["target"]), int(event.data["uid"]))
            for event in events
        )
    )


def end_follow_command(
    event: Event, uid: int, target: int, requests_max: int = 0, since: str = ""
) -> Command:
    """Return the command that ends the follow of `target`, in the follower's partition.

    `requests_max` above 0 turns the follow into a request. `since` ends only the follow that
    began then (unix µs).
    """
    partition = partition_of(uid)
    return REVOKE_FOLLOW(
        following=keys.following(uid),
        home=timeline_keys.home(uid),
        outbox=event_keys.outbox(partition),
        active=timeline_keys.active_members(partition),
        requested=keys.sent_follow_requests(uid),
        uid=uid,
        target=target,
        requests_max=requests_max,
        partition=partition,
        request_id=event.rid,
        since=since,
        **event.fence_arguments(uid),
    )


def _sync_command(event: Event, uid: int, target: int, followed_at: str) -> Command:
    is_event = bool(followed_at) and event.data.get("followed_at") == followed_at
    return SYNC_FOLLOWER(
        followers=keys.followers(target),
        member=account_keys.user(target),
        uid=uid,
        followed_at=followed_at,
        is_event=int(is_event),
        was_requested=event.data.get("requested", ""),
        **event.fence_arguments(target),
    )


def _purge_command(event: Event, uid: int, target: int) -> Command:
    """Return the command that removes a deleted account from a follower's list and home."""
    partition = partition_of(uid)
    return PURGE_DELETED(
        prefixes=[keys.following.prefix(partition), timeline_keys.home.prefix(partition)],
        author=target,
        followers=[uid],
        **event.fence_arguments(uid),
    )


def _score(score: str | None) -> str:
    """Return a score without a decimal point, "" if there is none."""
    return str(int(float(score))) if score else ""
