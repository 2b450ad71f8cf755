"""What follows do elsewhere: the lists of followers."""

from __future__ import annotations

from .. import keys
from ..db import script
from ..events import Context, Event

MIRROR = script("following/mirror.lua")


def mirror(context: Context, event: Event) -> None:
    """Brings the target's list of followers up to what the follower's own list says by now."""
    uid, target = int(event.data["uid"]), int(event.data["target"])
    at = context.db.run(("ZSCORE", keys.following(uid), target))
    context.db.run(MIRROR([keys.fences(keys.tag(target)), keys.followers(target)], *event.fence, uid, at or ""))
