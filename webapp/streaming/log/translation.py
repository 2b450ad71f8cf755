"""Translate log entries into messages and subscription changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webapp.core.store.client import Db
from webapp.statuses.visibility.visibility import protected_uids

from . import account_messages, status_messages
from .changes import changes_for
from .entries import HYDRATED_EVENTS, LogEntry
from .messages import LogItem, Message
from .related import load_related
from .status_messages import Batch, restricted_message

Build = Callable[[LogEntry, Batch], Message | None]
MESSAGES: dict[str, Build] = {
    "posted": status_messages.update,
    "revised": status_messages.edit,
    "deleted": status_messages.delete,
    "boosted": status_messages.boost,
    "unboosted": status_messages.boost,
    "voted": status_messages.tally,
    "poll_ended": status_messages.tally,
    "suspended": account_messages.hide,
    "removed": account_messages.hide,
    "protected": account_messages.protect,
    "scrubbed": account_messages.scrub,
    "unfollowed": account_messages.lost,
}


def translate(db: Db, entries: Sequence[LogEntry], site: str) -> list[LogItem]:
    """Return what the entries mean, in their order; `site` is the public address of the pages.

    A status that is gone or hidden meanwhile gets no message: its `delete` or `hide` follows.
    Four trips at most. Raises Unavailable.
    """
    hydrated = [entry for entry in entries if entry.type in HYDRATED_EVENTS]
    related = load_related(
        db, [(entry.status_id, int(entry.event["author"])) for entry in hydrated]
    )
    protected = protected_uids(db, (entry.author for entry in entries if entry.recipient))
    batch = Batch(related, protected, site)
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
    status = batch.status(entry) if entry.type in HYDRATED_EVENTS else None
    return entry.is_restricted or (status is not None and status.visibility.restricted)
