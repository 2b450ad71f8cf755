"""Build an archive in slices: each source is read into parts, which become one ZIP file."""

import os
import secrets
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import orjson

from webapp.archive import files
from webapp.archive.tasks import Task
from webapp.core.i18n.catalogs import load_catalog
from webapp.core.logs import log
from webapp.core.rendering.templating import plain_templates
from webapp.core.store import Site

from .sources import Owner, Row
from .table import SOURCES, Source

TEMPLATE = "archive/offline.html"
RowsOf = Callable[[Source], Iterator[bytes]]
PARTS = len(SOURCES) + 1  # the last is the ZIP file
BEAT_FILES = 50  # packed between two calls of the heartbeat


def write_page(
    archive: zipfile.ZipFile,
    locale: str,
    counts: Mapping[str, int],
    rows_of: RowsOf,
    site_name: str,
) -> None:
    """Add `index.html`: the profile, links to all files, and the posts. It loads nothing else.

    `counts`: rows by file. The posts are written one after the other, however many there are.
    """
    by_file = {source.file: source for source in SOURCES}
    catalog = load_catalog(locale)
    page = plain_templates().get_template(TEMPLATE)
    stream = page.generate(
        _=lambda sentence, **values: catalog.gettext(sentence) % values,
        tag=locale.replace("_", "-"),
        site_name=site_name,
        profile=orjson.loads(next(rows_of(by_file["profile"]))),
        posts=map(orjson.loads, rows_of(by_file["posts"])),
        files=[
            (f"data/{source.file}.json", catalog.gettext(str(source.title)), counts[source.file])
            for source in SOURCES
        ],
        made=datetime.now(UTC),
    )
    with archive.open("index.html", "w", force_zip64=True) as entry:
        for chunk in stream:
            entry.write(chunk.encode())


def build_slice(site: Site, uid: int, task: Task, heartbeat: Callable[[], None]) -> Task:
    """Read one slice of an archive into a part, or pack all parts. Return the task after it.

    `position`: the number of the part, and the cursor of its source. Raises NotFound, LeaseLost.
    """
    if task.done >= len(SOURCES):
        return _pack(site, uid, task, heartbeat)
    source, owner = SOURCES[task.done], Owner(site, uid, task.site_url)
    number, _, cursor = task.position.partition(" ")
    found = source.read(owner, cursor)
    content = b"".join(orjson.dumps(row) + b"\n" for row in found.rows)
    part = int(number or 0)
    files.write_part(site.config, uid, task, f"{source.file}.{part:08}", content)
    if found.next is None:
        return replace(task, done=task.done + 1, position="")
    return replace(task, position=f"{part + 1} {found.next}")


def read_rows(folder: Path, source: Source, heartbeat: Callable[[], None]) -> Iterator[bytes]:
    """Yield the rows of a source as JSON. `heartbeat` is called after each part."""
    for content in files.read_parts(folder, source.file):
        yield from content.splitlines()
        heartbeat()


def _pack(site: Site, uid: int, task: Task, heartbeat: Callable[[], None]) -> Task:
    """Make the ZIP file, and end the task. A pack that ends early begins again."""
    folder = files.parts_folder(site.config, uid, task)
    result = files.result_file(site.config, uid, task)
    unfinished = folder / f"packing-{secrets.token_hex(8)}"
    rows_of = partial(read_rows, folder, heartbeat=heartbeat)
    try:
        with unfinished.open("wb") as opened:
            os.fchmod(opened.fileno(), 0o600)
            with zipfile.ZipFile(opened, "w", zipfile.ZIP_DEFLATED) as archive:
                counts = {one.file: _pack_source(archive, one, rows_of(one)) for one in SOURCES}
                write_page(archive, task.locale, counts, rows_of, site.config.site_name)
                _pack_pictures(archive, rows_of, site.config.media_path, heartbeat)
            opened.flush()
            os.fsync(opened.fileno())
        os.replace(unfinished, result)
    finally:
        unfinished.unlink(missing_ok=True)  # of a pack that failed: the disk may be full
    return task.end(done=PARTS, position="", size=result.stat().st_size)


def _pack_source(archive: zipfile.ZipFile, source: Source, rows: Iterable[bytes]) -> int:
    """Write the rows of a source as an array of JSON. Return their number."""
    count = 0
    with archive.open(f"data/{source.file}.json", "w", force_zip64=True) as entry:
        entry.write(b"[")
        for count, row in enumerate(rows, 1):
            entry.write((b"\n" if count == 1 else b",\n") + row)
        entry.write(b"\n]\n")
    return count


def _pack_pictures(
    archive: zipfile.ZipFile, rows_of: RowsOf, media: Path, heartbeat: Callable[[], None]
) -> None:
    """Add the pictures that rows name, each once. One that is gone is left out."""
    packed: set[str] = set()
    for source in SOURCES:
        for row in map(orjson.loads, rows_of(source)):
            for name in _picture_files(row):
                if name in packed:
                    continue
                packed.add(name)
                try:
                    path = media / name.removeprefix("media/")
                    archive.write(path, name, zipfile.ZIP_STORED)
                except FileNotFoundError:
                    log.info("archive: %s is gone", name)
                if len(packed) % BEAT_FILES == 0:
                    heartbeat()


def _picture_files(row: Row) -> list[str]:
    pictures = row.get("pictures")
    return [one["file"] for one in pictures] if isinstance(pictures, list) else []
