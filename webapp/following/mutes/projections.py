"""Remove the mutes of deleted accounts."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.following import keys


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove the mutes of deleted accounts. Mutes of these end, or go when their list is read."""
    uids = [int(event.data["uid"]) for event in events]
    context.db.trip(
        *(("UNLINK", keys.mutes(uid)) for uid in uids),
        *(("UNLINK", keys.muted_notifications(uid)) for uid in uids),
    )
