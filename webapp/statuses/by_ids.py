"""Statuses and boosts by id, for an open page that adds them to itself."""

from collections.abc import Mapping

from webapp.core.store import Db, parse_id

from .boost_refs import BoostRef
from .hydration import hydrate, with_memberships
from .items import Item, merge_newest_first
from .lookup import entries_of
from .viewer.viewer_state import ViewerState

StatusRef = tuple[int, int]  # a status id, and the uid of who boosts it (0: nobody)


def parse_ref(text: str) -> StatusRef | None:
    """Parse `id` or `id-uid`; None if it is neither."""
    status, dash, booster = text.partition("-")
    status_id, uid = parse_id(status), parse_id(booster) if dash else 0
    return (status_id, uid) if status_id is not None and uid is not None else None


def fetch(
    db: Db, booster_by_id: Mapping[int, int], viewer: int | None
) -> tuple[list[Item], ViewerState]:
    """Return the items that the viewer may open, newest first, and the viewer's state of them.

    `booster_by_id`: who boosts each status, 0 for nobody. A boost that was taken back is left out.
    The state lacks the parts that `complete` adds. Two trips, three with posts of closed groups.
    """
    entries = [
        BoostRef(0, booster, *entry) if (booster := booster_by_id[entry[0]]) else entry
        for entry in db.read(entries_of(list(booster_by_id)))
    ]
    page = db.read(with_memberships(db.read(hydrate(entries, viewer))))
    return merge_newest_first(page.visible), page.viewer_state
