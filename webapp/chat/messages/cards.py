"""Statuses that are sent on in chats."""

from __future__ import annotations

from webapp.core.store.client import Db
from webapp.errors import Forbidden
from webapp.statuses.status import Status
from webapp.statuses.store import get


def load_shareable(db: Db, status_id: int, uid: int) -> Status:
    """A status that a member wants to send on. Two trips. Raises NotFound; Forbidden where its author is suspended or
    hidden from the member, or where not everybody may see it: a chat may belong to others by the time it is read.
    """
    status = get(db, status_id, uid)
    if status.visibility.restricted:
        raise Forbidden("not_for_chats")
    return status
