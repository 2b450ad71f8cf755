"""What likes do elsewhere: the lists of who likes a status. Safe to run twice, and in any order."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..scripts import script

MIRROR = script("statuses/mirror_act.lua")
BATCH = 500  # likes of a deleted account that are taken back in one trip


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings the statuses' lists of likes up to what the members' own lists say by now. What is gone has none."""
    pairs = [(int(event.data["uid"]), int(event.data["id"])) for event in events]
    truth = context.db.trip(*(("ZSCORE", keys.liked(uid), status_id) for uid, status_id in pairs))
    context.db.trip(*(_mirroring(event, *pair, at or "") for event, pair, at in zip(events, pairs, truth, strict=True)))


def dissolve(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts like nothing any more, and their bookmarks go. What is done is taken off their own list, so that
    a new owner goes on where the last one stopped. In the group that mirrors, or a like might be mirrored after this.
    """
    for event in events:
        uid = int(event.data["uid"])
        context.db.run(("UNLINK", keys.bookmarks(uid)))
        while page := context.db.run(("ZRANGE", keys.liked(uid), 0, BATCH - 1)):
            context.db.trip(*(_mirroring(event, uid, int(status_id), "") for status_id in page))
            context.db.run(("ZREM", keys.liked(uid), *page))
            context.beat()


def _mirroring(event: Event, uid: int, status_id: int, at: str) -> Command:
    return mirroring(event, uid, status_id, at, keys.likes(status_id), "likes")


def mirroring(event: Event, uid: int, status_id: int, at: str, listed: str, field: str) -> Command:
    """The command that brings a status's list of those who did something with it up to what is so of one of them, and
    the field that says how many. `at`: when they did it, as a number; "" when they do not.
    """
    return MIRROR([keys.fences(keys.tag(status_id)), keys.status(status_id), listed], *event.fence, uid, at, field)
