"""What replies do elsewhere: what hangs below the statuses above them. Safe to run twice, and in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..scripts import script
from .replies import DEPTH_MAX, Step, Way, pack, unpack

MIRROR = script("statuses/mirror_reply.lua")


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings what is above replies up to whether they are there by now. What is above and gone has nothing below."""
    replies = [(event, (int(event.data["id"]), int(event.data["author"]))) for event in events if "above" in event.data]
    exist = context.db.trip(*(("EXISTS", keys.status(step[0])) for _, step in replies))
    placed = zip(replies, exist, strict=True)
    context.db.trip(
        *(one for (event, step), there in placed for one in mirroring(event, unpack(event.data["above"]), step, there))
    )


def mirroring(event: Event, above: Way, step: Step, there: int) -> Iterator[Command]:
    """The commands that put a reply below all that is above it, or take it away."""
    for level, (status_id, _) in enumerate(reversed(above[-DEPTH_MAX:])):
        way = pack((*above[len(above) - level :], step))
        names = [keys.fences(keys.tag(status_id)), keys.status(status_id)]
        names += [keys.thread(status_id), keys.replies(status_id)]
        yield MIRROR(names, *event.fence, way, "" if level else step[0], there, event.data.get("vis", ""))
