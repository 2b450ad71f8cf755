"""Remove the files of deleted accounts."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event

from . import files


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove the archives and imports of deleted accounts. No trip."""
    for event in events:
        files.remove_all(context.config, event.number("uid"))
