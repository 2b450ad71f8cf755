"""The pages about the site, and an operator's own words on them."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support.pages import page_text
from webapp.about.documents import DOCUMENTS, SHIPPED
from webapp.config import Config
from webapp.core.i18n.preferences import LANGUAGES

PATHS = tuple(f"/{name}" for name in DOCUMENTS)
CHINESE = {"Accept-Language": "zh-CN"}


@pytest.fixture
def settings(settings: Config, tmp_path: Path) -> Config:
    """The settings of a site with a data folder, whose pages are not cached."""
    return replace(settings, data_dir=tmp_path, page_cache_bytes=0)


@pytest.fixture
def own_pages(settings: Config) -> Path:
    """Return the folder of an operator's own pages."""
    folder = settings.data_dir / "pages"
    for language in LANGUAGES:
        (folder / language).mkdir(parents=True)
    return folder


def test_every_document_is_there_in_every_language(client: FlaskClient) -> None:
    for language in LANGUAGES:
        assert {file.stem for file in (SHIPPED / language).iterdir()} == set(DOCUMENTS)
    for path in PATHS:
        english, chinese = client.get(path), client.get(path, headers=CHINESE)
        assert english.status_code == chinese.status_code == 200
        assert english.text.count("<h1>") == 1 and "# " not in page_text(english)
        assert 'lang="zh-Hans"' in chinese.text
        assert page_text(english) != page_text(chinese)


def test_what_is_switched_off_is_not_linked(settings: Config) -> None:
    client = make_app(replace(settings, features="checkin")).test_client()
    page = client.get("/privacy").text
    assert 'href="/check-in/settings"' in page and 'href="/settings/promoted"' not in page
    assert "see none" in page and 'href="/settings/sessions"' in page


def test_every_page_links_to_them(client: FlaskClient) -> None:
    for path in ("/", "/login", "/signup", "/public", "/nowhere"):
        page = client.get(path).text
        assert all(f'href="{document}"' in page for document in PATHS)


def test_an_operator_writes_them_in_markdown(client: FlaskClient, own_pages: Path) -> None:
    file = own_pages / "en" / "contact.md"
    file.write_text("# Write to us\n\n* [By mail](mailto:us@example.org)\n\n<script>x</script>\n")
    page = client.get("/contact").text
    assert "<h1>Write to us</h1>" in page
    assert '<a href="mailto:us@example.org">By mail</a>' in page
    assert "<script>x" not in page and "&lt;script&gt;x" in page
    chinese = client.get("/contact", headers=CHINESE).text
    assert "<h1>Write to us</h1>" in chinese and '<div class="about" lang="en">' in chinese
    (own_pages / "zh" / "contact.md").write_text("\ufeff# 找我们\n", "utf-8")
    assert "<h1>找我们</h1>" in client.get("/contact", headers=CHINESE).text


def test_a_changed_file_is_read_again(client: FlaskClient, own_pages: Path) -> None:
    file = own_pages / "en" / "terms.md"
    for number in range(2):
        file.write_text(f"# Rules {number}")
        os.utime(file, ns=(number, number))
        assert f"<h1>Rules {number}</h1>" in client.get("/terms").text


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"no title", b"#", b"x" * 300_000])
def test_a_broken_file_breaks_no_page(client: FlaskClient, own_pages: Path, content: bytes) -> None:
    (own_pages / "en" / "privacy.md").write_bytes(content)
    assert client.get("/privacy").status_code == 200


def test_links_that_run_scripts_are_not_made(client: FlaskClient, own_pages: Path) -> None:
    (own_pages / "en" / "about.md").write_text(
        "# A\n\n[x](javascript:alert(1)) ![y](data:text/html,x)"
    )
    page = client.get("/about").text
    assert 'href="javascript' not in page and 'src="data:text/html' not in page
