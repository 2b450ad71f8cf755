"""Limits of sign-in attempts: strangers do not lock the owner's devices out."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD
from tests.support.concurrently import at_once
from tests.support.pages import join, serving
from webapp.accounts.sessions.known_devices import (
    ACCOUNTS_MAX,
    DEVICE_COOKIE,
    known_device,
    with_account,
)
from webapp.config import Config, Rate

RATES = {
    "limit_signin_address": Rate(30, 600),
    "limit_signin_account": Rate(10, 600),
    "limit_signin_strangers": Rate(50, 3600),
}
OWN, STRANGE = "192.0.2.1", "198.51.100.7"


@pytest.fixture
def app(settings: Config) -> Iterator[Flask]:
    """The app with the limits that a site has."""
    assert {name: getattr(Config(), name) for name in RATES} == RATES
    with serving(replace(settings, **RATES)) as app:
        yield app


def sign_in(
    client: FlaskClient, password: str = PASSWORD, login: str = "ann", address: str = OWN
) -> TestResponse:
    """Send the form to sign in from an address."""
    form = {"login": login, "password": password}
    return client.post("/login", data=form, environ_overrides={"REMOTE_ADDR": address})


def attack(app: Flask, count: int, login: str = "ann", address: str = STRANGE) -> list[int]:
    """Try wrong passwords without a cookie; return the statuses."""
    return [
        sign_in(app.test_client(), "wrong password", login, address).status_code
        for _ in range(count)
    ]


@pytest.mark.parametrize("address", [OWN, STRANGE])
def test_the_owners_device_gets_in_after_a_strangers_wrong_passwords(
    app: Flask, address: str
) -> None:
    ann = join(app, "ann")
    ann.post("/logout")
    assert attack(app, 11) == [422] * 10 + [429]
    assert sign_in(ann, address=address).status_code == 303
    assert attack(app, 1) == [429]


def test_signing_in_makes_a_device_known_and_signing_out_does_not_change_that(app: Flask) -> None:
    join(app, "ann")
    other = app.test_client()
    assert sign_in(other).status_code == 303
    other.post("/logout")
    attack(app, 11, address=OWN)
    assert sign_in(app.test_client()).status_code == 429
    assert sign_in(other).status_code == 303


def test_a_new_device_gets_in_from_another_network_than_the_strangers(app: Flask) -> None:
    join(app, "ann")
    assert attack(app, 200)[10:] == [429] * 190  # refused ones fill no bucket that others need
    assert sign_in(app.test_client(), address=OWN).status_code == 303


def test_many_networks_together_have_a_limit_too(settings: Config) -> None:
    with serving(replace(settings, **RATES | {"limit_signin_strangers": Rate(20, 600)})) as app:
        ann = join(app, "ann")
        ann.post("/logout")
        statuses = [attack(app, 5, address=f"203.0.113.{n}") for n in range(5)]
        assert statuses == [[422] * 5] * 4 + [[429] * 5]
        assert sign_in(app.test_client()).status_code == 429
        assert sign_in(ann).status_code == 303


def test_strangers_try_an_account_a_hundred_times_an_hour_from_any_networks(app: Flask) -> None:
    rate = RATES["limit_signin_strangers"]
    assert rate.burst + rate.burst * 3600 / rate.period <= 100  # at once, and as time gives back
    ann = join(app, "ann")
    ann.post("/logout")
    tried = sum(attack(app, 11, address=f"203.0.113.{n}").count(422) for n in range(8))
    assert tried == rate.burst
    assert sign_in(ann).status_code == 303


def test_one_network_never_uses_up_the_tries_of_all(app: Flask) -> None:
    config = app.extensions["linnet.config"]
    own, all_ = config.limit_signin_account, config.limit_signin_strangers
    db = app.extensions["linnet.db"]
    join(app, "ann")
    attack(app, 1)
    [narrow] = db.run(("KEYS", "*account-network-*"))
    assert db.run(("PTTL", narrow)) > all_.period * 1000 / own.burst / 2, "given back as slowly"


def test_a_known_device_has_a_limit_of_its_own(app: Flask) -> None:
    ann, second = join(app, "ann"), app.test_client()
    sign_in(second)
    for client in (ann, second):
        client.post("/logout")
    statuses = [sign_in(ann, "wrong password").status_code for _ in range(12)]
    assert statuses == [422] * 10 + [429] * 2
    assert sign_in(ann).status_code == 429  # the right password does not tell that it is
    assert sign_in(second).status_code == 303


@pytest.mark.parametrize("is_known", [False, True])
def test_fifty_attempts_at_the_same_time_do_not_pass_the_limit(app: Flask, is_known: bool) -> None:
    ann = join(app, "ann")
    cookie = ann.get_cookie(DEVICE_COOKIE, path="/login")
    assert cookie

    def attempt(_: int) -> int:
        headers = {"Cookie": f"{DEVICE_COOKIE}={cookie.value}"} if is_known else {}
        form = {"login": "ann", "password": "wrong password"}
        client = app.test_client(use_cookies=False)
        return client.post("/login", data=form, headers=headers).status_code

    assert Counter(at_once(16, attempt, range(50))) == {422: 10, 429: 40}


def test_the_cookie_is_sent_only_to_sign_in_and_hides_the_login(app: Flask) -> None:
    form = {"login": "ann", "name": "Ann", "password": PASSWORD}
    answer = app.test_client().post("/signup", data=form, base_url="https://localhost")
    [line] = [
        line for line in answer.headers.getlist("Set-Cookie") if line.startswith(DEVICE_COOKIE)
    ]
    value, *flags = line.split("; ")
    assert {"HttpOnly", "SameSite=Lax", "Path=/login", "Secure", "Max-Age=34560000"} <= set(flags)
    assert "ann" not in value.lower().split(".")


def test_a_wrong_password_makes_no_device_known(app: Flask) -> None:
    join(app, "ann")
    for login in ("ann", "nobody"):
        answer = sign_in(app.test_client(), "wrong password", login)
        assert DEVICE_COOKIE not in repr(answer.headers.getlist("Set-Cookie"))


def test_a_device_is_known_to_the_accounts_it_signed_in_to_and_no_other(settings: Config) -> None:
    cookie = with_account(settings, with_account(settings, "", "Ann"), "ben")
    device = cookie.partition(".")[0]
    found = [known_device(settings, cookie, login) for login in ("ann", "ANN", "ben", "cat")]
    assert found == [*[device] * 3, ""]
    other_key = replace(settings, secret_key="another key")
    assert known_device(other_key, cookie, "ann") == ""


@pytest.mark.parametrize(
    "forged",
    [
        "",
        ".",
        "x",
        "." * 9_000,
        "é",
        "\udc80",
        "{device}",
        "{device}.x",
        "{device}.\udc80",
        "{other}.{signature}",
    ],
)
def test_a_forged_cookie_is_not_known_and_is_replaced(settings: Config, forged: str) -> None:
    cookie = with_account(settings, "", "ann")
    device, _, signature = cookie.partition(".")
    text = forged.format(device=device, other="0" * 32, signature=signature)
    assert known_device(settings, text, "ann") == ""
    renewed = with_account(settings, text, "ann")
    assert known_device(settings, renewed, "ann") and len(renewed) < 300


def test_a_device_is_known_to_the_last_accounts_only(settings: Config) -> None:
    cookie, logins = "", [f"member{number}" for number in range(ACCOUNTS_MAX + 1)]
    for login in logins:
        cookie = with_account(settings, cookie, login)
    known = [login for login in logins if known_device(settings, cookie, login)]
    assert known == logins[1:]
    assert with_account(settings, cookie, logins[-1]) == cookie
