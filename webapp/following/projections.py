"""What follows do elsewhere: the lists of followers."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.timelines import keys as timeline_keys

from . import keys

SYNC_FOLLOWER = script("following/lua/sync_follower.lua")
PURGE_DELETED = script("following/lua/purge_deleted.lua")
REVOKE_FOLLOW = script("following/lua/revoke_follow.lua")
TARGET_GONE, REQUEST_NEEDED = -1, -2  # replies of MIRROR


def sync_followers(context: Context, events: Sequence[Event]) -> None:
    """Brings the targets' lists of followers up to what the followers' own lists say by now. A follow that reaches a
    member who has become protected meanwhile turns into a request.
    """
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    scores = context.db.trip(*(("ZSCORE", keys.following(uid), target) for uid, target in pairs))
    results = context.db.trip(
        *(
            _sync_command(event, *pair, at or "")
            for event, pair, at in zip(events, pairs, scores, strict=True)
        )
    )
    requests_max = context.config.requests_max
    context.db.trip(
        *(
            end_follow_command(event, *pair, requests_max, event.data["at"])
            for event, pair, count in zip(events, pairs, results, strict=True)
            if count == REQUEST_NEEDED
        )
    )
    # Whoever was followed while their account was being deleted is forgotten by the follower too.
    context.db.trip(
        *(
            PURGE_DELETED(
                [event_keys.fences(partition_tag(uid)), *_follower_key_prefixes(uid)],
                *event.fence,
                target,
                uid,
            )
            for event, (uid, target), count in zip(events, pairs, results, strict=True)
            if count == TARGET_GONE
        )
    )


def end_removed_follows(context: Context, events: Sequence[Event]) -> None:
    """Followers who were removed follow no more."""
    pairs = [(event, int(event.data["target"]), int(event.data["uid"])) for event in events]
    context.db.trip(*(end_follow_command(event, uid, target) for event, uid, target in pairs))


def end_follow_command(
    event: Event, uid: int, target: int, requests_max: int = 0, since: str = ""
) -> Command:
    """The command that ends a follow, in the follower's partition; where it began at `since`, if that is given. `most`:
    the requests that they may have made, where they are to ask instead.
    """
    p = partition_of(uid)
    names = [
        event_keys.fences(partition_tag(uid)),
        keys.following(uid),
        timeline_keys.home(uid),
        event_keys.outbox(p),
        timeline_keys.active_members(p),
    ]
    return REVOKE_FOLLOW(
        [*names, keys.sent_follow_requests(uid)],
        *event.fence,
        uid,
        target,
        requests_max,
        p,
        event.rid,
        since,
    )


def _sync_command(event: Event, uid: int, target: int, score: str) -> Command:
    names = [
        event_keys.fences(partition_tag(target)),
        keys.followers(target),
        account_keys.user(target),
    ]
    is_current_follow = bool(score) and event.data.get("at") == str(int(float(score)))
    return SYNC_FOLLOWER(
        names, *event.fence, uid, score, int(is_current_follow), event.data.get("asked", "")
    )


def _follower_key_prefixes(uid: int) -> tuple[str, str]:
    p = partition_of(uid)
    return keys.following.prefix(p), timeline_keys.home.prefix(p)
