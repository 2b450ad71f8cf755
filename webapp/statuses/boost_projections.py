"""What boosts do elsewhere: the lists of who boosts a status. Safe to run twice, and in any order. (The homes they come
into are the timelines' business.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..scripts import script
from .boosts import member_of, newest_from, told_by
from .like_projections import BATCH, mirroring

DROP = script("statuses/drop_boost.lua")


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings the statuses' lists of boosts up to what the members' own lists say by now. A boost of what is gone goes
    itself.
    """
    made = [(event, told) for event in events if (told := told_by(event))]
    truth = context.db.trip(
        *(("ZSCORE", keys.boosts(told.by), member_of(told.status, told.author)) for _, told in made)
    )
    counts = context.db.trip(
        *(_mirroring(event, told.by, told.status, at or "") for (event, told), at in zip(made, truth, strict=True))
    )
    vain = [one for one, at, count in zip(made, truth, counts, strict=True) if at and count < 0]
    context.db.trip(*(_dropping(event, told.by, told.status, told.author) for event, told in vain))


def statuses_gone(context: Context, events: Sequence[Event]) -> None:
    """Statuses that are deleted leave the lists of those who boosted them."""
    for event in events:
        forget(context, event, [int(event.data["id"])], int(event.data["author"]))


def forget(context: Context, event: Event, status_ids: Iterable[int], author: int) -> None:
    """The same of these statuses of one author, which are gone already. What is done is taken off the statuses' own
    lists, so that a new owner goes on where the last one stopped.
    """
    waiting = list(status_ids)
    while waiting:
        pages = context.db.trip(*(("ZRANGE", keys.boosters(one), 0, BATCH - 1) for one in waiting))
        found = [(one, page) for one, page in zip(waiting, pages, strict=True) if page]
        context.db.trip(*(_dropping(event, int(uid), one, author) for one, page in found for uid in page))
        context.db.trip(*(("ZREM", keys.boosters(one), *page) for one, page in found))
        waiting = [one for one, _ in found]
        context.beat()


def dissolve(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts boost nothing any more. What is done is taken off their own list. In the group that mirrors, or
    a boost might be mirrored after this.
    """
    for event in events:
        uid = int(event.data["uid"])
        while page := context.db.run(("ZRANGE", keys.boosts(uid), 0, BATCH - 1, "WITHSCORES")):
            context.db.trip(*(_mirroring(event, uid, told.status, "") for told in newest_from(uid, page)))
            context.db.run(("ZREM", keys.boosts(uid), *page[::2]))
            context.beat()


def _mirroring(event: Event, uid: int, status_id: int, at: str) -> Command:
    return mirroring(event, uid, status_id, at, keys.boosters(status_id), "boosts")


def _dropping(event: Event, uid: int, status_id: int, author: int) -> Command:
    names = [keys.fences(keys.tag(uid)), keys.boosts(uid), keys.home(uid)]
    return DROP(names, *event.fence, uid, member_of(status_id, author))
