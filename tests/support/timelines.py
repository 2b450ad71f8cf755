"""Read timelines as their pages do."""

from __future__ import annotations

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.statuses.items import Item
from webapp.timelines.home.snapshot import home_snapshot
from webapp.timelines.home_page import home_page
from webapp.timelines.timeline import Timeline


def home_timeline(db: Db, config: Config, uid: int, before: int | None = None) -> Timeline[Item]:
    """Return a page of a member's home below the cursor `before`. At most four trips.

    Views prefetch the snapshot. Raises NotFound if there is no account.
    """
    return home_page(db, config, db.read(home_snapshot(db, config, uid, before)))
