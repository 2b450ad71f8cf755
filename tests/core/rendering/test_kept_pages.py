"""Kept pages: sent again while nothing in them changes.

In all tests, each page that is sent again is compared with a new one (tests/support/kept_pages.py).
"""

import re
import time
from functools import partial

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given, strategies as st

from tests.core.rendering.acts import ACTS
from tests.support.kept_pages import decompressed
from tests.support.pages import post_status, status_ids
from tests.support.statuses.filters import FORM
from tests.support.world import Web
from webapp.core.rendering.bounded_cache import BoundedCache
from webapp.core.rendering.compression import ENCODINGS, END_MAX, compress_start
from webapp.core.rendering.kept_pages import KeptPage
from webapp.statuses.filters.forms import DURATIONS

KEY = re.compile(r'name="key"[^>]* value="([^"]+)"')
PATHS = (
    "/home /public /explore?lang=all /@ann /@ann/replies /@ann/media /@ann/lists/1 /tags/reeds "
    "/notifications /bookmarks /settings /statuses/new /chats /@ann/followers /groups "
    "/explore/people /explore/tags /explore/links /explore/groups"
).split()
END_LIMIT = 500  # bytes that are sent as they are


def kept(app: Flask, path: str) -> list[KeptPage]:
    """Return the kept pages of a path."""
    cache: BoundedCache[KeptPage] = app.extensions["linnet.kept_pages"]
    entries = (cache._old | cache._young).items()
    return [page for key, page in entries if key.path.rstrip("?") == path]  # type: ignore[attr-defined]


def opened(app: Flask, client: FlaskClient, path: str) -> KeptPage:
    """Open a page of the only member who has opened it. Return what is kept of it."""
    assert client.get(path).status_code == 200
    [page] = kept(app, path)
    return page


@given(st.binary(max_size=3_000), st.binary(max_size=300), st.sampled_from([*ENCODINGS, ""]))
def test_a_compressed_start_takes_any_end(start: bytes, end: bytes, encoding: str) -> None:
    compressed = compress_start(start, encoding)
    assert decompressed(compressed, end) == start + end
    assert decompressed(compressed, end + end) == start + end + end


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_longest_end_fits(encoding: str) -> None:
    end = bytes(range(256)) * 256
    compressed = compress_start(b"a song", encoding)
    assert decompressed(compressed, end[:END_MAX]) == b"a song" + end[:END_MAX]


def test_a_page_is_sent_again_while_nothing_changes(web: Web, author: FlaskClient) -> None:
    for path in PATHS:
        page = opened(web.app, author, path)
        assert opened(web.app, author, path) is page, path
        assert sum(map(len, page.end)) < END_LIMIT, path


def test_what_is_new_at_each_load_is_new(
    web: Web, author: FlaskClient, reader: FlaskClient
) -> None:
    permalink = f"/@ann/{status_ids(author.get('/@ann'))[0]}"
    author.post("/chats/1-2/messages", data={"text": "hello"})
    for path in ("/home", permalink, "/statuses/new", "/chats/1-2"):
        page = opened(web.app, author, path)
        keys = [KEY.findall(author.get(path).text) for _ in range(3)]
        assert kept(web.app, path) == [page]
        assert [len(found) for found in keys] == [1, 1, 1] and len(set(map(tuple, keys))) == 3


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS)
def test_a_page_changes_with_what_it_shows(
    web: Web, author: FlaskClient, reader: FlaskClient, act: str
) -> None:
    [status] = status_ids(author.get("/@ann"))
    page = opened(web.app, reader, "/home")
    ACTS[act](author, reader, status)
    reader.get("/home")  # shows the notice of the act
    assert reader.get("/home").status_code == 200
    assert [one for one in kept(web.app, "/home") if one is not page]


def test_unknown_addresses_share_a_page(web: Web, author: FlaskClient) -> None:
    assert author.get("/nowhere").status_code == 404
    [page] = kept(web.app, "")
    response = author.get("/elsewhere?page=2")
    assert response.status_code == 404 and response.headers["Cache-Control"] == "no-store"
    assert kept(web.app, "")[0] is page
    assert author.get("/@ann/1").status_code == 404
    assert len(kept(web.app, "/@ann/1")) == 1


def test_sessions_have_their_own_pages(web: Web, author: FlaskClient, reader: FlaskClient) -> None:
    for client in (author, reader, web.app.test_client()):
        client.get("/@ann")
    assert len(kept(web.app, "/@ann")) == 2  # a visitor's page is left to the page cache


def test_a_page_is_kept_until_the_time_left_of_a_poll_reads_differently(
    web: Web, author: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    post_status(author, "who sings?", option1="lark", option2="wren", poll_minutes="60")
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now)
    page = opened(web.app, author, "/@ann")
    assert opened(web.app, author, "/@ann") is page
    monkeypatch.setattr("time.time", lambda: page.changes_at + 1)
    assert "59 minutes left" in author.get("/@ann").text


def test_a_page_is_kept_until_a_filter_ends(
    web: Web, reader: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = FORM | {"words": "reeds", "filter_action": "hide", "expires_in": next(iter(DURATIONS))}
    assert reader.post("/settings/filters", data=form).status_code == 303
    reader.get("/@ann")  # shows the notice
    page = opened(web.app, reader, "/@ann")
    assert opened(web.app, reader, "/@ann") is page
    for now, count in ((page.changes_at - 1, 0), (page.changes_at, 1)):
        monkeypatch.setattr("time.time", partial(float, now))
        assert len(status_ids(reader.get("/@ann"))) == count


@pytest.mark.parametrize(("duration", "is_kept"), [("hour", False), ("always", True)])
def test_a_profile_with_the_time_left_of_a_mute_is_not_kept(
    web: Web, reader: FlaskClient, duration: str, is_kept: bool
) -> None:
    assert reader.post("/@ann/mute", data={"time": duration}).status_code == 303
    assert "Muted" in [reader.get("/@ann").text for _ in "12"][1]
    assert bool(kept(web.app, "/@ann")) == is_kept


def test_a_page_is_made_again_in_the_next_hour(
    web: Web, author: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(web.app, author, "/home")
    later = time.time() + 3_600
    monkeypatch.setattr("webapp.core.rendering.kept_pages.time.time", lambda: later)
    assert opened(web.app, author, "/home") is not page
