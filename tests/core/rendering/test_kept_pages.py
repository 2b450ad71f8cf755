"""Kept pages: sent again while nothing in them changes.

In all tests, each page that is sent again is compared with a new one (tests/support/kept_pages.py).
"""

import re
import time
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

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
    "/notifications /bookmarks /settings"
).split()
END_LIMIT = 500  # bytes that are sent as they are


@pytest.fixture
def ann(web: Web) -> FlaskClient:
    """A member with a post and a list, and with a reader."""
    ann = web.member("ann")
    post_status(ann, "a song of the #reeds")
    assert ann.post("/lists", data={"name": "singers"}).status_code == 303
    ann.get("/settings")  # shows the notice, and gives the browser its form token
    return ann


@pytest.fixture
def ben(web: Web, ann: FlaskClient) -> FlaskClient:
    """A member who follows ann."""
    ben = web.member("ben")
    assert ben.post("/@ann/follow").status_code == 303
    ben.get("/settings")
    return ben


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


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_sent_again_while_nothing_changes(web: Web, ann: FlaskClient, path: str) -> None:
    page = opened(web.app, ann, path)
    assert opened(web.app, ann, path) is page
    assert sum(map(len, page.end)) < END_LIMIT


def test_what_is_new_at_each_load_is_new(web: Web, ann: FlaskClient) -> None:
    permalink = f"/@ann/{status_ids(ann.get('/@ann'))[0]}"
    for path in ("/home", permalink):
        page = opened(web.app, ann, path)
        keys = [KEY.findall(ann.get(path).text) for _ in range(3)]
        assert kept(web.app, path) == [page]
        assert [len(found) for found in keys] == [1, 1, 1] and len(set(map(tuple, keys))) == 3


ACTS: dict[str, Callable[[FlaskClient, FlaskClient, int], object]] = {
    "a post": lambda ann, ben, status: post_status(ann, "another song"),
    "an edit": lambda ann, ben, status: ann.post(f"/@ann/{status}/edit", data={"text": "hush"}),
    "a like of another": lambda ann, ben, status: ann.post(f"/statuses/{status}/like"),
    "a like": lambda ann, ben, status: ben.post(f"/statuses/{status}/like"),
    "a bookmark": lambda ann, ben, status: ben.post(f"/statuses/{status}/bookmark"),
    "a reply": lambda ann, ben, status: post_status(ann, "@ben hush", reply=str(status)),
    "a name": lambda ann, ben, status: ann.post("/settings/profile", data={"name": "Anna"}),
    "a filter": lambda ann, ben, status: ben.post(
        "/settings/filters", data=FORM | {"words": "song"}
    ),
    "a block": lambda ann, ben, status: ann.post("/@ben/block"),
    "a deletion": lambda ann, ben, status: ann.post(f"/statuses/{status}/delete"),
    "a theme": lambda ann, ben, status: ben.set_cookie("linnet_theme", "dark"),
    "hidden numbers": lambda ann, ben, status: ben.set_cookie("linnet_counts", "off"),
    "a language": lambda ann, ben, status: ben.set_cookie("linnet_lang", "zh"),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_page_changes_with_what_it_shows(
    web: Web, ann: FlaskClient, ben: FlaskClient, act: str
) -> None:
    [status] = status_ids(ann.get("/@ann"))
    page = opened(web.app, ben, "/home")
    ACTS[act](ann, ben, status)
    ben.get("/home")  # shows the notice of the act
    assert ben.get("/home").status_code == 200
    assert [one for one in kept(web.app, "/home") if one is not page]


def test_unknown_addresses_share_a_page(web: Web, ann: FlaskClient) -> None:
    assert ann.get("/nowhere").status_code == 404
    [page] = kept(web.app, "")
    response = ann.get("/elsewhere?page=2")
    assert response.status_code == 404 and response.headers["Cache-Control"] == "no-store"
    assert kept(web.app, "")[0] is page
    assert ann.get("/@ann/1").status_code == 404
    assert len(kept(web.app, "/@ann/1")) == 1


def test_sessions_have_their_own_pages(web: Web, ann: FlaskClient, ben: FlaskClient) -> None:
    for client in (ann, ben, web.app.test_client()):
        client.get("/@ann")
    assert len(kept(web.app, "/@ann")) == 2  # a visitor's page is left to the page cache


def test_a_page_that_time_changes_is_not_kept(web: Web, ann: FlaskClient, ben: FlaskClient) -> None:
    form = FORM | {"words": "hush", "expires_in": next(iter(DURATIONS))}
    assert ben.post("/settings/filters", data=form).status_code == 303
    ben.get("/@ann")
    post_status(ann, "who sings?", option1="lark", option2="wren", poll_minutes="60")
    ann.get("/@ann")
    assert kept(web.app, "/@ann") == []


@pytest.mark.parametrize(("duration", "is_kept"), [("hour", False), ("always", True)])
def test_a_profile_with_the_time_left_of_a_mute_is_not_kept(
    web: Web, ben: FlaskClient, duration: str, is_kept: bool
) -> None:
    assert ben.post("/@ann/mute", data={"time": duration}).status_code == 303
    assert "Muted" in [ben.get("/@ann").text for _ in "12"][1]
    assert bool(kept(web.app, "/@ann")) == is_kept


def test_a_page_is_made_again_in_the_next_hour(
    web: Web, ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(web.app, ann, "/home")
    later = time.time() + 3_600
    monkeypatch.setattr("webapp.core.rendering.kept_pages.time.time", lambda: later)
    assert opened(web.app, ann, "/home") is not page


def test_a_notice_is_shown_once(web: Web, ann: FlaskClient) -> None:
    [status] = status_ids(ann.get("/@ann"))
    page = opened(web.app, ann, "/@ann")
    ann.post(f"/statuses/{status}/delete")
    assert "Post deleted." in ann.get("/@ann").text
    assert "Post deleted." not in ann.get("/@ann").text
    assert kept(web.app, "/@ann")[0] is not page
