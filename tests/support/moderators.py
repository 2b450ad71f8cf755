"""Members with rights."""

from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import SignUp
from webapp.accounts import lifecycle
from webapp.accounts import store as accounts


def moderator(
    app: Flask, member: SignUp, login: str = "jay", right: str = "moderator"
) -> FlaskClient:
    """Sign a member up who has a right, and return their browser."""
    client = member(login)
    uid = accounts.get_by_login(app.extensions["linnet.db"], login).uid
    lifecycle.grant(app.extensions["linnet.db"], uid, right)
    return client
