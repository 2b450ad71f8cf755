"""What going protected, and back, does to what was counted of a member's statuses. Safe to run twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..scripts import script
from .quote_projections import mirroring as quote_mirroring
from .replies import unpack
from .reply_projections import mirroring, seen_as
from .visibility import protected

RECOUNT = script("statuses/recount.lua")
BATCH = 200  # statuses looked at together


def settle(context: Context, events: Sequence[Event]) -> None:
    """Brings the numbers of replies to others' statuses, and of quotes of them, up to whether everybody sees what the
    member wrote, and those of replies to the member's own. Unless that has changed again, of which a later event tells.
    """
    for event in events:
        uid = int(event.data["uid"])
        for listed in (keys.replied(uid), keys.profile(uid)):
            for entries in _batches(context, listed):
                _settle(context, event, uid, [int(entry.partition(":")[0]) for entry in entries])


def _settle(context: Context, event: Event, uid: int, ids: Sequence[int]) -> None:
    """These statuses of a member, all of which were posted for everybody."""
    hidden = uid in protected(context.db, [uid])
    found = context.db.trip(*(("HMGET", keys.status(one), "author", "above", "vis", "quote") for one in ids))
    commands: list[Command] = []
    for one, (author, above, vis, quoted) in zip(ids, found, strict=True):
        if author:
            commands += mirroring(event, unpack(above), (one, uid), 1, seen_as(vis, hidden))
        if author and quoted:
            commands.append(quote_mirroring(event, int(quoted), (one, uid), 1, not hidden))
    names = (key for one in ids for key in (keys.status(one), keys.replies(one)))
    recount = RECOUNT([keys.fences(keys.tag(uid)), keys.user(uid), *names], *event.fence)
    context.db.trip(*commands, recount)


def _batches(context: Context, listed: str) -> Iterator[list[str]]:
    """A list of statuses, newest first."""
    bound = "+inf"
    while flat := context.db.run(("ZRANGE", listed, bound, "-inf", "BYSCORE", "REV", "LIMIT", 0, BATCH, "WITHSCORES")):
        yield flat[::2]
        bound = f"({flat[-1]}"
        context.beat()
