"""What follows do elsewhere: the lists of followers."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..ids import partition_of
from ..scripts import script

MIRROR = script("following/mirror.lua")
FORGET = script("following/forget.lua")
LOSE = script("following/lose_follow.lua")
GONE, UNASKED = -1, -2  # replies of MIRROR


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings the targets' lists of followers up to what the followers' own lists say by now. A follow that reaches a
    member who has become protected meanwhile turns into a request.
    """
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    truth = context.db.trip(*(("ZSCORE", keys.following(uid), target) for uid, target in pairs))
    counts = context.db.trip(
        *(_mirroring(event, *pair, at or "") for event, pair, at in zip(events, pairs, truth, strict=True))
    )
    most = context.config.requests_max
    context.db.trip(
        *(
            losing(event, *pair, most, event.data["at"])
            for event, pair, count in zip(events, pairs, counts, strict=True)
            if count == UNASKED
        )
    )
    # Whoever was followed while their account was being deleted is forgotten by the follower too.
    context.db.trip(
        *(
            FORGET([keys.fences(keys.tag(uid)), *_own(uid)], *event.fence, target, uid)
            for event, (uid, target), count in zip(events, pairs, counts, strict=True)
            if count == GONE
        )
    )


def removed(context: Context, events: Sequence[Event]) -> None:
    """Followers who were removed follow no more."""
    pairs = [(event, int(event.data["target"]), int(event.data["uid"])) for event in events]
    context.db.trip(*(losing(event, uid, target) for event, uid, target in pairs))


def losing(event: Event, uid: int, target: int, most: int = 0, since: str = "") -> Command:
    """The command that ends a follow, in the follower's partition; where it began at `since`, if that is given. `most`:
    the requests that they may have made, where they are to ask instead.
    """
    p = partition_of(uid)
    names = [keys.fences(keys.tag(uid)), keys.following(uid), keys.home(uid), keys.outbox(p), keys.active(p)]
    return LOSE([*names, keys.requested(uid)], *event.fence, uid, target, most, p, event.rid, since)


def _mirroring(event: Event, uid: int, target: int, at: str) -> Command:
    names = [keys.fences(keys.tag(target)), keys.followers(target), keys.user(target)]
    this = bool(at) and event.data.get("at") == str(int(float(at)))
    return MIRROR(names, *event.fence, uid, at, int(this), event.data.get("asked", ""))


def _own(uid: int) -> tuple[str, str]:
    p = partition_of(uid)
    return keys.following_prefix(p), keys.home_prefix(p)
