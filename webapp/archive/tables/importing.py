"""Import a CSV file in slices, through the store functions of the pages.

So limits, blocks and requests of protected members hold, and a row that is done twice changes
nothing. Rows that do not fit become the report.
"""

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

import orjson

from webapp.accounts.store import get_by_login
from webapp.archive import files
from webapp.archive.tasks import Task, start
from webapp.core.errors import Invalid, NotFound, RateLimited, Refused, Unavailable
from webapp.core.i18n.catalogs import load_catalog
from webapp.core.store import Site, parse_id
from webapp.core.text.cleaning import clean_name
from webapp.core.text.parser import Unacceptable
from webapp.core.web import rate_limits
from webapp.following import keys as following_keys, member_collections, store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.lists import store as lists
from webapp.lists.lookup import owned
from webapp.statuses.interactions.bookmarks import bookmark
from webapp.statuses.quotes.links import STATUS_PATH

from .formats import Cells, dump, parse, site_host

SLICE = 25  # rows: some hundred trips
ROWS_FILE = "rows.json"
Take = Callable[[Site, int, str, Cells], None]  # takes a row of a member; the site's host


def begin_import(site: Site, uid: int, task: Task, content: bytes) -> None:
    """Start the import of an uploaded file. One trip.

    Raises Invalid for a file that cannot be read; Conflict if another import is not finished;
    NotFound, Forbidden (suspended).
    """
    rows = parse(content)
    files.write_part(site.config, uid, task, ROWS_FILE, orjson.dumps(rows))
    try:
        start(site, uid, replace(task, total=len(rows)))
    except Refused:
        files.remove_parts(site.config, uid, task)
        raise


def import_slice(site: Site, uid: int, task: Task, heartbeat: Callable[[], None]) -> Task:
    """Take some rows, and write those that do not fit into a part of the report.

    The slice is shorter where a rate limit is reached. Raises RateLimited if it is at its
    first row; Unavailable where the site is too busy: the slice is done again later.
    """
    folder = files.parts_folder(site.config, uid, task)
    rows: list[Cells] = orjson.loads((folder / ROWS_FILE).read_bytes())
    take, host = TAKES[task.subject], site_host(task.site_url)
    refused, end = [], min(task.done + SLICE, len(rows))
    for number in range(task.done, end):
        row = rows[number]
        try:
            take(site, uid, host, row)
        except Unavailable:
            raise
        except RateLimited:
            if number == task.done:
                raise
            end = number
            break
        except Refused as refusal:
            refused.append([*row, load_catalog(task.locale).gettext(str(refusal.sentence))])
    if refused:
        files.write_part(site.config, uid, task, f"report.{task.done:08}", dump(refused))
    task = replace(task, done=end, skipped=task.skipped + len(refused))
    if end < len(rows):
        return task
    report = b"".join(files.read_parts(folder, "report"))
    files.write_result(site.config, uid, task, report)
    return task.end(size=len(report))


def login_of(address: str, host: str) -> str:
    """Return the login in an address: `login`, `@login` or `login@host`.

    Raises Invalid for one of another site.
    """
    login, at, other_host = address.removeprefix("@").partition("@")
    if at and other_host.lower() != host:
        raise Invalid("elsewhere_member")
    return login


def _follow(site: Site, uid: int, host: str, row: Cells) -> None:
    login = login_of(row[0], host)
    member = get_by_login(site.db, login)
    if site.db.run(("ZSCORE", following_keys.following(uid), member.uid)) is None:
        rate_limits.consume(site.db, ("follow", str(uid), site.config.limit_follow))
    following.follow_member(site, uid, member)
    if _says(row, 1, "false"):
        member_collections.hide_boosts(site, uid, login)
    if _says(row, 2, "true"):
        member_collections.subscribe(site, uid, login)


def _block(site: Site, uid: int, host: str, row: Cells) -> None:
    blocks.block(site, uid, login_of(row[0], host))


def _mute(site: Site, uid: int, host: str, row: Cells) -> None:
    login = login_of(row[0], host)
    mutes.mute(site, uid, login, hide_notifications=not _says(row, 1, "false"))


def _list(site: Site, uid: int, host: str, row: Cells) -> None:
    """Put a member on the list of this name, which is made private if there is none."""
    try:
        name, login = clean_name(row[0], lists.NAME_MAX), login_of(row[1], host)
    except (IndexError, Unacceptable):
        raise Invalid("csv_row") from None
    number = next((one.number for one in site.db.read(owned(uid)) if one.name == name), 0)
    number = number or lists.create(site, uid, name, private=True)
    lists.set_memberships(site, uid, login, {number: True})


def _bookmark(site: Site, uid: int, host: str, row: Cells) -> None:
    try:
        address = urlsplit(row[0])
    except ValueError:
        raise Invalid("csv_row") from None
    if address.netloc.lower() != host:
        raise Invalid("elsewhere_post")
    path = STATUS_PATH.match(address.path)
    status_id = NotFound.unless(parse_id(path[1]) if path else None, "no_status")
    bookmark(site, uid, status_id)


def _says(row: Cells, column: int, word: str) -> bool:
    return len(row) > column and row[column].lower() == word


TAKES: dict[str, Take] = {
    "following": _follow,
    "blocks": _block,
    "mutes": _mute,
    "lists": _list,
    "bookmarks": _bookmark,
}
