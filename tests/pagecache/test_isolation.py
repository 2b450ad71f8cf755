"""No answer made for one visitor or member is ever given to another, whatever they send.

Everybody who asks writes a mark of their own (`zq…qz`) into everything that must not matter; whoever is given somebody
else's mark has been given somebody else's answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from io import BytesIO
from itertools import count, product
from typing import Any, NamedTuple

import pytest
from flask import Flask, request, request_started
from PIL import Image
from werkzeug.routing import Rule

from tests.conftest import BASE, PASSWORD, connect_raw, make_app
from tests.support import chat, worker
from tests.support.malformed_requests import HEADERS, METHODS, ONE_BY_ONE, PATHS, QUERIES
from tests.support.pagecache import Found, Reply, alike, ask, forget, kept, paths, tokens
from tests.support.processes import plain
from webapp.accounts import registration
from webapp.accounts import store as accounts
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.sessions.devices import Device
from webapp.accounts.tokens import store as tokens_tokens
from webapp.chat.bots import store as bots
from webapp.chat.members import invitations
from webapp.config import load
from webapp.core.media import storage as media
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.web.context import SHARED_PAGE
from webapp.following import store as following
from webapp.lists import store as lists
from webapp.statuses import store as statuses
from webapp.statuses.drafts import store as drafts

MARK = re.compile(rb"zq(?:\d+|[a-z]+)qz")  # random tokens have other letters
LOOKS = [  # that visitors choose
    {"Accept-Language": "en", "Cookie": "linnet_theme=light"},
    {"Accept-Language": "zh-CN,zh;q=0.9", "Cookie": "linnet_theme=dark", "Accept-Encoding": "br"},
    {
        "Accept-Language": "zh",
        "Cookie": "linnet_lang=en; linnet_theme=dark",
        "Accept-Encoding": "gzip",
    },
    {"Accept-Language": "en", "Cookie": "linnet_lang=zh", "Accept-Encoding": "gzip, br;q=0.5"},
]
OF_NOBODY = ("/static/", "/media/", "/robots.txt")  # the same for all, by their addresses
VARIANT = re.compile(
    r"https?://[\w.:\[\]-]+\?((after|ids|max_id|track)=[^&]*)? (en|zh) (|light|dark) (br|gzip)"
)
_marks = count(1)
_learnt: set[object] = set()


class Person(NamedTuple):
    """A member with one of everything: `values` fill the addresses of the site."""

    login: str
    cookie: str
    values: dict[str, str]

    @property
    def mark(self) -> bytes:
        """What stands in everything that is nobody else's business."""
        return f"zq{self.login}qz".encode()


class Stage(NamedTuple):
    """Sites on one store: with pages kept, without, and both again behind a proxy."""

    db: Db
    keeping: Flask
    bare: Flask
    proxied: Flask
    bare_proxied: Flask
    wren: Person
    finch: Person


@pytest.fixture(scope="module")
def stage(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    given = {**BASE, "redis_url": server, "inline_projections": False, "log_level": "ERROR"}
    config = load({**given, "media_dir": str(tmp_path_factory.mktemp("media"))}, {})
    raw = connect_raw(config)
    raw.on_every_primary("FLUSHALL")
    raw.close()
    db = connect(config)
    wren, finch = (_settle_in(db, config, login) for login in ("wren", "finch"))
    following.follow(db, config, accounts.get_by_login(db, "wren").uid, "finch")
    worker.drain(db, config)
    proxied = replace(config, trusted_proxies=1)
    configs = [
        replace(one, page_cache_bytes=size) for one in (config, proxied) for size in (1 << 26, 0)
    ]
    apps = [make_app(one, WTF_CSRF_ENABLED=True) for one in configs]
    with request_started.connected_to(_learn):
        yield Stage(db, *apps, wren, finch)
    for used in [db, *(app.extensions["linnet.db"] for app in apps)]:
        used.close()


def test_no_answer_to_one_is_ever_given_to_another(stage: Stage) -> None:
    forget(stage.db)
    given: set[bytes] = set()
    addresses = sorted(
        {path for rule in stage.keeping.url_map.iter_rules() for path in _addresses(stage, rule)}
    )
    assert len(addresses) > 50
    for path, look in product(addresses, LOOKS):
        for member in (stage.wren, stage.finch):
            reply = _visit(stage, path, look, member.mark.decode(), f"; linnet={member.cookie}")
            assert "public" not in reply.headers.get("Cache-Control", "") or path.startswith(
                OF_NOBODY
            ), path
            given |= _new(given, reply, member.mark)
            mark, reply = _look(stage, path, look)
            assert b"signed-in" not in reply.page
            given |= _new(given, reply, mark)
    found = kept(stage.db)
    assert len(paths(found)) >= 12 and len(found) >= 12 * len(LOOKS)
    _check_kept(found)


TARGETS = [  # every view whose pages are kept
    ("/", ""),
    ("/public", ""),
    ("/public.atom", ""),
    ("/@wren", ""),
    ("/@wren/feed.atom", ""),
    ("/@wren/following", ""),
    ("/@finch/followers", ""),
    ("/about/streaming", ""),
    ("/about/streaming", "track=wren"),
    ("/public", "max_id=9007199254740991"),
]


@pytest.mark.parametrize("behind", ["no proxy", "a proxy"])
def test_what_one_sends_changes_nothing_for_others(stage: Stage, behind: str) -> None:
    apps = (
        (stage, stage.keeping, stage.bare)
        if behind == "no proxy"
        else (stage, stage.proxied, stage.bare_proxied)
    )
    permalink = (f"/@finch/{stage.finch.values['status_id']}", "")
    several = ("/statuses", f"ids={stage.wren.values['status_id']}")
    rounds = count()
    for target, method in product([*TARGETS, permalink, several], ("GET", "HEAD")):
        _poison(apps, next(rounds), target, HEADERS, method)
    for target, (name, value) in product(
        [permalink, ("/about/streaming", "")], [*HEADERS.items(), *ONE_BY_ONE]
    ):
        _poison(apps, next(rounds), target, {name: value})
    for method in METHODS:
        _poison(apps, next(rounds), ("/public", ""), HEADERS, method)


def test_odd_queries_and_paths_are_answered_as_ever_and_change_nothing_for_others(
    stage: Stage,
) -> None:
    apps, rounds = (stage, stage.keeping, stage.bare), count()
    for path, query in product(("/about/streaming", "/public", "/@wren", "/"), QUERIES):
        _poison(apps, next(rounds), (path, ""), {}, odd=("{0}", query))
    own = f"/@wren/{stage.wren.values['status_id']}"
    for path, odd in product(("/public", "/@wren", "/@wren/following", own), PATHS):
        _poison(apps, next(rounds), (path, ""), {}, odd=(odd, ""))


def test_a_member_is_shown_no_visitors_page_however_the_cookie_is_written(stage: Stage) -> None:
    for cookie in ("linnet={}", "linnet ={}", "x=y;\tlinnet\t=\t{}", "linnet_form=x; linnet ={}"):
        for path in ("/public", "/@finch"):
            assert b"signed-in" not in ask(stage.keeping, path).page  # which is kept from now on
            given = {"Cookie": cookie.format(stage.wren.cookie)}
            assert b"signed-in" in ask(stage.keeping, path, headers=given).page, cookie


def test_a_notice_is_seen_by_its_visitor_alone_and_is_not_lost(stage: Stage) -> None:
    signer: Any = stage.keeping.session_interface.get_signing_serializer(stage.keeping)  # type: ignore[attr-defined]
    for path in ("/", "/public", "/@wren", "/about/streaming"):
        mark = _mark()
        cookie = f"linnet_form={signer.dumps({'_flashes': [('message', mark)]})}"
        for warm in (False, True):
            if not warm:
                forget(stage.db)
            reply = ask(stage.keeping, path, headers={"Cookie": cookie})
            assert mark.encode() in reply.page and "public" not in reply.headers["Cache-Control"]
            assert mark.encode() not in ask(stage.keeping, path).whole
    _check_kept(kept(stage.db))


def _settle_in(db: Db, config: Any, login: str) -> Person:
    """A member with a status, picture, chat, message, invitation, bot and token, each marked."""
    mark = f"zq{login}qz"
    uid = registration.sign_up(db, config, login, login.title(), PASSWORD).uid
    device = Device("192.0.2.2", f"Firefox {mark}")
    cookie = sessions.start(db, config, uid, device=device)
    status = statuses.post(
        db, config, uid, plain(f"{login} sings #birds https://birds.example/"), f"form-{login}"
    )
    cid = chat.group(db, config, uid)
    [message] = chat.say(db, config, uid, cid, f"{mark} to nobody")
    tokens_tokens.create(db, config, uid, mark)
    bots.create_bot(db, config, uid, f"{login}bot", mark)
    picture = BytesIO()
    Image.new("RGB", (400, 400), (len(login), 9, 9)).save(picture, "PNG")
    name = media.save(config, uid, "avatar", picture, "image/png").split("/")[1]
    values = {
        "login": login,
        "status_id": str(status),
        "cid": cid,
        "message": str(message),
        "uid": str(uid),
    }
    drafts.save(db, config, uid, f"draft-{login}", {"text": mark})
    number = lists.create(db, config, uid, mark, private=True)
    values |= {
        "form_key": f"draft-{login}",
        "number": str(number),
        "tab": "likes",
        "name": f"{name}-96.webp",
        "file": "1.webp",
        "filename": "favicon.svg",
        "sha": sha_of(cookie),
    }
    return Person(
        login,
        cookie,
        {
            **values,
            "token": invitations.create(db, config, uid, cid, 5, 5),
            "key": "none",
            "number": "1",
        },
    )


def _addresses(stage: Stage, rule: Rule) -> Iterator[str]:
    """The addresses of a route: each member's own, and those that name two members."""
    if "GET" in (rule.methods or ()):
        for person in (stage.wren, stage.finch):
            yield re.sub(
                r"<(?:\w+(?:\(.*?\))?:)?(\w+)>",
                lambda found, p=person: p.values[found[1]],
                rule.rule,
            )


def _learn(app: Flask, **rest: object) -> None:
    """Notes what a page rendered for all could know of the visitor, besides the address."""
    if SHARED_PAGE in request.environ:
        told = {name: value for name, value in request.environ.items() if name.isupper()}
        address = f"{request.host}{request.path}{request.query_string.decode()}"
        _learnt.update(set(MARK.findall(repr(told).encode())) - set(MARK.findall(address.encode())))
        _learnt.update(
            name
            for name in told
            if name.startswith("HTTP_") and name not in ("HTTP_HOST", "HTTP_COOKIE")
        )


def _mark() -> str:
    return f"zq{next(_marks)}qz"


def _visit(
    stage: Stage, path: str, look: dict[str, str], mark: str, cookie: str = "", method: str = "GET"
) -> Reply:
    said = {
        name: value.replace("@", mark)
        for name, value in HEADERS.items()
        if not name.startswith(("If-", "Expect"))
    }
    query = f"ids={stage.wren.values['status_id']}" if path == "/statuses" else ""
    return ask(
        stage.keeping, path, query, method, {**said, **look, "Cookie": look["Cookie"] + cookie}
    )


def _look(stage: Stage, path: str, look: dict[str, str]) -> tuple[bytes, Reply]:
    """What a visitor sees there, twice: once with HEAD."""
    first, second = _mark(), _mark()
    head = _visit(stage, path, look, first, method="HEAD")
    assert not head.body and set(MARK.findall(head.whole)) <= {first.encode()}
    return second.encode(), _visit(stage, path, look, second)


def _new(given: set[bytes], reply: Reply, mark: bytes) -> set[bytes]:
    """What belongs to one reader alone: form tokens and cookies. Fails for anybody else's."""
    assert set(MARK.findall(reply.whole)) <= {mark}
    cookies = {
        cookie.encode()
        for cookie in reply.headers.getlist("Set-Cookie")
        if "linnet_form=ey" in cookie
    }
    own = {
        token for token in tokens(reply.page) if not token.startswith(b"draft-")
    } | cookies  # that key is its name
    assert not own & given
    return own


def _check_kept(found: list[Found]) -> None:
    """Fails for what only one may see, unless the address asked for it by name."""
    assert not _learnt
    for one in found:
        assert VARIANT.fullmatch(one.variant), one.variant
        whole = one.text + repr(one.page.headers).encode()
        assert set(MARK.findall(whole)) <= set(MARK.findall(one.variant.encode())), one.variant
        assert (
            not tokens(one.text) and b"signed-in" not in one.text and b"data-chats" not in one.text
        )
        assert not any(
            name.lower() in ("set-cookie", "x-request-id") for name, _ in one.page.headers
        )


def _poison(
    apps: tuple[Stage, Flask, Flask],
    number: int,
    target: tuple[str, str],
    headers: dict[str, str],
    method: str = "GET",
    odd: tuple[str, str] | None = None,
) -> None:
    """An odd request comes first. A visitor after it must get what a site without a cache gives."""
    stage, keeping, bare = apps
    forget(stage.db)
    mark, look, path = _mark(), LOOKS[number % len(LOOKS)], target[0]
    said = {**look, **{name: value.replace("@", mark) for name, value in headers.items()}}
    if odd:
        aimed, query = (part.replace("@", mark) for part in odd)
        asked = (aimed.format(path, path.upper(), path.title()), query)
        first, alone = (ask(app, *asked, method, said) for app in (keeping, bare))
        assert alike(first, here=False) == alike(alone, here=False), asked
    else:
        ask(keeping, *target, method, said)
    _check_kept(kept(stage.db))
    reply = ask(keeping, *target, headers=look)
    assert alike(reply) == _expected(bare, target, number % len(LOOKS)), (odd, said)
    assert ("Content-Encoding" in reply.headers) == ("Accept-Encoding" in look)


@cache
def _expected(bare: Flask, target: tuple[str, str], number: int) -> tuple[object, ...]:
    return alike(ask(bare, *target, headers=LOOKS[number]))
