"""Bookmarks: posts a member keeps to come back to. Nobody else ever sees them."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Command, Read, constant, read
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound, overfetch, paginate
from webapp.statuses.hydration import complete, hydrate
from webapp.statuses.items import status_of
from webapp.statuses.lookup import entries_of
from webapp.statuses.status import Status
from webapp.statuses.store import get
from webapp.statuses.viewer.viewer_state import EMPTY_STATE, ViewerState

from . import keys

BOOKMARK = script("statuses/interactions/lua/bookmark.lua")
UNBOOKMARK = script("statuses/interactions/lua/unbookmark.lua")


@dataclass(frozen=True, slots=True)
class BookmarksPage(Page[Status]):
    """A page of bookmarks, and their owner's other actions on them."""

    viewer_state: ViewerState = EMPTY_STATE


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A bookmarked status and when it was added, in unix ms."""

    status_id: int
    added: int


def bookmark(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Bookmark a status. Doing it again changes nothing. Three trips.

    Raises NotFound; Forbidden if the author or the member is suspended, or one blocks the other;
    Conflict (bookmarks_max reached); Unavailable.
    """
    get(db, status_id, uid)
    db.run(BOOKMARK(config, uid=uid, id=status_id, limit=config.bookmarks_max))


def unbookmark(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Remove a bookmark, if there is one. One trip. Raises Unavailable."""
    db.run(UNBOOKMARK(config, uid=uid, id=status_id))


def newest_bookmarks(uid: int, before: int | None, size: int) -> Read[list[Bookmark]]:
    """Read the bookmarks for a page of `size` below the cursor `before`, and spare ones."""
    newest = ("ZRANGE", keys.bookmarks(uid), max_bound(before), "-inf", "BYSCORE", "REV")

    def parse(reply: list[str]) -> list[Bookmark]:
        pairs = zip(reply[::2], reply[1::2], strict=True)
        return [Bookmark(int(status_id), int(added)) for status_id, added in pairs]

    return read((*newest, "LIMIT", 0, overfetch(size), "WITHSCORES"), parse)


def bookmarks_page(
    db: Db, uid: int, before: int | None, size: int, found: list[Bookmark] | None = None
) -> BookmarksPage:
    """Return a page of a member's bookmarks, newest first, below the cursor `before`.

    `found`: the result of `newest_bookmarks`, if it was read already. Bookmarks of deleted
    statuses are removed; statuses that the member may not see are left out. Three trips; one more
    if something is left out, and one for quote cards or the member's very recent actions.
    """
    found = db.read(newest_bookmarks(uid, before, size)) if found is None else found
    added = {bookmark.status_id: bookmark.added for bookmark in found}
    entries = db.read(entries_of(list(added)))
    first, spare = entries[: size + 1], entries[size + 1 :]
    other_uids = {author for _, author in spare}
    deleted_ids = added.keys() - dict(entries).keys()
    page, _ = db.fetch(hydrate(first, uid, other_uids=other_uids), _remove(uid, deleted_ids))
    relation = page.relationship
    visible = [status_of(item) for item in page.visible]
    state = page.viewer_state
    if len(visible) < len(first):
        rest = [entry for entry in spare if relation.visible_on_request(entry[1])]
        spare_page = db.read(hydrate(rest, uid))
        visible += [status_of(item) for item in spare_page.visible]
        state = state.merge(spare_page.viewer_state)
    scanned_to = found[-1].added if len(found) == overfetch(size) else None
    cut = paginate([(added[status.id], status) for status in visible], size, scanned_to)
    return BookmarksPage(cut.items, cut.next, db.read(complete(uid, cut.items, state)))


def _remove(uid: int, status_ids: set[int]) -> Read[object]:
    if not status_ids:
        return constant(None)
    command: Command = ("ZREM", keys.bookmarks(uid), *status_ids)
    return read(command, lambda reply: reply)
