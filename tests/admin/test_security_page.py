"""/admin/security: who sees it, and what it shows of all kinds of acts."""

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.pages import page_text
from tests.support.second_step import set_up
from tests.support.world import Web
from webapp.core.store import Db


def test_an_admin_sees_it(admin: FlaskClient) -> None:
    page = admin.get("/admin/security")
    assert page.status_code == 200 and page.headers["Cache-Control"] == "no-store"
    assert 'href="/admin/security"' in admin.get("/admin").text


def test_it_shows_what_happened_by_kind_and_by_member(web: Web, admin: FlaskClient) -> None:
    ann = web.member("ann")
    web.member("ben")
    set_up(ann)
    ann.post("/settings/tokens", data={"name": "script"})
    stranger = web.app.test_client()
    for login, password in (("ann", "wrong password"), ("letmein-7", "wrong password")):
        stranger.post("/login", data={"login": login, "password": password})
    admin.post("/moderation/@ben", data={"act": "limit", "why": "spam"})
    admin.post("/moderation/@ben/1")
    admin.post("/moderation/@ben", data={"act": "promote", "why": "trusted"})

    everything = page_text(admin.get("/admin/security"))
    for words in (
        "Created an access token",
        "Moderation: Limit",
        "Taken back: Limit",
        "Make moderator",
        "Got the right: Admin",
        "by @ada",
    ):
        assert words in everything, words
    assert "Turned on two-step login" in everything and "127.0.0.0/24" in everything
    assert "letmein-7" not in everything and "no such member" in everything
    for kind, shown, hidden in (
        ("failed", "Failed to log in", "Created an access token"),
        ("tokens", "Created an access token", "Failed to log in"),
        ("roles", "Make moderator", "Limit "),
        ("moderation", "Taken back: Limit", "Make moderator"),
    ):
        text = page_text(admin.get(f"/admin/security?kind={kind}"))
        text = text.partition("All Failed log-ins")[2]
        assert shown in text and hidden not in text, kind
    bens = admin.get("/admin/security?login=@ben").text
    assert "Created an access token" not in bens and "by" in bens
    assert "Nothing to show." in admin.get("/admin/security?login=nobody").text


@pytest.mark.parametrize(
    "query",
    ["kind=x", "login=%00", "login=" + "x" * 900, "max_id=5", "kind=failed&login=@", "login=é"],
)
def test_odd_questions_get_a_page(admin: FlaskClient, query: str) -> None:
    assert admin.get(f"/admin/security?{query}").status_code == 200


def test_a_cursor_that_is_no_number_is_refused(admin: FlaskClient) -> None:
    assert admin.get("/admin/security?max_id=x").status_code == 422


def test_a_password_is_in_no_part_of_the_log(web: Web, admin: FlaskClient, db: Db) -> None:
    web.app.test_client().post("/login", data={"login": "ada", "password": PASSWORD + "x"})
    assert PASSWORD not in admin.get("/admin/security").text
