"""Translate log entries into messages and subscription changes."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.store.client import Db
from webapp.statuses.visibility.visibility import protected_uids

from .change_builders import changes_for
from .entries import HYDRATED_EVENTS, LogEntry
from .message_builders import MESSAGES, Batch, restricted_message
from .messages import LogItem
from .related import load_related


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
