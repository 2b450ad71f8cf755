"""What members hear of the security of their accounts, and what still opens one after a reset."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, SignUp, close_app, make_app
from tests.support.authenticator import Authenticator
from tests.support.concurrently import at_once
from tests.support.mails import add_address, mails, reset_link
from tests.support.second_step import set_up
from webapp.accounts.email import addresses
from webapp.accounts.passkeys.store import passkeys
from webapp.accounts.security_log.site_log import page
from webapp.accounts.security_log.store import security_log
from webapp.accounts.sessions import listing
from webapp.accounts.tokens import store as tokens
from webapp.config import Config, Rate
from webapp.core.errors import Conflict
from webapp.core.store import Site
from webapp.core.web.context import site_of

ANN = 1
NEW_PASSWORD = "another battery staple"
ACCESS = "/settings/security/access"


@pytest.fixture
def app(settings: Config, tmp_path: Path) -> Iterator[Flask]:
    """A site that writes its mails to a folder."""
    app = make_app(replace(settings, mail_folder=str(tmp_path / "mails"), limit_mail=Rate(9, 60)))
    yield app
    close_app(app)


def add_passkey(browser: FlaskClient, name: str = "phone") -> Authenticator:
    """Add a passkey as a page does. Return its device."""
    device, url = Authenticator(), "/settings/security/passkeys"
    answer = device.make(browser.post(f"{url}/options").text)
    assert browser.post(url, data={"passkey": answer, "name": name}).status_code == 303
    return device


def enter(browser: FlaskClient, device: Authenticator) -> int:
    """Log in with a passkey. Return the status: 303 for a member who is in."""
    answer = device.sign(browser.post("/login/passkey/options").text)
    return browser.post("/login/passkey", data={"passkey": answer}).status_code


def test_a_changed_factor_is_told_by_mail_and_nobody_without_an_address_gets_one(
    app: Flask, member: SignUp
) -> None:
    ann = member("ann")
    ann.post("/settings/security/codes")
    assert mails(app) == [], "she has no address yet"
    add_address(app, ann)
    add_passkey(ann)
    [passkey] = app.extensions["linnet.db"].read(passkeys(ANN))
    ann.post("/settings/security/passkeys/remove", data={"id": passkey.id})
    ann.post("/settings/security/passkeys/remove", data={"id": passkey.id})
    set_up(ann)
    ann.post("/settings/security/codes")
    ann.post("/settings/security/off")
    ann.post("/settings/security/off")
    told = [text for _, text in mails(app)]
    said = ("Added a p", "Removed a p", "Turned on", "Got new", "Turned off")
    assert sorted(sum(words in text for text in told) for words in said) == [1] * 5
    assert len(told) == 5 and all("If this wasn’t you" in text for text in told)
    ann.set_cookie("linnet_lang", "zh")
    ann.post("/settings/security/codes")
    [(_, text)] = mails(app)
    assert "恢复码" in text and "Got new" not in text


def test_the_mail_about_a_change_is_queued_with_it(
    app: Flask, member: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies after the change leaves nothing undone."""
    ann = member("ann")
    add_address(app, ann)
    monkeypatch.setattr(addresses, "QUEUE_NOTICE", None)
    ann.post("/settings/security/codes")
    ann.post("/settings/password", data={"old": PASSWORD, "new": NEW_PASSWORD})
    assert len(mails(app)) == 2
    log = page(app.extensions["linnet.db"], "", ANN, None, 9).items
    assert {one.kind for one in log} > {"password", "codes"}
    assert {one.network for one in log} == {"127.0.0.0/24"}, "and nothing of a mail"


def test_who_resets_a_password_sees_what_still_opens_the_account_and_removes_it_at_once(
    app: Flask, member: SignUp, client: FlaskClient
) -> None:
    ann, thief = member("ann"), app.test_client()
    add_address(app, ann)
    device = add_passkey(ann, "<b>of the thief</b>")
    mails(app)
    form = {"token": reset_link(app, client, "ann"), "password": NEW_PASSWORD}
    answer = client.post("/reset-password", data=form)
    assert answer.location == f"/login?next={ACCESS}"
    [(_, text)] = mails(app)
    assert "<b>of the thief</b>" in text and ACCESS in text
    assert enter(thief, device) == 303, "a passkey outlives the password"
    in_flight = thief.post("/login/passkey/options").text

    login = {"login": "ann", "password": NEW_PASSWORD, "next": ACCESS}
    assert client.post("/login", data=login).location == ACCESS
    client.post("/settings/tokens", data={"name": "of a script"})
    client.post("/settings/apps", data={"name": "a client"})
    page = client.get(ACCESS).text
    assert all(name in page for name in ("&lt;b&gt;of the thief", "of a script", "a client"))
    statuses = set(at_once(8, lambda _: client.post(ACCESS).status_code, range(50)))
    assert statuses == {303}
    site = Site(app.extensions["linnet.db"], app.extensions["linnet.config"])
    assert not site.db.read(passkeys(ANN)) and not tokens.list_tokens(site.db, ANN)
    assert "No passkey, access token or app" in client.get(ACCESS).text
    assert thief.get("/settings").status_code == 303, "the thief's session has ended"
    answer = thief.post("/login/passkey", data={"passkey": device.sign(in_flight)})
    assert answer.status_code == 422
    cookie = client.get_cookie("linnet")
    assert cookie and len(listing.list_sessions(site.db, cookie.value)) == 1
    kinds = [entry.kind for entry in site.db.read(security_log(ANN))]
    assert kinds.count("access_closed") == 1
    assert sum("Removed all passkeys" in text for _, text in mails(app)) == 1


def test_removing_all_asks_for_the_password_after_a_while(app: Flask, ann: FlaskClient) -> None:
    add_passkey(ann)
    db = app.extensions["linnet.db"]
    [key] = db.run(("KEYS", "session:*"))
    db.run(("HSET", key, "proved", 1))
    assert "current_password" in ann.get(ACCESS).text
    for form in ({}, {"current_password": "wrong password"}):
        assert ann.post(ACCESS, data=form).status_code == 422
    assert db.read(passkeys(ANN))
    assert ann.post(ACCESS, data={"current_password": PASSWORD}).status_code == 303
    assert not db.read(passkeys(ANN))


def test_an_address_that_another_may_have_claimed_since_is_not_set(
    app: Flask, member: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that stopped for a minute goes on with a claim that was taken over."""
    member("ann")
    site, late = site_of(app), f"{ANN}:{int(time.time() * 1000) - 31_000}"
    monkeypatch.setattr(addresses, "use", lambda *_: "ann@example.com")
    with monkeypatch.context() as slow:
        slow.setattr(addresses, "claim_key", lambda *_: late)
        with pytest.raises(Conflict):
            addresses.verify(site, ANN, "123456", "")
    addresses.verify(site, ANN, "123456", "")
    assert site.db.read(addresses.addresses(ANN)).verified == "ann@example.com"
