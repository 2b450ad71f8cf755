"""Passwords that have to be replaced: those that leaks are full of, and those of an operator."""

import time

import pytest

from tests.support.second_step import SECRET, code_of, hidden, switched_on
from tests.support.world import PASSWORD, Web
from webapp.accounts import keys
from webapp.accounts.passwords.strength import is_common
from webapp.accounts.sessions import credentials
from webapp.accounts.store import uid_by_login

LEAKED, NEW = "Superman", "another battery staple"


def give(web: Web, password: str, expires: int | None = None) -> int:
    """Give ann a password that no form accepts."""
    uid = web.db.read(uid_by_login("ann"))
    assert uid
    credentials.reset_password(web, uid, password, expires)
    return uid


def log_in(web: Web, password: str) -> int:
    web.client.delete_cookie("linnet")
    form = {"login": "ann", "password": password}
    return web.client.post("/login", data=form).status_code


def change(web: Web, old: str, new: str = NEW) -> int:
    form = {"old": old, "new": new}
    return web.client.post("/settings/password", data=form).status_code


def test_what_leaks_hold_most_often_is_known() -> None:
    assert is_common("password1") and is_common("QWERTYUIOP") and not is_common(PASSWORD)


def test_a_member_with_a_leaked_password_replaces_it_before_anything_else(web: Web) -> None:
    web.member("ann")
    uid = give(web, LEAKED)
    assert log_in(web, LEAKED) == 303
    for path in ("/home", "/settings/email", "/notifications", "/chats"):
        assert web.client.get(path).location == "/settings/password", path
    assert web.client.post("/statuses", data={"text": "a wren"}).status_code == 403
    assert "Choose a new password first." in web.client.get("/settings/password").text
    assert web.client.get("/public").status_code == 200
    assert change(web, LEAKED, "Baseball") == 422
    assert change(web, LEAKED) == 303
    assert web.client.get("/home").status_code == 200
    assert "Choose a new password first." not in web.client.get("/settings/password").text
    assert not web.db.run(("HEXISTS", keys.user(uid), "password_until"))
    assert log_in(web, NEW) == 303 and web.client.get("/home").status_code == 200
    assert web.client.post("/logout").status_code == 303


@pytest.mark.parametrize("is_late", [False, True])
def test_the_password_of_an_operator_ends_and_never_stays(web: Web, is_late: bool) -> None:
    web.member("ann")
    give(web, NEW, int(time.time()) + (-1 if is_late else 60))
    assert log_in(web, NEW) == (422 if is_late else 303)
    if not is_late:
        assert web.client.get("/home").location == "/settings/password"
        assert change(web, NEW, NEW) == 422
        assert web.client.get("/home").location == "/settings/password"
        assert change(web, NEW, "a third battery staple") == 303
        assert web.client.get("/home").status_code == 200


def test_a_second_step_in_between_changes_nothing(web: Web) -> None:
    web.member("ann")
    uid = web.db.read(uid_by_login("ann"))
    assert uid and switched_on(web, uid) and give(web, LEAKED) == uid
    form = {"login": "ann", "password": LEAKED}
    challenge = hidden(web.client.post("/login", data=form).text, "challenge")
    form = {"challenge": challenge, "code": code_of(SECRET)}
    assert web.client.post("/login/code", data=form).status_code == 303
    assert web.client.get("/home").location == "/settings/password"


def test_a_change_meanwhile_is_not_doubted(web: Web) -> None:
    web.member("ann")
    uid = give(web, NEW)
    web.db.run(credentials.DOUBT(uid=uid, hash="of before"))
    assert log_in(web, NEW) == 303 and web.client.get("/home").status_code == 200
