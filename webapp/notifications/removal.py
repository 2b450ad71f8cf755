"""Removing notifications of what is gone, or no longer unread because a filter hides it."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.bulk.slices import more_after
from webapp.core.events.outbox import Context, Event
from webapp.core.events.steps import Steps, ask, in_steps, send
from webapp.core.store.reads import collect, gather
from webapp.following import keys as following_keys

from . import keys
from .entries import parse_entry
from .notices import BATCH, hidden_by_filters, read_filters, remove_command
from .projections import notify_mentions
from .store import MARK_READ, read_unread


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


@in_steps
def on_filter_saved(_context: Context, events: Sequence[Event]) -> Steps[None]:
    """Mark the notifications as read that a member's filters hide. At most three trips.

    Safe to run twice.
    """
    uids = sorted({int(event.data["uid"]) for event in events})
    unread, filters = yield from ask(gather(collect(map(read_unread, uids)), read_filters(uids)))
    entries = [
        ((uid, entry.actor, entry.subject), entry.text)
        for uid, texts in zip(uids, unread, strict=True)
        for entry in (parse_entry(text, "0") for text in texts)
        if entry and entry.subject and not entry.kind.about_own_status
    ]
    hidden = yield from hidden_by_filters({about for about, _ in entries}, filters)
    yield from send(
        *(
            MARK_READ(
                unread=keys.unread_notifications(uid),
                uid=uid,
                entries=[text for one, text in entries if one in hidden and one[0] == uid],
            )
            for uid in {one[0] for one in hidden}
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
