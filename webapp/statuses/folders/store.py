"""Bookmark folders, and sorting posts into them. Private."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.core.errors import NotFound
from webapp.core.store import Db, Read, Site, collect, gather, read, script, to_dict
from webapp.core.web import overfetch
from webapp.statuses.interactions.bookmarks import kept_posts_page
from webapp.statuses.items import Item
from webapp.statuses.listings.scored_ids import ScoredIds, newest_ids
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.store import get

from . import keys

RENAME = script("statuses/folders/lua/rename.lua")
DELETE = script("statuses/folders/lua/delete.lua")
SORT = script("statuses/folders/lua/sort.lua")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a member's bookmarks."""

    number: int
    name: str


def rename(db: Db, uid: int, number: int, name: str) -> None:
    """Rename a folder. One trip. Raises NotFound, Conflict (another folder has the name)."""
    db.run(RENAME(uid=uid, number=number, name=name))


def delete(db: Db, uid: int, number: int) -> None:
    """Delete a folder. Its posts stay bookmarked. One trip. Raises NotFound."""
    db.run(DELETE(uid=uid, number=number))


def sort(site: Site, uid: int, status_id: int, choices: Mapping[int, bool], name: str = "") -> int:
    """Put a status into some folders (number -> True), and take it out of others (False).

    `name`: of a new folder to put it into. A status that is put into a folder is bookmarked. All of
    it is done, or nothing. Return the number of the new folder, or 0. Three trips.

    Raises NotFound; Forbidden as `bookmark`; Conflict (folders_max, folder_statuses_max or
    bookmarks_max reached, or the name is taken).
    """
    get(site.db, status_id, uid)
    reply = site.run(
        SORT,
        uid=uid,
        id=status_id,
        name=name,
        choices=[part for number, add in choices.items() for part in (number, int(add))],
    )
    return int(reply)


def folders_of(uid: int) -> Read[tuple[Folder, ...]]:
    """Read a member's folders, in the order of their names."""

    def parse(reply: list[str]) -> tuple[Folder, ...]:
        found = [Folder(int(number), name) for number, name in to_dict(reply).items()]
        return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.number)))

    return read(("HGETALL", keys.folders(uid)), parse)


def get_folder(uid: int, number: int) -> Read[Folder]:
    """Read a folder. Raises NotFound."""

    def parse(name: str | None) -> Folder:
        if name is None:
            raise NotFound("no_folder")
        return Folder(number, name)

    return read(("HGET", keys.folders(uid), number), parse)


def numbers_with(db: Db, uid: int, status_id: int, folders: tuple[Folder, ...]) -> set[int]:
    """Return the numbers of the folders that a status is in. One trip."""
    reads = (
        read(("ZSCORE", keys.folder_statuses(uid, one.number), status_id), bool) for one in folders
    )
    found = db.read(collect(reads))
    return {one.number for one, has in zip(folders, found, strict=True) if has}


def newest_in_folder(
    uid: int, number: int, before: int | None, size: int
) -> Read[tuple[Folder, ScoredIds]]:
    """Read a folder and its ids for a page of `size` below the cursor `before`, and spare ones.

    Raises NotFound.
    """
    key = keys.folder_statuses(uid, number)
    return gather(get_folder(uid, number), newest_ids(key, before, overfetch(size)))


def folder_page(db: Db, uid: int, number: int, found: ScoredIds, size: int) -> Timeline[Item]:
    """Return a page of a folder, newest first. `found`: its ids. Trips as `kept_posts_page`."""
    return kept_posts_page(db, keys.folder_statuses(uid, number), found, uid, size)
