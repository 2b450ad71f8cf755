"""Removing notifications of what is gone: statuses, accounts, and members who are blocked."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.bulk.slices import more_after
from webapp.core.events.outbox import Context, Event
from webapp.following import keys as following_keys

from . import keys
from .notices import BATCH, remove_command
from .projections import notify_mentions


def on_statuses_deleted(context: Context, events: Sequence[Event]) -> None:
    """Remove the notifications about deleted statuses."""
    context.db.trip(
        *(
            remove_command(event, int(event.data["author"]), subject=event.data["id"])
            for event in events
        )
    )
    notify_mentions(context, events)


def on_block(context: Context, events: Sequence[Event]) -> None:
    """Remove the notifications between members parted by a block. Two trips."""
    pairs = [(event, int(event.data["uid"]), int(event.data["target"])) for event in events]
    scores = context.db.trip(
        *(("ZSCORE", following_keys.blocks(uid), target) for _, uid, target in pairs)
    )
    blocked_pairs = [pair for pair, at in zip(pairs, scores, strict=True) if at]
    context.db.trip(
        *(
            remove_command(event, recipient, actor=actor)
            for event, blocker, blocked in blocked_pairs
            for recipient, actor in ((blocker, blocked), (blocked, blocker))
        )
    )


def purge_deleted_account(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove a deleted account's notifications, and some of those about it.

    Members who are done leave the account's own list, so another worker continues from there.
    """
    uid = int(event.data["uid"])
    _, page = context.db.trip(
        remove_command(event, uid), ("SRANDMEMBER", keys.notified_members(uid), BATCH)
    )
    if page:
        context.db.trip(*(remove_command(event, int(other), actor=uid) for other in page))
        context.db.run(("SREM", keys.notified_members(uid), *page))
    return more_after(page, BATCH)
