"""Check every page for visitors and members: titles, addresses, redirects and links."""

import re

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.pages import check_error, page_text, post_status, status_ids
from tests.support.world import Web

PUBLIC_PATHS = ("/public", "/@ann", "/@ann/{id}", "/@ann/followers", "/@ann/following")
VISITOR_PATHS = ("/", "/signup", "/login")
MEMBER_PATHS = ("/home", "/statuses/new")


@pytest.mark.parametrize("path", [*PUBLIC_PATHS, *VISITOR_PATHS])
def test_visitors_get_public_pages(web: Web, path: str) -> None:
    status_id = post_status(web.member("ann"), "hello")
    check_page(web.client.get(path.format(id=status_id)))


@pytest.mark.parametrize("path", [*PUBLIC_PATHS, *MEMBER_PATHS])
def test_members_get_public_pages_and_their_own(ann: FlaskClient, path: str) -> None:
    check_page(ann.get(path.format(id=post_status(ann, "hello"))))


@pytest.mark.parametrize("path", VISITOR_PATHS)
def test_members_get_home_instead_of_pages_for_visitors(web: Web, path: str) -> None:
    response = web.member("ann").get(path)
    assert response.status_code == 303
    assert response.location.startswith("/home")


def check_page(response: TestResponse) -> None:
    """Check that a page has a title, one heading, and each id once."""
    assert response.status_code == 200, response.text
    ids = re.findall(r'\sid="([^"]+)"', response.text)
    assert len(ids) == len(set(ids))
    assert len(re.findall("<h1", response.text)) == 1
    assert "· Linnet</title>" in response.text


def test_the_front_page_shows_the_newest_five_or_an_empty_state(web: Web) -> None:
    assert "No posts yet" in page_text(web.client.get("/"))
    ann = web.member("ann")
    ids = [post_status(ann, f"post {number}") for number in range(7)]
    assert status_ids(web.client.get("/")) == ids[:1:-1]


def test_a_login_in_another_case_redirects(web: Web) -> None:
    status_id = post_status(web.member("Ann"), "hello")
    for path in ("/@{}", f"/@{{}}/{status_id}"):
        response = web.client.get(path.format("aNN"))
        assert (response.status_code, response.location) == (301, path.format("Ann"))


def test_a_permalink_under_another_login_is_not_found(web: Web) -> None:
    status_id = post_status(web.member("ann"), "hello")
    web.member("ben")
    for path in (
        f"/@ben/{status_id}",
        f"/@nobody_here/{status_id}",
        f"/@ann/{status_id + 64}",
        "/@ann/0",
        "/@ann/x",
    ):
        check_error(web.client.get(path), 404)


def test_a_link_shows_its_host(ann: FlaskClient) -> None:
    form = {"text": "evil.com/?x=https://bank.com/login and https://linnet.org/a"}
    ann.post("/statuses", data=form)
    page = ann.get("/home").text
    assert ">evil.com/?x=https://bank.com/login<" in page
    assert ">bank.com" not in page and ">linnet.org/a<" in page


def test_a_health_check_keeps_the_session(ann: FlaskClient) -> None:
    for path in ("/healthz", "/readyz"):
        assert "Set-Cookie" not in ann.get(path).headers
    assert ann.get("/home").status_code == 200
