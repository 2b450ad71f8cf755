"""Projections: members' bookmarks, indexed for each member. Safe to run twice.

A status lists the members who bookmarked it (`keys.bookmarkers`), so that its edits and its end
reach their indexes. A member is listed before the status is read: an edit that comes later finds
them there. One that comes between the read and the write is found by a second read.
"""

from collections.abc import Sequence

from webapp.core.events.outbox import MORE, SYNC_ENTRY, Context, Event, read_page
from webapp.core.store import Command, collect, read
from webapp.search import keys
from webapp.statuses import Status, entries_of, statuses
from webapp.statuses.interactions import keys as bookmark_keys
from webapp.statuses.listings.authored import authored_page, related_page

from .documents import status_document
from .layout import slices_in_each_layout, written_configs
from .store import DocumentWrite, purge_collection, write_commands

BATCH = 200  # bookmarks of one slice
POSTS_BATCH, OWNERS_BATCH = 20, 20  # of one slice, where an account ends
TRIES = 3  # reads of a status that changes meanwhile
Bookmark = tuple[int, int]  # a member's uid, and the id of a status


def index_bookmarks(context: Context, events: Sequence[Event]) -> None:
    """Index members' bookmarks, for themselves alone.

    Six trips; two more for each change that comes meanwhile."""
    pairs = [(event.number("uid"), event.number("id")) for event in events]
    context.db.trip_all(
        _listing(event, pair, is_bookmarked=True)
        for event, pair in zip(events, pairs, strict=True)
        if event.type == "bookmarked"
    )
    _sync(context, events, pairs)


def reindex_bookmarked(context: Context, event: Event, cursor: str) -> str | None:
    """Index a status that was edited or deleted, for some of those who bookmarked it."""
    status_id = event.number("id")
    key = keys.bookmarkers(status_id)
    uids, next_cursor = read_page(context, key, cursor, BATCH, oldest_first=True)
    _sync(context, [event] * len(uids), [(int(uid), status_id) for uid in uids])
    return next_cursor


def forget_bookmarked(context: Context, event: Event, cursor: str) -> str | None:
    """Take some posts of a deleted account out of the indexes of those who bookmarked them."""
    ids, next_cursor = authored_page(context, event.number("uid"), cursor, POSTS_BATCH)
    owners = context.db.read(
        collect(read(("ZRANGE", keys.bookmarkers(one), 0, OWNERS_BATCH - 1), list) for one in ids)
    )
    pairs = [(int(uid), one) for one, uids in zip(ids, owners, strict=True) for uid in uids]
    _sync(context, [event] * len(pairs), pairs)
    return cursor if any(len(uids) == OWNERS_BATCH for uids in owners) else next_cursor


def reindex_authored(context: Context, event: Event, cursor: str) -> str | None:
    """Index some posts of a member with a new login, for those who bookmarked them."""
    uid = event.number("uid")
    found, next_cursor = related_page(context, uid, cursor, keys.bookmarkers, by_score=True)
    pairs = [(int(owner), status_id) for status_id, owner in found]
    _sync(context, [event] * len(pairs), pairs)
    return next_cursor


def unlist_bookmarks(context: Context, event: Event, cursor: str) -> str | None:
    """Take a deleted account off the lists of some posts that it bookmarked."""
    uid = event.number("uid")
    ids, next_cursor = read_page(context, bookmark_keys.bookmarks(uid), cursor, BATCH)
    context.db.trip_all(("ZREM", keys.bookmarkers(int(one)), uid) for one in ids)
    return next_cursor


@slices_in_each_layout
def purge_bookmarks(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove some indexed bookmarks of a deleted account."""
    uid = event.number("uid")
    collection = keys.bookmarked(uid)
    command = purge_collection(context.config, event, collection, uid, BATCH)
    return MORE if context.db.run(command) else None


def _sync(context: Context, events: Sequence[Event], pairs: Sequence[Bookmark]) -> None:
    """Index bookmarks as the statuses are now; those that are gone are taken out."""
    if not pairs:
        return
    scores, entries = context.db.fetch(
        collect(read(("ZSCORE", bookmark_keys.bookmarks(uid), one), bool) for uid, one in pairs),
        entries_of([status_id for _, status_id in pairs]),
    )
    authors = dict(entries)
    status_read = statuses([(one, authors.get(one, 0)) for _, one in pairs])
    found, written = context.db.read(status_read), None
    for _ in range(TRIES):
        if found == written:
            return
        bookmarked = [
            status if score else None for score, status in zip(scores, found, strict=True)
        ]
        _write(context, events, pairs, bookmarked)
        found, written = context.db.read(status_read), found


def _write(
    context: Context,
    events: Sequence[Event],
    pairs: Sequence[Bookmark],
    found: Sequence[Status | None],
) -> None:
    """Index bookmarks in each layout; those without a status (None) are taken out."""
    writes = list(map(_document_write, events, pairs, found))
    rows = zip(events, pairs, found, strict=True)
    context.db.trip(
        *(
            command
            for config in written_configs(context)
            for command in write_commands(config, writes)
        ),
        *(_listing(event, pair, is_bookmarked=False) for event, pair, status in rows if not status),
    )


def _document_write(event: Event, pair: Bookmark, status: Status | None) -> DocumentWrite:
    uid, status_id = pair
    collection = keys.bookmarked(uid)
    if status is None:
        return DocumentWrite(event, uid, status_id, others=(collection,))
    return DocumentWrite(event, uid, status_id, collection, document=status_document(status))


def _listing(event: Event, pair: Bookmark, is_bookmarked: bool) -> Command:
    """Return the command that adds a member to a status's bookmarkers, or removes them."""
    uid, status_id = pair
    return SYNC_ENTRY(
        event,
        entries=keys.bookmarkers(status_id),
        entry=uid,
        score=uid if is_bookmarked else "",
    )
