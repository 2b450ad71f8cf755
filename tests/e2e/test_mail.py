"""An address, a code to log in and a new password by mail: with the keyboard, in both languages."""

import email
import re
from dataclasses import replace
from email import policy
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from tests.conftest import PASSWORD, long
from tests.e2e.conftest import OpenPage, add_member
from tests.e2e.keyboard import activate, type_into
from webapp.config import Config, Rate
from webapp.core.i18n.catalogs import load_catalog
from webapp.core.store import Site
from webapp.mail.worker import MailSender

NEW_PASSWORD = "another battery staple"
LANGUAGES = {"en-US": "en", "zh-CN": "zh_Hans_CN"}


@pytest.fixture
def settings(settings: Config, tmp_path: Path) -> Config:
    """A site that writes its mails to a folder."""
    return replace(settings, mail_folder=str(tmp_path / "mails"), limit_mail=Rate(100, 60))


def new_mails(app: Flask) -> str:
    """Send what waits, and return the texts of all mails since the last call."""
    config: Config = app.extensions["linnet.config"]
    MailSender(Site(app.extensions["linnet.db"], config)).run_due()
    texts = []
    for path in Path(config.mail_folder).glob("*.eml"):
        message = email.message_from_bytes(path.read_bytes(), policy=policy.default)
        body = message.get_body(("plain",))
        assert body
        texts.append(body.get_content())
        path.unlink()
    return "\n".join(texts)


def code_in(text: str) -> str:
    return re.findall(r"\b\d{6}\b", text)[0]


def submit(page: Page, **fields: str) -> None:
    """Type into fields, by their labels, and send the form with Enter."""
    for label, text in fields.items():
        type_into(page, label, text)
    page.keyboard.press("Enter")


@pytest.mark.long
@pytest.mark.parametrize("locale", ["en-US", long("zh-CN")])
def test_mails_open_an_account_with_the_keyboard(
    open_page: OpenPage, served: Flask, locale: str
) -> None:
    say = load_catalog(LANGUAGES[locale]).gettext
    add_member("ann")
    page = open_page(locale=locale)
    heading = page.get_by_role("heading", level=1)

    def fill(path: str, **fields: str) -> None:
        page.goto(path)
        submit(page, **{say(label): text for label, text in fields.items()})

    def log_out() -> None:
        page.context.clear_cookies()

    fill("/login", **{"Username": "ann", "Password": PASSWORD})
    expect(heading).to_have_text(say("Home"))
    fill("/settings/email", **{"Email address": "ann@example.org"})
    code_label = say("Code from the email")
    expect(page.get_by_label(code_label)).to_be_visible()
    submit(page, **{code_label: "12"})
    expect(page.locator("#code-error")).to_be_visible()
    submit(page, **{code_label: code_in(new_mails(served))})
    expect(page.locator(".notices")).to_contain_text(say("Your email address is confirmed."))
    assert page.get_by_text("ann@example.org").is_visible()

    log_out()
    page.goto("/login")
    activate(page, say("Email me a code instead"))
    expect(heading).to_have_text(say("Log in with a code"))
    submit(page, **{say("Username or email address"): "ann"})
    expect(heading).to_have_text(say("Check your email"))
    submit(page, **{code_label: code_in(new_mails(served))})
    expect(heading).to_have_text(say("Home"))

    log_out()
    page.goto("/login")
    activate(page, say("Forgot your password?"))
    expect(heading).to_have_text(say("Forgot your password?"))
    submit(page, **{say("Username or email address"): "ann@example.org"})
    expect(heading).to_have_text(say("Check your email"))
    link = re.search(r"/reset-password\?token=\S+", new_mails(served))
    assert link
    fill(link[0], **{"New password": NEW_PASSWORD})
    changed = say("Password changed. Log in with your new password.")
    expect(page.locator(".notices")).to_contain_text(changed)
    page.goto(link[0])
    submit(page, **{say("New password"): NEW_PASSWORD})
    expect(
        page.get_by_text(say("That link is too old or was already used. Please ask for a new one."))
    ).to_be_visible()
    fill("/login", **{"Username": "ann", "Password": NEW_PASSWORD})
    expect(heading).to_have_text(say("Home"))
