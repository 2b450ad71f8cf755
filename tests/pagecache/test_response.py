"""Cached pages over HTTP: validators, Vary, encodings, and responses that are never cached."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from flask import Flask, flash, make_response, redirect
from flask.testing import FlaskClient
from httplint import HttpRequestLinter, HttpResponseLinter, levels
from werkzeug.datastructures import Headers
from werkzeug.http import http_date

from tests.conftest import SignUp
from tests.support.pagecache import (
    HOST,
    Reply,
    delete_pages,
    send_request,
    stored_pages,
    without_position,
)
from tests.support.pages import post_status, status_ids
from webapp.about.documents import DOCUMENTS
from webapp.core.errors import Unavailable
from webapp.core.web import public
from webapp.core.web.view_options import view_options
from webapp.pagecache import decorators, response as pagecache_response

ENCODINGS = ("", "gzip", "br")
WHEN_UNCHANGED = {"ETag", "Cache-Control", "Vary", "X-Request-ID", "Last-Modified"}


@pytest.fixture
def wren(member: SignUp) -> FlaskClient:
    """A member with a status."""
    wren = member("wren")
    post_status(wren, "One swallow makes no summer.")
    return wren


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """Return the time at which responses are made: `clock[0]`, unix seconds."""
    now = [1_800_000_000.4]

    class FixedTime:
        time = staticmethod(lambda: now[0])

    monkeypatch.setattr(pagecache_response, "time", FixedTime)
    yield now


def test_each_encoding_has_its_own_etag_and_the_same_page(app: Flask, wren: FlaskClient) -> None:
    replies = [
        send_request(app, "/@wren", headers=_accepting(encoding)) for encoding in ENCODINGS * 2
    ]
    assert len({without_position(reply.page) for reply in replies}) == 1
    assert b"One swallow" in replies[0].page
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
def test_a_page_is_sent_in_an_accepted_encoding(
    app: Flask, wren: FlaskClient, accepted: str, encoding: str
) -> None:
    for _ in range(2):
        reply = send_request(app, "/@wren", headers=_accepting(accepted))
        assert reply.headers.get("Content-Encoding", "") == encoding
        assert b"One swallow" in reply.page


def test_a_matching_etag_gets_not_modified(app: Flask, wren: FlaskClient) -> None:
    tags = {
        encoding: send_request(app, "/@wren", headers=_accepting(encoding)).headers["ETag"]
        for encoding in ENCODINGS
    }
    for encoding, tag in tags.items():
        other_tags = ", ".join(other for other in tags.values() if other != tag)
        for matching in (tag, f"W/{tag}", f'"x", {other_tags}, {tag}', f"W/{tag},W/{tag}", "*"):
            for method in ("GET", "HEAD"):
                reply = send_request(
                    app, "/@wren", "", method, {**_accepting(encoding), "If-None-Match": matching}
                )
                assert (reply.status, reply.body) == (304, b""), (encoding, matching)
                assert reply.headers["ETag"] == tag
                assert (
                    {"ETag", "Cache-Control", "Vary"} <= set(reply.headers.keys()) <= WHEN_UNCHANGED
                )
        for mismatch in (
            other_tags,
            '"x"',
            "x",
            "",
            tag[:-2] + '"',
            tag.strip('"')[:-1],
            "W/",
            '"',
            "\xff",
        ):
            headers = {**_accepting(encoding), "If-None-Match": mismatch}
            reply = send_request(app, "/@wren", headers=headers)
            assert reply.status == 200 and b"One swallow" in reply.page, (encoding, mismatch)


def test_a_changed_page_is_sent(app: Flask, wren: FlaskClient) -> None:
    tag = send_request(app, "/@wren").headers["ETag"]
    post_status(wren, "Two do.")
    reply = send_request(app, "/@wren", headers={"If-None-Match": tag})
    assert reply.status == 200 and b"Two do." in reply.page and reply.headers["ETag"] != tag


def test_last_modified_is_sent_only_after_its_second_has_passed(
    app: Flask, wren: FlaskClient, clock: list[float]
) -> None:
    modified = http_date(int(clock[0]))
    for _ in range(2):  # rendered, then cached
        assert "Last-Modified" not in send_request(app, "/@wren").headers
        assert send_request(app, "/@wren", headers={"If-Modified-Since": modified}).status == 200
    post_status(wren, "Two do.")
    assert b"Two do." in send_request(app, "/@wren").page  # in the same second
    clock[0] += 1
    assert send_request(app, "/@wren").headers["Last-Modified"] == modified
    assert _status_if_modified_since(app, clock[0] - 1) == 304
    assert _status_if_modified_since(app, clock[0] - 2) == 200
    assert _status_if_modified_since(app, clock[0]) == 200, "this second is not over"
    assert _status_if_modified_since(app, clock[0] + 99) == 200
    clock[0] += 100
    assert _status_if_modified_since(app, clock[0] - 50) == 304


INVALID_DATES = [
    "",
    "yesterday",
    "0",
    "-1",
    "\xff",
    "Thu, 01 Jan 1970 00:00:00 GMT",
    "Sat, 99 Nov 2026 99:99:99 GMT",
    "Sat, 99999999999999999999 Nov 2026 00:00:00 GMT",
    "Sat, 1 Nov 2026 0:0:0 +99999999999999999999",
    "Fri, 31 Dec 9999 23:59:59 -2359",
    "Mon, 01 Jan 0001 00:00:00 +2359",
    "x" * 5_000,
]


def test_an_invalid_date_is_no_condition(app: Flask, wren: FlaskClient, clock: list[float]) -> None:
    for date in INVALID_DATES:
        delete_pages(app.extensions["linnet.db"])
        for _ in range(2):
            answer = send_request(app, "/@wren", headers={"If-Modified-Since": date})
            assert answer.status == 200, date
            clock[0] += 5


def test_an_etag_takes_precedence_over_a_date(
    app: Flask, wren: FlaskClient, clock: list[float]
) -> None:
    tag = send_request(app, "/@wren").headers["ETag"]
    clock[0] += 10
    recent, old = http_date(int(clock[0] - 5)), http_date(int(clock[0] - 500))
    for match, since, status in (('"x"', recent, 200), (tag, old, 304)):
        headers = {"If-None-Match": match, "If-Modified-Since": since}
        assert send_request(app, "/@wren", headers=headers).status == status


@pytest.mark.slow
def test_vary_and_cache_control_are_sent(app: Flask, wren: FlaskClient) -> None:
    for path, query in _addresses(wren):
        for reply in (send_request(app, path, query), send_request(app, path, query)):
            assert reply.status == 200, path
            assert reply.headers["Cache-Control"] == "public, no-cache", path
            found = set(reply.headers["Vary"].split(", "))
            assert found == {"Accept-Encoding", "Accept-Language", "Cookie"}
            assert (
                len(reply.headers.getlist("Vary"))
                == len(reply.headers.getlist("Cache-Control"))
                == 1
            )
            assert reply.headers["Accept-Ranges"] == "none" and "Set-Cookie" not in reply.headers
        members_page = wren.get(path, query_string=query)
        assert "private" in members_page.headers["Cache-Control"], path
        assert "Cookie" in members_page.headers["Vary"], path
        assert "ETag" not in members_page.headers


def test_a_range_request_gets_the_whole_page(app: Flask, wren: FlaskClient) -> None:
    whole = send_request(app, "/@wren")
    for range_ in ("bytes=0-9", "bytes=-1", "bytes=0-", "lines=1-2", "bytes=9-0", "x" * 5_000):
        for condition in ({}, {"If-Range": whole.headers["ETag"]}):
            reply = send_request(app, "/@wren", headers={"Range": range_, **condition})
            assert reply.status == 200
            assert reply.body == whole.body
            assert "Content-Range" not in reply.headers


def test_a_head_request_caches_the_page_and_gets_the_same_headers(
    app: Flask, wren: FlaskClient, clock: list[float]
) -> None:
    for path, query in _addresses(wren):
        delete_pages(app.extensions["linnet.db"])
        replies = [
            send_request(app, path, query, method, _accepting("br"))
            for method in ("HEAD", "GET", "HEAD")
        ]
        headers = [
            [pair for pair in reply.headers if pair[0] != "X-Request-ID"] for reply in replies
        ]
        assert headers[0] == headers[1] == headers[2]
        assert [bool(reply.body) for reply in replies] == [False, True, False]
        assert len(stored_pages(app.extensions["linnet.db"])) == 1


STATUSES = {"missing": 404, "created": 201, "partial": 206, "broken": 500}


def _uncacheable(kind: str) -> Any:
    """Return a response that must not be cached, though the view is marked as cached."""
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


UNCACHEABLE = [
    *STATUSES,
    *"flash cookie private no-store max-age=60 two large away down raises".split(),
]


@pytest.mark.parametrize("kind", [*UNCACHEABLE, "private, max-age=5", "public, private"])
def test_only_complete_shared_pages_are_cached(app: Flask, kind: str) -> None:
    for path, response_kind in (("/odd", kind), ("/fine", "fine")):
        app.add_url_rule(
            path, path, public(decorators.cached()(partial(_uncacheable, response_kind)))
        )
    for path in ("/odd", "/fine"):
        replies = [send_request(app, path) for _ in range(2)]
        assert ("ETag" in replies[1].headers) == (path == "/fine")
    assert [found.path for found in stored_pages(app.extensions["linnet.db"])] == ["/fine"]


def test_a_view_that_declares_no_members_is_not_cached(app: Flask) -> None:
    app.add_url_rule("/silent", "silent", public(decorators.cached()(lambda: "<p>Sedge</p>")))
    app.add_url_rule("/unmarked", "unmarked", public(partial(_uncacheable, "fine")))
    for path in ("/silent", "/unmarked"):
        assert [send_request(app, path).status for _ in range(2)] == [200, 200]
    assert not stored_pages(app.extensions["linnet.db"])


def test_other_methods_bypass_the_cache(app: Flask, wren: FlaskClient) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "get"):
        assert send_request(app, "/@wren", method=method).status in (200, 303, 400, 405)
        assert not stored_pages(app.extensions["linnet.db"]), method
    send_request(app, "/@wren")
    for method in ("POST", "DELETE", "PURGE"):
        assert b"One swallow" not in send_request(app, "/@wren", method=method).page


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_http_linter_has_no_complaint(
    app: Flask, wren: FlaskClient, clock: list[float], encoding: str
) -> None:
    clock[0] = time.time() - 60
    for path, query in _addresses(wren):
        send_request(app, path, query)
    clock[0] = time.time()
    for path, query in _addresses(wren):
        conditions: list[dict[str, str]] = [{}, {"If-None-Match": "*"}, {"Range": "bytes=0-9"}]
        conditions.append({"If-Modified-Since": http_date(clock[0] - 5)})
        for method in ("GET", "HEAD"):
            for condition in conditions:
                headers = {**_accepting(encoding), **condition}
                reply = send_request(app, path, query, method, headers)
                complaints = _complaints(f"{path}?{query}", method, headers, reply)
                assert not complaints, (path, method, condition)


def test_the_http_linter_finds_mistakes() -> None:
    mistakes = {
        "Content-Length": "5",
        "Cache-Control": "max-age=x, no-cache=",
        "Last-Modified": "soon",
        "ETag": "x",
    }
    reply = Reply(200, Headers({**mistakes, "Content-Encoding": "br"}), b"sedge and reed")
    assert len(_complaints("/", "GET", _accepting("br"), reply)) >= 4


def _complaints(
    target: str, method: str, headers: dict[str, str], reply: Reply
) -> set[tuple[str, str]]:
    """Return the linter's errors and warnings about a response."""
    now = time.time()
    request = HttpRequestLinter(start_time=now)
    request.process_request_topline(method.encode(), f"http://{HOST}{target}".encode(), b"1.1")
    request.process_headers(
        [(name.encode(), value.encode()) for name, value in {"Host": HOST, **headers}.items()]
    )
    request.finish_content(True)
    response = HttpResponseLinter(start_time=now, _related=request)
    response.is_head_response = method == "HEAD"
    response.process_response_topline(b"1.1", str(reply.status).encode(), b"")
    headers_sent = [*reply.headers, ("Date", http_date(now))]  # the server adds the date
    response.process_headers(
        [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers_sent]
    )
    response.feed_content(reply.body)
    response.finish_content(True)
    return {
        (type(note).__name__, str(note.summary))
        for note in response.notes
        if note.level in (levels.BAD, levels.WARN)
    }


def _addresses(wren: FlaskClient) -> list[tuple[str, str]]:
    """Return a path and query for every view whose pages are cached."""
    *_, status_id = status_ids(wren.get("/@wren"))
    names = ("followers", "following", "mutuals", "featured")
    lists = [(f"/@wren/{name}", "") for name in names]
    lists += [("/statuses", f"ids={status_id}")]
    profile = [
        ("/@wren", ""),
        ("/@wren", f"max_id={status_id + 1}"),
        (f"/@wren/{status_id}", ""),
        ("/@wren/feed.atom", ""),
    ]
    assert (
        wren.post("/statuses", data={"text": "the #sedge", "key": "once-only"}).status_code == 303
    )
    lists += [("/@wren/lists", ""), ("/@wren/replies", ""), (f"/@wren/{status_id}/history", "")]
    lists += [(f"/@wren/{status_id}/embed", "")]
    parts = ("", "-posts-1", "-members", "-pages")
    lists += [(f"/sitemap{part}.xml", "") for part in parts]
    lists += [
        (f"/@wren/{status_id}/{interaction}", "") for interaction in ("likes", "boosts", "quotes")
    ]
    lists += [("/tags/sedge", ""), ("/tags/sedge.atom", ""), ("/tags/sedge/hot", "")]
    addresses = [
        ("/", ""),
        ("/public", ""),
        ("/explore", "lang=all"),
        ("/public.atom", ""),
        ("/explore", ""),
        *((f"/explore/{tab}", "") for tab in ("tags", "links", "people", "groups")),
        ("/about/streaming", "track=wren"),
        ("/shortcuts", ""),
        *((f"/{name}", "") for name in DOCUMENTS),
        *profile,
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


def _accepting(encoding: str) -> dict[str, str]:
    return {"Accept-Encoding": encoding} if encoding else {}


def _status_if_modified_since(app: Flask, moment: float) -> int:
    return send_request(app, "/@wren", headers={"If-Modified-Since": http_date(int(moment))}).status
