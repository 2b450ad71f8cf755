"""Keep the posts that a member opens, if they want that, and read them. Nobody else sees them."""

import time

from webapp.accounts import keys as account_keys
from webapp.core.store import Command, Db, Read, gather, read, script
from webapp.core.web import overfetch
from webapp.statuses.interactions.bookmarks import kept_posts_page
from webapp.statuses.items import Item
from webapp.statuses.listings.scored_ids import ScoredIds, newest_ids
from webapp.statuses.listings.timeline import Timeline

from . import keys

NOTE = script("statuses/viewed/lua/note.lua")
CHOOSE = script("statuses/viewed/lua/choose.lua")
VIEWED_MAX = 200
CHOICES = ("on", "off", "clear")


def note_viewed(uid: int, status_id: int) -> Command:
    """Return the command that notes that a member opens a post now, if they keep such posts.

    It may be sent some seconds later: what was opened before a clearing is not noted after it.
    """
    return NOTE(uid=uid, id=status_id, at=int(time.time() * 1000), limit=VIEWED_MAX)


def choose(db: Db, uid: int, choice: str) -> None:
    """Switch it on or off for a member, or clear it: `choice` is a word of CHOICES. One trip.

    Switching it off forgets what was kept. Raises NotFound, Forbidden (suspended), Unavailable.
    """
    db.run(CHOOSE(uid=uid, choice=choice))


def newest_viewed(uid: int, before: int | None, size: int) -> Read[tuple[bool, ScoredIds]]:
    """Read whether a member keeps what they open, and the ids for a page below `before`."""
    is_kept = read(("HEXISTS", account_keys.user(uid), "viewed_since"), bool)
    return gather(is_kept, newest_ids(keys.viewed(uid), before, overfetch(size)))


def viewed_page(db: Db, uid: int, found: ScoredIds, size: int) -> Timeline[Item]:
    """Return a page of the posts, opened last first, of their ids. Trips as `kept_posts_page`."""
    return kept_posts_page(db, keys.viewed(uid), found, uid, size)
