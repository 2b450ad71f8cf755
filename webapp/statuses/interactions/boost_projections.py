"""What boosts do elsewhere: the lists of who boosts a status. Safe to run twice, and in any order. (The homes they come
into are the timelines' business.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.timelines import keys as timeline_keys

from . import keys
from .boosts import newest_boosts_from, ref_from_event, zset_member
from .like_projections import BATCH, sync_interaction_command

DROP = script("statuses/interactions/lua/drop_boost.lua")


def sync_boosters(context: Context, events: Sequence[Event]) -> None:
    """Brings the statuses' lists of boosts up to what the members' own lists say by now. A boost of what is gone goes
    itself.
    """
    boosts = [(event, told) for event in events if (told := ref_from_event(event))]
    boosted_at = context.db.trip(
        *(
            (
                "ZSCORE",
                keys.member_boosts(told.booster_uid),
                zset_member(told.status_id, told.author_uid),
            )
            for _, told in boosts
        )
    )
    counts = context.db.trip(
        *(
            _sync_command(event, told.booster_uid, told.status_id, at or "")
            for (event, told), at in zip(boosts, boosted_at, strict=True)
        )
    )
    dangling = [
        one for one, at, count in zip(boosts, boosted_at, counts, strict=True) if at and count < 0
    ]
    context.db.trip(
        *(
            _drop_command(event, told.booster_uid, told.status_id, told.author_uid)
            for event, told in dangling
        )
    )


def purge_deleted_statuses(context: Context, events: Sequence[Event]) -> None:
    """Statuses that are deleted leave the lists of those who boosted them."""
    for event in events:
        purge_boosts_of(context, event, [int(event.data["id"])], int(event.data["author"]))


def purge_boosts_of(context: Context, event: Event, status_ids: Iterable[int], author: int) -> None:
    """The same of these statuses of one author, which are gone already. What is done is taken off the statuses' own
    lists, so that a new owner goes on where the last one stopped.
    """
    remaining = list(status_ids)
    while remaining:
        pages = context.db.trip(
            *(("ZRANGE", keys.boosters(one), 0, BATCH - 1) for one in remaining)
        )
        batches = [(one, page) for one, page in zip(remaining, pages, strict=True) if page]
        context.db.trip(
            *(_drop_command(event, int(uid), one, author) for one, page in batches for uid in page)
        )
        context.db.trip(*(("ZREM", keys.boosters(one), *page) for one, page in batches))
        remaining = [one for one, _ in batches]
        context.heartbeat()


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts boost nothing any more. What is done is taken off their own list. In the group that mirrors, or
    a boost might be mirrored after this.
    """
    for event in events:
        uid = int(event.data["uid"])
        while page := context.db.run(
            ("ZRANGE", keys.member_boosts(uid), 0, BATCH - 1, "WITHSCORES")
        ):
            context.db.trip(
                *(
                    _sync_command(event, uid, told.status_id, "")
                    for told in newest_boosts_from(uid, page)
                )
            )
            context.db.run(("ZREM", keys.member_boosts(uid), *page[::2]))
            context.heartbeat()


def _sync_command(event: Event, uid: int, status_id: int, boosted_at: str) -> Command:
    return sync_interaction_command(
        event, uid, status_id, boosted_at, keys.boosters(status_id), "boosts"
    )


def _drop_command(event: Event, uid: int, status_id: int, author: int) -> Command:
    names = [
        event_keys.fences(partition_tag(uid)),
        keys.member_boosts(uid),
        timeline_keys.home(uid),
    ]
    return DROP(names, *event.fence, uid, zset_member(status_id, author))
