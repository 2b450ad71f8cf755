"""What a member keeps to come back to. It is nobody else's business: nothing but this list knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import keys
from ..config import Config
from ..db import Command, Db
from ..paging import Page, below, cut, looked_at
from ..scripts import script
from .acts import NOBODYS, Acts, acts_commands, acts_read
from .quotes import with_cards
from .seeing import between_commands, between_from
from .status import Status
from .store import authored, get, hydration

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


def listed_command(uid: int, before: int | None, size: int) -> Command:
    """The command that reads a page of a member's bookmarks; its reply goes to `listed`."""
    newest = ("ZRANGE", keys.bookmarks(uid), below(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, looked_at(size))
    return (*newest, "WITHSCORES")


def listed(db: Db, uid: int, before: int | None, size: int, flat: Sequence[str] | None = None) -> Bookmarks:
    """A page of a member's bookmarks, the newest first; `before`: the last page's cursor; `flat`: the reply to
    `listed_command`, where that was sent already. Three trips; one more where something on it is not shown, and one
    where something on it quotes another status, or for what they did just now. What is deleted is taken off the list;
    what suspended members wrote is left out, what blocks hide, and what is not for them any more.
    """
    flat = db.run(listed_command(uid, before, size)) if flat is None else flat
    at = {int(status_id): int(score) for status_id, score in zip(flat[::2], flat[1::2], strict=True)}
    entries = authored(db, list(at))
    gone = at.keys() - dict(entries).keys()
    people, (commands, read) = {author for _, author in entries}, hydration(entries[: size + 1])
    clean: list[Command] = [("ZREM", keys.bookmarks(uid), *gone)] if gone else []
    ties, done, told, _ = db.parts(between_commands(uid, people), acts_commands(uid, entries), commands, clean)
    between, found = between_from(uid, people, ties), read(told)
    if None in found or not all(one and between.shown(one) for one in found):
        commands, read = hydration([entry for entry in entries[size + 1 :] if between.asked(entry[1])])
        found += read(db.trip(*commands))
    shown = [(at[one.id], one) for one in found if one and between.shown(one)]
    page = cut(shown, size, list(at.values())[-1] if len(at) == looked_at(size) else None)
    return Bookmarks(page.items, page.next, with_cards(db, uid, page.items, acts_read(uid, entries, done)))
