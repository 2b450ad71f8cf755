"""Projections of likes: the list of likes of each status. Safe to repeat, in any order."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys

from . import keys

SYNC_INTERACTION = script("statuses/interactions/lua/sync_interaction.lua")
BATCH = 500  # likes of a deleted account that are removed in one trip


def sync_likers(context: Context, events: Sequence[Event]) -> None:
    """Sync likes, or their absence, from the members' lists to the statuses' lists."""
    pairs = [(int(event.data["uid"]), int(event.data["id"])) for event in events]
    scores = context.db.trip(
        *(("ZSCORE", keys.member_likes(uid), status_id) for uid, status_id in pairs)
    )
    context.db.trip(
        *(
            _sync_like(event, uid, status_id, score or "")
            for event, (uid, status_id), score in zip(events, pairs, scores, strict=True)
        )
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove the likes and bookmarks of deleted accounts.

    What is done is taken off the member's list, so a new owner of the lease goes on from there.
    It runs in the group that syncs, so no like is synced after it.
    """
    for event in events:
        uid = int(event.data["uid"])
        context.db.run(("UNLINK", keys.bookmarks(uid)))
        while ids := context.db.run(("ZRANGE", keys.member_likes(uid), 0, BATCH - 1)):
            context.db.trip(*(_sync_like(event, uid, int(status_id), "") for status_id in ids))
            context.db.run(("ZREM", keys.member_likes(uid), *ids))
            context.heartbeat()


def sync_interaction(
    event: Event, uid: int, status_id: int, score: str, list_key: str, field: str
) -> Command:
    """Return the command that syncs one member's like or boost to the status's list and count.

    `score`: of the member's list, "" if the status is not on it.
    """
    source, token = event.fence
    return SYNC_INTERACTION(
        fences=event_keys.fences(partition_tag(status_id)),
        status=status_keys.status(status_id),
        members=list_key,
        source=source,
        token=token,
        uid=uid,
        score=score,
        field=field,
    )


def _sync_like(event: Event, uid: int, status_id: int, score: str) -> Command:
    return sync_interaction(event, uid, status_id, score, keys.likers(status_id), "likes")
