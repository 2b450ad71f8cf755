"""Projections of deleted accounts: all that they wrote is erased."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.bulk.slices import MORE
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys

from . import keys
from .attachments import staging
from .drafts import store as drafts
from .edits import keys as edit_keys
from .interactions.boost_projections import purge_boosts_of
from .quotes import keys as quote_keys
from .quotes.projections import sync_quote
from .threads import keys as thread_keys
from .threads.projections import sync_reply
from .threads.replies import unpack_path
from .view_counts import keys as view_keys
from .visibility.visibility import Visibility

PURGE = script("statuses/lua/purge_deleted_account.lua")
BATCH = 200  # statuses that one script erases
UNBOOST = "unboost"


def purge_deleted_account(context: Context, event: Event, cursor: str) -> str | None:
    """Erase some statuses of a deleted account: the oldest of one of its lists.

    A new owner of the lease finds what a stopped worker left. All replies and quotes were synced
    before. With the cursor UNBOOST, the statuses are retracted, but not all of their boosts.
    """
    uid = int(event.data["uid"])
    for list_key in keys.authored_lists(uid):
        entries = context.db.run(("ZRANGE", list_key, 0, BATCH - 1))
        if not entries:
            continue
        ids = [int(entry.partition(":")[0]) for entry in entries]
        if cursor != UNBOOST and not _retract(context, event, uid, ids, list_key):
            return None
        if purge_boosts_of(context, event, ids, uid) is not None:
            return UNBOOST
        context.db.run(_purge(event, uid, list_key))
        return MORE
    context.db.run(("UNLINK", keys.profile_media(uid)))
    return None


def purge_drafts(context: Context, events: Sequence[Event]) -> None:
    """Erase the drafts of deleted accounts, drafts_max at most each, and their pictures."""
    for event in events:
        uid = int(event.data["uid"])
        for form_key in context.db.run(("ZRANGE", draft_keys.drafts(uid), 0, -1)):
            names = drafts.discard(context.db, uid, form_key) or ()
            staging.discard(context.db, context.config, uid, names)


def _purge(event: Event, uid: int, list_key: str) -> Command:
    return PURGE(
        user=account_keys.user(uid),
        list=list_key,
        pinned=edit_keys.pinned_statuses(uid),
        poll_deadlines=poll_keys.poll_deadlines(partition_of(uid)),
        restricted_prefix=keys.restricted_statuses(uid, ""),
        status_prefix=keys.status.prefix(uid),
        likers_prefix=interaction_keys.likers.prefix(uid),
        replies_prefix=thread_keys.replies.prefix(uid),
        thread_prefix=thread_keys.thread.prefix(uid),
        versions_prefix=edit_keys.status_versions.prefix(uid),
        votes_prefix=poll_keys.votes.prefix(uid),
        quotes_prefix=quote_keys.quotes.prefix(uid),
        detached_prefix=quote_keys.detached_quotes.prefix(uid),
        views_prefix=view_keys.views.prefix(uid),
        uid=uid,
        limit=BATCH,
        **event.fence_arguments(uid),
    )


def _retract(context: Context, event: Event, uid: int, ids: Sequence[int], list_key: str) -> bool:
    """Retract statuses from threads and lists of quotes. Return False for an account that exists.

    Cached pages that show what they answered or quoted have other counts afterwards, unless they
    were restricted. They are deleted before the boosters are read, so nobody boosts one meanwhile.
    """
    account_exists, *rows = context.db.trip(
        ("HEXISTS", account_keys.user(uid), "login"),
        *(
            ("HMGET", keys.status(status_id), "ancestors", "quoted_id", "quoted_uid")
            for status_id in ids
        ),
    )
    if account_exists:
        return False
    commands: list[Command] = []
    counted_uids = set[int]()
    for status_id, (path, quoted, quoted_uid) in zip(ids, rows, strict=True):
        step, ancestors = (status_id, uid), unpack_path(path)
        commands += sync_reply(event, ancestors, step, 0, Visibility.PUBLIC)
        counted_uids |= {author for _, author in ancestors[-1:]}
        if quoted:
            commands.append(sync_quote(event, int(quoted), step, 0, False))
            counted_uids.add(int(quoted_uid))
    context.db.trip(*commands)
    if list_key != keys.restricted_statuses(uid, uid):  # restricted statuses have no boosts
        bump_versions(context.db, counted_uids)
        context.db.trip(*(("DEL", keys.status(status_id)) for status_id in ids))
    return True
