"""How much a first visit weighs: the page, its styles and its modules, as they are really sent."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.core.rendering.test_assets import DECODED
from tests.system.test_pages import shown

MOST = 60_000  # bytes of page, styles, modules and fonts together
LETTERS = "abcdefghijklmnopqrstuvwxyzäöü的一是不了在人有我他这中大来上个国说们"
FILES = re.compile(
    r'<(?:link rel="(?:stylesheet|icon|modulepreload|preload)"|script)[^>]* (?:href|src)="([^"]+)"'
)


@pytest.fixture
def posted(member: Callable[[str], FlaskClient]) -> tuple[FlaskClient, int]:
    """A member whose page is full of long posts that no two have anything in common; the id of the newest."""
    chance = random.Random(1)
    ann = member("ann")
    for _ in range(31):
        words = ["".join(chance.choices(LETTERS, k=chance.randint(2, 9))) for _ in range(28)]
        text = f"@ann {' '.join(words)[:150]} https://example.org/{chance.randbytes(8).hex()} #{words[0]}"
        assert ann.post("/statuses", data={"text": text}).status_code == 303
    return ann, shown(ann.get("/home"))[0]


@pytest.mark.parametrize("encoding", ["br", "gzip"])
@pytest.mark.parametrize("path", ["/", "/public", "/@ann", "/@ann/{id}", "/home", "/login"])
def test_a_first_visit_is_light(
    app: Flask, posted: tuple[FlaskClient, int], path: str, encoding: str
) -> None:
    ann, newest = posted
    client = ann if path == "/home" else app.test_client()
    headers = {"Accept-Encoding": encoding}
    path = path.format(id=newest)
    page, text = client.get(path, headers=headers), client.get(path).text
    files = set(FILES.findall(text))
    assert len(files) >= 7 and all(file.startswith("/static/") for file in files)
    assert "@font-face" not in client.get(next(file for file in files if ".css" in file)).text
    assert page.headers["Content-Encoding"] == encoding
    weights = {path: len(page.data)} | {
        file: len(client.get(file, headers=headers).data) for file in files
    }
    assert sum(weights.values()) < MOST, weights
    assert all(
        client.get(file, headers=headers).headers["Content-Encoding"] == encoding for file in files
    )


def test_a_member_is_sent_pages_compressed_and_all_that_is_in_them(
    posted: tuple[FlaskClient, int],
) -> None:
    ann, _ = posted
    plain = ann.get("/@ann")
    assert "Content-Encoding" not in plain.headers
    for encoding in ("br", "gzip"):
        answer = ann.get("/@ann", headers={"Accept-Encoding": encoding})
        assert answer.headers["Content-Encoding"] == encoding
        assert int(answer.headers["Content-Length"]) == len(answer.data) < len(plain.data) / 4
        assert strip(DECODED[encoding](answer.data).decode()) == strip(plain.text)
        assert {"Accept-Encoding", "Cookie"} <= set(answer.headers["Vary"].split(", "))


def test_a_visitor_with_a_form_waiting_is_sent_pages_compressed_too(
    app: Flask, posted: tuple[FlaskClient, int]
) -> None:
    visitor = app.test_client()
    for path in ("/login", "/@ann"):  # the second has its own page from then on, which is not kept
        plain, answer = visitor.get(path), visitor.get(path, headers={"Accept-Encoding": "br"})
        assert (
            "private" in answer.headers["Cache-Control"]
            and answer.headers["Content-Encoding"] == "br"
        )
        assert strip(DECODED["br"](answer.data).decode()) == strip(plain.text)


def test_what_is_short_or_no_text_is_sent_as_it_is(posted: tuple[FlaskClient, int]) -> None:
    ann, _ = posted
    headers = {"Accept-Encoding": "br, gzip"}
    for answer in (
        ann.get("/", headers=headers),
        ann.post("/statuses/weight", data={"text": "x"}, headers=headers),
    ):
        assert "Content-Encoding" not in answer.headers and len(answer.data) < 1_000
    assert "Content-Encoding" not in ann.head("/healthz", headers=headers).headers


def strip(page: str) -> str:
    """A page without what is new each time."""
    return re.sub(r'name="(csrf_token|key)"[^>]* value="[^"]+"', "", page)
