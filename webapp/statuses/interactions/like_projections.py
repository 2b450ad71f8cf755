"""Projections of likes: the list of likes of each status. Safe to repeat, in any order."""

from collections.abc import Callable, Sequence

from webapp.core.events.outbox import Context, Event, more_after, own_entries
from webapp.core.store import Command, script
from webapp.statuses.live_counts.changes import due_counts

from . import keys

SYNC_INTERACTION = script("statuses/interactions/lua/sync_interaction.lua")
BATCH = 500  # likes or boosts of one slice

# Called with the ids of statuses that a slice has taken likes or boosts off, before it ends.
OnSynced = Callable[[Context, Event, Sequence[int]], None]


def sync_likers(context: Context, events: Sequence[Event]) -> None:
    """Sync likes, or their absence, from the members' lists to the statuses' lists."""
    likes = context.db.read(own_entries(events, keys.member_likes, "id"))
    context.db.trip_all(_sync_like(*like) for like in likes)


def purge_deleted_account(
    context: Context, event: Event, _cursor: str, on_synced: OnSynced
) -> str | None:
    """Remove some likes of a deleted account, and its bookmarks.

    Finished entries are taken off the member's list, so a new owner of the lease continues there.
    All likes were synced before. `on_synced` does the rest.
    """
    uid = event.number("uid")
    _, ids = context.db.trip(
        ("UNLINK", keys.bookmarks(uid)), ("ZRANGE", keys.member_likes(uid), 0, BATCH - 1)
    )
    if ids:
        context.db.trip_all(_sync_like(event, uid, int(status_id), "") for status_id in ids)
        on_synced(context, event, list(map(int, ids)))
        context.db.run(("ZREM", keys.member_likes(uid), *ids))
    return more_after(ids, BATCH)


def sync_interaction(
    event: Event, uid: int, status_id: int, score: str, list_key: str, field: str
) -> Command:
    """Return the command that syncs one member's like or boost to the status's list and count.

    `score`: of the member's list, "" if the status is not on it.
    """
    return SYNC_INTERACTION(
        event,
        id=status_id,
        members=list_key,
        uid=uid,
        score=score,
        field=field,
        due=due_counts(event),
    )


def _sync_like(event: Event, uid: int, status_id: int, score: str) -> Command:
    return sync_interaction(event, uid, status_id, score, keys.likers(status_id), "likes")
