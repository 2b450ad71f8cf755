"""Whatever is sent to any form by anybody: an answer in words, nothing changed unless it is taken, and what is taken is
shown as the text that it is.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from html.parser import HTMLParser
from itertools import repeat
from typing import Any
from urllib.parse import quote_from_bytes, unquote, urlencode

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD, make_app
from tests.support import chat, worker
from tests.support.multipart import multipart
from tests.support.schema import live_keys
from tests.support.streaming.client import in_loop
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.tokens import keys as token_keys
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.forms.body_limits import body_limit
from webapp.core.store.client import Db
from webapp.core.text.parser import tag_name
from webapp.core.web.view_options import view_options
from webapp.server.asgi_bridge import AsgiBridge
from webapp.statuses import keys as status_keys

Join = Callable[[str], FlaskClient]
WRITING = {"POST", "PUT", "PATCH", "DELETE"}
URLENCODED = "application/x-www-form-urlencoded"
READERS = {
    "string": ("GET",),
    "hash": ("HGETALL",),
    "set": ("SMEMBERS",),
    "zset": ("ZRANGE", 0, -1, "WITHSCORES"),
}
READERS["stream"] = ("XRANGE", "-", "+")
KINDS: dict[str, str] = {}  # of keys that were read: none is ever of another
# Words that differ each time: the id of a request, the key of a form.
RANDOM = re.compile(r'\b[0-9a-f]{16}\b|(?<= value=")[\w-]{16,}(?=")')

# Texts that anybody may write, and that would be more than text where a page forgot to say so.
MARKUP = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' autofocus onfocus=alert(1) x='",
    "</textarea><svg/onload=alert(1)>",
    "</title><body onload=alert(1)>",
    "<!--><iframe srcdoc=x></iframe>-->",
    "&lt;b&gt;&#60;script&#62;",
    "javascript:alert(1)",
    "https://a.example/'onclick='x",
    "https://a.example/?<script>",
    "@ann<script>#tag</script>",
    "data:text/html,<script>",
    "{{ 7*7 }}{% debug %}%(num)s {0}",
    "</p></article></main><h1>x",
]
# What no field should have, or little of: each is refused, cleaned, or kept as the text that it is.
RAW: dict[str, bytes] = {
    "overrides": "\u202eevil\u202c \u2066x\u2067 \u200f\u061c".encode(),
    "only what does not show": "\u200b\u2060\ufeff\U000e0041\u3164".encode(),
    "nul": b"a\0b",
    "controls": bytes(range(1, 32)) + b"\x7f\xc2\x80\xc2\x9f",
    "lone surrogates": b"a\xed\xa0\x80b\xed\xb0\x80",
    "no utf-8": b"\xff\xfe\xc0\xaf\xf0\x9f",
    "utf-16": "a<b>".encode("utf-16"),
    "marks on marks": ("Z" + "\u0301\u0489" * 900).encode(),
    "noncharacters": "\uffff\ufffe\U0010ffff".encode(),
    "long": b"x" * 30_000,
    "new headers": b"/public\r\nX-Evil: 1\r\nSet-Cookie: linnet=forged",
    "elsewhere": b"//evil.example/\\evil.example",
    "upwards": b"../../../../etc/passwd%00.png",
    "a key": b"user:{53t}:1",
    "negative": b"-1",
    "digits of another script": "\u0661\u0662\uff11".encode(),
    "many digits": b"9" * 400,
    "float": b"1e400",
    "nothing": b"",
    "template": b"${7*7}#{7*7}<%= 7*7 %>",
    **{text: text.encode() for text in MARKUP[:6]},
}
# What each field holds otherwise: enough to get as far as the store, but for passwords that open nothing.
GOOD = {
    "login": "ann",  # who is a member already
    "name": "Wren",
    "password": "not the right one",
    "old": "not the right one",
    "new": "another battery staple",
    "text": "hello",
    "key": "12345678",
    "next": "/public",
    "language": "en",
    "theme": "dark",
    "website": "https://example.org",
    "option1": "reeds",
    "option2": "marsh",
}
IDS = [
    "0",
    "-1",
    "5",
    "1.0",
    "1e3",
    "9" * 30,
    "\u0661",
    "%00",
    "..%2f..%2fetc%2fpasswd",
    "a%0d%0aX-Evil:%201",
    "%ff",
    "*",
]
IDS += [
    "{}",
    "%7B53t%7D:1",
    "%E2%80%AEnna",
    "<script>",
    "x" * 3_000,
    "None",
    "ann%20",
    "%20",
    "%2e%2e",
    "f" * 64,
    "'--",
]


def everything(db: Db) -> dict[str, Any]:
    """All the store holds, but for rate limits, for when somebody was last seen and for what is kept of pages."""
    passing = ("limit:", "active:", "page:", "pages:", "views:")
    names = [name for name in live_keys(db) if not name.startswith(passing)]
    new = [name for name in names if name not in KINDS]
    KINDS.update(zip(new, db.trip(*(("TYPE", name) for name in new)), strict=True))
    readers = [READERS[KINDS[name]] for name in names]
    return dict(
        zip(
            names,
            db.trip(*((r[0], n, *r[1:]) for n, r in zip(names, readers, strict=True))),
            strict=True,
        )
    )


def changes(db: Db) -> int:
    """How often the store was written to: where that is as before, so is everything."""
    return int(re.search(r"rdb_changes_since_last_save:(\d+)", db.run(("INFO", "persistence")))[1])  # type: ignore[index]


class Page(HTMLParser):
    """What a browser would make of a page: its text, its fields by their forms, and what is not safe in it."""

    VOID = frozenset(
        "area base br col embed hr img input link meta source track wbr path circle use".split()
    )
    PLAIN = frozenset(("title", "textarea", "option"))  # text alone, which cannot spill
    TURNING = frozenset("R AL AN RLE RLO LRE LRO PDF RLI LRI FSI PDI".split())

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.unsafe: list[str] = []
        self.loose: list[str] = []  # texts that could turn the line around them
        self.forms: list[tuple[str, set[str]]] = []
        self.named: dict[str, set[str]] = {}  # their fields, by their ids
        self._open: list[tuple[str, bool]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._check(tag, given)
        if tag == "form" and given.get("method") == "post":
            self.forms.append((given.get("action", ""), set()))
            self.named[given.get("id", "")] = self.forms[-1][1]
        elif tag == "button" and "formaction" in given and given.get("form") in self.named:
            self.forms.append((given["formaction"], set(self.named[given["form"]])))
        elif given.get("name") and tag in ("input", "textarea", "select", "button") and self.forms:
            self.forms[-1][1].add(given["name"])
        if tag not in self.VOID:
            self._open.append((tag, tag == "bdi" or given.get("dir") == "auto"))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        apart = any(isolated or tag in self.PLAIN for tag, isolated in self._open)
        if not apart and any(unicodedata.bidirectional(c) in self.TURNING for c in data):
            self.loose.append(data)

    def _check(self, tag: str, given: dict[str, str]) -> None:
        here = f"<{tag} {given}>"
        if tag in ("iframe", "object", "embed", "base", "style", "frame", "math", "audio", "video"):
            self.unsafe.append(here)
        if tag == "script" and not given.get("src", "").startswith("/static/js/"):
            self.unsafe.append(here)
        for name, value in given.items():
            link = name in ("href", "src", "action", "formaction", "srcset", "xlink:href")
            fine = re.match(r"(/(?!/)|https?://|#|\?)", value, re.IGNORECASE)
            if name.startswith("on") or name in ("style", "srcdoc") or (link and not fine):
                self.unsafe.append(here)


@pytest.mark.parametrize(
    "page",
    [
        "<script>x</script>",
        "<script src=//a.example/x.js></script>",
        "<p onclick=x>",
        "<a href=javascript:x>",
        "<a href=' data:x'>",
        "<form action=//a.example>",
        "<p style=x>",
        "<svg/onload=x>",
        "<iframe>",
    ],
)
def test_the_reader_of_pages_sees_what_is_unsafe(page: str) -> None:
    assert Page(page).unsafe


def test_the_reader_of_pages_sees_what_could_turn_a_line() -> None:
    assert Page("<p><b>\u05d0</b></p>").loose and Page("<p><bdi>x</bdi>\u202e</p>").loose
    assert not Page("<p><b dir=auto>\u05d0</b> x</p><title>\u202e</title>").loose
    assert not Page('<p class="x">&lt;script&gt; <a href="/x">javascript:</a></p>').unsafe


@lru_cache(maxsize=4_096)
def looked_at(text: str) -> tuple[list[str], int]:
    """What is not safe in a page, and how many words it has. Most refusals are the same page."""
    page = Page(text)
    return page.unsafe, len(" ".join(page.words).split())


def check_answer(answer: TestResponse, where: object) -> None:
    """Fails for an answer that is no answer."""
    assert answer.status_code < 500, where
    assert "X-Evil" not in answer.headers and "X-Evil" not in str(answer.location), where
    if answer.location:
        assert re.match(r"/(?![/\\])", answer.location), (where, answer.location)
    assert "forged" not in "".join(answer.headers.getlist("Set-Cookie")), where
    if (
        answer.mimetype == "text/html"
        and answer.status_code >= 400
        and answer.request.method != "HEAD"
    ):
        unsafe, words = looked_at(RANDOM.sub("", answer.text))
        assert not unsafe, (where, unsafe)
        assert words > 5 and answer.text.rstrip().endswith("</html>"), where
        assert "Traceback" not in answer.text, where


class Site:
    """An app with two members, what they have, and a browser of the first."""

    def __init__(self, app: Flask, join: Join) -> None:
        self.app, self.db = app, app.extensions["linnet.db"]
        self.config: Config = app.extensions["linnet.config"]
        self.ann, self.ben = join("ann"), join("ben")
        for client in (self.ann, self.ben):
            client.post("/statuses", data={"text": "hello"})
            client.post("/settings/tokens", data={"name": "script"})
            client.post("/drafts", data={"text": "not yet", "key": "a-draft-1"})
            client.post("/lists", data={"name": "Birds"})
        self.ben.post("/statuses", data={**GOOD, "text": "where?"})  # a poll, for Ann to vote in
        self.status, self.others = (
            self.of(uid, status_keys.profile_statuses(uid)) for uid in (1, 2)
        )
        self.params = {
            "login": "ben",
            "status_id": self.status,
            "sha": "0" * 64,
            "uid": "1",
            "name": "x",
            "number": "1",
        }
        self.params["form_key"] = "a-draft-1"
        self.params["key"] = f"1-{'0' * 24}"  # an app's
        self.params |= {
            "cid": self._group(),
            "message": "1",
            "message_id": "1",
            "token": "1.none",
            "file": "none.webp",
        }
        words = {"words": "x", "home": "y", "act": "warn", "lasts": "always"}
        self.ann.post("/settings/filters", data=words)
        self.ann.post("/settings/bots", data={"login": "jay", "name": "Jay"})
        self.ann.post("/settings/bots/jay/webhook", data={"url": "https://bird.example/"})

    def _group(self) -> str:
        """A chat that Ann owns, with a message in it."""
        cid = chat.group(self.db, self.config, 1, [2])
        chat.say(self.db, self.config, 1, cid, "hello")
        worker.drain(self.db, self.config)
        return cid

    def path(self, rule: Rule, **others: str) -> str:
        """An address of a route."""
        params = (
            self.params | ({"login": "jay"} if rule.endpoint.startswith("bots.") else {}) | others
        )
        chosen = r"<(?:any\((\w+)[^>]*\):|\w+:)?(\w+)>"
        return re.sub(chosen, lambda match: params.get(match[2]) or match[1], rule.rule)

    def of(self, uid: int, key: str) -> str:
        """The newest member of a list."""
        return str(self.db.run(("ZRANGE", key, 0, 0, "REV"))[0])

    def enter(self, client: FlaskClient, uid: int = 1) -> None:
        """Signs a browser in that has been signed out."""
        if not client.get_cookie("linnet"):
            client.set_cookie("linnet", sessions.start(self.db, self.config, uid))

    def writing(self) -> Iterator[tuple[Rule, str, str]]:
        """Each route that changes something, with its method and an address of it."""
        for rule in self.app.url_map.iter_rules():
            if (
                rule.endpoint == "streams.serve"
            ):  # which may be asked for with POST, and changes nothing
                continue
            for method in sorted(WRITING & (rule.methods or set())):
                yield rule, method, self.path(rule)

    def fields(self) -> dict[str, set[str]]:
        """The fields of each route's form, as the pages have them."""
        found: dict[str, set[str]] = {}
        match = self.app.url_map.bind("localhost").match
        paths = f"/ /home /@ann /@ann/{self.status} /@ben /login /signup /statuses/new /settings/bots/jay".split()
        paths += [
            f"/chats/{place}"
            for place in ("new", "1", "1?edit=1", "1?report=1", "1/settings", "1/people")
        ]
        paths += "/lists /lists/1/edit /@ann/lists/1/members /@ben/lists/add".split()
        paths += [rule.rule for rule in self.app.url_map.iter_rules() if rule.rule.startswith("/settings/") and
                  "GET" in (rule.methods or ()) and not rule.arguments]  # fmt: skip
        for client in (self.ann, self.app.test_client()):
            for path in paths:
                for action, names in Page(client.get(path).text).forms:
                    if not action:  # its buttons say where it goes
                        continue
                    found.setdefault(match(action, method="POST")[0], set()).update(names)
        return {endpoint: names - {"csrf_token", "username"} for endpoint, names in found.items()}


@pytest.fixture
def settings(settings: Config) -> Config:
    """As always, but that nobody is seen again while a test lasts."""
    return replace(settings, session_touch=86_400)


@pytest.fixture
def site(app: Flask, member: Join) -> Site:
    """The site under attack."""
    return Site(app, member)


def bodies(
    fields: dict[str, str], name: str, value: bytes
) -> Iterator[tuple[bytes, dict[str, str]]]:
    """A form with one hostile field; what is more than plain text in both encodings, of one field of each form."""
    others = {key: text for key, text in fields.items() if key != name}
    yield (
        f"{urlencode(others)}&{name}={quote_from_bytes(value, '')}".encode(),
        {"Content-Type": URLENCODED},
    )
    if (value.isascii() and value.decode().isprintable()) or name != min(fields, default=name):
        return
    body, headers = multipart({**others, name: "\x01"})
    yield (
        body.replace(b"\x01", value, 1),
        {**headers, "Content-Length": str(len(body) - 1 + len(value))},
    )


def test_no_field_of_any_form_takes_what_it_should_not(site: Site) -> None:
    before, known, told = everything(site.db), site.fields(), changes(site.db)
    password = site.db.run(("GET", account_keys.password(1)))
    assert len(known) >= 12
    for rule, method, path in site.writing():
        names = sorted(known.get(rule.endpoint, {"text", "next"}))
        for name in names or ["unknown"]:
            for title, value in RAW.items():
                given = {field: GOOD.get(field, "") for field in names}
                for body, headers in bodies(given, name, value):
                    client = (
                        site.app.test_client()
                        if rule.endpoint in ("accounts.login", "accounts.signup")
                        else site.ann
                    )
                    answer = client.open(path, method=method, data=body, headers=headers)
                    where = (method, path, name, title, headers["Content-Type"], answer.status_code)
                    check_answer(answer, where)
                    if answer.status_code < 400:  # it was taken: what follows begins from here
                        site.db.run(("SET", account_keys.password(1), password))
                        site.enter(site.ann)
                        before = everything(site.db)
                    elif changes(site.db) > told:
                        assert everything(site.db) == before, where
                    told = changes(site.db)


def test_no_body_of_another_shape_changes_anything(site: Site) -> None:
    png = io.BytesIO()
    Image.new("RGB", (40, 40)).save(png, "PNG")
    known = site.fields()
    every = set().union(*known.values())
    shapes: list[tuple[bytes, str]] = [
        (b'{"text": ["x"], "name": {"a": null}, "login": 1, "password": true}', "application/json"),
        (b"[" * 20_000, "application/json"),
        (b"{", "application/json"),
        (
            b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><text>&a;</text>',
            "text/xml",
        ),
        (
            urlencode(
                {f"{name}[]": "x" for name in every} | {f"{name}[0]": "x" for name in every}
            ).encode(),
            URLENCODED,
        ),
        (b"text=" + b"%ZZ%" * 500 + b"&&&=&==&text[", f"{URLENCODED}; charset=utf-7"),
        (b"a=1&" * 9_000, URLENCODED),
        (b"text=hello&name=Wren", "text/plain"),
        (b"text=hello&name=Wren", ""),
        (b"text=hello&name=Wren", "multipart/form-data"),
        (b"--\r\n\r\n----", "multipart/form-data; boundary="),
        (b"--x\r\n" * 3_000, "multipart/form-data; boundary=x"),
        (
            b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nno end',
            "multipart/form-data; boundary=x",
        ),
        (
            b"--x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--x--",
            "multipart/form-data; boundary=x",
        ),
        (b"\x1f\x8b\x08\0", URLENCODED),
        (
            multipart({name: png.getvalue() for name in ("text", "old", "login")})[0],
            multipart({})[1]["Content-Type"],
        ),
        (b"text=" + b"x" * 100_000, URLENCODED),
        (multipart(dict.fromkeys(every, "x" * 9_000))[0], multipart({})[1]["Content-Type"]),
    ]
    before = everything(site.db)
    for rule, method, path in site.writing():
        asks = known.get(rule.endpoint)
        for body, kind in shapes:
            if not asks:  # a button alone: whatever else is sent, it is pressed
                continue
            for client in (site.ann, site.app.test_client()):
                answer = client.open(
                    path, method=method, data=body, headers={"Content-Type": kind} if kind else {}
                )
                where = (method, path, kind, body[:40], answer.status_code)
                check_answer(answer, where)
                if answer.status_code < 400 and rule.endpoint.startswith("following."):
                    before = everything(site.db)
                assert everything(site.db) == before or answer.status_code < 400, where
                before = everything(site.db)


def test_bytes_that_are_no_text_are_answered_in_any_query(site: Site) -> None:
    gateway = AsgiBridge(site.app, site.config)
    sent: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def answer(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            sent.append(message["status"])

    for path in ("/public", "/login", "/home", "/@ann", "/nothing"):
        for query in (b"max_id=\xff", b"\xfe=\x80", b"x=%ff&y=\xc3", b"next=\xff"):
            scope = {
                "type": "http",
                "method": "GET",
                "http_version": "1.1",
                "scheme": "http",
                "path": path,
            }
            in_loop(
                gateway(
                    scope | {"query_string": query, "headers": [(b"host", b"localhost")]},
                    receive,
                    answer,
                )
            )
    assert len(sent) == 20 and set(sent) <= {200, 303, 404, 422}


def test_ten_megabytes_are_refused_with_and_without_their_length(site: Site) -> None:
    cookie = site.ann.get_cookie("linnet")
    site.app.config["WTF_CSRF_ENABLED"] = True  # as it really runs, so that every form is read
    gateway = AsgiBridge(site.app, site.config, partial(body_limit, site.app, site.config))
    before, sent = everything(site.db), list[tuple[object, int]]()

    async def send(method: str, path: str, length: bytes | None) -> None:
        pieces = repeat(
            {"type": "http.request", "body": b"text=" + b"x" * 1_048_571, "more_body": True}, 10
        )
        rest = iter([*pieces, {"type": "http.request", "body": b"", "more_body": False}])
        head = [
            (b"host", b"localhost"),
            (b"cookie", f"linnet={cookie.value}".encode() if cookie else b""),
        ]
        head += [(b"content-type", URLENCODED.encode()), (b"sec-fetch-site", b"same-origin")]
        head += [(b"content-length", length)] if length else [(b"transfer-encoding", b"chunked")]
        scope = {
            "type": "http",
            "method": method,
            "http_version": "1.1",
            "scheme": "http",
            "path": path,
        }

        async def receive() -> dict[str, Any]:
            return next(rest)

        async def answer(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                sent.append(((method, path, length), message["status"]))

        await gateway(scope | {"query_string": b"", "headers": head}, receive, answer)

    for rule, method, path in site.writing():
        taken = view_options(site.app.view_functions[rule.endpoint]).pictures_max
        for length in (None, b"10485760", b"9" * 30):
            if not (taken and length == b"10485760"):  # two pictures may have as much
                in_loop(send(method, path, length))
    assert {status for _, status in sent} == {413}, [one for one in sent if one[1] != 413]
    assert everything(site.db) == before


def test_no_address_leads_anywhere_but_to_ones_own(site: Site) -> None:
    shas = [
        site.of(2, account_keys.member_sessions(2)),
        site.of(2, token_keys.tokens(2)),
        site.of(1, token_keys.tokens(1)),
    ]
    before = everything(site.db)
    for rule in site.app.url_map.iter_rules():
        for parameter in rule.arguments - {"filename"}:
            # A status of another member, sessions and tokens of another, and one's own token as a session.
            mine = "revoke" if "tokens" in rule.rule else "end"
            liking = rule.endpoint.startswith("acts.")  # which anybody's may be
            given = IDS + ([site.others] if parameter == "status_id" and not liking else [])
            given += (
                [sha for sha in shas if mine == "end" or sha != shas[2]]
                if parameter == "sha"
                else []
            )
            if rule.endpoint == "tags.follow":  # whatever can be a hashtag may be followed
                given = [value for value in given if not tag_name(unquote(value))]
            for value in given:
                path = site.path(rule, **{parameter: value})
                for method in sorted((rule.methods or set()) - {"OPTIONS"}):
                    answer = site.ann.open(path, method=method)
                    check_answer(answer, (method, path))
                    assert method in ("GET", "HEAD") or answer.status_code in (
                        303,
                        403,
                        404,
                        405,
                        422,
                    ), (method, path)
        assert everything(site.db) == before, rule
    pages = ("/public", "/home", "/@ann", "/@ann/replies", "/@ann/followers", "/tags/tag")
    asked = [f"{path}?max_id=" for path in pages]
    thread = f"/@ann/{site.of(1, status_keys.profile_statuses(1))}?after="
    for path in (*asked, thread, "/statuses?ids=", "/login?next=", "/signup?invite="):
        for value in [*IDS, *(quote_from_bytes(raw[:1_000], "") for raw in RAW.values())]:
            check_answer(
                (site.ann if "max_id" in path else site.app.test_client()).get(f"{path}{value}"),
                (path, value),
            )
    assert everything(site.db) == before


def test_a_forged_cookie_is_nobodys(site: Site) -> None:
    right = site.ann.get_cookie("linnet")
    assert right
    token = right.value.partition(".")[2]
    sha, access = sha_of(right.value), tokens.create(site.db, site.config, 1, "another")
    forged = [
        f"2.{token}",
        f"65.{token}",
        f"01.{token}",
        f"1.{sha}",
        f"1.{token}x",
        f"1.{token[:-1]}",
        "1.",
        ".",
        "1",
    ]
    forged += [
        f"-1.{token}",
        f"1e0.{token}",
        f"\u0661.{token}",
        f"1 .{token}",
        "9" * 30 + f".{token}",
        access,
        "x" * 9_000,
    ]
    forged += [
        f"1.{token}\0",
        f"{{}}.{token}",
        "<script>",
        "\xff\xfe",
        f"1.{site.of(1, token_keys.tokens(1))}",
        "1..",
        "1.*",
    ]
    before = everything(site.db)
    for value in forged:
        for name in ("linnet", "linnet_form", "linnet_lang", "linnet_theme"):
            cookie = f"{name}={value}".encode("latin-1", "replace").decode("latin-1")
            answer = site.app.test_client(use_cookies=False).get(
                "/home", headers={"Cookie": cookie}
            )
            check_answer(answer, cookie)
            assert (answer.status_code, answer.location) == (303, "/login?next=/home"), cookie
            page = site.app.test_client(use_cookies=False).get("/login", headers={"Cookie": cookie})
            assert page.status_code == 200 and not Page(page.text).unsafe
    assert everything(site.db) == before


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_taken_is_shown_as_text_wherever_it_stands(site: Site, language: str) -> None:
    names = [" ".join(text.split())[:44] for text in MARKUP] + [
        "\u05d0\u200f\u202e<b>\u0627",
        "\u202eevil\u05d0",
    ]
    site.ben.post("/@ann/follow")
    site.ann.post("/@ben/follow")
    visitor = site.app.test_client()
    shown = list[str]()
    for client in (site.ann, site.ben, visitor):
        client.set_cookie("linnet_lang", language)
    for number, text in enumerate(names):
        name = f"{text} {number}"
        said = {
            "name": name,
            "bio": f"{name} @ben https://a.example/?q='<b>",
            "location": name[:30],
        }
        agent = {"User-Agent": f"{text.encode('ascii', 'ignore').decode()} Firefox/1.0"}
        assert site.ann.post("/settings/profile", data=said, headers=agent).status_code == 303, text
        said = {"text": f"{name}\n\u202eb", "option1": name, "option2": f"b{name}"[:50]}
        assert site.ann.post("/statuses", data=said).status_code == 303
        site.ann.post("/settings/tokens", data={"name": name})
        bird = {"login": f"bird{number}", "name": name, "password": PASSWORD}
        assert site.app.test_client().post("/signup", data=bird).status_code == 303
        login = {"login": "ben", "password": PASSWORD}
        site.app.test_client().post("/login", data=login, headers=agent)
        newest = site.of(1, status_keys.profile_statuses(1))
        status = f"/@ann/{newest}"
        site.ben.post("/login", data={"login": name, "password": name, "next": name})
        site.ben.post("/statuses", data={"text": f"@ann {name}", "reply": newest})
        pages = [
            (site.ann, path)
            for path in ("/settings/profile", "/settings/tokens", "/settings/sessions", "/home")
        ]
        pages += [
            (site.ann, "/@ann"),
            (site.ben, "/@ann"),
            (site.ben, "/home"),
            (site.ben, "/settings/sessions"),
        ]
        pages += [
            (visitor, path)
            for path in ("/", "/public", "/@ann", "/@ben/followers", "/@ben/following", status)
        ]
        pages += [
            (visitor, f"/statuses?ids={newest}"),
            (visitor, f"/login?next=/{name}"),
            (visitor, f"/{name}"),
        ]
        pages += [
            (visitor, f"/@bird{number}"),
            (visitor, f"/tags/{name}"),
            (visitor, "/@ben/replies"),
        ]
        pages += [(site.ann, status), (site.ben, status)]
        site.ben.post(
            "/settings/filters", data={"words": name, "home": "y", "act": "warn", "lasts": "always"}
        )
        pages += [
            (site.ben, "/settings/filters"),
            (site.ben, "/settings/mutes"),
            (site.ben, f"/@bird{number}"),
        ]
        site.ben.post(f"/@bird{number}/mute", data={"time": name if number % 2 else "day"})
        answers = [client.get(path) for client, path in pages]
        site.ben.post("/settings/privacy", data={"protected": name})
        for act in ("unfollow", "follow"):
            site.ann.post(f"/@ben/{act}")
        pages.append((site.ben, "/requests"))
        answers.append(site.ben.get("/requests"))
        assert "/@ann/accept" in answers[-1].text
        site.ben.post("/settings/privacy")
        refused = {
            "name": name,
            "login": name,
            "password": name,
            "website": name,
            "bio": name * 9,
            "text": name * 9,
        }
        refused |= {
            "next": name,
            "invite": name,
            "old": name,
            "new": "x",
            "key": name,
            "language": name,
        }
        answers += [
            visitor.post(path, data=refused) for path in ("/signup", "/login", "/preferences")
        ]
        refused["reply"] = name
        answers += [
            site.ann.post(path, data=refused)
            for path in ("/settings/profile", "/settings/password", "/statuses")
        ]
        for answer, where in zip(answers, [*pages, *("refused",) * 6], strict=True):
            page = Page(answer.text)
            assert (page.unsafe, page.loose) == ([], []), (where, text)
            check_answer(answer, where)
        shown = Page(answers[4].text).words
        kept = "".join(c for c in name if not "\u202a" <= c <= "\u202e")
        assert kept in shown, name  # wholly, as it was typed, and in one piece


@pytest.mark.parametrize(
    "website",
    """javascript:alert(1) javascript://a.example/%0aalert(1) data:text/html,x vbscript:x //evil.example /\\evil.example
    https://:x@evil.example https://@evil.example https://a.example:x@evil.example https://a.example\u200f.evil
    https://a\u200b.example https://a.example/"onclick=x https://a.example/<script> https:evil https://\u3000.a file://a.b/
    https://paypal.example\uff0f.evil https://[::1].a https://a.b:99999 blob:https://a.b/x feed:javascript:x""".split(),
)
def test_a_website_leads_where_it_says(site: Site, website: str) -> None:
    before = everything(site.db)
    answer = site.ann.post("/settings/profile", data={"name": "Wren", "website": website})
    assert answer.status_code == 422 and "website" in answer.text
    assert everything(site.db) == before


def polyglots() -> dict[str, tuple[bytes, str]]:
    """Files that are a picture and something else, or only say that they are one."""
    script = b"<script>alert('evil')</script>"
    made = {}
    for kind in ("PNG", "GIF", "JPEG", "WEBP"):
        data = io.BytesIO()
        exif = Image.Exif()
        exif[0x010E] = script.decode()
        options = {"comment": script} if kind in ("GIF", "JPEG") else {}
        Image.new("RGB", (64, 64), "#b45").save(data, kind, **options, exif=exif)
        made[f"{kind} and script"] = (data.getvalue() + script, f"image/{kind.lower()}")
        made[f"{kind} as a page"] = (data.getvalue() + script, "text/html")
    made["gif that is script"] = (b"GIF89a/*" + b"\0" * 20 + b"*/=1;alert('evil')", "image/gif")
    made["svg"] = (
        b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(\'evil\')"/>',
        "image/png",
    )
    made["page"] = (b"<!doctype html>" + script, "image/jpeg")
    made["zip"] = (b"PK\x03\x04" + script, "image/webp")
    made["nothing"] = (b"", "image/png")
    return made


def test_of_a_picture_that_is_something_else_too_only_the_picture_is_kept(site: Site) -> None:
    kept = 0
    for title, (content, declared) in polyglots().items():
        for field in ("avatar", "header"):
            before = everything(site.db)
            body, headers = multipart({"name": "Wren", field: content}, declared)
            answer = site.ann.post("/settings/profile", data=body, headers=headers)
            check_answer(answer, title)
            assert answer.status_code == 303 or everything(site.db) == before, title
            kept += answer.status_code == 303
    files = [file for file in site.config.media_path.rglob("*") if file.is_file()]
    assert kept and files
    for file in files:
        assert re.fullmatch(r"[0-9a-f]{32}-\d+\.webp", file.name)
        assert b"evil" not in file.read_bytes() and file.read_bytes()[:4] == b"RIFF"
        served = site.app.test_client().get(f"/media/1/{file.name}")
        assert (
            served.mimetype == "image/webp"
            and served.headers["X-Content-Type-Options"] == "nosniff"
        )


def test_an_address_that_a_proxy_was_told_is_cut_and_shown_as_text(settings: Config) -> None:
    client = make_app(replace(settings, trusted_proxies=1)).test_client()
    told = {"X-Forwarded-For": "<script>\u0101".encode().decode("latin-1") * 400}
    form = {"login": "ann", "name": "Ann", "password": PASSWORD}
    assert client.post("/signup", data=form, headers=told).status_code == 303
    page = client.get("/settings/sessions", headers=told)
    assert page.status_code == 200 and not Page(page.text).unsafe
    assert 0 < page.text.count("&lt;script&gt;") < 10


def test_settings_and_new_tokens_are_kept_by_no_cache(site: Site) -> None:
    made = site.ann.post("/settings/tokens", data={"name": "another"})
    assert made.status_code == 201
    pages = [
        site.ann.get(path)
        for path in (
            "/settings/tokens",
            "/settings/sessions",
            "/settings/profile",
            "/settings/delete",
        )
    ]
    for answer in (made, *pages, site.app.test_client().get("/settings/tokens")):
        assert answer.headers["Cache-Control"] == "no-store"
