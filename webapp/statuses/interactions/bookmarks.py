"""What a member keeps to come back to. It is nobody else's business: nothing but this list knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound, overfetch, paginate
from webapp.statuses.quotes.store import with_quote_cards
from webapp.statuses.status import Status
from webapp.statuses.store import get, hydration, with_authors
from webapp.statuses.visibility.relationships import relationship_commands, relationship_from

from . import keys
from .viewer_reads import parse_viewer_state, viewer_state_commands
from .viewer_state import EMPTY_STATE, ViewerState

BOOKMARK = script("statuses/interactions/lua/bookmark.lua")


@dataclass(frozen=True, slots=True)
class BookmarksPage(Page[Status]):
    """A page of bookmarks, and what else their owner did with them."""

    viewer_state: ViewerState = EMPTY_STATE


def bookmark(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Bookmarks a status; again is no change. Three trips. Raises NotFound; Forbidden where its author, or the member,
    is suspended, or one blocks the other; Conflict at BOOKMARKS_MAX.
    """
    get(db, status_id, uid)
    db.run(
        BOOKMARK(
            [keys.bookmarks(uid), account_keys.user(uid)], uid, status_id, config.bookmarks_max
        )
    )


def unbookmark(db: Db, uid: int, status_id: int) -> None:
    """Takes a bookmark away; again is no change."""
    db.run(("ZREM", keys.bookmarks(uid), status_id))


def bookmarks_page_command(uid: int, before: int | None, size: int) -> Command:
    """The command that reads a page of a member's bookmarks; its reply goes to `listed`."""
    newest = (
        "ZRANGE",
        keys.bookmarks(uid),
        max_bound(before),
        "-inf",
        "BYSCORE",
        "REV",
        "LIMIT",
        0,
        overfetch(size),
    )
    return (*newest, "WITHSCORES")


def bookmarks_page(
    db: Db, uid: int, before: int | None, size: int, reply: Sequence[str] | None = None
) -> BookmarksPage:
    """A page of a member's bookmarks, the newest first; `before`: the last page's cursor; `flat`: the reply to
    `listed_command`, where that was sent already. Three trips; one more where something on it is not shown, and one
    where something on it quotes another status, or for what they did just now. What is deleted is taken off the list;
    what suspended members wrote is left out, what blocks hide, and what is not for them any more.
    """
    reply = db.run(bookmarks_page_command(uid, before, size)) if reply is None else reply
    bookmarked_at = {
        int(status_id): int(score) for status_id, score in zip(reply[::2], reply[1::2], strict=True)
    }
    entries = with_authors(db, list(bookmarked_at))
    deleted_ids = bookmarked_at.keys() - dict(entries).keys()
    author_uids, (commands, parse) = (
        {author for _, author in entries},
        hydration(entries[: size + 1]),
    )
    cleanup: list[Command] = [("ZREM", keys.bookmarks(uid), *deleted_ids)] if deleted_ids else []
    relation_replies, state_replies, status_replies, _ = db.trip_by_group(
        relationship_commands(uid, author_uids),
        viewer_state_commands(uid, entries),
        commands,
        cleanup,
    )
    relationship, statuses = (
        relationship_from(uid, author_uids, relation_replies),
        parse(status_replies),
    )
    if None in statuses or not all(one and relationship.is_visible(one) for one in statuses):
        commands, parse = hydration(
            [entry for entry in entries[size + 1 :] if relationship.visible_on_request(entry[1])]
        )
        statuses += parse(db.trip(*commands))
    visible = [
        (bookmarked_at[one.id], one) for one in statuses if one and relationship.is_visible(one)
    ]
    page = paginate(
        visible,
        size,
        list(bookmarked_at.values())[-1] if len(bookmarked_at) == overfetch(size) else None,
    )
    return BookmarksPage(
        page.items,
        page.next,
        with_quote_cards(db, uid, page.items, parse_viewer_state(uid, entries, state_replies)),
    )
