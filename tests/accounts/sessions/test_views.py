"""Sessions and sign-in over HTTP: cookies, forged cookies, and rate limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD
from tests.core.web.test_security import everything, guarded, token
from tests.system.test_pages import join, serving
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME, sha256
from webapp.config import Config, Rate
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS

__all__ = ["guarded"]  # a fixture

Member = Callable[[str], FlaskClient]
FORGED = [
    "",
    ".",
    "0.x",
    "-1.x",
    "9" * 17 + ".x",
    "1" * 10_000,
    "x" * 10_000,
    "None",
    "*",
    "%00",
    "{53t}:1",
    "1.\t",
    "1:1",
]
FORGED += ["\xff\xfe", "1.\xed\xa0\x80", '"1.\\355\\240\\200"', '"\\000"', "é.ü"]


def sign_in(
    app: Flask, login: str = "ann", password: str = PASSWORD, **options: object
) -> TestResponse:
    """Send the form to sign in."""
    return app.test_client().post("/login", data={"login": login, "password": password}, **options)  # type: ignore[arg-type]


def given(answer: TestResponse, name: str = COOKIE_NAME) -> list[str]:
    """Return the value and the attributes of a cookie that a response sets."""
    found = [line for line in answer.headers.getlist("Set-Cookie") if line.startswith(f"{name}=")]
    return found[0].removeprefix(f"{name}=").split("; ") if found else []


def bearing(app: Flask, cookies: str, path: str) -> TestResponse:
    """Return the response to a browser that sends these cookies, whatever they are."""
    return app.test_client(use_cookies=False).get(path, headers={"Cookie": cookies})


def signed_in(app: Flask, cookie: str) -> bool:
    """Return True if a cookie has a session."""
    answer = bearing(app, f"{COOKIE_NAME}={cookie}", "/home")
    assert answer.status_code in (200, 303), answer.text
    return answer.status_code == 200


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_cookies_are_http_only_lax_and_secure_over_https(guarded: Flask, scheme: str) -> None:
    options = {
        "base_url": f"{scheme}://localhost",
        "headers": {"Referer": f"{scheme}://localhost/"},
    }
    client = guarded.test_client()
    form = {
        "csrf_token": token(client, "/signup", **options),
        "login": "ann",
        "name": "Ann",
        "password": PASSWORD,
    }
    answer = client.post("/signup", data=form, **options)  # type: ignore[arg-type]
    for name in (COOKIE_NAME, "linnet_form"):
        value, *flags = given(answer, name)
        assert value and {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(flags)
        assert ("Secure" in flags) == (scheme == "https")
        assert not any(flag.startswith("Domain") for flag in flags)
    assert "Max-Age=2592000" in given(answer)
    out = client.post("/logout", data={"csrf_token": token(client, "/home", **options)}, **options)  # type: ignore[arg-type]
    assert out.status_code == 303 and "Max-Age=0" in given(out)


def test_a_sign_in_makes_a_new_token_and_a_sign_out_ends_it_on_the_server(
    app: Flask, member: Member
) -> None:
    ann = member("ann")
    first = ann.get_cookie(COOKIE_NAME)
    second, *_ = given(sign_in(app))
    assert first and second != first.value
    assert signed_in(app, first.value) and signed_in(app, second)
    answer = ann.post("/logout")
    assert (answer.status_code, answer.location) == (303, "/")
    assert "You’re signed out." in ann.get("/").text
    assert ann.get_cookie(COOKIE_NAME) is None
    assert not signed_in(app, first.value) and signed_in(app, second)  # another browser stays


def test_signing_in_again_ends_the_token_that_the_browser_still_had(
    app: Flask, member: Member
) -> None:
    ann = member("ann")
    old = ann.get_cookie(COOKIE_NAME)
    assert old
    ann.post("/logout")
    ann.set_cookie(COOKIE_NAME, old.value)
    answer = ann.post("/login", data={"login": "ann", "password": PASSWORD})
    assert given(answer)[0] != old.value
    assert not signed_in(app, old.value)


def test_a_form_token_does_not_outlive_the_sign_in(guarded: Flask) -> None:
    client = guarded.test_client()
    before = token(client, "/signup")
    form = {"csrf_token": before, "login": "ann", "name": "Ann", "password": PASSWORD}
    client.post("/signup", data=form)
    assert client.post("/statuses", data={"text": "hello", "csrf_token": before}).status_code == 400
    inside = token(client, "/home")
    client.post("/logout", data={"csrf_token": inside})
    assert client.post("/login", data={**form, "csrf_token": inside}).status_code == 400


def test_a_forged_cookie_is_a_visitors_and_is_taken_away(app: Flask, member: Member) -> None:
    ann, ben = member("ann"), member("ben")
    mine, hers = ben.get_cookie(COOKIE_NAME), ann.get_cookie(COOKIE_NAME)
    assert mine and hers
    (uid, secret), other = mine.value.split("."), hers.value.partition(".")[0]
    assert signed_in(app, mine.value)
    forged = [
        f"{other}.{secret}",
        f"{other}.",
        f".{secret}",
        secret,
        f"{uid}.{secret}x",
        f"0{uid}.{secret}",
    ]
    forged += [
        f"{uid}.{secret[:-1]}",
        f"{uid}.{secret}" + "." * 9_000,
        "\xd9\xa1." + secret,
        *FORGED,
    ]
    for cookie in forged:
        assert not signed_in(app, cookie), cookie
    for path in ("/", "/public", "/@ann", "/login", "/nowhere"):
        assert bearing(app, f"{COOKIE_NAME}=1.x", path).status_code in (200, 404)
    answer = bearing(app, f"{COOKIE_NAME}=1.x", "/public")
    assert "Max-Age=0" in given(answer)
    assert signed_in(app, mine.value) and signed_in(app, hers.value)


@pytest.mark.parametrize("value", ["x", "e30.x.y", "\xff", "x" * 10_000, '"\\355\\240\\200"'])
def test_a_forged_form_cookie_is_a_new_one(guarded: Flask, value: str) -> None:
    answer = bearing(guarded, f"linnet_form={value}", "/login")
    assert answer.status_code == 200 and given(answer, "linnet_form")


def test_the_store_holds_neither_tokens_nor_passwords(app: Flask, member: Member) -> None:
    cookies = [member(login).get_cookie(COOKIE_NAME) for login in ("ann", "ben")]
    sign_in(app)
    found = repr(everything(app.extensions["linnet.db"]))
    for cookie in cookies:
        assert cookie
        secret = cookie.value.partition(".")[2]
        assert len(secret) >= 43 and secret not in found  # 256 bits
        assert sha256(secret) in found
    assert PASSWORD not in found
    assert found.count("$argon2id$") == 2


def test_a_session_slides_with_its_cookie_when_it_is_due_and_not_before(settings: Config) -> None:
    with serving(settings) as app:
        ann = join(app, "ann")
        assert given(ann.get("/home")) == []
    with serving(replace(settings, session_touch=0)) as app:
        db: Db = app.extensions["linnet.db"]
        cookie = ann.get_cookie(COOKIE_NAME)
        [key] = [key for key in everything(db) if key.startswith("session:")]
        db.run(("EXPIRE", key, 100))
        assert cookie
        answer = bearing(app, f"{COOKIE_NAME}={cookie.value}", "/home")
        assert given(answer)[0] == cookie.value and "Max-Age=2592000" in given(answer)
        assert db.run(("TTL", key)) > 29 * 86_400
        db.run(("PEXPIRE", key, 0))
        assert not signed_in(app, cookie.value)


def test_the_trim_job_signs_out_the_browsers_seen_least_recently(
    app: Flask, settings: Config, member: Member
) -> None:
    member("ann")
    cookies = [given(sign_in(app))[0] for _ in range(4)]
    db: Db = app.extensions["linnet.db"]
    partition = int(cookies[0].partition(".")[0]) % PARTITIONS
    for age, cookie in enumerate(cookies):
        db.run(
            (
                "ZINCRBY",
                account_keys.sessions(partition),
                -10 * age - 10,
                sha256(cookie.partition(".")[2]),
            )
        )
    assert sessions.trim(db, replace(settings, sessions_max=PARTITIONS * 3), partition) == 2
    assert [signed_in(app, cookie) for cookie in cookies] == [True, True, False, False]


def test_an_unknown_name_and_a_wrong_password_get_the_same_answer_for_the_same_work(
    app: Flask, member: Member
) -> None:
    member("ann")
    db: Db = app.extensions["linnet.db"]
    answers = []
    for login in ("ann", "bob"):
        sign_in(app, login, "wrong password")
        before = db.trips
        answer = sign_in(app, login, "wrong password")
        body = re.sub(r'(name="csrf_token"[^>]*) value="[^"]+"', r"\1", answer.text).replace(
            f'"{login}"', '"…"'
        )
        headers = {
            name: value
            for name, value in answer.headers.items()
            if name not in ("X-Request-ID", "Set-Cookie")
        }
        answers.append((answer.status_code, db.trips - before, body, headers))
    assert answers[0] == answers[1]
    assert answers[0][0] == 422


def test_a_strangers_forwarded_address_is_not_believed(settings: Config) -> None:
    with serving(replace(settings, limit_signin_address=Rate(2, 600))) as app:
        statuses = [
            sign_in(app, headers={"X-Forwarded-For": f"10.0.0.{n}"}).status_code for n in range(4)
        ]
        assert statuses == [422, 422, 429, 429]
        forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
        answer = app.test_client().get("/signup", headers=forwarded)
        assert (
            "Strict-Transport-Security" not in answer.headers and "evil.example" not in answer.text
        )


def test_a_trusted_proxys_forwarded_address_is_counted_by_itself(settings: Config) -> None:
    with serving(replace(settings, limit_signin_address=Rate(2, 600), trusted_proxies=1)) as app:
        last = lambda n: (
            sign_in(app, headers={"X-Forwarded-For": f"1.1.1.1, 10.0.0.{n}"}).status_code
        )
        assert [last(n) for n in (1, 1, 1, 2, 2, 2)] == [422, 422, 429] * 2
        first = sign_in(app, headers={"X-Forwarded-For": "10.0.0.3, 10.0.0.1"})
        assert first.status_code == 429  # only the hop that the proxy saw counts
        answer = app.test_client().get("/signup", headers={"X-Forwarded-Proto": "https"})
        assert "Strict-Transport-Security" in answer.headers


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.1", "::ffff:198.51.100.1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
    ],
)
def test_an_address_is_counted_alone_and_an_ipv6_one_with_its_network(
    settings: Config, one: str, other: str, same: bool
) -> None:
    with serving(replace(settings, limit_signin_address=Rate(1, 600))) as app:
        assert sign_in(app, environ_overrides={"REMOTE_ADDR": one}).status_code == 422
        assert sign_in(app, environ_overrides={"REMOTE_ADDR": other}).status_code == (
            429 if same else 422
        )


def test_an_account_is_guarded_from_any_number_of_addresses_and_no_other_with_it(
    settings: Config,
) -> None:
    with serving(replace(settings, limit_signin_account=Rate(2, 600))) as app:
        join(app, "ann")
        join(app, "none")
        at = lambda n, *who: (
            sign_in(app, *who, environ_overrides={"REMOTE_ADDR": f"192.0.2.{n}"}).status_code
        )
        assert [at(n, login, "wrong") for n, login in enumerate(("ann", "@ANN", "Ann"))] == [
            422,
            422,
            429,
        ]
        assert at(9, "ann") == 429  # the right password does not tell that it is
        for name in ("not a login", "?", "x" * 99):
            assert at(10, name, "wrong") in (422, 429)
        assert at(11, "none") == 303
