"""Members with a second step: switching it on, and logging in as far as the code."""

import re
import time

import pyotp
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from webapp.accounts.factors import codes, store
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.core.store import Site

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def code_of(secret: str = SECRET, steps: int = 0) -> str:
    """Return the code of an app, now or some steps later."""
    return pyotp.TOTP(secret).at(int(time.time()) + steps * codes.STEP_SECONDS)


def switched_on(site: Site, uid: int) -> list[str]:
    """Switch a member's second step on. No code was used. Return the recovery codes."""
    return store.switch_on(site, uid, SECRET, 0, sha_of(sessions.start(site, uid)))


def hidden(page: str, name: str) -> str:
    """Return the value of a hidden field."""
    field = re.search(rf'<input[^>]*name="{name}"[^>]*>', page)
    value = re.search(r'value="([^"]*)"', field[0]) if field else None
    return value[1] if value else ""


def set_up(client: FlaskClient) -> tuple[str, list[str]]:
    """Set the second step up as a member does. Return the secret and the recovery codes."""
    page = client.get("/settings/security/app").text
    [secret] = re.findall(r"<code>([A-Z2-7]{32})</code>", page)
    for _ in range(2):  # a step may end before the code arrives
        form = {"sealed": hidden(page, "sealed"), "code": code_of(secret, -1)}
        answer = client.post("/settings/security/app", data=form)
        if answer.status_code != 422:
            break
    assert answer.status_code == 201 and answer.headers["Cache-Control"] == "no-store"
    return secret, re.findall(r"<code>([a-z2-7-]{19})</code>", answer.text)


def log_in(client: FlaskClient, password: str = PASSWORD) -> str:
    """Send the password, and return the page that comes."""
    form = {"login": "ann", "password": password, "next": "/settings"}
    return client.post("/login", data=form).text
