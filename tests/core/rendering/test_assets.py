"""Static files: addresses that name their content, encodings, one style sheet, changed files."""

from __future__ import annotations

import gzip
import os
import re
import shutil
from pathlib import Path

import brotli
import pytest
from flask import Flask
from flask.testing import FlaskClient

from webapp.core.rendering.asset_files import PRINT_STYLESHEET, SITE_STYLESHEET, STYLESHEETS
from webapp.core.rendering.assets import STATIC_DIR, Assets
from webapp.core.rendering.compression import negotiate_encoding

DECODED = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}
CHROMES = "gzip, deflate, br, zstd"


def addresses(client: FlaskClient, path: str = "/") -> list[str]:
    """Where a page's static files are."""
    return re.findall(r'(?:href|src)="(/static/[^"]+)"', client.get(path).text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the static files, to be changed."""
    return Path(shutil.copytree(STATIC_DIR, tmp_path / "static"))


def path(assets: Assets, name: str) -> str:
    """Where a file is now."""
    found = assets.by_name(name)
    assert found
    return found.path


def test_a_page_names_files_that_may_be_kept_for_a_year_and_never_change(
    client: FlaskClient,
) -> None:
    found = addresses(client)
    assert len(found) >= 5 and sum(".css" in one for one in found) == 1
    for address in found:
        assert re.fullmatch(r"/static/[\w/-]+\.[0-9a-f]{12}\.(css|js|svg)", address)
        answer = client.get(address)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert "Set-Cookie" not in answer.headers
    kinds = {address.rpartition(".")[2]: client.get(address).mimetype for address in found}
    assert kinds == {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        (CHROMES, "br"),
        ("br", "br"),
        ("gzip", "gzip"),
        ("gzip;q=1, br;q=0.5", "gzip"),
        ("br;q=0, *", "gzip"),
        ("*", "br"),
        ("BR", "br"),
        ("", None),
        ("identity", None),
        ("gzip;q=0", None),
        ("deflate, zstd", None),
        ("br;q=x, gzip;q=0.1", "gzip"),
        (",;q=,=\xff", None),
    ],
)
def test_a_file_comes_in_the_best_encoding_that_the_client_takes(
    client: FlaskClient, accepted: str, encoding: str | None
) -> None:
    address = next(one for one in addresses(client) if ".css" in one)
    answer = client.get(address, headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == encoding
    assert DECODED[encoding](answer.data) == client.get(address).data
    assert negotiate_encoding(accepted) == (encoding or "")


def test_each_encoding_has_its_tag_and_a_client_that_has_it_is_sent_nothing(
    client: FlaskClient,
) -> None:
    address = next(one for one in addresses(client) if ".css" in one)
    tags = set()
    for accepted in ("", "gzip", "br"):
        tag = client.get(address, headers={"Accept-Encoding": accepted}).headers["ETag"]
        again = client.get(address, headers={"Accept-Encoding": accepted, "If-None-Match": tag})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
        assert again.headers["Vary"] == "Accept-Encoding"
        tags.add(tag)
    assert len(tags) == 3


def test_the_head_of_a_file_is_that_of_the_file(client: FlaskClient) -> None:
    headers = {"Accept-Encoding": "br"}
    for address in addresses(client):
        whole, head = client.get(address, headers=headers), client.head(address, headers=headers)
        assert (head.status_code, head.data) == (200, b"")
        for name in (
            "Content-Length",
            "Content-Type",
            "Content-Encoding",
            "ETag",
            "Cache-Control",
            "Vary",
        ):
            assert head.headers.get(name) == whole.headers.get(name), name
        assert client.post(address).status_code == 405


def test_an_address_of_another_version_leads_to_this_one_and_is_not_kept(
    client: FlaskClient,
) -> None:
    now = next(one for one in addresses(client) if "/live." in one)
    for old in ("/static/js/core/live.0123456789ab.js", "/static/js/core/live.js"):
        answer = client.get(old)
        assert (answer.status_code, answer.location) == (302, now)
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "name",
    "nothing css css/ css/core/base.css js/none.0123456789ab.js ../webapp/config.py js/../css/site.css %2e%2e/README.md "
    "js/core/live.0123456789ab.js.map .0123456789ab. js/core/live.0123456789ab.css %00 %ff".split(),
)
def test_there_are_no_files_but_those_of_the_pages(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 404
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_style_sheet_is_all_sheets_in_order_and_last_the_one_for_paper() -> None:
    css = STATIC_DIR / "css"
    assert sorted([*STYLESHEETS, PRINT_STYLESHEET]) == sorted(
        file.relative_to(css).with_suffix("").as_posix() for file in css.rglob("*.css")
    )
    site = Assets().by_name(SITE_STYLESHEET)
    assert site
    whole, done = site.body("").decode(), 0
    for name in STYLESHEETS:
        sheet = (css / f"{name}.css").read_text()
        assert whole[done:].startswith(sheet), name
        done += len(sheet)
    assert whole[done:] == "@media print {\n" + (css / "layout/print.css").read_text() + "}\n"
    # What would mean another thing, or nothing, anywhere but in a file of its own.
    assert not re.search(r"@charset|@import|@namespace|url\(", whole)
    for name in (*STYLESHEETS, PRINT_STYLESHEET):
        sheet = re.sub(r"/\*.*?\*/", "", (css / f"{name}.css").read_text(), flags=re.DOTALL)
        assert sheet.count("{") == sheet.count("}") and (css / f"{name}.css").read_text().endswith(
            "\n"
        ), name


def test_a_module_imports_the_very_version_that_there_is(folder: Path) -> None:
    (folder / "js/core/inner.js").write_text("export const one = 1\n")
    (folder / "js/chat/outer.js").write_text(
        'import { one } from "../core/inner.js"\nawait import("./stream.js")\nexport { one }\n'
    )
    before = Assets(folder)
    outer = before.by_name("js/chat/outer.js")
    assert outer
    inner = path(before, "js/core/inner.js").removeprefix("js/")
    stream = path(before, "js/chat/stream.js").removeprefix("js/chat/")
    sent = outer.body("").decode()
    assert re.findall(r'"([^"]+)"', sent) == [f"../{inner}", f"./{stream}"]
    (folder / "js/core/inner.js").write_text("export const one = 2\n")
    after = Assets(folder)
    assert path(after, "js/core/inner.js") != path(before, "js/core/inner.js")
    assert path(after, "js/chat/outer.js") != path(before, "js/chat/outer.js")
    assert path(after, "js/core/live.js") == path(before, "js/core/live.js")


def test_modules_are_sent_without_comments_and_indents(client: FlaskClient) -> None:
    for address in addresses(client):
        if address.endswith(".js"):
            assert not re.search(r"^\s|^//", client.get(address).text, re.MULTILINE), address


def test_a_changed_file_has_another_address_at_once_while_developing(
    app: Flask, folder: Path
) -> None:
    app.extensions["linnet.assets"] = Assets(folder)
    client = app.test_client()
    before = addresses(client, "/login")
    sheet = folder / "css/statuses/status.css"
    sheet.write_text(sheet.read_text() + ".new { color: red; }\n")
    later = sheet.stat().st_mtime + 1
    os.utime(sheet, (later, later))
    assert addresses(client, "/login") == before
    app.debug = True
    after = addresses(client, "/login")
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1 and ".new { color: red; }" in client.get(changed[0]).text
    assert client.get(next(old for old in before if ".css" in old)).location == changed[0]
