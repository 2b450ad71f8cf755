"""What going protected, and back, does to what was counted of a member's statuses. Safe to run twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys
from webapp.statuses.quotes.projections import sync_quote_command as quote_mirroring
from webapp.statuses.threads.projections import effective_visibility_value, sync_reply_commands
from webapp.statuses.threads.replies import unpack_path

from .visibility import protected_uids

RECOUNT = script("statuses/threads/lua/recount_replies.lua")
BATCH = 200  # statuses looked at together


def sync_protection(context: Context, events: Sequence[Event]) -> None:
    """Brings the numbers of replies to others' statuses, and of quotes of them, up to whether everybody sees what the
    member wrote, and those of replies to the member's own. Unless that has changed again, of which a later event tells.
    """
    for event in events:
        uid = int(event.data["uid"])
        for list_key in (status_keys.profile_replies(uid), status_keys.profile_statuses(uid)):
            for entries in _batches(context, list_key):
                _sync_batch(
                    context, event, uid, [int(entry.partition(":")[0]) for entry in entries]
                )


def _sync_batch(context: Context, event: Event, uid: int, ids: Sequence[int]) -> None:
    """These statuses of a member, all of which were posted for everybody."""
    is_protected = uid in protected_uids(context.db, [uid])
    rows = context.db.trip(
        *(
            ("HMGET", status_keys.status(status_id), "author", "above", "vis", "quote")
            for status_id in ids
        )
    )
    commands: list[Command] = []
    for status_id, (author, ancestor_path, vis, quoted) in zip(ids, rows, strict=True):
        if author:
            commands += sync_reply_commands(
                event,
                unpack_path(ancestor_path),
                (status_id, uid),
                1,
                effective_visibility_value(vis, is_protected),
            )
        if author and quoted:
            commands.append(
                quote_mirroring(event, int(quoted), (status_id, uid), 1, not is_protected)
            )
    names = (
        key
        for status_id in ids
        for key in (status_keys.status(status_id), status_keys.replies(status_id))
    )
    recount = RECOUNT(
        [event_keys.fences(partition_tag(uid)), account_keys.user(uid), *names], *event.fence
    )
    context.db.trip(*commands, recount)


def _batches(context: Context, list_key: str) -> Iterator[list[str]]:
    """A list of statuses, newest first."""
    start = "+inf"
    while page := context.db.run(
        ("ZRANGE", list_key, start, "-inf", "BYSCORE", "REV", "LIMIT", 0, BATCH, "WITHSCORES")
    ):
        yield page[::2]
        start = f"({page[-1]}"
        context.heartbeat()
