"""Projections of boosts: the list of boosts of each status. Safe to repeat, in any order.

Boosts in homes are delivered by the timelines room.
"""

from collections.abc import Sequence

from webapp.core.events.outbox import MORE, Context, Event, more_after
from webapp.core.store import Command, script
from webapp.statuses.boost_refs import oldest_boosts, ref_from_event, zset_member

from . import keys
from .like_projections import BATCH, OnSynced, sync_interaction

DROP_BOOST = script("statuses/interactions/lua/drop_boost.lua")


def sync_boosters(context: Context, events: Sequence[Event]) -> None:
    """Sync boosts, or their absence, from the members' lists to the statuses' lists.

    Boosts of statuses that are gone are removed.
    """
    boosts = [(event, ref) for event in events if (ref := ref_from_event(event))]
    scores = context.db.trip_all(
        (
            "ZSCORE",
            keys.member_boosts(ref.booster_uid),
            zset_member(ref.status_id, ref.author_uid),
        )
        for _, ref in boosts
    )
    counts = context.db.trip_all(
        _sync_boost(event, ref.booster_uid, ref.status_id, score or "")
        for (event, ref), score in zip(boosts, scores, strict=True)
    )
    context.db.trip_all(
        _drop_boost(event, ref.booster_uid, ref.status_id, ref.author_uid)
        for (event, ref), score, count in zip(boosts, scores, counts, strict=True)
        if score and count < 0
    )


def purge_deleted_status(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove a deleted status from the lists of some members who boosted it."""
    return purge_boosts_of(context, event, [event.number("id")], event.number("author"))


def purge_boosts_of(
    context: Context, event: Event, status_ids: Sequence[int], author: int
) -> str | None:
    """Remove some boosts of an author's deleted statuses, and return MORE if there are more.

    Finished entries are taken off the status's list, so a new owner of the lease continues there.
    """
    counts = context.db.trip_all(("ZCARD", keys.boosters(status_id)) for status_id in status_ids)
    shares, room = [], BATCH
    for status_id, count in zip(status_ids, counts, strict=True):
        if share := min(count, room):
            shares.append((status_id, share))
            room -= share
    pages = context.db.trip_all(
        ("ZRANGE", keys.boosters(status_id), 0, share - 1) for status_id, share in shares
    )
    batches = [(id_, uids) for (id_, _), uids in zip(shares, pages, strict=True) if uids]
    context.db.trip_all(
        _drop_boost(event, int(uid), status_id, author)
        for status_id, uids in batches
        for uid in uids
    )
    context.db.trip_all(("ZREM", keys.boosters(status_id), *uids) for status_id, uids in batches)
    return MORE if sum(counts) > BATCH else None


def purge_deleted_account(
    context: Context, event: Event, _cursor: str, on_synced: OnSynced
) -> str | None:
    """Remove some boosts of a deleted account.

    Finished entries are taken off the member's list, so a new owner of the lease continues there.
    All boosts were synced before. `on_synced` does the rest.
    """
    uid = event.number("uid")
    refs = context.db.read(oldest_boosts(uid, BATCH))
    if refs:
        context.db.trip_all(_sync_boost(event, uid, ref.status_id, "") for ref in refs)
        on_synced(context, event, [ref.status_id for ref in refs])
        members = [zset_member(ref.status_id, ref.author_uid) for ref in refs]
        context.db.trip(
            ("ZREM", keys.member_boosts(uid), *members),
            ("DEL", *(keys.boost(ref.id) for ref in refs)),
        )
    return more_after(refs, BATCH)


def _sync_boost(event: Event, uid: int, status_id: int, score: str) -> Command:
    return sync_interaction(event, uid, status_id, score, keys.boosters(status_id), "boosts")


def _drop_boost(event: Event, uid: int, status_id: int, author: int) -> Command:
    return DROP_BOOST(event, uid=uid, boosted=zset_member(status_id, author))
