"""What likes do elsewhere: the lists of who likes a status. Safe to run twice, and in any order."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys

from . import keys

SYNC = script("statuses/interactions/lua/sync_interaction.lua")
BATCH = 500  # likes of a deleted account that are taken back in one trip


def sync_likers(context: Context, events: Sequence[Event]) -> None:
    """Brings the statuses' lists of likes up to what the members' own lists say by now. What is gone has none."""
    pairs = [(int(event.data["uid"]), int(event.data["id"])) for event in events]
    liked_at = context.db.trip(
        *(("ZSCORE", keys.member_likes(uid), status_id) for uid, status_id in pairs)
    )
    context.db.trip(
        *(
            _sync_command(event, *pair, at or "")
            for event, pair, at in zip(events, pairs, liked_at, strict=True)
        )
    )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts like nothing any more, and their bookmarks go. What is done is taken off their own list, so that
    a new owner goes on where the last one stopped. In the group that mirrors, or a like might be mirrored after this.
    """
    for event in events:
        uid = int(event.data["uid"])
        context.db.run(("UNLINK", keys.bookmarks(uid)))
        while page := context.db.run(("ZRANGE", keys.member_likes(uid), 0, BATCH - 1)):
            context.db.trip(*(_sync_command(event, uid, int(status_id), "") for status_id in page))
            context.db.run(("ZREM", keys.member_likes(uid), *page))
            context.heartbeat()


def _sync_command(event: Event, uid: int, status_id: int, liked_at: str) -> Command:
    return sync_interaction_command(
        event, uid, status_id, liked_at, keys.likers(status_id), "likes"
    )


def sync_interaction_command(
    event: Event, uid: int, status_id: int, acted_at: str, list_key: str, field: str
) -> Command:
    """The command that brings a status's list of those who did something with it up to what is so of one of them, and
    the field that says how many. `at`: when they did it, as a number; "" when they do not.
    """
    return SYNC(
        [event_keys.fences(partition_tag(status_id)), status_keys.status(status_id), list_key],
        *event.fence,
        uid,
        acted_at,
        field,
    )
