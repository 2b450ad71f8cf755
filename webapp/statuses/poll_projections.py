"""What votes do elsewhere: who voted in a poll, and what was counted. Safe to run twice."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..scripts import script

MIRROR = script("statuses/mirror_vote.lua")
BATCH = 500  # votes of a deleted account that are looked at in one trip


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Counts the votes that the members' own records tell, however late. What is gone counts none."""
    pairs = [(event, int(event.data["uid"]), int(event.data["id"])) for event in events]
    truth = context.db.trip(*(("HGET", keys.voted(uid), status_id) for _, uid, status_id in pairs))
    context.db.trip(*(_mirroring(*pair, bits) for pair, bits in zip(pairs, truth, strict=True) if bits))


def dissolve(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts leave the lists of who voted; what a poll has come to stays. What is done is taken off their own
    record, so that a new owner goes on where the last one stopped. In the group that mirrors, or a vote might be
    mirrored after this.
    """
    for event in events:
        uid = int(event.data["uid"])
        ids = context.db.run(("HKEYS", keys.voted(uid)))
        for page in (ids[start : start + BATCH] for start in range(0, len(ids), BATCH)):
            context.db.trip(*(_mirroring(event, uid, int(status_id), "") for status_id in page))
            context.db.run(("HDEL", keys.voted(uid), *page))
            context.beat()


def _mirroring(event: Event, uid: int, status_id: int, bits: str) -> Command:
    names = [keys.fences(keys.tag(status_id)), keys.status(status_id), keys.votes(status_id)]
    return MIRROR(names, *event.fence, uid, bits)
