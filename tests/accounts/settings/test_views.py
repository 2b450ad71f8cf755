"""The pages of a member's settings."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image

from tests.conftest import PASSWORD, make_app
from webapp.config import Config, Rate

NEW = "another battery staple"
PAGES = [
    "/settings/profile",
    "/settings/password",
    "/settings/sessions",
    "/settings/tokens",
    "/settings/delete",
]
Join = Callable[[str], FlaskClient]


def picture(size: tuple[int, int] = (300, 200), kind: str = "PNG") -> io.BytesIO:
    """Return a picture as a file."""
    data = io.BytesIO()
    Image.new("RGB", size, "#b45").save(data, kind)
    data.seek(0)
    return data


def profile(client: FlaskClient, **fields: object) -> Any:
    """Send the profile form."""
    return client.post(
        "/settings/profile", data={"name": "Ann", **fields}, content_type="multipart/form-data"
    )


@pytest.mark.parametrize("path", PAGES)
def test_a_visitor_is_asked_to_sign_in(path: str, client: FlaskClient) -> None:
    answer = client.get(path)
    assert answer.status_code == 303 and answer.location.startswith("/login")
    assert client.post(path).status_code in (303, 405)


@pytest.mark.parametrize("path", PAGES)
def test_settings_are_never_found_by_search_engines(path: str, member: Join) -> None:
    page = member("ann").get(path)
    assert page.status_code == 200 and '<meta name="robots" content="noindex">' in page.text


def test_what_a_member_says_shows_on_their_profile(member: Join, client: FlaskClient) -> None:
    ann = member("ann")
    answer = profile(
        ann,
        name="Wren",
        bio="I sing.\r\nSee https://example.org #song",
        location="Reeds",
        website="example.org",
    )
    assert answer.status_code == 303
    page = client.get("/@ann").text
    for part in ("Wren", "I sing.\n", 'href="https://example.org"', "#song", "Reeds"):
        assert part in page, part
    form = ann.get("/settings/profile").text
    assert 'value="https://example.org"' in form and "I sing." in form


def test_a_picture_shows_and_goes(member: Join, client: FlaskClient) -> None:
    ann = member("ann")
    assert (
        profile(
            ann, avatar=(picture(), "me.png"), header=(picture(kind="JPEG"), "sky.jpg")
        ).status_code
        == 303
    )
    shown = re.findall(r'src="(/media/[^"]+)"', client.get("/@ann").text)
    assert len(shown) == 2
    for path in shown:
        answer = client.get(path)
        assert answer.status_code == 200 and answer.content_type == "image/webp"
    profile(ann, bio="the pictures stay")
    assert client.get("/@ann").text.count("/media/") == 2
    profile(ann, remove_avatar="y", remove_header="y")
    assert "/media/" not in client.get("/@ann").text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "Enter a name."),
        ({"name": "x" * 51}, "at most 50 characters"),
        ({"name": "\u200b\u202e"}, "Enter a name."),
        ({"bio": "x" * 161}, "the limit is 160"),
        ({"location": "x" * 31}, "the limit is 30"),
        ({"website": "javascript:alert(1)"}, "not the address of a website"),
        ({"website": "https://user@example.org"}, "not the address of a website"),
        ({"website": "https://exa mple.org"}, "not the address of a website"),
        ({"website": "https://example.org:port"}, "not the address of a website"),
        ({"website": "https://[::1"}, "not the address of a website"),
        ({"website": "ftp://example.org"}, "not the address of a website"),
        ({"website": "localhost"}, "not the address of a website"),
        ({"website": "https://example.org/" + "x" * 100}, "the limit is 100"),
    ],
)
def test_what_cannot_be_said_comes_back_with_the_reason(
    fields: dict[str, str], sentence: str, member: Join, client: FlaskClient
) -> None:
    ann = member("ann")
    answer = profile(ann, **{"bio": "as it was typed", **fields})
    assert answer.status_code == 422 and sentence in answer.text
    assert "bio" in fields or "as it was typed" in answer.text
    assert "as it was typed" not in client.get("/@ann").text


def test_a_file_that_is_no_picture_is_refused_and_nothing_is_saved(
    member: Join, client: FlaskClient
) -> None:
    ann = member("ann")
    answer = profile(ann, name="Wren", avatar=(io.BytesIO(b"<svg onload=alert(1)>"), "me.png"))
    assert answer.status_code == 422 and 'id="avatar-error"' in answer.text
    assert "Wren" not in client.get("/@ann").text


def test_a_text_field_takes_no_file_and_a_file_field_no_text(member: Join) -> None:
    ann = member("ann")
    assert profile(ann, bio=(picture(), "bio.png")).status_code == 303
    assert profile(ann, avatar="not a file").status_code == 303
    answer = ann.post(
        "/statuses", data={"text": (picture(), "text.png")}, content_type="multipart/form-data"
    )
    assert answer.status_code == 422


def test_changing_the_password_signs_the_others_out(app: Flask, member: Join) -> None:
    ann, other = member("ann"), app.test_client()
    other.post("/login", data={"login": "ann", "password": PASSWORD})
    wrong = ann.post("/settings/password", data={"old": "wrong", "new": NEW})
    assert wrong.status_code == 422 and "That’s not your password." in wrong.text
    weak = ann.post("/settings/password", data={"old": PASSWORD, "new": "short"})
    assert weak.status_code == 422 and "at least 8 characters" in weak.text
    assert other.get("/home").status_code == 200
    done = ann.post("/settings/password", data={"old": PASSWORD, "new": NEW}, follow_redirects=True)
    assert "Password changed." in done.text and "1 other device is signed out." in done.text
    assert ann.get("/home").status_code == 200
    assert other.get("/home").status_code == 303
    assert other.post("/login", data={"login": "ann", "password": PASSWORD}).status_code == 422
    assert other.post("/login", data={"login": "ann", "password": NEW}).status_code == 303


def test_devices_are_listed_and_signed_out(app: Flask, member: Join) -> None:
    ann = member("ann")
    agents = [
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 "
        "(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
        "<script>alert(1)</script>",
    ]
    others = [app.test_client() for _ in agents]
    for other, agent in zip(others, agents, strict=True):
        headers = {"User-Agent": agent}
        other.post("/login", data={"login": "ann", "password": PASSWORD}, headers=headers)
    page = ann.get("/settings/sessions").text
    for shown in ("Firefox on Linux", "Mobile Safari on iOS", "127.0.0.1", "This device"):
        assert shown in page, shown
    assert "alert(1)" not in page
    ends = re.findall(r'action="(/settings/sessions/[0-9a-f]{64}/end)"', page)
    assert len(ends) == 3
    stranger = member("ben")
    stranger.post(ends[0])
    assert sum(other.get("/home").status_code == 200 for other in others) == 3
    ann.post(ends[0])
    assert sum(other.get("/home").status_code == 200 for other in others) == 2
    assert (
        "2 other devices are signed out."
        in ann.post("/settings/sessions/end", follow_redirects=True).text
    )
    assert sum(other.get("/home").status_code == 200 for other in others) == 0
    assert ann.get("/home").status_code == 200


def test_ending_ones_own_session_by_its_name_does_nothing(member: Join) -> None:
    from webapp.accounts.sessions.cookie_value import sha_of

    ann = member("ann")
    cookie = ann.get_cookie("linnet")
    assert cookie
    ann.post(f"/settings/sessions/{sha_of(cookie.value)}/end")
    assert ann.get("/home").status_code == 200


def test_a_token_is_shown_once_and_revoked(member: Join) -> None:
    ann = member("ann")
    made = ann.post("/settings/tokens", data={"name": "My script"})
    token = re.search(r"<code>(linnet_1_[\w-]+)</code>", made.text)
    assert made.status_code == 201 and token
    page = ann.get("/settings/tokens").text
    assert "My script" in page and "never used" in page and token[1] not in page
    revoke = re.search(r'action="(/settings/tokens/[0-9a-f]{64}/revoke)"', page)
    assert revoke
    member("ben").post(revoke[1])
    assert "My script" in ann.get("/settings/tokens").text
    assert "Token revoked." in ann.post(revoke[1], follow_redirects=True).text
    assert "You have no tokens." in ann.get("/settings/tokens").text


@pytest.mark.parametrize("name", ["", " ", "\u200b", "x" * 51])
def test_a_token_needs_a_name(name: str, member: Join) -> None:
    answer = member("ann").post("/settings/tokens", data={"name": name})
    assert answer.status_code == 422 and 'id="name-error"' in answer.text


def test_deleting_the_account_takes_the_password(member: Join, client: FlaskClient) -> None:
    ann = member("ann")
    ann.post("/statuses", data={"text": "soon gone"})
    refused = ann.post("/settings/delete", data={"password": "wrong"})
    assert refused.status_code == 422 and "That’s not your password." in refused.text
    assert client.get("/@ann").status_code == 200
    done = ann.post("/settings/delete", data={"password": PASSWORD}, follow_redirects=True)
    assert "Your account was deleted." in done.text
    assert ann.get("/home").status_code == 303
    assert client.get("/@ann").status_code == 404
    assert "soon gone" not in client.get("/public").text
    taken = client.post("/signup", data={"login": "Ann", "name": "Ann", "password": PASSWORD})
    assert taken.status_code == 409 and "taken" in taken.text


def test_a_password_is_asked_for_so_often_and_strangers_do_not_count(settings: Config) -> None:
    app = make_app(replace(settings, limit_signin_account=Rate(3, 600)))
    ann, stranger = app.test_client(), app.test_client()
    ann.post("/signup", data={"login": "ann", "name": "Ann", "password": PASSWORD})
    for _ in range(4):
        stranger.post("/login", data={"login": "ann", "password": "wrong password"})
    wrong = {"old": "wrong", "new": NEW}
    statuses = [ann.post("/settings/password", data=wrong).status_code for _ in range(4)]
    assert statuses == [422, 422, 422, 429]
    assert ann.post("/settings/delete", data={"password": PASSWORD}).status_code == 429
