"""What the end of an account does to what it wrote."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import partition_of
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys

from . import keys
from .drafts.store import discard
from .interactions.boost_projections import purge_boosts_of
from .quotes.projections import sync_quote_command as quote_mirroring
from .threads.projections import sync_reply_commands
from .threads.replies import unpack_path

ERASE = script("statuses/lua/purge_deleted_account.lua")
BATCH = 200  # statuses one script erases


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Everything that deleted accounts wrote goes; what a stopped worker left is what the next one finds. In the group
    that mirrors replies, or one might be mirrored after this.
    """
    for event in events:
        uid = int(event.data["uid"])
        for list_key in keys.authored_lists(uid):
            names = [
                event_keys.fences(partition_tag(uid)),
                account_keys.user(uid),
                list_key,
                keys.status.prefix(uid),
            ]
            names += [
                interaction_keys.likers.prefix(uid),
                keys.replies.prefix(uid),
                keys.thread.prefix(uid),
            ]
            names += [
                keys.status_versions.prefix(uid),
                keys.pinned_statuses(uid),
                keys.restricted_statuses(uid, ""),
            ]
            names += [
                poll_keys.votes.prefix(uid),
                keys.quotes.prefix(uid),
                keys.detached_quotes.prefix(uid),
            ]
            names.append(poll_keys.poll_deadlines(partition_of(uid)))
            _retract_batch(context, event, uid, list_key)
            while context.db.run(ERASE(names, *event.fence, BATCH, uid)):
                context.heartbeat()
                _retract_batch(context, event, uid, list_key)
        for form_key in context.db.run(("ZRANGE", draft_keys.drafts(uid), 0, -1)):
            discard(context.db, uid, form_key)


def _retract_batch(context: Context, event: Event, uid: int, list_key: str) -> None:
    """The replies among those that are erased next are taken from what is above them, the quotes from what they quote,
    and all of them from those who boosted them. For that they must be gone before: who boosts one meanwhile then finds
    nothing to boost.
    """
    account_exists, entries = context.db.trip(
        ("HEXISTS", account_keys.user(uid), "login"), ("ZRANGE", list_key, 0, BATCH - 1)
    )
    ids = [int(entry.partition(":")[0]) for entry in entries] if not account_exists else []
    rows = context.db.trip(
        *(("HMGET", keys.status(status_id), "above", "quote") for status_id in ids)
    )
    quotes = [(int(quote), (one, uid)) for one, (_, quote) in zip(ids, rows, strict=True) if quote]
    context.db.trip(
        *(
            command
            for status_id, (stored, _) in zip(ids, rows, strict=True)
            for command in sync_reply_commands(event, unpack_path(stored), (status_id, uid), 0, "")
        ),
        *(quote_mirroring(event, quoted, quote, 0, False) for quoted, quote in quotes),
    )
    if list_key in (
        keys.profile_statuses(uid),
        keys.profile_replies(uid),
    ):  # nobody boosts what not everybody may see
        context.db.trip(*(("DEL", keys.status(status_id)) for status_id in ids))
        purge_boosts_of(context, event, ids, uid)
