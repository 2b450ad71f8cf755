"""Statuses that are shared in chats."""

from __future__ import annotations

from webapp.core.store.client import Db
from webapp.errors import Forbidden
from webapp.statuses.status import Status
from webapp.statuses.store import get


def load_shareable(db: Db, status_id: int, uid: int) -> Status:
    """Return a status that a member wants to share. Two trips.

    Raises NotFound; Forbidden if its author is suspended or hidden from the member, or if not
    everybody may see the status: the people in a chat change.
    """
    status = get(db, status_id, uid)
    if status.visibility.restricted:
        raise Forbidden("not_for_chats")
    return status
