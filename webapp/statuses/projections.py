"""Projections of deleted accounts: all that they wrote is erased."""

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import MORE, Context, Event
from webapp.core.store import Command, script
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses.drafts import keys as draft_keys

from . import keys
from .attachments import staging
from .drafts import store as drafts
from .interactions.boost_projections import purge_boosts_of
from .quotes.projections import sync_quote
from .threads.projections import sync_reply
from .threads.replies import unpack_path
from .values.visibility import Visibility

PURGE = script("statuses/lua/purge_deleted_account.lua")
BATCH = 200  # statuses that one script erases
UNBOOST = "unboost"


def purge_deleted_account(context: Context, event: Event, cursor: str) -> str | None:
    """Erase some statuses of a deleted account: the oldest of one of its lists.

    A new owner of the lease finds the work that a stopped worker left. All replies and quotes were
    synced before. With the cursor UNBOOST, the statuses are retracted, but not all of their boosts.
    """
    uid = event.number("uid")
    for list_key in keys.authored_lists(uid):
        entries = context.db.run(("ZRANGE", list_key, 0, BATCH - 1))
        if not entries:
            continue
        ids = [int(entry.partition(":")[0]) for entry in entries]
        if cursor != UNBOOST and not _retract(context, event, uid, ids, list_key):
            return None
        if purge_boosts_of(context, event, ids, uid) is not None:
            return UNBOOST
        context.db.run(PURGE(event, list=list_key, uid=uid, limit=BATCH))
        return MORE
    context.db.run(("UNLINK", keys.profile_media(uid)))
    return None


def purge_drafts(context: Context, events: Sequence[Event]) -> None:
    """Erase the drafts of deleted accounts, drafts_max at most each, and their pictures."""
    for event in events:
        uid = event.number("uid")
        for form_key in context.db.run(("ZRANGE", draft_keys.drafts(uid), 0, -1)):
            names = drafts.discard(context.db, uid, form_key) or ()
            staging.discard(context, uid, names)


def _retract(context: Context, event: Event, uid: int, ids: Sequence[int], list_key: str) -> bool:
    """Retract statuses from threads and lists of quotes. Return False for an account that exists.

    Cached pages that show what they answered or quoted have other counts afterwards, unless they
    were restricted. They are deleted before the boosters are read, so nobody boosts one meanwhile.
    """
    account_exists, *rows = context.db.trip(
        ("HEXISTS", account_keys.user(uid), "login"),
        *(
            ("HMGET", keys.status(status_id), "ancestors", "quoted_id", "quoted_uid", "imported")
            for status_id in ids
        ),
    )
    if account_exists:
        return False
    commands: list[Command] = []
    counted_uids = set[int]()
    for status_id, (path, quoted, quoted_uid, imported) in zip(ids, rows, strict=True):
        step, ancestors = (status_id, uid), unpack_path(path)
        commands += sync_reply(event, ancestors, step, 0, Visibility.PUBLIC)
        counted_uids |= {author for _, author in ancestors[-1:]}
        if quoted:
            commands.append(sync_quote(event, int(quoted), step, 0, False))
            counted_uids.add(int(quoted_uid))
        if imported:
            commands.append(("SADD", keys.deleted_imports(uid), status_id))
    context.db.trip(*commands)
    if list_key != keys.restricted_statuses(uid, uid):  # restricted statuses have no boosts
        bump_versions(context.db, counted_uids)
        context.db.trip_all(("DEL", keys.status(status_id)) for status_id in ids)
    return True
