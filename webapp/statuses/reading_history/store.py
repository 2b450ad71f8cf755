"""Keep the ids of the posts that a member opens, if they choose so, and read them. Private."""

import time

from webapp.accounts import keys as account_keys
from webapp.core.store import Command, Db, Read, gather, read, script
from webapp.core.web import overfetch
from webapp.statuses.interactions.bookmarks import kept_posts_page
from webapp.statuses.items import Item
from webapp.statuses.listings.scored_ids import ScoredIds, newest_ids
from webapp.statuses.listings.timeline import Timeline

from . import keys

NOTE = script("statuses/reading_history/lua/note.lua")
CHOOSE = script("statuses/reading_history/lua/choose.lua")
VIEWED_MAX = 200
CHOICES = ("on", "off", "clear")


def note_viewed(uid: int, status_id: int) -> Command:
    """Return the command that adds a post to the history of a member who keeps one.

    It may be sent some seconds later: a post opened before a clearing is not added after it.
    """
    return NOTE(uid=uid, id=status_id, at=int(time.time() * 1000), limit=VIEWED_MAX)


def choose(db: Db, uid: int, choice: str) -> None:
    """Switch a member's history on or off, or clear it. `choice`: one of CHOICES. One trip.

    Switching it off clears it. Raises NotFound, Forbidden (suspended).
    """
    db.run(CHOOSE(uid=uid, choice=choice))


def newest_viewed(uid: int, before: int | None, size: int) -> Read[tuple[bool, ScoredIds]]:
    """Read whether a member keeps a history, and its ids for a page below `before`."""
    is_kept = read(("HEXISTS", account_keys.user(uid), "viewed_since"), bool)
    return gather(is_kept, newest_ids(keys.viewed(uid), before, overfetch(size)))


def viewed_page(db: Db, uid: int, found: ScoredIds, size: int) -> Timeline[Item]:
    """Return a page of a history, last opened first, from its ids. Trips as `kept_posts_page`."""
    return kept_posts_page(db, keys.viewed(uid), found, uid, size)
