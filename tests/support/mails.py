"""Mails of a site that writes them to a folder, and what members do with them."""

import email
import re
from email import policy
from pathlib import Path

from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from webapp.config import Config
from webapp.core.store import Site
from webapp.mail.worker import MailSender

ADDRESS = "ann@example.org"


def mails(app: Flask) -> list[tuple[str, str]]:
    """Send what waits. Return the address and the text of each mail since the last call."""
    config: Config = app.extensions["linnet.config"]
    MailSender(Site(app.extensions["linnet.db"], config)).run_due()
    found = []
    for path in sorted(Path(config.mail_folder).glob("*.eml")):
        message = email.message_from_bytes(path.read_bytes(), policy=policy.default)
        body = message.get_body(("plain",))
        assert body and message.get_body(("html",))
        found.append((message["To"], body.get_content()))
        path.unlink()
    return found


def code_of(app: Flask) -> str:
    """Return the code of the only mail."""
    [(_, text)] = mails(app)
    return str(re.findall(r"\b\d{6}\b", text)[0])


def add_address(app: Flask, browser: FlaskClient, address: str = ADDRESS) -> None:
    """Give a member a verified address."""
    form = {"address": address, "current_password": PASSWORD}
    assert browser.post("/settings/email", data=form).status_code == 303
    answer = browser.post("/settings/email/confirm", data={"code": code_of(app)})
    assert answer.status_code == 303, answer.text


def reset_link(app: Flask, browser: FlaskClient, name: str) -> str:
    """Ask for a link by login or address, and return its token, "" if none came."""
    assert browser.post("/forgot-password", data={"name": name}).status_code == 200
    found = [re.findall(r"token=(\S+)", text) for _, text in mails(app)]
    return found[0][0] if found else ""
