"""The page of an archive, which a browser opens from the disk."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import orjson

from webapp.core.i18n.catalogs import load_catalog
from webapp.core.rendering.templating import plain_templates

from .table import SOURCES, Source

TEMPLATE = "archive/offline.html"
ReadRows = Callable[[Path, Source], Iterator[bytes]]


def write_page(
    archive: zipfile.ZipFile,
    folder: Path,
    locale: str,
    counts: Mapping[str, int],
    read_rows: ReadRows,
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
        profile=orjson.loads(next(read_rows(folder, by_file["profile"]))),
        posts=map(orjson.loads, read_rows(folder, by_file["posts"])),
        files=[
            (f"data/{source.file}.json", catalog.gettext(str(source.title)), counts[source.file])
            for source in SOURCES
        ],
        made=datetime.now(UTC),
    )
    with archive.open("index.html", "w", force_zip64=True) as entry:
        for chunk in stream:
            entry.write(chunk.encode())
