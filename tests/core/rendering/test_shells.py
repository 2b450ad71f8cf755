"""Homes in cached shells: nothing of one member is on another's page."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import make_app
from webapp.config import Config
from webapp.core.rendering import shells
from webapp.core.rendering.bounded_cache import BoundedCache
from webapp.timelines import views

TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')
PER_REQUEST = re.compile(r'name="(?:csrf_token|key)"[^>]* value="[^"]+"|data-page="[^"]+"')


@pytest.fixture
def secured(settings: Config) -> Flask:
    """Return an app whose forms need CSRF tokens."""
    return make_app(settings, WTF_CSRF_ENABLED=True)


def join(app: Flask, login: str, posts: int = 31) -> FlaskClient:
    """Sign a member up and post more than a page of statuses."""
    client = app.test_client()
    form = {"login": login, "name": f"{login} the bird", "password": "correct horse battery"}
    response = client.post("/signup", data=form | {"csrf_token": token(client, "/signup")})
    assert response.status_code == 303
    for number in range(posts):
        status_form = {
            "text": f"{login} sings {number}",
            "key": f"form-{number:05}",
            "csrf_token": token(client, "/home"),
        }
        assert client.post("/statuses", data=status_form).status_code == 303
    return client


def token(client: FlaskClient, path: str) -> str:
    found = TOKEN.findall(client.get(path).get_data(as_text=True))
    assert found and len(set(found)) == 1
    return str(found[0])


def cached_shells(app: Flask) -> BoundedCache[shells.Shell]:
    cache: BoundedCache[shells.Shell] = app.extensions["linnet.shells"]
    return cache


def home(client: FlaskClient, **headers: str) -> str:
    response = client.get("/home", headers=headers)
    assert response.status_code == 200
    return response.get_data(as_text=True)


def test_a_home_in_a_shell_equals_a_fully_rendered_one(
    secured: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = join(secured, "ann")
    for headers in ({}, {"Accept-Language": "zh"}):
        in_shell = [home(ann, **headers) for _ in range(2)]
        with monkeypatch.context() as patch:
            patch.setattr(views, "can_use_shell", lambda: False)
            fully_rendered = home(ann, **headers)
        found = {PER_REQUEST.sub("", page) for page in in_shell}
        assert found == {PER_REQUEST.sub("", fully_rendered)}
        assert shells.MARK not in in_shell[0] + in_shell[1] and len(cached_shells(secured)) > 0
    assert len(cached_shells(secured)) == 2


def test_no_page_shows_anything_of_another_member(secured: Flask) -> None:
    ann, ben = join(secured, "ann"), join(secured, "ben")
    pages = {client: home(client) for client in (ann, ben, ann)}
    stripped = {
        client: page.replace("number", "").replace("cannot", "") for client, page in pages.items()
    }
    assert "ben" not in stripped[ann] and "ann" not in stripped[ben]
    assert len(cached_shells(secured)) == 1
    tokens = {client: TOKEN.findall(page)[0] for client, page in pages.items()}
    for client, other in ((ann, ben), (ben, ann)):
        form = {"text": "whose token is this?", "key": "form-token", "csrf_token": tokens[other]}
        assert client.post("/statuses", data=form).status_code == 400
        response = client.post("/statuses", data=form | {"csrf_token": tokens[client]})
        assert response.status_code == 303


def test_each_page_has_its_own_idempotency_key(secured: Flask) -> None:
    ann = join(secured, "ann")
    keys = [re.findall(r'name="key"[^>]* value="([^"]+)"', home(ann)) for _ in range(2)]
    assert [len(page_keys) for page_keys in keys] == [1, 1] and keys[0] != keys[1]


def test_changes_show_immediately(secured: Flask) -> None:
    ann = join(secured, "ann")
    home(ann)
    form = {"name": "Queen Ann", "csrf_token": token(ann, "/settings/profile")}
    assert ann.post("/settings/profile", data=form).status_code == 303
    page = home(ann)
    assert "Queen Ann" in page and "ann the bird" not in page
    status_form = {"text": "newest of all", "key": "form-newest", "csrf_token": token(ann, "/home")}
    assert ann.post("/statuses", data=status_form).status_code == 303
    assert "newest of all" in home(ann)


def test_a_notice_is_shown_once_and_to_one_member(secured: Flask) -> None:
    ann, ben = join(secured, "ann"), join(secured, "ben")
    home(ann), home(ben)
    status_id = re.findall(r'id="status-(\d+)"', home(ann))[0]
    form = {"csrf_token": token(ann, "/home"), "next": "/home"}
    response = ann.post(f"/statuses/{status_id}/delete", data=form)
    assert response.location.endswith("/home")
    assert "Post deleted." not in home(ben)
    assert "Post deleted." in home(ann)
    assert "Post deleted." not in home(ann)


def test_the_first_page_links_to_the_next(secured: Flask) -> None:
    ann = join(secured, "ann")
    first = home(ann)
    [older] = re.findall(r'rel="next" href="([^"]+)"', first)
    assert "ann sings 1<" in first and "ann sings 0<" not in first
    assert "ann sings 0<" in ann.get(older).get_data(as_text=True)


def test_an_invalid_cursor_is_refused_on_the_members_own_page(secured: Flask) -> None:
    ann = join(secured, "ann", posts=1)
    response = ann.get("/home?max_id=x")
    assert response.status_code == 422 and "@ann" in response.get_data(as_text=True)
