"""What replies do elsewhere: what hangs below the statuses above them. Safe to run twice, and in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..scripts import script
from .replies import DEPTH_MAX, Step, Way, pack, unpack
from .visibility import Visibility, protected

MIRROR = script("statuses/mirror_reply.lua")


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings what is above replies up to whether they are there by now. What is above and gone has nothing below."""
    replies = [(event, (int(event.data["id"]), int(event.data["author"]))) for event in events if "above" in event.data]
    exist = context.db.trip(*(("EXISTS", keys.status(step[0])) for _, step in replies))
    hidden = protected(context.db, (author for _, (_, author) in replies))
    commands: list[Command] = []
    for (event, step), there in zip(replies, exist, strict=True):
        vis = seen_as(event.data.get("vis"), step[1] in hidden)
        commands += mirroring(event, unpack(event.data["above"]), step, there, vis)
    context.db.trip(*commands)


def mirroring(event: Event, above: Way, step: Step, there: int, vis: str) -> Iterator[Command]:
    """The commands that put a reply below all that is above it, or take it away. `vis`: how visible it is by now."""
    for level, (status_id, author) in enumerate(reversed(above[-DEPTH_MAX:])):
        way = pack((*above[len(above) - level :], step))
        names = [keys.fences(keys.tag(status_id)), keys.status(status_id)]
        names += [keys.thread(status_id), keys.replies(status_id), keys.user(author)]
        yield MIRROR(names, *event.fence, way, "" if level else step[0], there, vis)


def seen_as(stored: str | None, protected: bool) -> str:
    """How visible a reply is, as it would be stored."""
    return stored or "" if not protected or Visibility(stored or "").limited else Visibility.FOLLOWERS.value
