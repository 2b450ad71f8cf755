"""The CSV files: their names, columns and rows, as Mastodon exports and imports them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask_babel import lazy_gettext as _l

from webapp.accounts import store as accounts
from webapp.core.errors import Invalid
from webapp.core.store import Db, collect, read
from webapp.core.store.schema import MemberKey
from webapp.following import keys as following_keys
from webapp.lists.lookup import member_uids, owned
from webapp.statuses import entries_of
from webapp.statuses.interactions import keys as interaction_keys
from webapp.timelines.page_invalidation.paths import status_path

ROWS_MAX = 10_000  # of one file
FILE_MAX = 1_048_576  # bytes
FIELD_MAX = 500  # characters of a field that is kept
Cells = list[str]
ReadRows = Callable[[Db, int, str], Iterable[Cells]]  # of a member; the site's address


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file. `header`: its first line, where Mastodon writes one."""

    slug: str
    title: object  # a lazy sentence
    file_name: str
    read: ReadRows
    header: Sequence[str] = ()


def site_host(site_url: str) -> str:
    """Return the host that addresses of members end with."""
    return urlsplit(site_url).netloc.lower()


def write(table: Table, db: Db, uid: int, site_url: str) -> bytes:
    """Return a member's CSV file. Up to three trips."""
    return dump([list(table.header)] * bool(table.header) + list(table.read(db, uid, site_url)))


def dump(rows: Iterable[Sequence[str]]) -> bytes:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def parse(content: bytes) -> list[Cells]:
    """Parse an uploaded CSV file. Empty lines and the header are left out.

    Raises Invalid if it is no CSV in UTF-8, has no rows, or too many.
    """
    if len(content) > FILE_MAX:
        raise Invalid("csv_long")
    try:
        lines = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        rows = [[cell.strip()[:FIELD_MAX] for cell in line] for line in lines if any(line)]
    except (UnicodeDecodeError, csv.Error):
        raise Invalid("csv_bad") from None
    if rows and rows[0][0].lower() == "account address":
        rows = rows[1:]
    if not rows or any("\0" in cell for row in rows for cell in row):
        raise Invalid("csv_bad")
    if len(rows) > ROWS_MAX:
        raise Invalid("csv_long")
    return rows


def _people(key: MemberKey, marks: Sequence[tuple[MemberKey, Sequence[str]]] = ()) -> ReadRows:
    """Return the reader of a sorted set of uids.

    `marks`: further sets, and the words of a column for who is not in the set, and who is.
    """

    def read_rows(db: Db, uid: int, site_url: str) -> Iterable[Cells]:
        found, *marked = db.read(
            collect(read(("ZRANGE", one(uid), 0, ROWS_MAX - 1), list) for one in keys)
        )
        members = db.read(accounts.get_many(map(int, found)))
        words = [(set(map(int, uids)), mark[1]) for uids, mark in zip(marked, marks, strict=True)]
        host = site_host(site_url)
        for one in members.values():
            yield [f"{one.login}@{host}", *(word[one.uid in uids] for uids, word in words)]

    keys = [key, *(mark[0] for mark in marks)]
    return read_rows


def _list_rows(db: Db, uid: int, site_url: str) -> Iterable[Cells]:
    lists = db.read(owned(uid))
    found = db.read(collect(member_uids(uid, one.number) for one in lists)) if lists else []
    members = db.read(accounts.get_many(one for uids in found for one in uids))
    for one, uids in zip(lists, found, strict=True):
        for member in filter(None, map(members.get, uids)):
            yield [one.name, f"{member.login}@{site_host(site_url)}"]


def _bookmark_rows(db: Db, uid: int, site_url: str) -> Iterable[Cells]:
    ids = db.run(("ZRANGE", interaction_keys.bookmarks(uid), 0, ROWS_MAX - 1, "REV"))
    entries = db.read(entries_of(list(map(int, ids))))
    members = db.read(accounts.get_many(author for _, author in entries))
    for status_id, author in entries:
        if member := members.get(author):
            yield [site_url + status_path(member.login, status_id)]


FOLLOWING = Table(
    "following",
    _l("Following"),
    "following_accounts.csv",
    _people(
        following_keys.following,
        [
            (following_keys.hidden_boosts, ("true", "false")),
            (following_keys.subscriptions, ("false", "true")),
        ],
    ),
    ("Account address", "Show boosts", "Notify on new posts"),
)
BLOCKS = Table(
    "blocks", _l("Blocked members"), "blocked_accounts.csv", _people(following_keys.blocks)
)
MUTES = Table(
    "mutes",
    _l("Muted members"),
    "muted_accounts.csv",
    _people(following_keys.mutes, [(following_keys.muted_notifications, ("false", "true"))]),
    ("Account address", "Hide notifications"),
)
LISTS = Table("lists", _l("Lists"), "lists.csv", _list_rows)
BOOKMARKS = Table("bookmarks", _l("Bookmarks"), "bookmarks.csv", _bookmark_rows)
TABLES: Mapping[str, Table] = {
    one.slug: one for one in (FOLLOWING, BLOCKS, MUTES, LISTS, BOOKMARKS)
}
