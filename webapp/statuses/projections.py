"""Projections of deleted accounts: all that they wrote is erased."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys

from . import keys
from .drafts.store import discard
from .interactions.boost_projections import purge_boosts_of
from .quotes.projections import sync_quote
from .threads.projections import sync_reply
from .threads.replies import unpack_path
from .visibility.visibility import Visibility

PURGE = script("statuses/lua/purge_deleted_account.lua")
BATCH = 200  # statuses that one script erases


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Erase all statuses and drafts of deleted accounts.

    A new owner of the lease finds what a stopped worker left. It runs in the group that syncs
    replies, so no reply is synced after it.
    """
    for event in events:
        uid = int(event.data["uid"])
        for list_key in keys.authored_lists(uid):
            _retract_batch(context, event, uid, list_key)
            while context.db.run(_purge(event, uid, list_key)):
                context.heartbeat()
                _retract_batch(context, event, uid, list_key)
        for form_key in context.db.run(("ZRANGE", draft_keys.drafts(uid), 0, -1)):
            discard(context.db, uid, form_key)


def _purge(event: Event, uid: int, list_key: str) -> Command:
    source, token = event.fence
    return PURGE(
        fences=event_keys.fences(partition_tag(uid)),
        user=account_keys.user(uid),
        list=list_key,
        pinned=keys.pinned_statuses(uid),
        poll_deadlines=poll_keys.poll_deadlines(partition_of(uid)),
        restricted_prefix=keys.restricted_statuses(uid, ""),
        status_prefix=keys.status.prefix(uid),
        likers_prefix=interaction_keys.likers.prefix(uid),
        replies_prefix=keys.replies.prefix(uid),
        thread_prefix=keys.thread.prefix(uid),
        versions_prefix=keys.status_versions.prefix(uid),
        votes_prefix=poll_keys.votes.prefix(uid),
        quotes_prefix=keys.quotes.prefix(uid),
        detached_prefix=keys.detached_quotes.prefix(uid),
        source=source,
        token=token,
        uid=uid,
        limit=BATCH,
    )


def _retract_batch(context: Context, event: Event, uid: int, list_key: str) -> None:
    """Retract the statuses that are erased next: from threads, lists of quotes, and boosters.

    They are deleted before the boosters are read, so nobody boosts one meanwhile.
    """
    account_exists, entries = context.db.trip(
        ("HEXISTS", account_keys.user(uid), "login"), ("ZRANGE", list_key, 0, BATCH - 1)
    )
    if account_exists:
        return
    ids = [int(entry.partition(":")[0]) for entry in entries]
    rows = context.db.trip(
        *(("HMGET", keys.status(status_id), "above", "quote") for status_id in ids)
    )
    commands: list[Command] = []
    for status_id, (path, quoted) in zip(ids, rows, strict=True):
        step = (status_id, uid)
        commands += sync_reply(event, unpack_path(path), step, 0, Visibility.PUBLIC)
        if quoted:
            commands.append(sync_quote(event, int(quoted), step, 0, False))
    context.db.trip(*commands)
    if list_key != keys.restricted_statuses(uid, uid):  # restricted statuses have no boosts
        context.db.trip(*(("DEL", keys.status(status_id)) for status_id in ids))
        purge_boosts_of(context, event, ids, uid)
