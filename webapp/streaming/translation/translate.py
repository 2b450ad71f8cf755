"""Translate log entries into messages and subscription changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webapp.core.store.client import Db
from webapp.statuses.values.visibility import protected_uids
from webapp.streaming.log.entries import BOOST_EVENTS, HYDRATED_EVENTS, LogEntry
from webapp.streaming.log.messages import LogItem, Message

from . import account_messages, boost_messages, status_messages
from .changes import changes_for
from .related_reads import Batch, load_related
from .status_messages import restricted_message

Build = Callable[[LogEntry, Batch], Message | None]
MESSAGES: dict[str, Build] = {
    "posted": status_messages.update,
    "edited": status_messages.edit,
    "deleted": status_messages.delete,
    "boosted": boost_messages.boost,
    "unboosted": boost_messages.unboost,
    "voted": status_messages.tally,
    "poll_ended": status_messages.tally,
    "counted": status_messages.counts,
    "card_changed": status_messages.card,
    "suspended": account_messages.hide,
    "account_deleted": account_messages.hide,
    "protected": account_messages.protect,
    "locations_removed": account_messages.scrub,
    "unfollowed": account_messages.lost,
    "filter_saved": account_messages.filters,
    "filter_deleted": account_messages.filters,
}


def translate(db: Db, entries: Sequence[LogEntry], site_url: str) -> list[LogItem]:
    """Return the messages of entries, in their order. `site`: the public address of the pages.

    A status that is gone or hidden meanwhile gets no message: its `delete` or `hide` follows.
    Five trips at most. Raises Unavailable.
    """
    hydrated = [entry for entry in entries if entry.type in HYDRATED_EVENTS]
    boosters = [entry.author for entry in hydrated if entry.type in BOOST_EVENTS]
    related = load_related(db, [entry.shown_status for entry in hydrated], boosters)
    protected = protected_uids(db, (entry.author for entry in entries if entry.recipient))
    batch = Batch(related, protected, site_url)
    return [item for entry in entries for item in _items(entry, batch)]


def _items(entry: LogEntry, batch: Batch) -> list[LogItem]:
    if _is_restricted(entry, batch):
        message = restricted_message(entry, batch)
        return [message] if message else []
    build = MESSAGES.get(entry.type)
    message = build(entry, batch) if build else None
    return [*([message] if message else []), *changes_for(entry)]


def _is_restricted(entry: LogEntry, batch: Batch) -> bool:
    """Return True if the status was not for everybody as it was logged, or is not now."""
    if entry.is_restricted or entry.type not in HYDRATED_EVENTS - BOOST_EVENTS:
        return entry.is_restricted
    status = batch.status(entry)
    return status is not None and status.visibility.restricted
