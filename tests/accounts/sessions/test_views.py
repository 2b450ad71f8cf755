"""Sessions and sign-in over HTTP: cookies, forged cookies, and rate limits."""

import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD, SignUp
from tests.support.form_tokens import everything, guarded as guarded, token
from tests.support.pages import join, serving
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions.cookie_value import COOKIE_NAME, sha256
from webapp.config import Config, Rate
from webapp.core.store import Db
from webapp.streaming.http.requests import Request

FORGED = [
    "",
    ".",
    "0.x",
    "-1.x",
    "x.y",
    "1",
    "1.",
    "9" * 17 + ".x",
    "1" * 10_000,
    "x" * 10_000,
    "None",
    "*",
    "%00",
    "{53t}:1",
    "1.\t",
    "1:1",
    "\xff\xfe",
    "1.\xed\xa0\x80",
    '"1.\\355\\240\\200"',
    '"\\000"',
    "é.ü",
]


def sign_in(
    app: Flask, login: str = "ann", password: str = PASSWORD, **options: object
) -> TestResponse:
    """Send the form to sign in."""
    return app.test_client().post("/login", data={"login": login, "password": password}, **options)  # type: ignore[arg-type]


def set_cookie(answer: TestResponse, name: str = COOKIE_NAME) -> list[str]:
    """Return the value and the attributes of a cookie that a response sets, or nothing."""
    lines = [line for line in answer.headers.getlist("Set-Cookie") if line.startswith(f"{name}=")]
    return lines[0].removeprefix(f"{name}=").split("; ") if lines else []


def get_with_cookies(app: Flask, cookies: str, path: str) -> TestResponse:
    """Return the response to a browser that sends this Cookie header."""
    return app.test_client(use_cookies=False).get(path, headers={"Cookie": cookies})


def signed_in(app: Flask, cookie: str) -> bool:
    """Return True if a cookie has a session."""
    answer = get_with_cookies(app, f"{COOKIE_NAME}={cookie}", "/home")
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
    prefix = "__Host-" if scheme == "https" else ""
    for name in (COOKIE_NAME, "linnet_form"):
        value, *flags = set_cookie(answer, prefix + name)
        assert value and {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(flags)
        assert ("Secure" in flags) == (scheme == "https")
        assert not any(flag.startswith("Domain") for flag in flags)
    assert "Max-Age=2592000" in set_cookie(answer, prefix + COOKIE_NAME)
    out = client.post("/logout", data={"csrf_token": token(client, "/home", **options)}, **options)  # type: ignore[arg-type]
    assert out.status_code == 303 and "Max-Age=0" in set_cookie(out, prefix + COOKIE_NAME)


def test_a_login_starts_a_session_and_a_logout_ends_only_that_one(
    app: Flask, ann: FlaskClient
) -> None:
    first = ann.get_cookie(COOKIE_NAME)
    second, *_ = set_cookie(sign_in(app))
    assert first and second != first.value
    assert signed_in(app, first.value) and signed_in(app, second)
    answer = ann.post("/logout")
    assert (answer.status_code, answer.location) == (303, "/")
    assert "You’re logged out." in ann.get("/").text
    assert ann.get_cookie(COOKIE_NAME) is None
    assert not signed_in(app, first.value) and signed_in(app, second)


def test_scripts_can_read_which_session_a_page_was_made_for(app: Flask, member: SignUp) -> None:
    ann, visitor = member("ann"), app.test_client()
    names = set()
    for _ in range(2):
        cookie, name = ann.get_cookie(COOKIE_NAME), ann.get_cookie("linnet_viewer")
        assert cookie and name and not name.http_only and name.value not in cookie.value
        assert re.fullmatch("[0-9a-f]{16}", name.value)
        for path in "/home /home?max_id=1 /public /@ann /settings/profile /nothing".split():
            assert f' data-session="{name.value}"' in ann.get(path).text, path
        # A session that began before there was such a name.
        answer = get_with_cookies(app, f"{COOKIE_NAME}={cookie.value}", "/public")
        assert set_cookie(answer, "linnet_viewer")[0] == name.value
        names.add(name.value)
        ann.post("/logout")
        assert ann.get_cookie("linnet_viewer") is None
        for path in ("/", "/public", "/@ann", "/login", "/nothing"):
            assert "data-session" not in visitor.get(path).text, path
        ann.post("/login", data={"login": "ann", "password": PASSWORD})
    assert len(names) == 2


def test_a_login_ends_the_browsers_earlier_session(app: Flask, ann: FlaskClient) -> None:
    old = ann.get_cookie(COOKIE_NAME)
    assert old
    ann.post("/logout")
    ann.set_cookie(COOKIE_NAME, old.value)
    answer = ann.post("/login", data={"login": "ann", "password": PASSWORD})
    assert set_cookie(answer)[0] != old.value
    assert not signed_in(app, old.value)


def test_a_csrf_token_does_not_outlive_a_login_or_logout(guarded: Flask) -> None:
    client = guarded.test_client()
    visitors_token = token(client, "/signup")
    form = {"csrf_token": visitors_token, "login": "ann", "name": "Ann", "password": PASSWORD}
    client.post("/signup", data=form)
    answer = client.post("/statuses", data={"text": "hello", "csrf_token": visitors_token})
    assert answer.status_code == 400
    members_token = token(client, "/home")
    client.post("/logout", data={"csrf_token": members_token})
    assert client.post("/login", data={**form, "csrf_token": members_token}).status_code == 400


def test_a_forged_cookie_has_no_session_and_is_deleted(app: Flask, member: SignUp) -> None:
    ann, ben = member("ann"), member("ben")
    bens_cookie, anns_cookie = ben.get_cookie(COOKIE_NAME), ann.get_cookie(COOKIE_NAME)
    assert bens_cookie and anns_cookie
    uid, secret = bens_cookie.value.split(".")
    other_uid = anns_cookie.value.partition(".")[0]
    assert signed_in(app, bens_cookie.value)
    forged = [
        f"{other_uid}.{secret}",
        f"{other_uid}.",
        f".{secret}",
        secret,
        f"{uid}.{secret}x",
        f"0{uid}.{secret}",
        f"{uid}.{secret[:-1]}",
        f"{uid}.{secret}" + "." * 9_000,
        "\xd9\xa1." + secret,
        *FORGED,
    ]
    for cookie in forged:
        assert not signed_in(app, cookie), cookie
    for path in ("/", "/public", "/@ann", "/login", "/nowhere"):
        assert get_with_cookies(app, f"{COOKIE_NAME}=1.x", path).status_code in (200, 404)
    answer = get_with_cookies(app, f"{COOKIE_NAME}=1.x", "/public")
    assert "Max-Age=0" in set_cookie(answer)
    assert signed_in(app, bens_cookie.value) and signed_in(app, anns_cookie.value)


@pytest.mark.parametrize("value", ["x", "e30.x.y", "\xff", "x" * 10_000, '"\\355\\240\\200"'])
def test_a_forged_form_cookie_is_replaced(guarded: Flask, value: str) -> None:
    answer = get_with_cookies(guarded, f"linnet_form={value}", "/login")
    assert answer.status_code == 200 and set_cookie(answer, "linnet_form")


def test_the_store_holds_neither_tokens_nor_passwords(app: Flask, member: SignUp) -> None:
    cookies = [member(login).get_cookie(COOKIE_NAME) for login in ("ann", "ben")]
    sign_in(app)
    stored = repr(everything(app.extensions["linnet.db"]))
    for cookie in cookies:
        assert cookie
        secret = cookie.value.partition(".")[2]
        assert len(secret) >= 43 and secret not in stored  # 256 bits
        assert sha256(secret) in stored
    assert PASSWORD not in stored
    assert stored.count("$argon2id$") == 2


def test_a_session_and_its_cookie_are_extended_when_due(settings: Config) -> None:
    with serving(settings) as app:
        ann = join(app, "ann")
        assert set_cookie(ann.get("/home")) == []
    with serving(replace(settings, session_touch=0)) as app:
        db: Db = app.extensions["linnet.db"]
        cookie = ann.get_cookie(COOKIE_NAME)
        [key] = [key for key in everything(db) if key.startswith("session:")]
        db.run(("EXPIRE", key, 100))
        assert cookie
        answer = get_with_cookies(app, f"{COOKIE_NAME}={cookie.value}", "/home")
        assert set_cookie(answer)[0] == cookie.value and "Max-Age=2592000" in set_cookie(answer)
        assert db.run(("TTL", key)) > 29 * 86_400
        db.run(("PEXPIRE", key, 0))
        assert not signed_in(app, cookie.value)


def test_a_session_ends_after_ninety_days_even_in_use(app: Flask, member: SignUp) -> None:
    client = member("ann")
    cookie = client.get_cookie(COOKIE_NAME)
    assert cookie
    key = account_keys.session(1, sha256(cookie.value.partition(".")[2]))
    created = int(app.extensions["linnet.db"].run(("HGET", key, "created")))
    for days, status in ((89, 200), (90, 303)):
        app.extensions["linnet.db"].run(("HSET", key, "created", created - days * 86_400))
        assert client.get("/home").status_code == status


def test_an_unknown_login_and_a_wrong_password_get_the_same_response(
    app: Flask, member: SignUp
) -> None:
    member("ann")
    db: Db = app.extensions["linnet.db"]
    answers = []
    for login in ("ann", "bob"):
        sign_in(app, login, "wrong password")
        before = db.trips
        answer = sign_in(app, login, "wrong password")
        body = re.sub(r'(name="csrf_token"[^>]*) value="[^"]+"', r"\1", answer.text)
        body = body.replace(f'"{login}"', '"…"')
        headers = {
            name: value
            for name, value in answer.headers.items()
            if name not in ("X-Request-ID", "Set-Cookie")
        }
        answers.append((answer.status_code, db.trips - before, body, headers))
    assert answers[0] == answers[1]
    assert answers[0][0] == 422


def test_forwarded_headers_of_clients_are_ignored(settings: Config) -> None:
    with serving(replace(settings, limit_signin_address=Rate(2, 600))) as app:
        statuses = [
            sign_in(app, headers={"X-Forwarded-For": f"10.0.0.{n}"}).status_code for n in range(4)
        ]
        assert statuses == [422, 422, 429, 429]
        forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}
        answer = app.test_client().get("/signup", headers=forwarded)
        assert "Strict-Transport-Security" not in answer.headers
        assert "evil.example" not in answer.text


def test_the_address_forwarded_by_a_trusted_proxy_is_rate_limited(settings: Config) -> None:
    with serving(replace(settings, limit_signin_address=Rate(2, 600), trusted_proxies=1)) as app:

        def status(forwarded_for: str) -> int:
            return sign_in(app, headers={"X-Forwarded-For": forwarded_for}).status_code

        statuses = [status(f"1.1.1.1, 10.0.0.{n}") for n in (1, 1, 1, 2, 2, 2)]
        assert statuses == [422, 422, 429] * 2
        assert status("10.0.0.3, 10.0.0.1") == 429, "only the address that the proxy saw counts"
        answer = app.test_client().get("/signup", headers={"X-Forwarded-Proto": "https"})
        assert "Strict-Transport-Security" in answer.headers


def test_failed_logins_of_one_account_are_limited_across_addresses(settings: Config) -> None:
    with serving(replace(settings, limit_signin_strangers=Rate(2, 600))) as app:
        join(app, "ann")
        join(app, "none")

        def status(n: int, *credentials: str) -> int:
            address = {"REMOTE_ADDR": f"192.0.2.{n}"}
            return sign_in(app, *credentials, environ_overrides=address).status_code

        statuses = [status(n, login, "wrong") for n, login in enumerate(("ann", "@ANN", "Ann"))]
        assert statuses == [422, 422, 429]
        assert status(9, "ann") == 429, "the right password is not revealed"
        for login in ("not a login", "?", "x" * 99):
            assert status(10, login, "wrong") in (422, 429)
        assert status(11, "none") == 303, "other accounts are not affected"


def test_over_https_only_a_cookie_that_belongs_to_this_host_is_read(
    app: Flask, member: SignUp
) -> None:
    cookie = member("ann").get_cookie("linnet")
    assert cookie
    https, base = app.test_client(), "https://localhost"
    https.set_cookie("linnet", cookie.value)
    assert https.get("/home", base_url=base).status_code == 303
    headers = [(b"cookie", b"linnet=1.a; __Host-linnet=1.b"), (b"x-forwarded-proto", b"https")]
    scope = {"method": "GET", "path": "/stream/home", "scheme": "http", "headers": headers}
    proxied = replace(app.extensions["linnet.config"], trusted_proxies=1)
    assert Request(scope).session_cookie(proxied) == "1.b"
    assert Request({**scope, "headers": headers[:1]}).session_cookie(proxied) == "1.a"
    assert not https.get_cookie("linnet"), "it goes"
    https.set_cookie("__Host-linnet", cookie.value, secure=True)
    https.get("/home", base_url=base)
    response = https.get("/home", base_url=base)
    assert response.status_code == 200 and "Set-Cookie" not in response.headers
    https.post("/logout", base_url=base)
    names = {one.key for one in https._cookies.values()}
    assert not names & {"linnet", "__Host-linnet", "linnet_viewer"}
    assert "__Host-linnet_form" in names
