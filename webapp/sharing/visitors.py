"""Posts for other sites: those that visitors may see, also where a member asks."""

from __future__ import annotations

from webapp.core.errors import Forbidden, NotFound
from webapp.core.store.client import Db
from webapp.statuses import store as statuses
from webapp.statuses.hydration import complete
from webapp.statuses.status import Status
from webapp.statuses.viewer.viewer_state import ViewerState


def status_for_visitors(db: Db, status_id: int) -> Status:
    """Return a status as visitors see it. Two trips.

    Raises NotFound, also if its author is suspended or it is not meant for everybody.
    """
    return _open(db, status_id)[0]


def page_for_visitors(db: Db, status_id: int) -> tuple[Status, ViewerState]:
    """Return a status as visitors see it, with the rest of its page. Three trips.

    Raises as `status_for_visitors`.
    """
    status, state = _open(db, status_id)
    return status, db.read(complete(None, [status], state))


def _open(db: Db, status_id: int) -> tuple[Status, ViewerState]:
    try:
        return statuses.get_with_state(db, status_id, None)
    except Forbidden:
        raise NotFound("no_status") from None
