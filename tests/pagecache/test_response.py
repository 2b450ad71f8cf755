"""Kept pages as HTTP has it: validators, what varies, encodings, and what is never kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from flask import Flask, flash, make_response, redirect
from flask.testing import FlaskClient
from httplint import HttpRequestLinter, HttpResponseLinter, levels
from werkzeug.datastructures import Headers
from werkzeug.http import http_date

from tests.support.pagecache import HOST, Reply, ask, forget, kept
from tests.system.test_pages import shown, write
from webapp.core.web.view_options import public, view_options
from webapp.errors import Unavailable
from webapp.pagecache import decorators
from webapp.pagecache import response as pagecache_response

Member = Callable[[str], FlaskClient]
ENCODINGS = ("", "gzip", "br")
WHEN_UNCHANGED = {"ETag", "Cache-Control", "Vary", "X-Request-ID", "Last-Modified"}


@pytest.fixture
def wren(member: Member) -> FlaskClient:
    """A member with a status."""
    wren = member("wren")
    write(wren, "One swallow makes no summer.")
    return wren


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The time at which answers are made: `clock[0]`, unix seconds."""
    now = [1_800_000_000.4]

    class Fixed:
        time = staticmethod(lambda: now[0])

    monkeypatch.setattr(pagecache_response, "time", Fixed)
    yield now


def test_every_encoding_has_a_tag_of_its_own_and_the_same_page(
    app: Flask, wren: FlaskClient
) -> None:
    replies = [ask(app, "/@wren", headers=_taking(encoding)) for encoding in ENCODINGS * 2]
    assert {reply.page for reply in replies} == {replies[0].page} and b"One swallow" in replies[
        0
    ].page
    assert len({reply.headers["ETag"] for reply in replies}) == len(ENCODINGS)
    for reply, encoding in zip(replies, ENCODINGS * 2, strict=True):
        assert reply.headers.get("Content-Encoding", "") == encoding
        assert int(reply.headers["Content-Length"]) == len(reply.body)
        assert reply.headers["ETag"].startswith('"')
    assert len({len(reply.body) for reply in replies}) == len(ENCODINGS)


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("br;q=0.1, gzip", "gzip"),
        ("br;q=0, gzip;q=0", ""),
        ("*", "br"),
        ("*;q=0", ""),
        ("identity", ""),
        ("deflate, zstd", ""),
        ("x-gzip", ""),
        ("BR", "br"),
        ("gzip;q=nonsense", ""),
    ],
)
def test_a_page_is_sent_as_its_client_takes_it(
    app: Flask, wren: FlaskClient, accepted: str, encoding: str
) -> None:
    for _ in range(2):
        reply = ask(app, "/@wren", headers=_taking(accepted))
        assert (
            reply.headers.get("Content-Encoding", "") == encoding and b"One swallow" in reply.page
        )


def test_whoever_has_the_page_is_not_sent_it_again(app: Flask, wren: FlaskClient) -> None:
    tags = {
        encoding: ask(app, "/@wren", headers=_taking(encoding)).headers["ETag"]
        for encoding in ENCODINGS
    }
    for encoding, tag in tags.items():
        others = ", ".join(other for other in tags.values() if other != tag)
        for known in (tag, f"W/{tag}", f'"x", {others}, {tag}', f"W/{tag},W/{tag}", "*"):
            for method in ("GET", "HEAD"):
                reply = ask(
                    app, "/@wren", "", method, {**_taking(encoding), "If-None-Match": known}
                )
                assert (reply.status, reply.body) == (304, b""), (encoding, known)
                assert reply.headers["ETag"] == tag
                assert (
                    {"ETag", "Cache-Control", "Vary"} <= set(reply.headers.keys()) <= WHEN_UNCHANGED
                )
        for unknown in (
            others,
            '"x"',
            "x",
            "",
            tag[:-2] + '"',
            tag.strip('"')[:-1],
            "W/",
            '"',
            "\xff",
        ):
            reply = ask(app, "/@wren", headers={**_taking(encoding), "If-None-Match": unknown})
            assert reply.status == 200 and b"One swallow" in reply.page, (encoding, unknown)


def test_a_page_that_changed_is_sent(app: Flask, wren: FlaskClient) -> None:
    tag = ask(app, "/@wren").headers["ETag"]
    write(wren, "Two do.")
    reply = ask(app, "/@wren", headers={"If-None-Match": tag})
    assert reply.status == 200 and b"Two do." in reply.page and reply.headers["ETag"] != tag


def test_a_date_says_no_more_than_a_second_can(
    app: Flask, wren: FlaskClient, clock: list[float]
) -> None:
    then = http_date(int(clock[0]))
    for _ in range(2):  # rendered, then kept
        assert "Last-Modified" not in ask(app, "/@wren").headers
        assert ask(app, "/@wren", headers={"If-Modified-Since": then}).status == 200
    write(wren, "Two do.")
    assert b"Two do." in ask(app, "/@wren").page  # in the same second
    clock[0] += 1
    assert ask(app, "/@wren").headers["Last-Modified"] == then
    assert _since(app, clock[0] - 1) == 304
    assert _since(app, clock[0] - 2) == 200
    assert _since(app, clock[0]) == 200  # which has not passed, so that nobody was told of it
    assert _since(app, clock[0] + 99) == 200
    clock[0] += 100
    assert _since(app, clock[0] - 50) == 304


@pytest.mark.parametrize(
    "date",
    [
        *(
            "",
            "yesterday",
            "0",
            "-1",
            "\xff",
            "Thu, 01 Jan 1970 00:00:00 GMT",
            "Sat, 99 Nov 2026 99:99:99 GMT",
        ),
        *(
            "Sat, 99999999999999999999 Nov 2026 00:00:00 GMT",
            "Sat, 1 Nov 2026 0:0:0 +99999999999999999999",
        ),
        *("Fri, 31 Dec 9999 23:59:59 -2359", "Mon, 01 Jan 0001 00:00:00 +2359", "x" * 5_000),
    ],
)
def test_a_date_that_is_none_is_no_condition(
    app: Flask, wren: FlaskClient, clock: list[float], date: str
) -> None:
    for _ in range(2):
        assert ask(app, "/@wren", headers={"If-Modified-Since": date}).status == 200
        clock[0] += 5


def test_a_tag_goes_before_a_date(app: Flask, wren: FlaskClient, clock: list[float]) -> None:
    tag = ask(app, "/@wren").headers["ETag"]
    clock[0] += 10
    since = http_date(int(clock[0] - 5))
    assert (
        ask(app, "/@wren", headers={"If-None-Match": '"x"', "If-Modified-Since": since}).status
        == 200
    )
    old = http_date(int(clock[0] - 500))
    assert (
        ask(app, "/@wren", headers={"If-None-Match": tag, "If-Modified-Since": old}).status == 304
    )


def test_what_it_depends_on_and_who_may_keep_it_is_said(app: Flask, wren: FlaskClient) -> None:
    for path, query in _addresses(wren):
        for reply in (ask(app, path, query), ask(app, path, query)):
            assert reply.status == 200 and reply.headers["Cache-Control"] == "public, no-cache", (
                path
            )
            assert set(reply.headers["Vary"].split(", ")) == {
                "Accept-Encoding",
                "Accept-Language",
                "Cookie",
            }
            assert (
                len(reply.headers.getlist("Vary"))
                == len(reply.headers.getlist("Cache-Control"))
                == 1
            )
            assert reply.headers["Accept-Ranges"] == "none" and "Set-Cookie" not in reply.headers
        own = wren.get(path, query_string=query)
        assert "private" in own.headers["Cache-Control"] and "Cookie" in own.headers["Vary"], path
        assert "ETag" not in own.headers


def test_a_part_is_refused_by_sending_the_whole(app: Flask, wren: FlaskClient) -> None:
    whole = ask(app, "/@wren")
    for given in ("bytes=0-9", "bytes=-1", "bytes=0-", "lines=1-2", "bytes=9-0", "x" * 5_000):
        for condition in ({}, {"If-Range": whole.headers["ETag"]}):
            reply = ask(app, "/@wren", headers={"Range": given, **condition})
            assert (
                reply.status == 200
                and reply.body == whole.body
                and "Content-Range" not in reply.headers
            )


def test_a_look_at_the_head_alone_keeps_the_page_and_says_the_same(
    app: Flask, wren: FlaskClient, clock: list[float]
) -> None:
    for path, query in _addresses(wren):
        forget(app.extensions["linnet.db"])
        replies = [
            ask(app, path, query, method, _taking("br")) for method in ("HEAD", "GET", "HEAD")
        ]
        said = [[pair for pair in reply.headers if pair[0] != "X-Request-ID"] for reply in replies]
        assert said[0] == said[1] == said[2] and [bool(reply.body) for reply in replies] == [
            False,
            True,
            False,
        ]
        assert len(kept(app.extensions["linnet.db"])) == 1


STATUSES = {"missing": 404, "made": 201, "partial": 206, "broken": 500}


def _answers(kind: str) -> Any:
    """What a view may answer that must not be kept, though it says that it may."""
    decorators.depends_on_members([])
    response = make_response("<p>Sedge</p>", STATUSES.get(kind, 200))
    match kind:
        case "flash":
            flash("Reed")
        case "cookie":
            response.set_cookie("reed", "1")
        case "private" | "no-store" | "private, max-age=5" | "public, private" | "max-age=60":
            response.headers["Cache-Control"] = kind
        case "two":
            response.headers.add("Cache-Control", "public")
            response.headers.add("Cache-Control", "no-store")
        case "large":
            response.set_data(b"x" * (pagecache_response.PAGE_MAX + 1))
        case "away":
            return redirect("/public", 303)
        case "down":
            raise Unavailable("store_down", retry_after=1)
        case "raises":
            raise ValueError(kind)
    return response


NEVER = [*STATUSES, *"flash cookie private no-store max-age=60 two large away down raises".split()]


@pytest.mark.parametrize("kind", [*NEVER, "private, max-age=5", "public, private"])
def test_what_is_not_a_whole_page_for_everybody_is_never_kept(app: Flask, kind: str) -> None:
    for path, one in (("/odd", kind), ("/fine", "fine")):
        app.add_url_rule(path, path, public(decorators.cached()(partial(_answers, one))))
    for path in ("/odd", "/fine"):
        replies = [ask(app, path) for _ in range(2)]
        assert ("ETag" in replies[1].headers) == (path == "/fine")
    assert [found.path for found in kept(app.extensions["linnet.db"])] == ["/fine"]


def test_a_view_that_does_not_say_whom_it_shows_is_never_kept(app: Flask) -> None:
    app.add_url_rule("/silent", "silent", public(decorators.cached()(lambda: "<p>Sedge</p>")))
    app.add_url_rule("/unmarked", "unmarked", public(partial(_answers, "fine")))
    for path in ("/silent", "/unmarked"):
        assert [ask(app, path).status for _ in range(2)] == [200, 200]
    assert not kept(app.extensions["linnet.db"])


def test_other_methods_have_nothing_to_do_with_it(app: Flask, wren: FlaskClient) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "get"):
        assert ask(app, "/@wren", method=method).status in (200, 303, 400, 405)
        assert not kept(app.extensions["linnet.db"]), method
    ask(app, "/@wren")
    for method in ("POST", "DELETE", "PURGE"):
        assert b"One swallow" not in ask(app, "/@wren", method=method).page


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_linter_of_http_has_no_complaint(
    app: Flask, wren: FlaskClient, clock: list[float], encoding: str
) -> None:
    clock[0] = time.time() - 60
    for path, query in _addresses(wren):
        ask(app, path, query)
    clock[0] = time.time()
    for path, query in _addresses(wren):
        conditions: list[dict[str, str]] = [{}, {"If-None-Match": "*"}, {"Range": "bytes=0-9"}]
        conditions.append({"If-Modified-Since": http_date(clock[0] - 5)})
        for method in ("GET", "HEAD"):
            for condition in conditions:
                headers = {**_taking(encoding), **condition}
                reply = ask(app, path, query, method, headers)
                found = _complaints(f"{path}?{query}", method, headers, reply)
                assert not found, (path, method, condition)


def test_the_linter_would_complain() -> None:
    wrong = {
        "Content-Length": "5",
        "Cache-Control": "max-age=x, no-cache=",
        "Last-Modified": "soon",
        "ETag": "x",
    }
    reply = Reply(200, Headers({**wrong, "Content-Encoding": "br"}), b"sedge and reed")
    assert len(_complaints("/", "GET", _taking("br"), reply)) >= 4


def _complaints(
    target: str, method: str, headers: dict[str, str], reply: Reply
) -> set[tuple[str, str]]:
    """What is bad or worth a warning in an answer."""
    now = time.time()
    asked = HttpRequestLinter(start_time=now)
    asked.process_request_topline(method.encode(), f"http://{HOST}{target}".encode(), b"1.1")
    asked.process_headers(
        [(name.encode(), value.encode()) for name, value in {"Host": HOST, **headers}.items()]
    )
    asked.finish_content(True)
    told = HttpResponseLinter(start_time=now, _related=asked)
    told.is_head_response = method == "HEAD"
    told.process_response_topline(b"1.1", str(reply.status).encode(), b"")
    sent = [*reply.headers, ("Date", http_date(now))]  # which the server adds
    told.process_headers(
        [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent]
    )
    told.feed_content(reply.body)
    told.finish_content(True)
    return {
        (type(note).__name__, str(note.summary))
        for note in told.notes
        if note.level in (levels.BAD, levels.WARN)
    }


def _addresses(wren: FlaskClient) -> list[tuple[str, str]]:
    """An address of every view whose pages are kept."""
    *_, status = shown(wren.get("/@wren"))
    lists = [("/@wren/followers", ""), ("/@wren/following", ""), ("/statuses", f"ids={status}")]
    own = [
        ("/@wren", ""),
        ("/@wren", f"max_id={status + 1}"),
        (f"/@wren/{status}", ""),
        ("/@wren/feed.atom", ""),
    ]
    assert (
        wren.post("/statuses", data={"text": "the #sedge", "key": "once-only"}).status_code == 303
    )
    lists += [("/@wren/lists", ""), ("/@wren/replies", ""), (f"/@wren/{status}/history", "")]
    lists += [(f"/@wren/{status}/{acted}", "") for acted in ("likes", "boosts", "quotes")]
    lists += [("/tags/sedge", ""), ("/tags/sedge.atom", "")]
    addresses = [
        ("/", ""),
        ("/public", ""),
        ("/public.atom", ""),
        ("/about/streaming", "track=wren"),
        *own,
        *lists,
    ]
    app, routes = wren.application, wren.application.url_map.bind(HOST)
    marked = {
        name
        for name, view in app.view_functions.items()
        if view_options(view).cached_params is not None
    }
    assert {routes.match(path)[0] for path, _ in addresses} == marked
    return addresses


def _taking(encoding: str) -> dict[str, str]:
    return {"Accept-Encoding": encoding} if encoding else {}


def _since(app: Flask, moment: float) -> int:
    return ask(app, "/@wren", headers={"If-Modified-Since": http_date(int(moment))}).status
