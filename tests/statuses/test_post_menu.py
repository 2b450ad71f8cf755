"""The menu of a post as a page: bookmarks, and where its form leads back to."""

import re

import pytest
from flask.testing import FlaskClient

from tests.conftest import SignUp
from tests.support.pages import post_status


@pytest.mark.parametrize("login", ["ann", "ben"])
def test_a_post_is_bookmarked_in_its_menu(member: SignUp, login: str) -> None:
    clients = {name: member(name) for name in ("ann", "ben")}
    status_id = post_status(clients["ann"], "a song")
    reader, path = clients[login], f"/@ann/{status_id}/menu"
    for action, label in (("bookmark", "Bookmark"), ("unbookmark", "Remove bookmark")):
        menu = reader.get(path).text
        assert f'formaction="/statuses/{status_id}/{action}"' in menu and label in menu
        response = reader.post(f"/statuses/{status_id}/{action}", data={"next": "/home"})
        assert response.status_code == 303


@pytest.mark.parametrize(
    ("referrer", "expected"),
    [
        ("http://localhost/public?max_id=5", "/public?max_id=5"),
        ("http://localhost/", "/"),
        ("http://elsewhere.example/public", "own page"),
        ("http://localhost.example/public", "own page"),
        ("http://localhost//elsewhere.example/", "own page"),
        ("", "own page"),
    ],
)
def test_a_menu_leads_back_to_the_page_where_it_was_opened(
    ann: FlaskClient, referrer: str, expected: str
) -> None:
    own_page = f"/@ann/{post_status(ann, 'a song')}"
    menu = ann.get(f"{own_page}/menu", headers={"Referer": referrer}).text
    form = menu[menu.index('class="menu-items"') :]
    next_path = re.search(r'name="next" value="([^"]*)"', form)
    assert next_path and next_path[1] == (own_page if expected == "own page" else expected)
