"""Limit the size of a first visit: the page, its styles and its modules, as they are sent."""

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.page_parts import DECODED
from tests.support.pages import join, serving_alone, status_ids

FIRST_VISIT_MAX = 60_000  # bytes of page, styles, modules and fonts together
LETTERS = "abcdefghijklmnopqrstuvwxyzäöü的一是不了在人有我他这中大来上个国说们"
FILES = re.compile(
    r'<(?:link rel="(?:stylesheet|icon|modulepreload|preload)"|script)[^>]* (?:href|src)="([^"]+)"'
)


class Site(NamedTuple):
    """An app, and Ann's browser. She posted much, `newest` last."""

    app: Flask
    ann: FlaskClient
    newest: int


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site that tests only read."""
    with serving_alone(tmp_path_factory.mktemp("weight")) as app:
        ann = join(app, "ann")
        yield Site(app, ann, post_much(ann))


def post_much(ann: FlaskClient) -> int:
    """Fill a member's page with long, unrelated posts. Return the id of the newest."""
    rng = random.Random(1)
    for _ in range(31):
        words = ["".join(rng.choices(LETTERS, k=rng.randint(2, 9))) for _ in range(28)]
        address = f"https://example.org/{rng.randbytes(8).hex()}"
        text = f"@ann {' '.join(words)[:150]} {address} #{words[0]}"
        assert ann.post("/statuses", data={"text": text}).status_code == 303
    return status_ids(ann.get("/home"))[0]


@pytest.mark.parametrize("encoding", ["br", "gzip"])
@pytest.mark.parametrize("path", ["/", "/public", "/@ann", "/@ann/{id}", "/home", "/login"])
def test_a_first_visit_is_small(site: Site, path: str, encoding: str) -> None:
    client = site.ann if path == "/home" else site.app.test_client()
    headers = {"Accept-Encoding": encoding}
    path = path.format(id=site.newest)
    page = client.get(path, headers=headers)
    files = set(FILES.findall(client.get(path).text))
    assert len(files) >= 7
    assert all(file.startswith("/static/") for file in files)
    stylesheet = next(file for file in files if ".css" in file)
    fonts = re.findall(r"@font-face\s*{[^}]*}", client.get(stylesheet).text)
    assert fonts and all("url(" not in font for font in fonts)  # only those of the system
    assert page.headers["Content-Encoding"] == encoding
    sizes = {path: len(page.data)}
    for file in files:
        response = client.get(file, headers=headers)
        assert response.headers["Content-Encoding"] == encoding
        sizes[file] = len(response.data)
    assert sum(sizes.values()) < FIRST_VISIT_MAX, sizes


def test_pages_for_members_are_compressed_and_complete(site: Site) -> None:
    ann = site.ann
    plain = ann.get("/@ann")
    assert "Content-Encoding" not in plain.headers
    for encoding in ("br", "gzip"):
        response = ann.get("/@ann", headers={"Accept-Encoding": encoding})
        assert response.headers["Content-Encoding"] == encoding
        assert int(response.headers["Content-Length"]) == len(response.data) < len(plain.data) / 4
        assert stable_part(DECODED[encoding](response.data).decode()) == stable_part(plain.text)
        assert {"Accept-Encoding", "Cookie"} <= set(response.headers["Vary"].split(", "))


def test_pages_for_visitors_with_a_form_session_are_compressed(site: Site) -> None:
    visitor = site.app.test_client()
    for path in ("/login", "/@ann"):  # after the form, other pages are private too
        plain = visitor.get(path)
        response = visitor.get(path, headers={"Accept-Encoding": "br"})
        assert "private" in response.headers["Cache-Control"]
        assert response.headers["Content-Encoding"] == "br"
        assert stable_part(DECODED["br"](response.data).decode()) == stable_part(plain.text)


def test_short_and_binary_responses_are_not_compressed(site: Site) -> None:
    ann = site.ann
    headers = {"Accept-Encoding": "br, gzip"}
    redirect = ann.get("/", headers=headers)
    weight = ann.post("/statuses/weight", data={"text": "x"}, headers=headers)
    for response in (redirect, weight):
        assert "Content-Encoding" not in response.headers
        assert len(response.data) < 1_000
    assert "Content-Encoding" not in ann.head("/healthz", headers=headers).headers


def stable_part(page: str) -> str:
    """Return a page without what differs each time: some fields, and when it was read."""
    return re.sub(r'name="(csrf_token|key)"[^>]* value="[^"]+"|data-page="\d+-0"', "", page)
