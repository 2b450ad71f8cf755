"""Import the posts of an archive in slices, and take an import back."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import msgspec
import orjson

from webapp.archive import files
from webapp.archive.tables.formats import dump
from webapp.archive.tasks import POSTS, UNDO, Task, new_task, start
from webapp.core.errors import SENTENCES, Invalid, NotFound, Refused, Unavailable
from webapp.core.events.outbox import Context
from webapp.core.i18n.catalogs import load_catalog
from webapp.core.store import Site
from webapp.core.store.ids import OLDEST
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys
from webapp.statuses.listings.authored import authored_page
from webapp.statuses.store import delete

from .old_posts import OldPost, read_posts
from .store import import_post
from .unpacking import unpack

POSTS_MAX = 10_000  # of one archive
SLICE = 50  # posts: two or three trips for each
EXCERPT = 80  # characters of a post in the report
FILE = "archive"
Imports = tuple[Task, ...]


def begin_import(
    site: Site, uid: int, content: bytes, site_url: str, locale: str, earlier: Imports = ()
) -> None:
    """Start the import of an uploaded archive. One trip. `earlier`: those that can be taken back.

    Raises Invalid for a file without posts; Conflict if another import is not finished; NotFound,
    Forbidden (suspended).
    """
    posts = unpack(content)
    task = replace(new_task(POSTS, site_url, locale), earlier=earlier)
    files.write_part(site.config, uid, task, FILE, posts)
    try:
        start(site, uid, task)
    except Refused:
        files.remove_parts(site.config, uid, task)
        raise


def begin_undo(site: Site, uid: int, imports: Imports, token: str, locale: str) -> None:
    """Start to delete what the import with this token has brought. One trip.

    Raises NotFound unless it is in `imports`; Conflict, Forbidden, Unavailable as `begin_import`.
    """
    found = next((one for one in imports if one.token == token), None)
    imported = NotFound.unless(found, "import_gone")
    task = new_task(POSTS, imported.site_url, locale, UNDO, imported.done)
    start(site, uid, replace(task, position=token, earlier=imports))


def posts_slice(site: Site, uid: int, task: Task, heartbeat: Callable[[], None]) -> Task:
    """Do a slice of an import, or of taking one back. Raises NotFound, LeaseLost."""
    if task.subject == UNDO:
        return _undo_slice(site, uid, task, heartbeat)
    if not task.position:
        return _sort_out(site, uid, task)
    return _import_slice(site, uid, task)


def _sort_out(site: Site, uid: int, task: Task) -> Task:
    """Write the posts that may fit into parts, and the others into the report."""
    folder = files.parts_folder(site.config, uid, task)
    try:
        posts = read_posts((folder / FILE).read_bytes())
    except Invalid:
        return task.end(failed=True)
    now = time.time() * 1000
    posts = [
        one
        if one.reason or OLDEST.timestamp() * 1000 <= one.at <= now
        else one._replace(reason="import_date")
        for one in posts
    ]
    fitting = [one for one in posts if not one.reason][-POSTS_MAX:]
    kept = set(fitting)
    others = [one for one in posts if one not in kept]
    for number, first in enumerate(range(0, len(fitting), SLICE)):
        content = msgspec.json.encode(fitting[first : first + SLICE])
        files.write_part(site.config, uid, task, f"posts.{number:08}", content)
    _report(site, uid, task, 0, [(one, one.reason or "import_more") for one in others])
    return _go_on(site, uid, replace(task, total=len(fitting), skipped=len(others)), 0)


def _import_slice(site: Site, uid: int, task: Task) -> Task:
    """Import the posts of the next part, and write where they are now."""
    number, folder = int(task.position), files.parts_folder(site.config, uid, task)
    part = (folder / f"posts.{number:08}").read_bytes()
    known: dict[str, int] = {}
    for earlier in files.read_parts(folder, "known"):
        known |= orjson.loads(earlier)
    added: dict[str, int] = {}
    refused: list[tuple[OldPost, str]] = []
    for post in msgspec.json.decode(part, type=list[OldPost]):
        try:
            added[post.source] = import_post(site, uid, task.token, post, known | added)
        except Unavailable:
            raise
        except Refused as refusal:
            refused.append((post, refusal.code))
    files.write_part(site.config, uid, task, f"known.{number:08}", orjson.dumps(added))
    _report(site, uid, task, number + 1, refused)
    bump_versions(site.db, [uid])
    skipped, done = task.skipped + len(refused), task.done + len(added)
    return _go_on(site, uid, replace(task, done=done, skipped=skipped), number + 1)


def _go_on(site: Site, uid: int, task: Task, number: int) -> Task:
    """Return the task at its part of this number; finished, with the report, after the last."""
    if number * SLICE < task.total:
        return replace(task, position=str(number))
    folder = files.parts_folder(site.config, uid, task)
    report = b"".join(files.read_parts(folder, "report"))
    files.write_result(site.config, uid, task, report)
    return task.end(size=len(report))


def _report(
    site: Site, uid: int, task: Task, number: int, refused: Sequence[tuple[OldPost, str]]
) -> None:
    translate = load_catalog(task.locale).gettext
    rows = [
        (one.source, one.text[:EXCERPT], translate(str(SENTENCES[code]))) for one, code in refused
    ]
    files.write_part(site.config, uid, task, f"report.{number:08}", dump(rows))


def _undo_slice(site: Site, uid: int, task: Task, heartbeat: Callable[[], None]) -> Task:
    """Delete the imported posts among some of the member's. `position`: the import, a cursor."""
    token, _, cursor = task.position.partition(" ")
    context = Context(site.db, site.config, heartbeat)
    ids, next_cursor = authored_page(context, uid, cursor, SLICE)
    marks = site.db.trip(*(("HGET", status_keys.status(one), "imported") for one in ids))
    found = [one for one, mark in zip(ids, marks, strict=True) if (mark or "").startswith(token)]
    for status_id in found:
        with suppress(NotFound):  # deleted meanwhile
            delete(site, uid, status_id)
    task = replace(task, done=task.done + len(found), position=f"{token} {next_cursor}")
    if next_cursor is not None:
        return task
    return task.end(position="", earlier=tuple(one for one in task.earlier if one.token != token))
