"""Addresses in the settings, and the link of a forgotten password."""

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse as Response

from tests.conftest import PASSWORD, SignUp, close_app, make_app
from tests.support.concurrently import at_once, concurrently
from tests.support.mails import ADDRESS, add_address, code_of, mails, reset_link
from tests.support.second_step import code_of as app_code, hidden, log_in as enter_password, set_up
from tests.support.store_dump import dump
from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.email import keys as email_keys, login_views
from webapp.accounts.security_log.store import security_log
from webapp.accounts.store import uid_by_login
from webapp.config import Config, Rate
from webapp.core.store import Site

NEW_PASSWORD = "another battery staple"


@pytest.fixture
def app(settings: Config, tmp_path: Path) -> Iterator[Flask]:
    """A site that writes its mails to a folder."""
    rate = Rate(100, 60)
    app = make_app(
        replace(
            settings,
            mail_folder=str(tmp_path / "mails"),
            limit_mail=rate,
            limit_signin_account=rate,
            limit_mail_network=rate,
        )
    )
    yield app
    close_app(app)


def test_an_address_is_verified_by_a_code_and_only_its_member_sees_it(
    app: Flask, ann: FlaskClient, ben: FlaskClient
) -> None:
    add_address(app, ann)
    assert ADDRESS in ann.get("/settings/email").text
    assert ADDRESS not in ben.get("/settings/email").text + ben.get("/@ann").text


@pytest.mark.parametrize("address", ["", "ann", "ann@", "a b@c.org", "ann@example.org\nBcc: x@y.z"])
def test_a_text_that_is_no_address_comes_back(member: SignUp, address: str) -> None:
    form = {"address": address, "current_password": PASSWORD}
    assert member("ann").post("/settings/email", data=form).status_code == 422


def test_a_code_is_refused_after_five_wrong_ones(app: Flask, ann: FlaskClient) -> None:
    ann.post("/settings/email", data={"address": ADDRESS, "current_password": PASSWORD})
    code = code_of(app)
    wrong = "000000" if code != "000000" else "111111"

    guesses = [ann.post("/settings/email/confirm", data={"code": wrong}) for _ in range(6)]
    assert {answer.status_code for answer in guesses} == {422}
    assert ann.post("/settings/email/confirm", data={"code": code}).status_code == 422


def test_an_address_of_another_account_is_refused_to_who_owns_the_mailbox_only(
    app: Flask, member: SignUp
) -> None:
    add_address(app, member("ann"))
    ben = member("ben")
    form = {"address": ADDRESS.upper(), "current_password": PASSWORD}
    assert ben.post("/settings/email", data=form).status_code == 303
    assert ben.post("/settings/email/confirm", data={"code": code_of(app)}).status_code == 409


def test_the_old_address_is_told_of_a_change_and_is_free_again(app: Flask, member: SignUp) -> None:
    ann, ben = member("ann"), member("ben")
    add_address(app, ann)
    add_address(app, ann, "new@example.org")
    log = app.extensions["linnet.db"].read(security_log(1))
    assert [entry.kind for entry in log][:2] == ["address", "address"]
    [(to, text)] = mails(app)
    assert to == ADDRESS and "no longer" in text
    assert "/contact" in text and "/forgot-password" not in text, "that goes to the new address"
    add_address(app, ben)
    assert ann.post("/settings/email/remove", data={}).status_code == 303
    assert [to for to, _ in mails(app)] == ["new@example.org"]


def test_a_changed_password_ends_the_links_and_codes_of_mails(app: Flask, member: SignUp) -> None:
    ann, visitor = member("ann"), app.test_client()
    add_address(app, ann)
    link = reset_link(app, visitor, "ann")
    visitor.post("/login/email", data={"login": "ann"})
    code = code_of(app)
    form = {"old": PASSWORD, "new": NEW_PASSWORD}
    assert ann.post("/settings/password", data=form).status_code == 303
    form = {"token": link, "password": "seven quiet herons wade"}
    assert visitor.post("/reset-password", data=form).status_code == 422
    answer = visitor.post("/login/email/code", data={"login": "ann", "code": code})
    assert answer.status_code == 422


@pytest.mark.parametrize("name", ["ann", "@Ann", ADDRESS])
def test_a_forgotten_password_is_replaced_once_by_the_link(
    app: Flask, member: SignUp, client: FlaskClient, name: str
) -> None:
    ann = member("ann")
    add_address(app, ann)
    form = {"token": reset_link(app, client, name), "password": NEW_PASSWORD}
    assert client.post("/reset-password", data={**form, "password": "short"}).status_code == 422
    answers = concurrently(lambda _: app.test_client().post("/reset-password", data=form), 2)
    assert sorted(answer.status_code for answer in answers) == [303, 422]
    assert ann.get("/settings").status_code == 303  # signed out
    login = {"login": "ann", "password": NEW_PASSWORD}
    assert client.post("/login", data=login).status_code == 303
    log = app.extensions["linnet.db"].read(security_log(1))
    assert [one.agent[:8] for one in log if one.kind == "password"] == ["Werkzeug"]
    changed, logged_in = sorted(text for _, text in mails(app))[::-1]
    assert "was just changed" in changed and "device that we don’t know" in logged_in


def test_unknown_names_and_unverified_addresses_get_the_same_answer_and_no_mail(
    app: Flask, member: SignUp, client: FlaskClient
) -> None:
    ann = member("ann")
    ann.post("/settings/email", data={"address": ADDRESS, "current_password": PASSWORD})
    mails(app)
    pages = set()
    for name in ("ann", "nobody", ADDRESS, "x@example.org", "\ud800", "?"):
        answer = client.post("/forgot-password", data={"name": name.encode("utf-8", "replace")})
        pages.add((answer.status_code, re.sub(r"[\w.-]{40,}", "", answer.text)))
    assert len(pages) == 1 and mails(app) == []
    for token in ("", "1", "1.x", f"{10**30}.x", "²", "\x00"):
        form = {"token": token, "password": NEW_PASSWORD}
        assert client.post("/reset-password", data=form).status_code == 422


def log_in(app: Flask, name: str, code: str) -> Response:
    """Log in on a new device with a code by mail."""
    return app.test_client().post("/login/email/code", data={"login": name, "code": code})


def ask_for_code(app: Flask, name: str) -> str:
    """Ask for a code on the page of the password. Return it, "" if no mail came."""
    answer = app.test_client().post("/login/email", data={"login": name, "password": ""})
    assert answer.status_code == 200 and "Check your email" in answer.text
    found = [re.findall(r"\b\d{6}\b", text) for _, text in mails(app) if "log in" in text]
    return found[0][0] if found else ""


@pytest.mark.parametrize("name", ["@Ann", ADDRESS])
def test_a_code_by_mail_logs_in_once_even_for_two_browsers_at_once(
    app: Flask, member: SignUp, name: str
) -> None:
    add_address(app, member("ann"))
    code = ask_for_code(app, name)
    answers = at_once(8, lambda _: log_in(app, name, f" {code} "), range(8))
    assert sorted(answer.status_code for answer in answers) == [303] + [422] * 7
    assert any(
        "linnet=" in cookie
        for cookie in next(
            answer for answer in answers if answer.status_code == 303
        ).headers.getlist("Set-Cookie")
    )
    assert ["device that we don’t know" in text for _, text in mails(app)] == [True]


def test_the_store_never_holds_a_code_that_can_be_read(
    app: Flask, member: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_address(app, member("ann"))
    monkeypatch.setattr(login_views, "make_code", lambda: "918273")
    mails(app)  # those of before
    app.test_client().post("/login/email", data={"login": "ann", "password": ""})
    found = str(dump(app.extensions["linnet.db"]))
    assert email_keys.email(1) in found and "918273" not in found, "the mail waits"
    assert "918273" in mails(app)[-1][1]
    assert "918273" not in str(dump(app.extensions["linnet.db"]))


def test_guesses_of_many_networks_have_five_tries_for_a_code(app: Flask, member: SignUp) -> None:
    add_address(app, member("ann"))
    code = ask_for_code(app, "ann")
    wrong = "000000" if code != "000000" else "111111"
    answers = at_once(8, lambda _: log_in(app, "ann", wrong), range(20))
    assert {answer.status_code for answer in answers} == {422}
    assert log_in(app, "ann", code).status_code == 422
    assert log_in(app, "ann", ask_for_code(app, "ann")).status_code == 303


def test_an_account_takes_so_many_codes_by_mail_in_a_day(app: Flask, member: SignUp) -> None:
    add_address(app, member("ann"))
    few = replace(app.extensions["linnet.config"], limit_codes=Rate(2, 86_400))
    app.extensions["linnet.config"] = few
    answers = []
    for name in ("ann", "@Ann", "ann", "nobody", "nobody", "nobody"):
        code = ask_for_code(app, name)
        answers.append(log_in(app, name, "000000" if code != "000000" else "111111").status_code)
    assert answers == [422, 422, 429, 422, 422, 429], "and tell nothing of who has one"


def test_a_password_that_a_recovery_code_replaces_is_told_by_mail(
    app: Flask, member: SignUp, client: FlaskClient
) -> None:
    ann = member("ann")
    add_address(app, ann)
    codes = re.findall(r"[a-z2-7]{4}(?:-[a-z2-7]{4}){3}", ann.post("/settings/security/codes").text)
    form = {"login": "ann", "code": codes[0], "password": NEW_PASSWORD}
    mails(app)
    assert client.post("/login/recover", data=form).status_code == 303
    assert any("was just changed" in text for _, text in mails(app))


def test_a_code_by_mail_does_not_skip_the_second_step(app: Flask, member: SignUp) -> None:
    add_address(app, member("ann"))
    store = app.extensions["linnet.db"]
    uid = store.read(uid_by_login("ann"))
    store.run(("HSET", account_keys.user(uid), "second_step", "1"))
    answer = log_in(app, "ann", ask_for_code(app, "ann"))
    assert answer.status_code == 200 and "Enter your code" in answer.text
    assert "linnet=" not in "".join(answer.headers.getlist("Set-Cookie"))


def test_no_code_is_sent_to_unknown_names_or_suspended_members(app: Flask, member: SignUp) -> None:
    add_address(app, member("ann"))
    store = app.extensions["linnet.db"]
    uid = store.read(uid_by_login("ann"))
    assert [ask_for_code(app, name) for name in ("nobody", "x@example.org", "?")] == ["", "", ""]
    code = ask_for_code(app, "ann")
    lifecycle.suspend(Site(store, app.extensions["linnet.config"]), uid)
    assert log_in(app, "ann", code).status_code == 403
    assert ask_for_code(app, "ann") == ""
    assert app.test_client().post("/login/email", data={"login": ""}).status_code == 422


def test_a_link_names_the_site_and_not_the_host_of_the_request(
    app: Flask, member: SignUp, client: FlaskClient
) -> None:
    add_address(app, member("ann"))
    client.post("/forgot-password", data={"name": "ann"}, headers={"Host": "evil.example"})
    assert all("evil.example" not in text for _, text in mails(app))


def test_a_site_without_mail_offers_none_of_it(settings: Config) -> None:
    app = make_app(replace(settings, mail_folder=""))
    browser = app.test_client()
    assert browser.get("/forgot-password").status_code == 404
    assert "/forgot-password" not in browser.get("/login").text
    close_app(app)


def test_the_log_in_offers_stronger_ways_before_a_code_by_mail(app: Flask) -> None:
    page = app.test_client().get("/login", base_url="http://localhost").text
    ways = ('type="password"', "Log in with a passkey", "Email me a code instead")
    assert all(page.count(way) == 1 for way in ways)
    assert sorted(ways, key=page.index) == list(ways)


def test_other_spellings_of_a_name_bring_no_more_mails(app: Flask, member: SignUp) -> None:
    add_address(app, member("ann"))
    app.extensions["linnet.settings"].apply("1", {"limit_mail": "1/3600"})
    spellings = ("ann", "@ann", "@ ann", "@@ann", "@   Ann ", ADDRESS, f"@ {ADDRESS}")
    for path, field in (("/login/email", "login"), ("/forgot-password", "name")):
        for name in spellings:
            app.test_client().post(path, data={field: name})
    assert len(mails(app)) <= 2, "one to the name, and one to the address"


def test_a_code_to_log_in_ends_after_five_minutes(
    app: Flask, member: SignUp, client: FlaskClient
) -> None:
    add_address(app, member("ann"))
    db = app.extensions["linnet.db"]
    key, now = email_keys.email(1), time.time() * 1000
    client.post("/login/email", data={"login": "ann"})
    form = {"login": "ann", "code": code_of(app)}
    assert now < int(db.run(("HGET", key, "login_until"))) <= now + 5 * 60_000 + 5_000
    db.run(("HSET", key, "login_until", round(now) - 1))
    assert client.post("/login/email/code", data=form).status_code == 422


def test_a_code_of_the_app_that_is_entered_again_is_refused_and_told(
    app: Flask, member: SignUp, client: FlaskClient
) -> None:
    ann = member("ann")
    add_address(app, ann)
    secret, _ = set_up(ann)
    code, answers = app_code(secret), []
    for browser in (app.test_client(), client):
        mails(app)
        challenge = hidden(enter_password(browser), "challenge")
        answers.append(browser.post("/login/code", data={"challenge": challenge, "code": code}))
    assert [answer.status_code for answer in answers] == [303, 422]
    assert "was used already" in answers[1].text
    [(to, text)] = mails(app)
    assert to == ADDRESS and "that had been used before" in text
    assert "a code of the app that was used before" in ann.get("/settings/security").text
