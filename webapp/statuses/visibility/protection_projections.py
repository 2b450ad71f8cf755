"""Projections of becoming protected, and public again: counts of replies and quotes.

Safe to repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.statuses import keys as status_keys
from webapp.statuses.quotes.projections import sync_quote
from webapp.statuses.threads.projections import sync_reply
from webapp.statuses.threads.replies import unpack_path

from .visibility import Visibility, effective, protected_uids

RECOUNT_REPLIES = script("statuses/threads/lua/recount_replies.lua")
BATCH = 200  # statuses of one trip


def sync_protection(context: Context, events: Sequence[Event]) -> None:
    """Sync what a member's protection changes: others' counts of the member's replies and quotes,
    and the counts of replies to the member's own statuses.
    """
    for event in events:
        uid = int(event.data["uid"])
        for list_key in (status_keys.profile_replies(uid), status_keys.profile_statuses(uid)):
            for entries in _batches(context, list_key):
                ids = [int(entry.partition(":")[0]) for entry in entries]
                _sync_batch(context, event, uid, ids)


def _sync_batch(context: Context, event: Event, uid: int, ids: Sequence[int]) -> None:
    """Sync some of a member's statuses, none of them restricted."""
    is_protected = uid in protected_uids(context.db, [uid])
    rows = context.db.trip(
        *(
            ("HMGET", status_keys.status(status_id), "author", "above", "vis", "quote")
            for status_id in ids
        )
    )
    commands: list[Command] = []
    for status_id, (author, path, stored, quoted) in zip(ids, rows, strict=True):
        if not author:
            continue
        step = (status_id, uid)
        visibility = effective(Visibility(stored or ""), is_protected)
        commands += sync_reply(event, unpack_path(path), step, 1, visibility)
        if quoted:
            commands.append(sync_quote(event, int(quoted), step, 1, not is_protected))
    context.db.trip(*commands, _recount_replies(event, uid, ids))


def _recount_replies(event: Event, uid: int, ids: Sequence[int]) -> Command:
    source, token = event.fence
    return RECOUNT_REPLIES(
        fences=event_keys.fences(partition_tag(uid)),
        user=account_keys.user(uid),
        keys=[
            key
            for status_id in ids
            for key in (status_keys.status(status_id), status_keys.replies(status_id))
        ],
        source=source,
        token=token,
    )


def _batches(context: Context, list_key: str) -> Iterator[list[str]]:
    """Yield the entries of a list of statuses, newest first, BATCH at a time."""
    bound = "+inf"
    limits = ("LIMIT", 0, BATCH, "WITHSCORES")
    while page := context.db.run(("ZRANGE", list_key, bound, "-inf", "BYSCORE", "REV", *limits)):
        yield page[::2]
        bound = f"({page[-1]}"
        context.heartbeat()
