"""What follows do elsewhere: the lists of followers."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..events import Context, Event
from ..ids import partition_of
from ..scripts import script

MIRROR = script("following/mirror.lua")
FORGET = script("following/forget.lua")


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings the targets' lists of followers up to what the followers' own lists say by now."""
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    truth = context.db.trip(*(("ZSCORE", keys.following(uid), target) for uid, target in pairs))
    counts = context.db.trip(
        *(
            MIRROR(
                [keys.fences(keys.tag(target)), keys.followers(target), keys.user(target)], *event.fence, uid, at or ""
            )
            for event, (uid, target), at in zip(events, pairs, truth, strict=True)
        )
    )
    # Whoever was followed while their account was being deleted is forgotten by the follower too.
    context.db.trip(
        *(
            FORGET([keys.fences(keys.tag(uid)), *_own(uid)], *event.fence, target, uid)
            for event, (uid, target), count in zip(events, pairs, counts, strict=True)
            if count < 0
        )
    )


def _own(uid: int) -> tuple[str, str]:
    p = partition_of(uid)
    return keys.following_prefix(p), keys.home_prefix(p)
