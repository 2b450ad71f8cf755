"""Read what the menu of a post depends on."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.store.client import Db
from webapp.following.relations import Relation, relation
from webapp.statuses.status import Status
from webapp.statuses.store import get


@dataclass(frozen=True, slots=True)
class PostMenu:
    """A status, and how the viewer stands to its author: None for visitors and for the author."""

    status: Status
    relation: Relation | None


def post_menu(db: Db, status_id: int, viewer: int | None) -> PostMenu:
    """Return what the menu of a post depends on. Two trips, three for a member.

    Raises NotFound, Forbidden (as `statuses.store.get`).
    """
    status = get(db, status_id, viewer)
    if viewer in (None, status.author.uid):
        return PostMenu(status, None)
    return PostMenu(status, db.read(relation(viewer or 0, status.author.uid, 1)))
