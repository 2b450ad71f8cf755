"""What a member keeps to come back to. It is nobody else's business: nothing but this list knows of it."""

from __future__ import annotations

from dataclasses import dataclass

from .. import keys
from ..config import Config
from ..db import Db
from ..paging import Page, below, cut
from ..scripts import script
from .acts import NOBODYS, Acts
from .quotes import with_cards
from .status import Status
from .store import get, named

BOOKMARK = script("statuses/bookmark.lua")


@dataclass(frozen=True, slots=True)
class Bookmarks(Page[Status]):
    """A page of bookmarks, and what else their owner did with them."""

    acts: Acts = NOBODYS


def bookmark(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Bookmarks a status; again is no change. Three trips. Raises NotFound; Forbidden where its author, or the member,
    is suspended, or one blocks the other; Conflict at BOOKMARKS_MAX.
    """
    get(db, status_id, uid)
    db.run(BOOKMARK([keys.bookmarks(uid), keys.user(uid)], uid, status_id, config.bookmarks_max))


def unbookmark(db: Db, uid: int, status_id: int) -> None:
    """Takes a bookmark away; again is no change."""
    db.run(("ZREM", keys.bookmarks(uid), status_id))


def listed(db: Db, uid: int, before: int | None, size: int) -> Bookmarks:
    """A page of a member's bookmarks, the newest first; `before`: the last page's cursor. Three trips; as many again,
    with twice as many bookmarks, while too few of those read are shown. What is deleted is taken off the list; what
    suspended members wrote is left out, what blocks hide, and what is not for them any more. One trip more where
    something on the page quotes another status, or for what they did just now.
    """
    want, gone = size + 1, list[int]()
    while True:
        newest = ("ZRANGE", keys.bookmarks(uid), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, want)
        *_, flat = db.trip(*([("ZREM", keys.bookmarks(uid), *gone)] if gone else []), (*newest, "WITHSCORES"))
        ids, cursors = [int(status_id) for status_id in flat[::2]], [int(score) for score in flat[1::2]]
        found, acts, between = named(db, ids, uid)
        shown = [(at, one) for at, one in zip(cursors, found, strict=True) if one and between.shown(one)]
        gone = [status_id for status_id, status in zip(ids, found, strict=True) if status is None]
        if len(shown) > size or len(ids) < want:
            break
        want *= 2
    if gone:
        db.run(("ZREM", keys.bookmarks(uid), *gone))
    page = cut(shown, size)
    return Bookmarks(page.items, page.next, with_cards(db, uid, page.items, acts))
