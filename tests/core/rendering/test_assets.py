"""Static files: fingerprinted URLs, encodings, one style sheet, changed files."""

import os
import re
import shutil
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.support.page_parts import DECODED
from tests.support.world import Web
from webapp.core.rendering.compression import negotiate_encoding
from webapp.core.rendering.static.asset_files import PRINT_STYLESHEET, SITE_STYLESHEET, STYLESHEETS
from webapp.core.rendering.static.assets import STATIC_DIR, Assets

CHROMES = "gzip, deflate, br, zstd"


def asset_urls(client: FlaskClient, page: str = "/") -> list[str]:
    """Return the URLs of a page's static files."""
    return re.findall(r'(?:href|src)="(/static/[^"]+)"', client.get(page).text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the static files that may be changed."""
    return Path(shutil.copytree(STATIC_DIR, tmp_path / "static"))


def asset_path(assets: Assets, name: str) -> str:
    """Return the current path of a file."""
    asset = assets.by_name(name)
    assert asset
    return asset.path


def test_static_files_are_cached_for_a_year(web: Web) -> None:
    urls = asset_urls(web.client)
    assert len(urls) >= 5 and sum(".css" in url for url in urls) == 1
    for asset_url in urls:
        assert re.fullmatch(r"/static/[\w/-]+\.[0-9a-f]{12}\.(css|js|svg|png)", asset_url)
        response = web.client.get(asset_url)
        assert response.status_code == 200
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response.headers["Vary"] == "Accept-Encoding"
        assert "Set-Cookie" not in response.headers
    kinds = {asset_url.rpartition(".")[2]: web.client.get(asset_url).mimetype for asset_url in urls}
    assert kinds == {
        "css": "text/css",
        "js": "text/javascript",
        "svg": "image/svg+xml",
        "png": "image/png",
    }


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
def test_a_file_is_sent_in_the_best_accepted_encoding(
    shared_web: Web, accepted: str, encoding: str | None
) -> None:
    url = next(asset_url for asset_url in asset_urls(shared_web.client) if ".css" in asset_url)
    response = shared_web.client.get(url, headers={"Accept-Encoding": accepted})
    assert response.headers.get("Content-Encoding") == encoding
    assert DECODED[encoding](response.data) == shared_web.client.get(url).data
    assert negotiate_encoding(accepted) == (encoding or "")


def test_each_encoding_has_its_etag_and_a_match_gets_not_modified(web: Web) -> None:
    url = next(asset_url for asset_url in asset_urls(web.client) if ".css" in asset_url)
    etags = set()
    for accepted in ("", "gzip", "br"):
        etag = web.client.get(url, headers={"Accept-Encoding": accepted}).headers["ETag"]
        again = web.client.get(url, headers={"Accept-Encoding": accepted, "If-None-Match": etag})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", etag)
        assert again.headers["Vary"] == "Accept-Encoding"
        etags.add(etag)
    assert len(etags) == 3


def test_a_head_request_gets_the_headers_of_the_file(web: Web) -> None:
    headers = {"Accept-Encoding": "br"}
    for url in asset_urls(web.client):
        full, head = web.client.get(url, headers=headers), web.client.head(url, headers=headers)
        assert (head.status_code, head.data) == (200, b"")
        for name in (
            "Content-Length",
            "Content-Type",
            "Content-Encoding",
            "ETag",
            "Cache-Control",
            "Vary",
        ):
            assert head.headers.get(name) == full.headers.get(name), name
        assert web.client.post(url).status_code == 405


def test_urls_of_other_versions_redirect_to_the_current_one(web: Web) -> None:
    current = next(url for url in asset_urls(web.client) if "/pager." in url)
    for old in ("/static/js/core/pager.0123456789ab.js", "/static/js/core/pager.js"):
        response = web.client.get(old)
        assert (response.status_code, response.location) == (302, current)
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "name",
    [
        "nothing",
        "css",
        "css/",
        "css/core/base.css",
        "js/none.0123456789ab.js",
        "../webapp/config.py",
        "js/../css/site.css",
        "%2e%2e/README.md",
        "js/core/live.0123456789ab.js.map",
        ".0123456789ab.",
        "js/core/live.0123456789ab.css",
        "%00",
        "%ff",
    ],
)
def test_other_files_are_not_found(shared_web: Web, name: str) -> None:
    response = shared_web.client.get(f"/static/{name}")
    assert response.status_code == 404
    assert response.headers["Cache-Control"] == "no-store"


def test_the_style_sheet_joins_all_sheets_in_order_with_print_last() -> None:
    css = STATIC_DIR / "css"
    assert sorted([*STYLESHEETS, PRINT_STYLESHEET]) == sorted(
        file.relative_to(css).with_suffix("").as_posix() for file in css.rglob("*.css")
    )
    site = Assets().by_name(SITE_STYLESHEET)
    assert site
    joined, offset = site.body("").decode(), 0
    for name in STYLESHEETS:
        sheet = (css / f"{name}.css").read_text()
        assert joined[offset:].startswith(sheet), name
        offset += len(sheet)
    day, end = joined[offset:].split("\n", 1)
    assert day.startswith("@supports not (color: light-dark(red, red)) { :root { ")
    assert end == "@media print {\n" + (css / "layout/print.css").read_text() + "}\n"
    # These only work in separate files.
    assert not re.search(r"@charset|@import|@namespace|url\(", joined)
    for name in (*STYLESHEETS, PRINT_STYLESHEET):
        sheet = re.sub(r"/\*.*?\*/", "", (css / f"{name}.css").read_text(), flags=re.DOTALL)
        assert sheet.count("{") == sheet.count("}"), name
        assert (css / f"{name}.css").read_text().endswith("\n"), name


def test_browsers_without_light_dark_get_each_colour_of_the_day() -> None:
    site = Assets().by_name(SITE_STYLESHEET)
    assert site
    [day] = re.findall(r"@supports not .*", site.body("").decode())
    tokens = (STATIC_DIR / "css/core/tokens.css").read_text()
    for name, colour in re.findall(r"^  (--[\w-]+): light-dark\(([^,]+),", tokens, re.MULTILINE):
        assert f"{name}: {colour};" in day
    assert "color-scheme: light" in day and "light-dark(#" not in day


def test_a_module_imports_current_versions(folder: Path) -> None:
    (folder / "js/core/inner.js").write_text("export const one = 1\n")
    (folder / "js/chat/outer.js").write_text(
        'import { one } from "../core/inner.js"\nawait import("./stream.js")\nexport { one }\n'
    )
    before = Assets(folder)
    outer = before.by_name("js/chat/outer.js")
    assert outer
    inner = asset_path(before, "js/core/inner.js").removeprefix("js/")
    stream = asset_path(before, "js/chat/stream.js").removeprefix("js/chat/")
    source = outer.body("").decode()
    assert re.findall(r'"([^"]+)"', source) == [f"../{inner}", f"./{stream}"]
    (folder / "js/core/inner.js").write_text("export const one = 2\n")
    after = Assets(folder)
    assert asset_path(after, "js/core/inner.js") != asset_path(before, "js/core/inner.js")
    assert asset_path(after, "js/chat/outer.js") != asset_path(before, "js/chat/outer.js")
    assert asset_path(after, "js/core/live.js") == asset_path(before, "js/core/live.js")


def test_modules_are_minified(web: Web) -> None:
    for url in asset_urls(web.client):
        if url.endswith(".js"):
            assert not re.search(r"^\s|^//", web.client.get(url).text, re.MULTILINE), url


def test_a_changed_file_gets_a_new_url_in_debug_mode(web: Web, folder: Path) -> None:
    web.app.extensions["linnet.assets"] = Assets(folder)
    client = web.app.test_client()
    before = asset_urls(client, "/login")
    sheet = folder / "css/statuses/status.css"
    sheet.write_text(sheet.read_text() + ".new { color: red; }\n")
    later = sheet.stat().st_mtime + 1
    os.utime(sheet, (later, later))
    assert asset_urls(client, "/login") == before
    web.app.debug = True
    after = asset_urls(client, "/login")
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1 and ".new { color: red; }" in client.get(changed[0]).text
    assert client.get(next(old for old in before if ".css" in old)).location == changed[0]
