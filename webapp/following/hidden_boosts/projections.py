"""Remove what deleted accounts have hidden."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.following import keys


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove the lists of deleted accounts. Lists of others keep their uids, which do no harm."""
    context.db.trip(*(("UNLINK", keys.hidden_boosts(int(event.data["uid"]))) for event in events))
