"""The floor of security: closed by default, form tokens, headers, and texts from hostile hands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any
from urllib.parse import quote, quote_from_bytes

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from tests.conftest import PASSWORD, make_app
from tests.support.pagecache import ask
from tests.support.schema import live_keys
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.web.view_options import view_options

Member = Callable[[str], FlaskClient]
OPEN = {
    *("accounts.login", "acts.boosters", "acts.likers", "quotes.index", "accounts.signup"),
    *("following.followers", "following.following"),
    *(
        f"chat_api.{call}"
        for call in ("index", "pending", "fetched", "messages", "picture", "send")
    ),
    *(
        "feeds.profile",
        "feeds.public",
        "lists.show",
        "lists.members",
        "lists.public",
        "health.healthz",
        "health.readyz",
        "media.show",
        "preferences.choose",
        "robots",
        "static",
    ),
    *("statuses.several", "statuses.show", "streams.about", "streams.serve"),
    *("edits.history", "tags.atom", "tags.show"),
    *("timelines.index", "timelines.profile", "timelines.public", "timelines.replies"),
}
READERS = {
    "string": "GET",
    "hash": "HGETALL",
    "set": "SMEMBERS",
    "zset": "ZRANGE",
    "stream": "XRANGE",
}
ENDS = {"zset": (0, -1, "WITHSCORES"), "stream": ("-", "+")}


def everything(db: Db, *but: str) -> dict[str, Any]:
    """Every key with its value, except keys that begin with one of `but`."""
    found = {}
    for key in live_keys(db):
        if not key.startswith(but or ("\0",)):
            kind = db.run(("TYPE", key))
            if kind != "none":  # it has not just expired
                found[key] = db.run((READERS[kind], key, *ENDS.get(kind, ())))
    return found


@pytest.fixture
def guarded(settings: Config) -> Iterator[Flask]:
    """The app as it really runs: forms need their token."""
    app = make_app(settings, WTF_CSRF_ENABLED=True)
    yield app
    app.extensions["linnet.db"].close()


def token(client: FlaskClient, path: str, **options: Any) -> str:
    """The form token in a page."""
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', client.get(path, **options).text)
    assert found
    return found[1]


def enter(app: Flask, login: str = "ann", path: str = "/signup", **options: Any) -> FlaskClient:
    """Signs a member up, or in, with the form's token."""
    client = app.test_client()
    form = {
        "csrf_token": token(client, path, **options),
        "login": login,
        "name": login.title(),
        "password": PASSWORD,
    }
    assert client.post(path, data=form, **options).status_code == 303
    return client


def address(rule: Rule) -> str:
    """An address of a route."""
    chosen = re.sub(r"<any\((\w+)[^>]*>", r"\1", rule.rule)
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda match: {"login": "ann"}.get(match[1], "5"), chosen)


def test_only_the_views_named_here_are_open(app: Flask, client: FlaskClient) -> None:
    marked = {
        name
        for name, view in app.view_functions.items()
        if view_options(view).public or view_options(view).storeless
    }
    assert marked == OPEN - {"static"}
    for rule in app.url_map.iter_rules():
        for method in sorted(rule.methods or ()):
            answer = client.open(address(rule), method=method)
            endpoint, _ = app.url_map.bind("localhost").match(
                address(rule), method=method
            )  # some share an address
            if endpoint in OPEN:
                assert not (answer.location or "").startswith("/login"), rule
            else:
                back = "?next=" + address(rule) if method in ("GET", "HEAD") else ""
                assert (answer.status_code, answer.location) == (303, f"/login{back}"), rule


def test_a_line_of_the_log_is_one_line_and_short_whatever_is_asked_for(
    client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    assert client.get("/" + "%0A" * 20_000).status_code == 404
    [line] = [record.getMessage() for record in caplog.records if "GET /" in record.getMessage()]
    assert line.startswith("GET /%0A%0A") and len(line) < 1_000


def test_a_head_is_answered_as_a_get_is(app: Flask, client: FlaskClient, member: Member) -> None:
    for who in (client, member("ann")):
        for rule in app.url_map.iter_rules():
            if "GET" in (rule.methods or ()) and not rule.endpoint.startswith("streams."):
                got, head = who.get(address(rule)), who.head(address(rule))
                assert (head.status_code, head.data) == (got.status_code, b""), rule


def test_no_view_changes_anything_by_get(app: Flask, member: Member) -> None:
    ann, db = member("ann"), app.extensions["linnet.db"]
    apart = ("active:", "session", "connection_slots:", "limit:")  # a stream holds a slot
    before = everything(db, *apart)
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()):
            ann.get(address(rule))
    assert everything(db, *apart) == before


def test_every_form_needs_its_token_and_without_it_nothing_changes(guarded: Flask) -> None:
    ann = enter(guarded)
    ben = enter(guarded, "ben")
    right = token(ann, "/home")
    others = token(ben, "/home")
    db: Db = guarded.extensions["linnet.db"]
    before = everything(db)
    verbs = {"POST", "PUT", "PATCH", "DELETE"}
    # A choice of language or theme asks for no token, so that visitors' pages need no cookie; a stream changes nothing;
    # who may call the API is tested with it.
    free = ("preferences.choose", "streams.serve", "chat_api.fetched", "chat_api.send")
    rules = [rule for rule in guarded.url_map.iter_rules() if rule.endpoint not in free]
    writing = [rule for rule in rules if verbs & (rule.methods or set())]
    assert len(writing) >= 8
    form = {"login": "cat", "name": "Cat", "password": PASSWORD, "text": "hello"}
    for rule in writing:
        for method in verbs & (rule.methods or set()):
            for wrong in (None, "", "x", others, right[:-1], right + "x", "\udcff"):
                data = form | (
                    {}
                    if wrong is None
                    else {"csrf_token": wrong.encode("utf-8", "replace").decode()}
                )
                for client in (ann, guarded.test_client()):
                    assert (
                        client.open(address(rule), method=method, data=data).status_code == 400
                    ), rule
    assert everything(db) == before
    assert ann.post("/statuses", data={"text": "hello", "csrf_token": right}).status_code == 303


def test_a_form_token_from_another_site_is_no_use_over_https(guarded: Flask) -> None:
    site = "https://localhost"
    ann = enter(guarded, base_url=site, headers={"Referer": f"{site}/"})
    form = {"text": "hello", "csrf_token": token(ann, "/home", base_url=site)}
    others = ("https://evil.example/", "http://localhost/", "https://[", "https://[v]/", "")
    for referrer, status in (*((other, 400) for other in others), (f"{site}/home", 303)):
        assert (
            ann.post(
                "/statuses", data=form, base_url=site, headers={"Referer": referrer}
            ).status_code
            == status
        )


def test_every_answer_has_the_headers_whatever_it_is(guarded: Flask) -> None:
    ann, visitor = enter(guarded), guarded.test_client()
    paths = "/ /home /public /@ann /login /nowhere /static/css/base.css /static/no /healthz /readyz"
    answers = [client.get(path) for client in (ann, visitor) for path in paths.split()]
    answers += [
        ann.post("/statuses"),
        ann.post("/home"),
        ann.post("/login", data={"x": "x" * 70_000}),
    ]
    for answer in answers:
        policy = dict(
            part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; ")
        )
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
        assert "unsafe" not in str(policy) and "*" not in str(policy)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "Strict-Transport-Security" not in answer.headers
        answer.close()  # a file, where it is one
    assert (
        "max-age"
        in visitor.get("/", base_url="https://localhost").headers["Strict-Transport-Security"]
    )


def test_a_page_that_depends_on_the_cookie_says_so_to_caches(guarded: Flask) -> None:
    ann, visitor = enter(guarded), guarded.test_client()
    for client in (ann, visitor):
        for path in ("/", "/home", "/public", "/@ann", "/login", "/nowhere"):
            assert "Cookie" in client.get(path).headers.get("Vary", ""), path


def test_no_page_holds_inline_style_or_script(guarded: Flask) -> None:
    ann, visitor = enter(guarded), guarded.test_client()
    text = token(ann, "/home")
    ann.post("/statuses", data={"text": "@ann https://example.com #tag", "csrf_token": text})
    paths = (
        "/",
        "/home",
        "/public",
        "/@ann",
        "/@ann/followers",
        "/login",
        "/signup",
        "/statuses/new",
        "/nowhere",
    )
    for client in (ann, visitor):
        for page in (client.get(path).text for path in paths):
            assert not re.search(
                r"<style|<script(?![^>]* src=)|\sstyle=|\son\w+=|javascript:", page, re.IGNORECASE
            )


SAFE = ["/", "/evil", "/public", "/@ann?max_id=5", "/@ann/5#here", "/%2F%2Fevil.example", "/a:b"]
UNSAFE = """
//evil.example ///evil.example /\\evil.example \\\\evil.example https://evil.example https:evil.example
HTTPS:/evil.example javascript:alert(1) data:text/html,x evil.example @evil.example ?x #x . // //[evil
""".split()
CONTROLS = [
    "",
    " ",
    " /public",
    "/pub lic",
    "\t//evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r\nX-Y: z",
]
CONTROLS += ["/\0", "/\x7f", "/" + "x" * 1_000]


@pytest.mark.parametrize("target", [*SAFE, *UNSAFE, *CONTROLS])
def test_a_sign_in_goes_on_only_inside_the_site(app: Flask, member: Member, target: str) -> None:
    member("ann")
    client = app.test_client()
    page = client.get("/login", query_string={"next": target})
    field = re.search(r'name="next"[^>]*value="([^"]*)"', page.text)
    typed = client.post("/login", data={"login": "ann", "password": PASSWORD, "next": target})
    again = client.get("/login", query_string={"next": target})
    assert page.status_code == 200 and field and field[1] == (target if target in SAFE else "")
    assert typed.status_code == again.status_code == 303
    assert typed.location == again.location
    assert typed.location == (target if target in SAFE else "/home")


@pytest.mark.parametrize("target", [*UNSAFE, *CONTROLS])
def test_following_and_deleting_go_back_only_inside_the_site(member: Member, target: str) -> None:
    ann, _ = member("ann"), member("ben")
    ann.post("/statuses", data={"text": "hello"})
    status_id = re.findall(r'id="status-(\d+)"', ann.get("/home").text)[0]
    paths = ("/@ben/follow", f"/statuses/{status_id}/delete")
    assert [ann.post(path, data={"next": target}).location for path in paths] == ["/@ben", "/@ann"]


CORPUS = {
    "nul": b"a\0b",
    "nul alone": b"\0",
    "lone surrogate": b"\xed\xa0\x80",
    "surrogate pair in cesu-8": b"\xed\xa0\xbd\xed\xb8\x80",
    "bytes that are no utf-8": b"\xff\xfe\xc0\xaf",
    "overlong and cut": b"\xc0\x80\xf0\x9f",
    "right to left overrides": "\u202eevil\u202c \u2066x\u2069 \u200f".encode(),
    "zero width": "\u200b\u200d\ufeff\ufe0f".encode(),
    "combining": ("Z" + "\u0301" * 2_000).encode(),
    "noncharacters": "\uffff\ufffe\U0010ffff".encode(),
    "long": b"x" * 10_000,
    "long of four bytes": "😀".encode() * 10_000,
    "dots": b"a." * 5_000,
    "ats": b"@" * 5_000 + b"#" * 5_000,
    "template": b"{{ config }}{% raw %}%(num)s %s {0}",
    "markup": b"\"'><script>alert(1)</script>",
    "line breaks": b"a\r\nSet-Cookie: linnet=1\r\n\r\n",
    "number": b"9" * 400,
    "format of a key": b"user:{53t}:1 *\r\nFLUSHALL\r\n",
    "empty": b"",
}
FORMS = {
    "/signup": ("login", "name", "password", "csrf_token"),
    "/login": ("login", "password", "next"),
    "/statuses": ("text", "key"),
    "/@ben/follow": ("next", "login"),
    "/statuses/5/delete": ("next",),
}
GOOD = {
    "login": "cat",
    "name": "Cat",
    "password": PASSWORD,
    "text": "hello",
    "key": "12345678",
    "next": "/",
}
ADDRESSES = "/@{} /@{}/5 /@ann/{} /@{}/followers /{} /static/{} /public?max_id={} /login?next={} /?{}".split()
SENT = "User-Agent Referer Accept-Language X-Request-ID X-Forwarded-For Content-Type Range".split()
URLENCODED = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("hostile", CORPUS)
def test_hostile_texts_in_any_field_or_address_never_break_a_page(
    app: Flask, member: Member, hostile: str
) -> None:
    ann, _ = member("ann"), member("ben")
    value = CORPUS[hostile]
    encoded = quote_from_bytes(value, "")
    for path, names in FORMS.items():
        for name in names:
            fields = {n: quote(v) for n, v in GOOD.items() if n in names} | {name: encoded}
            body = "&".join(f"{n}={v}" for n, v in fields.items())
            for client in (ann, app.test_client()):
                assert client.post(path, data=body, content_type=URLENCODED).status_code < 500, (
                    path,
                    name,
                )
    short = quote_from_bytes(value[:2_000], "")
    for path in ADDRESSES:
        assert ann.get(path.format(short)).status_code < 500, path
    for path in ("/@{}/follow", "/@{}/unfollow", "/statuses/{}/delete"):
        assert ann.post(path.format(short)).status_code < 500, path
    for path in ("/home", "/public", "/@ann"):
        assert ann.get(path).status_code == 200
    header = value.replace(b"\r\n", b" ").replace(b"\0", b" ").decode("latin-1")[:4_000]
    for name in SENT:
        assert ann.get("/public", headers={name: header}).status_code < 500, name


@pytest.mark.parametrize("path", FORMS)
def test_bodies_of_other_shapes_never_break_a_page(app: Flask, member: Member, path: str) -> None:
    ann, _ = member("ann"), member("ben")
    files = lambda: {name: (BytesIO(b"\xff\0"), "../../etc/passwd") for name in GOOD}
    bodies: list[dict[str, Any]] = [
        {"json": {name: ["x", {"y": None}] for name in GOOD}},
        {"json": [1, 2]},
        {"data": b"{", "content_type": "application/json"},
        {"data": {f"{name}[]": ["a", "b"] for name in GOOD}},
        {"data": {name: ["first", "second"] for name in GOOD}},
        {"data": b"--x\r\n\xff\xff", "content_type": "multipart/form-data; boundary=x"},
        {"data": b"a=1", "content_type": "multipart/form-data"},
        {"data": b"a=1&" * 5_000, "content_type": URLENCODED},
        {"data": b"&=&%&%zz=%zz;=", "content_type": f"{URLENCODED}; charset=utf-16"},
        {
            "data": b"\x1f\x8b\x08",
            "headers": {"Content-Encoding": "gzip"},
            "content_type": URLENCODED,
        },
        {"data": b"x", "headers": {"Content-Length": "-1"}, "content_type": URLENCODED},
        {"data": b"x", "headers": {"Content-Length": "many"}, "content_type": URLENCODED},
    ]
    for client in (ann, app.test_client()):
        for body in (*bodies, {"data": files()}):
            assert client.post(path, **body).status_code < 500, body


@pytest.mark.parametrize(
    "host",
    [
        "",
        "x" * 64,
        "x" * 10_000,
        "é",
        "\xff\xfe",
        "a b",
        "[::1",
        "x:y:z",
        "//evil.example",
        "@",
        "a..b",
        ".",
        "a:99999",
    ],
)
def test_a_hostile_host_header_never_breaks_a_page(
    app: Flask, client: FlaskClient, host: str
) -> None:
    for path in ("/public", "/home", "/nowhere"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code < 500
        assert "evil" not in answer.text + (answer.location or "")


@pytest.mark.parametrize("host", ["xn--", "a.xn--b", "xn--xn--", "[:.:]"])
def test_a_host_whose_letters_are_right_but_that_is_no_name_is_refused(
    app: Flask, host: str
) -> None:
    for path in ("/public", "/home", "/nowhere", "/static/favicon.svg", "/healthz"):
        answer = ask(app, path, headers={"Host": host})
        assert (answer.status, answer.headers["Cache-Control"]) == (400, "no-store")
        assert answer.headers["X-Frame-Options"] == "DENY"


def test_fifty_concurrent_sign_ups_for_one_name_are_one_account_and_49_refusals(app: Flask) -> None:
    def attempt(number: int) -> tuple[int, bool]:
        form = {"login": "ann", "name": f"Number {number}", "password": PASSWORD}
        answer = app.test_client().post("/signup", data=form)
        return answer.status_code, "That name is taken." in answer.text

    with ThreadPoolExecutor(16) as pool:
        answers = sorted(pool.map(attempt, range(50)))
    assert answers == [(303, False)] + [(409, True)] * 49
    assert (
        len([key for key in live_keys(app.extensions["linnet.db"]) if key.startswith("user:")]) == 1
    )
