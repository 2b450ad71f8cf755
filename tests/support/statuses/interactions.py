"""Likes, boosts and bookmarks, as they are stored and read."""

from webapp.core.store import Db
from webapp.statuses import keys as status_keys, store as statuses
from webapp.statuses.interactions import bookmarks, keys as interaction_keys, likers


def bookmarked_ids(db: Db, uid: int, size: int = 2) -> list[int]:
    """Return all bookmarks of a member, page by page. Only the last page may be short."""
    found, cursor = list[int](), None
    while True:
        page = bookmarks.bookmarks_page(db, uid, cursor, size)
        found += [status.id for status in page.items]
        cursor = page.next
        if cursor is None:
            return found
        assert len(page.items) == size


def liker_ids(db: Db, status_id: int) -> set[int]:
    """Return the uids in the likers of a status. Fail unless its stored count agrees."""
    return _counted_uids(db, interaction_keys.likers(status_id), status_id, "likes")


def booster_ids(db: Db, status_id: int) -> set[int]:
    """Return the uids of the boosters of a status. Fail unless its stored count agrees."""
    return _counted_uids(db, interaction_keys.boosters(status_id), status_id, "boosts")


def _counted_uids(db: Db, key: str, status_id: int, field: str) -> set[int]:
    uids, number = db.trip(("ZRANGE", key, 0, -1), ("HGET", status_keys.status(status_id), field))
    assert int(number or 0) == len(uids) and number != "0"
    return set(map(int, uids))


def liked_ids(db: Db, uid: int) -> list[int]:
    """Return the statuses in a member's own list of likes, oldest first."""
    return list(map(int, db.run(("ZRANGE", interaction_keys.member_likes(uid), 0, -1))))


def like_state(db: Db, status_id: int, viewer: int | None) -> tuple[int, bool, bool]:
    """Return the like count a viewer sees, and whether they like and bookmarked the status."""
    status, state = statuses.get_with_state(db, status_id, viewer)
    return (
        state.like_count(status_id, status.likes),
        status_id in state.liked,
        status_id in state.bookmarked,
    )


def logins(page: likers.LikersPage) -> list[str]:
    return [member.login for member in page.page.items]
