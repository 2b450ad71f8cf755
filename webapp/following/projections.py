"""What follows do elsewhere: the lists of followers."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..events import Context, Event
from ..scripts import script

MIRROR = script("following/mirror.lua")


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings the targets' lists of followers up to what the followers' own lists say by now."""
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    truth = context.db.trip(*(("ZSCORE", keys.following(uid), target) for uid, target in pairs))
    context.db.trip(
        *(
            MIRROR([keys.fences(keys.tag(target)), keys.followers(target)], *event.fence, uid, at or "")
            for event, (uid, target), at in zip(events, pairs, truth, strict=True)
        )
    )
