"""Homes in shells that are the same for all: nothing of one reader is on another's page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import make_app
from webapp.config import Config
from webapp.core.rendering import shells
from webapp.core.rendering.bounded_cache import BoundedCache
from webapp.timelines import views

Member = Callable[[str], FlaskClient]
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')
NEW = re.compile(r'name="(?:csrf_token|key)"[^>]* value="[^"]+"|data-page="[^"]+"')


@pytest.fixture
def secured(settings: Config) -> Flask:
    """An app whose forms need their tokens."""
    return make_app(settings, WTF_CSRF_ENABLED=True)


def join(app: Flask, login: str, posts: int = 31) -> FlaskClient:
    """A member whose home has more than a page."""
    client = app.test_client()
    form = {"login": login, "name": f"{login} the bird", "password": "correct horse battery"}
    assert (
        client.post("/signup", data=form | {"csrf_token": token(client, "/signup")}).status_code
        == 303
    )
    for number in range(posts):
        said = {
            "text": f"{login} sings {number}",
            "key": f"form-{number:05}",
            "csrf_token": token(client, "/home"),
        }
        assert client.post("/statuses", data=said).status_code == 303
    return client


def token(client: FlaskClient, path: str) -> str:
    found = TOKEN.findall(client.get(path).get_data(as_text=True))
    assert found and len(set(found)) == 1
    return str(found[0])


def kept(app: Flask) -> BoundedCache[shells.Shell]:
    found: BoundedCache[shells.Shell] = app.extensions["linnet.shells"]
    return found


def home(client: FlaskClient, **headers: str) -> str:
    answer = client.get("/home", headers=headers)
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


def test_a_framed_home_is_the_one_that_is_rendered_whole(
    secured: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = join(secured, "ann")
    for headers in ({}, {"Accept-Language": "zh"}):
        framed = [home(ann, **headers) for _ in range(2)]
        with monkeypatch.context() as patch:
            patch.setattr(views, "can_use_shell", lambda: False)
            whole = home(ann, **headers)
        assert {NEW.sub("", page) for page in framed} == {NEW.sub("", whole)}
        assert shells.MARK not in framed[0] + framed[1] and len(kept(secured)) > 0
    assert len(kept(secured)) == 2


def test_nothing_of_one_reader_is_in_the_page_of_another(secured: Flask) -> None:
    ann, ben = join(secured, "ann"), join(secured, "ben")
    pages = {client: home(client) for client in (ann, ben, ann)}
    bare = {
        client: page.replace("number", "").replace("cannot", "") for client, page in pages.items()
    }
    assert "ben" not in bare[ann] and "ann" not in bare[ben]
    assert len(kept(secured)) == 1
    tokens = {client: TOKEN.findall(page)[0] for client, page in pages.items()}
    for client, other in ((ann, ben), (ben, ann)):
        said = {"text": "whose token is this?", "key": "form-token", "csrf_token": tokens[other]}
        assert client.post("/statuses", data=said).status_code == 400
        assert (
            client.post("/statuses", data=said | {"csrf_token": tokens[client]}).status_code == 303
        )


def test_each_page_has_a_key_of_its_own(secured: Flask) -> None:
    ann = join(secured, "ann")
    keys = [re.findall(r'name="key"[^>]* value="([^"]+)"', home(ann)) for _ in range(2)]
    assert [len(found) for found in keys] == [1, 1] and keys[0] != keys[1]


def test_what_changes_shows_at_once(secured: Flask) -> None:
    ann = join(secured, "ann")
    home(ann)
    form = {"name": "Queen Ann", "csrf_token": token(ann, "/settings/profile")}
    assert ann.post("/settings/profile", data=form).status_code == 303
    page = home(ann)
    assert "Queen Ann" in page and "ann the bird" not in page
    said = {"text": "newest of all", "key": "form-newest", "csrf_token": token(ann, "/home")}
    assert ann.post("/statuses", data=said).status_code == 303
    assert "newest of all" in home(ann)


def test_a_notice_is_shown_once_and_to_one_reader(secured: Flask) -> None:
    ann, ben = join(secured, "ann"), join(secured, "ben")
    home(ann), home(ben)
    number = re.findall(r'id="status-(\d+)"', home(ann))[0]
    form = {"csrf_token": token(ann, "/home"), "next": "/home"}
    assert ann.post(f"/statuses/{number}/delete", data=form).headers["Location"].endswith("/home")
    assert "Post deleted." not in home(ben)
    assert "Post deleted." in home(ann)
    assert "Post deleted." not in home(ann)


def test_the_page_after_the_newest_is_reached_from_it(secured: Flask) -> None:
    ann = join(secured, "ann")
    first = home(ann)
    [older] = re.findall(r'rel="next" href="([^"]+)"', first)
    assert "ann sings 1<" in first and "ann sings 0<" not in first
    assert "ann sings 0<" in ann.get(older).get_data(as_text=True)


def test_a_cursor_that_is_none_is_refused_in_the_members_own_page(secured: Flask) -> None:
    ann = join(secured, "ann", posts=1)
    answer = ann.get("/home?max_id=x")
    assert answer.status_code == 422 and "@ann" in answer.get_data(as_text=True)
