"""Projections of becoming protected, and public again: counts of replies and quotes.

Safe to repeat.
"""

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event, slices
from webapp.core.store import Command, script
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys
from webapp.statuses.quotes.projections import sync_quote
from webapp.statuses.values.visibility import Visibility, effective, protected_uids

from . import keys as thread_keys
from .projections import sync_reply
from .replies import unpack_path

RECOUNT_REPLIES = script("statuses/threads/lua/recount_replies.lua")


def _sync(context: Context, event: Event, ids: Sequence[int]) -> None:
    """Sync some of a member's statuses, none of them restricted.

    Cached pages that show what they answer or quote have other counts afterwards.
    """
    uid = event.number("uid")
    is_protected = uid in protected_uids(context.db, [uid])
    names = ("author", "ancestors", "visibility", "quoted_id", "quoted_uid")
    rows = context.db.trip_all(("HMGET", status_keys.status(one), *names) for one in ids)
    commands: list[Command] = []
    counted_uids = set[int]()
    for status_id, (author, path, stored, quoted, quoted_uid) in zip(ids, rows, strict=True):
        if not author:
            continue
        step = (status_id, uid)
        visibility = effective(Visibility(stored or ""), is_protected)
        ancestors = unpack_path(path)
        commands += sync_reply(event, ancestors, step, 1, visibility)
        counted_uids |= {parent_author for _, parent_author in ancestors[-1:]}
        if quoted:
            commands.append(sync_quote(event, int(quoted), step, 1, not is_protected))
            counted_uids.add(int(quoted_uid))
    keys = [key for one in ids for key in (status_keys.status(one), thread_keys.replies(one))]
    context.db.trip(*commands, RECOUNT_REPLIES(event, uid=uid, keys=keys))
    bump_versions(context.db, counted_uids)


# Others' counts of a member's replies and quotes, and counts of replies to their own statuses.
sync_replies = slices("sync_replies", status_keys.profile_replies, _sync)
sync_statuses = slices("sync_statuses", status_keys.profile_statuses, _sync)
