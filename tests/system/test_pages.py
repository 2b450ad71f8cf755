"""Check every page for visitors and members: titles, addresses, redirects and links."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import SignUp
from tests.support.pages import check_error, page_text, post_status, status_ids

PUBLIC_PATHS = ("/public", "/@ann", "/@ann/{id}", "/@ann/followers", "/@ann/following")
VISITOR_PATHS = ("/", "/signup", "/login")
MEMBER_PATHS = ("/home", "/statuses/new")


@pytest.mark.parametrize("path", [*PUBLIC_PATHS, *VISITOR_PATHS])
def test_visitors_get_public_pages(client: FlaskClient, member: SignUp, path: str) -> None:
    status_id = post_status(member("ann"), "hello")
    check_page(client.get(path.format(id=status_id)))


@pytest.mark.parametrize("path", MEMBER_PATHS)
def test_visitors_get_the_login_form_for_pages_of_members(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 303
    assert response.location.startswith("/login?next=")


@pytest.mark.parametrize("path", [*PUBLIC_PATHS, *MEMBER_PATHS])
def test_members_get_public_pages_and_their_own(member: SignUp, path: str) -> None:
    ann = member("ann")
    check_page(ann.get(path.format(id=post_status(ann, "hello"))))


@pytest.mark.parametrize("path", VISITOR_PATHS)
def test_members_get_home_instead_of_pages_for_visitors(member: SignUp, path: str) -> None:
    response = member("ann").get(path)
    assert response.status_code == 303
    assert response.location.startswith("/home")


def check_page(response: TestResponse) -> None:
    """Check that a page has a title, one heading, and each id once."""
    assert response.status_code == 200, response.text
    ids = re.findall(r'\sid="([^"]+)"', response.text)
    assert len(ids) == len(set(ids))
    assert len(re.findall("<h1", response.text)) == 1
    assert "· Linnet</title>" in response.text


def test_the_front_page_shows_the_newest_five_or_an_empty_state(
    client: FlaskClient, member: SignUp
) -> None:
    assert "No posts yet" in page_text(client.get("/"))
    ann = member("ann")
    ids = [post_status(ann, f"post {number}") for number in range(7)]
    assert status_ids(client.get("/")) == ids[:1:-1]


def test_a_login_in_another_case_redirects(client: FlaskClient, member: SignUp) -> None:
    status_id = post_status(member("Ann"), "hello")
    for path in ("/@{}", f"/@{{}}/{status_id}"):
        response = client.get(path.format("aNN"))
        assert (response.status_code, response.location) == (301, path.format("Ann"))


def test_a_permalink_under_another_login_is_not_found(client: FlaskClient, member: SignUp) -> None:
    status_id = post_status(member("ann"), "hello")
    member("ben")
    for path in (
        f"/@ben/{status_id}",
        f"/@nobody_here/{status_id}",
        f"/@ann/{status_id + 64}",
        "/@ann/0",
        "/@ann/x",
    ):
        check_error(client.get(path), 404)


def test_a_link_shows_its_host(member: SignUp) -> None:
    ann = member("ann")
    ann.post(
        "/statuses", data={"text": "evil.com/?x=https://bank.com/login and https://linnet.org/a"}
    )
    page = ann.get("/home").text
    assert ">evil.com/?x=https://bank.com/login<" in page
    assert ">bank.com" not in page and ">linnet.org/a<" in page


def test_a_health_check_keeps_the_session(member: SignUp) -> None:
    ann = member("ann")
    for path in ("/healthz", "/readyz"):
        assert "Set-Cookie" not in ann.get(path).headers
    assert ann.get("/home").status_code == 200
