"""The sign-up page."""

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD
from webapp.accounts.forms import RESERVED_LOGINS
from webapp.accounts.store import claimed_uid, get_by_login
from webapp.core.store import Db


def sign_up(client: FlaskClient, login: str) -> TestResponse:
    """Send the form for a new account."""
    return client.post("/signup", data={"login": login, "name": "Ann", "password": PASSWORD})


@pytest.mark.parametrize("login", ["admin", "ADMIN", "@Admin", " linnet ", "undefined"])
def test_a_reserved_login_is_refused_at_sign_up(
    login: str, client: FlaskClient, app: Flask
) -> None:
    db: Db = app.extensions["linnet.db"]
    answer = sign_up(client, login)
    assert answer.status_code == 422
    assert "That username is reserved. Please choose another one." in answer.text
    assert 'id="login-error"' in answer.text and 'aria-invalid="true"' in answer.text
    assert db.read(claimed_uid(login.strip(" @"))) is None
    assert client.get("/home").status_code == 303  # not signed in


def test_every_reserved_login_is_one_that_a_member_could_have(
    client: FlaskClient, app: Flask
) -> None:
    db: Db = app.extensions["linnet.db"]
    assert RESERVED_LOGINS and all(login == login.lower() for login in RESERVED_LOGINS)
    assert sign_up(client, "admin_").status_code == 303  # only whole logins are reserved
    assert get_by_login(db, "admin_").name == "Ann"
