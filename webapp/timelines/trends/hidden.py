"""Hiding trends: a member for themselves, the operator for everybody."""

import time

from webapp.accounts.collections.collection import Collection
from webapp.core.store import Db, Read, Site, read
from webapp.pagecache.invalidation import invalidate
from webapp.timelines.page_invalidation.paths import TREND_PAGES

from . import keys

HIDDEN_MAX = 200  # trends that one member has hidden
SUPPRESSED_MAX = 1_000
HIDDEN = Collection(keys.hidden_trends, bound=lambda _config: HIDDEN_MAX)


def hide(site: Site, uid: int, item: str) -> None:
    """Hide an item from a member. Doing it again changes nothing. One trip.

    Raises Forbidden (suspended), NotFound, Unavailable.
    """
    site.db.run(HIDDEN.add(site.config, uid, item))


def unhide(site: Site, uid: int, item: str) -> None:
    """Show an item to a member again. One trip."""
    site.db.run(HIDDEN.remove(site.config, uid, item))


def hidden_by(uid: int) -> Read[tuple[str, ...]]:
    """Read the items that a member has hidden, the latest first."""
    return read(("ZRANGE", keys.hidden_trends(uid), 0, -1, "REV"), tuple)


def suppress(db: Db, item: str) -> bool:
    """Hide an item from everybody. Return False if it was hidden already. Two trips."""
    key = keys.suppressed_trends()
    added, _ = db.trip(
        ("ZADD", key, "NX", time.time_ns() // 1_000_000, item),
        ("ZREMRANGEBYRANK", key, 0, -(SUPPRESSED_MAX + 1)),
    )
    invalidate(db, TREND_PAGES, hard=True)
    return bool(added)


def unsuppress(db: Db, item: str) -> bool:
    """Let an item trend again. Return False if it was not hidden. Two trips."""
    removed = db.run(("ZREM", keys.suppressed_trends(), item))
    invalidate(db, TREND_PAGES, hard=False)
    return bool(removed)


def suppressed() -> Read[tuple[str, ...]]:
    """Read the items that the operator has hidden, the latest first."""
    return read(("ZRANGE", keys.suppressed_trends(), 0, -1, "REV"), tuple)
