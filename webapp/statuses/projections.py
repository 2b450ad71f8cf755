"""What the end of an account does to what it wrote."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..events import Context, Event
from ..scripts import script
from .drafts import discard

ERASE = script("statuses/erase.lua")
BATCH = 500  # statuses one script erases


def erase(context: Context, events: Sequence[Event]) -> None:
    """Everything that deleted accounts wrote goes; what a stopped worker left is what the next one finds."""
    for event in events:
        uid = int(event.data["uid"])
        names = [keys.fences(keys.tag(uid)), keys.user(uid), keys.profile(uid), keys.status_prefix(uid)]
        names.append(keys.likes_prefix(uid))
        while context.db.run(ERASE(names, *event.fence, BATCH)):
            context.beat()
        for form in context.db.run(("ZRANGE", keys.drafts(uid), 0, -1)):
            discard(context.db, uid, form)
