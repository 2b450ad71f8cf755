"""Threads: chains of replies, and what their pages show."""

from tests.support import paging
from tests.support.world import post
from webapp.core.store import Db, Site
from webapp.statuses import Status, keys as status_keys
from webapp.statuses.threads import keys as thread_keys, replies, store as threads
from webapp.timelines.profile import ProfileQuery, profile_page


def chain(site: Site, writers: list[int], start: int, length: int) -> list[int]:
    """Post replies, each to the one before, and return their ids."""
    created = [start]
    for number in range(length):
        created.append(post(site, writers[number % len(writers)], f"{number}", created[-1]))
    return created[1:]


def reply_ids(db: Db, status_id: int) -> set[int]:
    """Return the ids of unrestricted replies. Fail unless the stored count agrees.

    The count includes replies for followers while the author is protected.
    """
    listed = thread_keys.replies(status_id)
    all_, number = db.trip(("ZCARD", listed), ("HGET", status_keys.status(status_id), "replies"))
    ids = db.run(("ZRANGE", listed, 0, "+inf", "BYSCORE"))
    assert len(ids) <= int(number or 0) <= all_ and number != "0"
    return set(map(int, ids))


def content_id(node: Status | threads.Tombstone) -> int | str:
    return node.id if isinstance(node, Status) else "deleted" if node.deleted else "hidden"


def page(db: Db, status_id: int, after: str | None = None, size: int = 30) -> threads.Thread:
    return threads.thread(db, status_id, None, replies.parse_cursor(after), size)


def ancestors(db: Db, status_id: int) -> list[int | str]:
    return [content_id(node) for node in page(db, status_id).ancestors]


def descendants(db: Db, status_id: int, size: int = 30) -> list[tuple[int | str, int]]:
    """Return all descendants with their depth, read page by page."""
    parts = paging.pages(lambda after: page(db, status_id, after, size))
    return [(content_id(node.content), node.depth) for part in parts for node in part.descendants]


def profile_ids(site: Site, login: str, with_replies: bool) -> list[int]:
    page = profile_page(site, ProfileQuery(login, with_replies=with_replies)).timeline
    return [item.id for item in page.items]
