"""Removing notifications of deleted statuses and accounts, and unread ones that filters hide."""

import time
from collections.abc import Mapping, Sequence

from webapp.core.events.outbox import Context, Event, in_steps, more_after
from webapp.core.store import Read, Steps, ask, collect, gather, read, send_all
from webapp.following import keys as following_keys

from . import keys
from .entries import Entry, parse_entry
from .notices import BATCH, hidden_by_filters, read_filters, remove_command
from .projections import notify_mentions
from .store import MARK_READ, read_unread


def on_statuses_deleted(context: Context, events: Sequence[Event]) -> None:
    """Remove the notifications about deleted statuses."""
    context.db.trip_all(
        remove_command(event, event.number("author"), subject=event.data["id"]) for event in events
    )
    notify_mentions(context, events)


def on_block(context: Context, events: Sequence[Event]) -> None:
    """Remove the notifications between members parted by a block. Two trips."""
    pairs = [(event, event.number("uid"), event.number("target")) for event in events]
    scores = context.db.trip_all(
        ("ZSCORE", following_keys.blocks(uid), target) for _, uid, target in pairs
    )
    blocked_pairs = [pair for pair, at in zip(pairs, scores, strict=True) if at]
    context.db.trip_all(
        remove_command(event, recipient, actor=actor)
        for event, blocker, blocked in blocked_pairs
        for recipient, actor in ((blocker, blocked), (blocked, blocker))
    )


@in_steps
def on_muted(_context: Context, events: Sequence[Event]) -> Steps[None]:
    """Mark the notifications as read that a member's mutes hide. Two trips. Safe to run twice."""
    uids = _members(events)
    unread, muted = yield from ask(
        gather(collect(map(_unread_entries, uids)), collect(map(_muted_uids, uids)))
    )
    yield from _mark_read(
        {
            uid: [entry.text for entry in entries if entry.actor in hidden]
            for uid, entries, hidden in zip(uids, unread, muted, strict=True)
        }
    )


@in_steps
def on_filter_saved(_context: Context, events: Sequence[Event]) -> Steps[None]:
    """Mark the notifications as read that a member's filters hide. At most three trips.

    Safe to run twice.
    """
    uids = _members(events)
    unread, filters = yield from ask(
        gather(collect(map(_unread_entries, uids)), read_filters(uids))
    )
    entries = [
        ((uid, entry.actor, entry.subject), entry)
        for uid, entries in zip(uids, unread, strict=True)
        for entry in entries
        if entry.subject and not entry.kind.about_own_status
    ]
    hidden = yield from hidden_by_filters({about for about, _ in entries}, filters)
    yield from _mark_read(
        {
            uid: [entry.text for one, entry in entries if one in hidden and one[0] == uid]
            for uid in uids
        }
    )


def purge_deleted_account(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove a deleted account's notifications, and some of those about it.

    Members who are done leave the account's own list, so another worker continues from there.
    """
    uid = event.number("uid")
    _, page = context.db.trip(
        remove_command(event, uid), ("SRANDMEMBER", keys.notified_members(uid), BATCH)
    )
    if page:
        context.db.trip_all(remove_command(event, int(other), actor=uid) for other in page)
        context.db.run(("SREM", keys.notified_members(uid), *page))
    return more_after(page, BATCH)


def _members(events: Sequence[Event]) -> list[int]:
    return sorted({event.number("uid") for event in events})


def _unread_entries(uid: int) -> Read[list[Entry]]:
    return read_unread(uid).map(
        lambda texts: [entry for text in texts if (entry := parse_entry(text, "0"))]
    )


def _muted_uids(uid: int) -> Read[set[int]]:
    bounds = (int(time.time()), "+inf", "BYSCORE")
    command = ("ZRANGE", following_keys.muted_notifications(uid), *bounds)
    return read(command, lambda uids: set(map(int, uids)))


def _mark_read(entries: Mapping[int, Sequence[str]]) -> Steps[None]:
    """Mark entries as read, by member. One step, none without entries."""
    yield from send_all(MARK_READ(uid=uid, entries=some) for uid, some in entries.items() if some)
