"""Liking a status, and taking the like back.

The member's own list is the truth. Who likes a status and how many they are is projected from it.
"""

from webapp.accounts.member import Member
from webapp.core.store import Site, script
from webapp.statuses.visibility.targets import StoredTarget, load_target

LIKE = script("statuses/interactions/lua/like.lua")
UNLIKE = script("statuses/interactions/lua/unlike.lua")


def like(site: Site, uid: int, status_id: int, stored: StoredTarget | None = None) -> Member:
    """Like a status and return its author. Doing it again changes nothing.

    One trip more than `load_target`. Above likes_max the oldest like is taken back. Raises
    NotFound; Forbidden if the member or the author is suspended, or if one blocks the other.
    """
    author = load_target(site.db, uid, status_id, "cannot_like", stored).author
    site.run(LIKE, uid=uid, id=status_id, author=author.uid)
    return author


def unlike(site: Site, uid: int, status_id: int) -> None:
    """Take a like back, if there is one. One trip."""
    site.run(UNLIKE, uid=uid, id=status_id)
