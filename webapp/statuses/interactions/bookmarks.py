"""Bookmarks: posts a member keeps to come back to. Private."""

from webapp.accounts.collections.collection import Collection
from webapp.core.store import Db, Read, Site, results_of, send
from webapp.core.web import overfetch
from webapp.statuses.folders import keys as folder_keys
from webapp.statuses.hydration import hydrate
from webapp.statuses.items import Item
from webapp.statuses.listings.pipeline import ALL, Listing, page
from webapp.statuses.listings.scored_ids import ScoredIds, newest_ids, with_authors
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.lookup import Entry
from webapp.statuses.store import get

from . import keys

BOOKMARKS = Collection(
    keys.bookmarks,
    bound=lambda config: config.bookmarks_max,
    full="BOOKMARKSFULL",
    added="bookmarked",
    removed="unbookmarked",
    names_item=True,
    groups=(folder_keys.folders, folder_keys.folder_statuses),
)


def bookmark(site: Site, uid: int, status_id: int) -> None:
    """Bookmark a status. Doing it again changes nothing. Three trips.

    Raises NotFound; Forbidden if the author or the member is suspended, or one blocks the other;
    Conflict (bookmarks_max reached).
    """
    get(site.db, status_id, uid)
    site.db.run(BOOKMARKS.add(site.config, uid, status_id))


def unbookmark(site: Site, uid: int, status_id: int) -> None:
    """Remove a bookmark, if there is one, and take the status out of its folders. One trip."""
    site.db.run(BOOKMARKS.remove(site.config, uid, status_id))


def newest_bookmarks(uid: int, before: int | None, size: int) -> Read[ScoredIds]:
    """Read the bookmarks for a page of `size` below the cursor `before`, and spare ones."""
    return newest_ids(keys.bookmarks(uid), before, overfetch(size))


def bookmarks_page(
    db: Db, uid: int, before: int | None, size: int, found: ScoredIds | None = None
) -> Timeline[Item]:
    """Return a page of a member's bookmarks, newest first, below the cursor `before`.

    `found`: the result of `newest_bookmarks`, if it was read already. Trips as `kept_posts_page`,
    and one without `found`.
    """
    found = db.read(newest_bookmarks(uid, before, size)) if found is None else found
    return kept_posts_page(db, keys.bookmarks(uid), found, uid, size)


def kept_posts_page(db: Db, key: str, found: ScoredIds, uid: int, size: int) -> Timeline[Item]:
    """Return a page of the posts that a member keeps in a sorted set: its items are statuses.

    `found`: the newest ids of the set. Deleted statuses are removed from the set; statuses that
    the member may not see are left out. Two trips; one more if something is left out, and one for
    quote cards or the member's very recent actions.
    """
    skeleton = db.read(with_authors(found, overfetch(size)))
    deleted_ids = found.keys() - dict(skeleton.entries).keys()
    cleanup = [("ZREM", key, *deleted_ids)] if deleted_ids else []
    listing: Listing[Entry, Item] = Listing(
        lambda entries, further: hydrate(entries, uid, other_uids={one[1] for one in further}),
        lambda found: found.visible,
        (size + 1, ALL),
        lambda found: found.relationship.hidden_on_request,
    )
    return results_of(db, page(listing, skeleton, uid, size), send(*cleanup))[0]
