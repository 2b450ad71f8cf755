"""No response to one visitor or member ever reaches another, whatever they send.

Each client writes its own mark (`zqmark…qz`) into all input that must not matter. A response with
the mark of another client was made for that client.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from io import BytesIO
from itertools import count, cycle, product
from typing import Any, NamedTuple

import pytest
from flask import Flask, request, request_started
from PIL import Image
from werkzeug.routing import Rule

from tests.conftest import BASE, PASSWORD, empty_store, long, make_app
from tests.support import chat, worker
from tests.support.malformed_requests import HEADERS, METHODS, ONE_BY_ONE, PATHS, QUERIES
from tests.support.pagecache import (
    Reply,
    StoredPage,
    comparable,
    delete_pages,
    paths,
    send_request,
    stored_pages,
    tokens,
)
from tests.support.processes import plain
from webapp.accounts import registration, store as accounts
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.sessions.devices import Device
from webapp.accounts.tokens import store as tokens_tokens
from webapp.chat.bots import store as bots
from webapp.chat.members import invitations
from webapp.config import load
from webapp.core.media import storage as media
from webapp.core.store import Db, Site
from webapp.core.store.connection import connect
from webapp.core.web.context import SHARED_PAGE
from webapp.core.web.view_options import view_options
from webapp.following import store as following
from webapp.lists import store as lists
from webapp.statuses import store as statuses
from webapp.statuses.drafts import store as drafts

pytestmark = pytest.mark.slow

# So long that no random token holds one: a run sees millions of their characters.
MARK = re.compile(rb"zqmark(?:\d+|[a-z]+)qz")
PREFERENCES = [  # languages, themes and encodings
    {"Accept-Language": "en", "Cookie": "linnet_theme=light"},
    {"Accept-Language": "zh-CN,zh;q=0.9", "Cookie": "linnet_theme=dark", "Accept-Encoding": "br"},
    {
        "Accept-Language": "zh",
        "Cookie": "linnet_lang=en; linnet_theme=dark",
        "Accept-Encoding": "gzip",
    },
    {"Accept-Language": "en", "Cookie": "linnet_lang=zh", "Accept-Encoding": "gzip, br;q=0.5"},
]
# Files that are the same for all.
SHARED_PREFIXES = (
    *("/static/", "/media/", "/robots.txt", "/.well-known/security.txt"),
    *("/favicon.ico", "/apple-touch-icon.png", "/manifest.webmanifest"),
    *("/avatars/", "/headers/"),
)
VARIANT = re.compile(
    r"https?://[\w.:\[\]-]+\?((after|ids|lang|max_id|track)=[^&]*)? (en|zh) (|light|dark) (br|gzip)"
)
_marks = count(1)
_leaks: set[object] = set()


class Person(NamedTuple):
    """A member with one object of each kind: `values` fill the placeholders of routes."""

    login: str
    cookie: str
    values: dict[str, str]

    @property
    def mark(self) -> bytes:
        """Return the mark in everything that only this member may see."""
        return f"zqmark{self.login}qz".encode()


class Sites(NamedTuple):
    """Sites on one store: with a page cache, without one, and both behind a proxy."""

    db: Db
    cached: Flask
    uncached: Flask
    proxied: Flask
    uncached_proxied: Flask
    wren: Person
    finch: Person


@pytest.fixture(scope="module")
def sites(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    values = {**BASE, "redis_url": server, "inline_projections": False, "log_level": "ERROR"}
    config = load({**values, "media_dir": str(tmp_path_factory.mktemp("media"))}, {})
    empty_store(config)
    db = connect(config)
    wren, finch = (_create_person(Site(db, config), login) for login in ("wren", "finch"))
    following.follow(Site(db, config), accounts.get_by_login(db, "wren").uid, "finch")
    worker.drain(Site(db, config))
    proxied = replace(config, trusted_proxies=1)
    configs = [
        replace(base, page_cache_bytes=size) for base in (config, proxied) for size in (1 << 26, 0)
    ]
    apps = [make_app(base, WTF_CSRF_ENABLED=True) for base in configs]
    with request_started.connected_to(_record_leaks):
        yield Sites(db, *apps, wren, finch)
    for connection in [db, *(app.extensions["linnet.db"] for app in apps)]:
        connection.close()


@pytest.mark.parametrize("everywhere", [False, long(True)])
def test_no_response_to_one_client_reaches_another(sites: Sites, everywhere: bool) -> None:
    delete_pages(sites.db)
    secrets: set[bytes] = set()
    for path, preferences in _visits(sites, everywhere):
        for member in (sites.wren, sites.finch):
            reply = _visit(
                sites, path, preferences, member.mark.decode(), f"; linnet={member.cookie}"
            )
            assert "public" not in reply.headers.get("Cache-Control", "") or path.startswith(
                SHARED_PREFIXES
            ), path
            secrets |= _own_secrets(secrets, reply, member.mark)
            mark, reply = _visit_twice(sites, path, preferences)
            assert b"signed-in" not in reply.page
            secrets |= _own_secrets(secrets, reply, mark)
    pages = stored_pages(sites.db)
    assert len(paths(pages)) >= 12 and len(pages) >= 12 * len(PREFERENCES)
    _check_cached(pages)


TARGETS = [  # every view whose pages are cached
    ("/", ""),
    ("/public", ""),
    ("/explore", "lang=all"),
    ("/explore", "lang=en"),
    ("/public.atom", ""),
    ("/@wren", ""),
    ("/@wren/feed.atom", ""),
    ("/@wren/following", ""),
    ("/@finch/followers", ""),
    ("/about/streaming", ""),
    ("/about/streaming", "track=wren"),
    ("/public", "max_id=9007199254740991"),
    ("/explore", ""),
    ("/explore", "max_id=9007199254740991"),
    ("/explore/tags", ""),
    ("/explore/links", ""),
    ("/explore/people", ""),
    ("/explore/groups", ""),
]


@pytest.mark.parametrize("proxy", ["no proxy", "a proxy"])
def test_headers_of_one_visitor_change_nothing_for_others(sites: Sites, proxy: str) -> None:
    apps = (
        (sites, sites.cached, sites.uncached)
        if proxy == "no proxy"
        else (sites, sites.proxied, sites.uncached_proxied)
    )
    permalink = (f"/@finch/{sites.finch.values['status_id']}", "")
    by_ids = ("/statuses", f"ids={sites.wren.values['status_id']}")
    rounds = count()
    for target, method in product([*TARGETS, permalink, by_ids], ("GET", "HEAD")):
        _poison(apps, next(rounds), target, HEADERS, method)
    for target, (name, value) in product(
        [permalink, ("/about/streaming", "")], [*HEADERS.items(), *ONE_BY_ONE]
    ):
        _poison(apps, next(rounds), target, {name: value})
    for method in METHODS:
        _poison(apps, next(rounds), ("/public", ""), HEADERS, method)


def test_malformed_queries_and_paths_change_nothing_for_others(sites: Sites) -> None:
    apps, rounds = (sites, sites.cached, sites.uncached), count()
    for path, query in product(("/about/streaming", "/public", "/@wren", "/"), QUERIES):
        _poison(apps, next(rounds), (path, ""), {}, malformed=("{0}", query))
    permalink = f"/@wren/{sites.wren.values['status_id']}"
    for path, malformed_path in product(
        ("/public", "/@wren", "/@wren/following", permalink), PATHS
    ):
        _poison(apps, next(rounds), (path, ""), {}, malformed=(malformed_path, ""))


def test_a_member_gets_no_visitors_page_for_any_spelling_of_the_cookie(sites: Sites) -> None:
    for cookie in ("linnet={}", "linnet ={}", "x=y;\tlinnet\t=\t{}", "linnet_form=x; linnet ={}"):
        for path in ("/public", "/@finch"):
            assert b"signed-in" not in send_request(sites.cached, path).page  # cached from here on
            headers = {"Cookie": cookie.format(sites.wren.cookie)}
            assert b"signed-in" in send_request(sites.cached, path, headers=headers).page, cookie


def test_only_its_visitor_sees_a_notice(sites: Sites) -> None:
    signer: Any = sites.cached.session_interface.get_signing_serializer(sites.cached)  # type: ignore[attr-defined]
    for path in ("/", "/public", "/@wren", "/about/streaming"):
        mark = _mark()
        cookie = f"linnet_form={signer.dumps({'_flashes': [('message', mark)]})}"
        for page_is_cached in (False, True):
            if not page_is_cached:
                delete_pages(sites.db)
            reply = send_request(sites.cached, path, headers={"Cookie": cookie})
            assert mark.encode() in reply.page and "public" not in reply.headers["Cache-Control"]
            assert mark.encode() not in send_request(sites.cached, path).full_text
    _check_cached(stored_pages(sites.db))


def _create_person(site: Site, login: str) -> Person:
    """Create a member with one object of each kind, marked as theirs."""
    mark = f"zqmark{login}qz"
    uid = registration.sign_up(site, login, login.title(), PASSWORD).uid
    device = Device("192.0.2.2", f"Firefox {mark}")
    cookie = sessions.start(site, uid, device=device)
    status_id = statuses.post(
        site, uid, plain(f"{login} sings #birds https://birds.example/"), f"form-{login}"
    )
    cid = chat.group(site, uid)
    [message] = chat.send_messages(site, uid, cid, f"{mark} to nobody")
    tokens_tokens.create(site, uid, mark)
    bots.create_bot(site, uid, f"{login}bot", mark)
    picture = BytesIO()
    Image.new("RGB", (400, 400), (len(login), 9, 9)).save(picture, "PNG")
    picture_name = media.save(site.config, uid, "avatar", picture).split("/")[1]
    values = {
        "login": login,
        "status_id": str(status_id),
        "act": "like",
        "cid": cid,
        "message": str(message),
        "message_id": str(message),
        "member": str(uid),
        "day": "20260101",
        "uid": str(uid),
        "slug": "birders",
        **dict.fromkeys(("gid", "quote_id", "group_key", "drop_id", "job_id", "item_id"), "1"),
    }
    drafts.save(site, uid, f"draft-{login}", {"text": mark})
    list_number = lists.create(site, uid, mark, private=True)
    values |= {
        "form_key": f"draft-{login}",
        "number": str(list_number),
        "tab": "likes",
        "banned": "terms",
        "name": f"{picture_name}-96.webp",
        "file": "1.webp",
        "filename": "favicon.svg",
        "sha": sha_of(cookie),
    }
    return Person(
        login,
        cookie,
        {**values, "token": invitations.create(site, uid, cid, 5, 5), "key": "none", "number": "1"},
    )


def _visits(sites: Sites, everywhere: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the path of each page with each of the preferences, or with one if it is not cached."""
    rules, views = sites.cached.url_map.iter_rules(), sites.cached.view_functions
    endpoints = {path: rule.endpoint for rule in rules for path in _paths_of(sites, rule)}
    assert len(endpoints) > 50
    turns = cycle(PREFERENCES)
    for path in sorted(endpoints):
        is_cached = view_options(views[endpoints[path]]).cached_params is not None
        for preferences in PREFERENCES if everywhere or is_cached else [next(turns)]:
            yield path, preferences


def _paths_of(sites: Sites, rule: Rule) -> Iterator[str]:
    """Return the paths of a route, filled in with the objects of each member."""
    if "GET" in (rule.methods or ()):
        for person in (sites.wren, sites.finch):
            yield re.sub(
                r"<(?:\w+(?:\(.*?\))?:)?(\w+)>",
                lambda field, p=person: p.values[field[1]],
                rule.rule,
            )


def _record_leaks(app: Flask, **kwargs: object) -> None:
    """Record all data of a visitor, besides the URL, that a shared rendering can read."""
    if SHARED_PAGE in request.environ:
        environ = {name: value for name, value in request.environ.items() if name.isupper()}
        address = f"{request.host}{request.path}{request.query_string.decode()}"
        _leaks.update(
            set(MARK.findall(repr(environ).encode())) - set(MARK.findall(address.encode()))
        )
        _leaks.update(
            name
            for name in environ
            if name.startswith("HTTP_") and name not in ("HTTP_HOST", "HTTP_COOKIE")
        )


def _mark() -> str:
    return f"zqmark{next(_marks)}qz"


def _visit(
    sites: Sites,
    path: str,
    preferences: dict[str, str],
    mark: str,
    cookie: str = "",
    method: str = "GET",
) -> Reply:
    headers = {
        name: value.replace("@", mark)
        for name, value in HEADERS.items()
        if not name.startswith(("If-", "Expect"))
    }
    query = f"ids={sites.wren.values['status_id']}" if path == "/statuses" else ""
    return send_request(
        sites.cached,
        path,
        query,
        method,
        {**headers, **preferences, "Cookie": preferences["Cookie"] + cookie},
    )


def _visit_twice(sites: Sites, path: str, preferences: dict[str, str]) -> tuple[bytes, Reply]:
    """Send a HEAD and a GET request. Return the mark of the second and its reply."""
    first, second = _mark(), _mark()
    head = _visit(sites, path, preferences, first, method="HEAD")
    assert not head.body and set(MARK.findall(head.full_text)) <= {first.encode()}
    return second.encode(), _visit(sites, path, preferences, second)


def _own_secrets(secrets: set[bytes], reply: Reply, mark: bytes) -> set[bytes]:
    """Return the reply's form tokens and cookies. Check that no other client has had them."""
    assert set(MARK.findall(reply.full_text)) <= {mark}
    cookies = {
        cookie.encode()
        for cookie in reply.headers.getlist("Set-Cookie")
        if "linnet_form=ey" in cookie
    }
    # That key is its name.
    new = {token for token in tokens(reply.page) if not token.startswith(b"draft-")} | cookies
    assert not new & secrets
    return new


def _check_cached(pages: list[StoredPage]) -> None:
    """Check that cached pages hold nothing of one client but what the URL names."""
    assert not _leaks
    for cached in pages:
        assert VARIANT.fullmatch(cached.variant), cached.variant
        content = cached.text + repr(cached.page.headers).encode()
        found = set(MARK.findall(content))
        assert found <= set(MARK.findall(cached.variant.encode())), cached.variant
        assert not tokens(cached.text)
        assert b"signed-in" not in cached.text
        assert b"data-chats" not in cached.text
        assert not any(
            name.lower() in ("set-cookie", "x-request-id") for name, _ in cached.page.headers
        )


def _poison(
    apps: tuple[Sites, Flask, Flask],
    number: int,
    target: tuple[str, str],
    headers: dict[str, str],
    method: str = "GET",
    malformed: tuple[str, str] | None = None,
) -> None:
    """Send a malformed request. Check that the next visitor gets what an uncached site sends."""
    sites, cached, uncached = apps
    delete_pages(sites.db)
    mark, preferences, path = _mark(), PREFERENCES[number % len(PREFERENCES)], target[0]
    sent = {**preferences, **{name: value.replace("@", mark) for name, value in headers.items()}}
    if malformed:
        path_format, query = (part.replace("@", mark) for part in malformed)
        request_target = (path_format.format(path, path.upper(), path.title()), query)
        first, expected = (
            send_request(app, *request_target, method, sent) for app in (cached, uncached)
        )
        found = comparable(first, same_address=False)
        assert found == comparable(expected, same_address=False), request_target
    else:
        send_request(cached, *target, method, sent)
    _check_cached(stored_pages(sites.db))
    reply = send_request(cached, *target, headers=preferences)
    found = comparable(reply)
    assert found == _expected(uncached, target, number % len(PREFERENCES)), (malformed, sent)
    assert ("Content-Encoding" in reply.headers) == ("Accept-Encoding" in preferences)


@cache
def _expected(uncached: Flask, target: tuple[str, str], number: int) -> tuple[object, ...]:
    return comparable(send_request(uncached, *target, headers=PREFERENCES[number]))
