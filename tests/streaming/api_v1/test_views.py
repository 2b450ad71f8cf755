"""The streaming API from a web process: chunks with Flask's test client, or a redirect."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from oauthlib.oauth1 import Client
from werkzeug.test import TestResponse

from tests.conftest import make_app
from tests.support import worker
from tests.support.streaming.client import in_loop
from tests.system.test_pages import write
from webapp.accounts import lifecycle
from webapp.accounts.store import get_many_by_login
from webapp.accounts.tokens import apps
from webapp.accounts.tokens import store as tokens
from webapp.config import Config, Rate
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.server.asgi_bridge import AsgiBridge
from webapp.statuses import store
from webapp.streaming import keys as stream_keys
from webapp.streaming.api_v1 import api, endpoint
from webapp.streaming.delivery import encoders
from webapp.streaming.hub.topics import share_of

Member = Callable[[str], FlaskClient]
API = "/1.1/statuses/"
SSE = {"Accept": "text/event-stream"}


class Opened:
    """An answer that goes on."""

    def __init__(self, answer: TestResponse, greeting: bytes = b"\r\n") -> None:
        assert answer.status_code == 200, answer.text
        self.answer = answer
        self.chunks = iter(answer.response)
        assert next(self.chunks) == greeting

    def next(self) -> dict[str, Any]:
        """The next message."""
        chunk = next(self.chunks)
        assert chunk.endswith(b"\r\n")
        found: dict[str, Any] = json.loads(chunk)
        return found

    def texts(self, count: int) -> list[str]:
        """The texts of so many statuses."""
        return [self.next()["text"] for _ in range(count)]


@pytest.fixture
def opened() -> Iterator[Callable[..., Opened]]:
    """Opens answers, and closes them at the end."""
    found: list[TestResponse] = []

    def open_(client: FlaskClient, path: str, greeting: bytes = b"\r\n", **options: Any) -> Opened:
        found.append(client.open(API + path, **options))
        return Opened(found[-1], greeting)

    yield open_
    for answer in found:
        answer.close()


def uid(app: Flask, login: str) -> int:
    """Who has this login."""
    return get_many_by_login(app.extensions["linnet.db"], [login])[login].uid


def bearer(app: Flask, login: str) -> dict[str, str]:
    """A new token of a member, as a header."""
    made = tokens.create(
        app.extensions["linnet.db"], app.extensions["linnet.config"], uid(app, login), "script"
    )
    return {"Authorization": f"Bearer {made}"}


def grant(app: Flask, login: str) -> None:
    """Gives a member the right to the firehose."""
    lifecycle.grant(app.extensions["linnet.db"], uid(app, login), "firehose")


def held(app: Flask, holder: int | str) -> int:
    """How many seats somebody has."""
    return int(app.extensions["linnet.db"].run(("ZCARD", stream_keys.connection_slots(holder))))


# What is sent


@pytest.mark.parametrize("prefix", ["/1.1/statuses/", "/statuses/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_filtered_stream_is_read_chunk_by_chunk(
    prefix: str, method: str, app: Flask, client: FlaskClient, member: Member
) -> None:
    ann = member("ann")
    write(ann, "a wren before anybody came")
    given = {"query_string" if method == "GET" else "data": {"track": "wren,麻雀"}}
    stream = Opened(
        client.open(f"{prefix}filter.json", method=method, headers=bearer(app, "ann"), **given)
    )
    for text in ("a Wren!", "a wrenlike robin", "我的麻雀很小", "nothing"):
        write(ann, text)
    write(ann, "the last #wren")
    assert stream.texts(3) == ["a Wren!", "我的麻雀很小", "the last #wren"]
    assert stream.answer.content_type == "application/json"
    assert (
        stream.answer.headers["Cache-Control"] == "no-store"
        and stream.answer.headers["X-Accel-Buffering"] == "no"
    )
    stream.answer.close()


def test_a_status_has_the_shape_of_version_1_1_and_its_deletion_follows(
    app: Flask, client: FlaskClient, member: Member, opened: Callable[..., Opened]
) -> None:
    ann = member("ann")
    stream = opened(client, "filter.json?track=wren", headers=bearer(app, "ann"))
    ann.post(
        "/statuses", data={"text": "a wren @ann", "lat": "31.23", "long": "121.47", "place": "上海"}
    )
    told = stream.next()
    assert told["user"]["screen_name"] == "ann" and told["id_str"] == str(told["id"])
    assert told["coordinates"] == {"type": "Point", "coordinates": [121.47, 31.23]}
    assert told["place"]["full_name"] == "上海"
    assert told["entities"]["user_mentions"][0]["indices"] == [7, 11]
    assert told["url"] == f"http://localhost/@ann/{told['id']}"
    ann.post(f"/statuses/{told['id']}/delete")
    assert stream.next()["delete"]["status"]["id"] == told["id"]


def test_a_firehose_has_everything_and_needs_the_right_to_it(
    app: Flask, client: FlaskClient, member: Member, opened: Callable[..., Opened]
) -> None:
    ann, token = member("ann"), bearer(app, "ann")
    refused = client.get(API + "firehose.json", headers=token)
    assert refused.status_code == 403 and "right" in refused.json["errors"][0]["message"]
    grant(app, "ann")
    stream = opened(client, "firehose.json", headers=token)
    write(ann, "one")
    write(ann, "two")
    assert stream.texts(2) == ["one", "two"]


def test_a_sample_is_the_same_part_for_the_same_visitor(
    app: Flask, client: FlaskClient, member: Member, opened: Callable[..., Opened]
) -> None:
    member("ann")
    db: Db = app.extensions["linnet.db"]
    config: Config = app.extensions["linnet.config"]
    first, again = (opened(client, f"sample.json?identifier=reader&{n}") for n in range(2))
    [shares] = {api._shares("reader", 1.0) for _ in range(3)}
    wanted: list[int] = []
    for number in range(3_000):  # of which one in a hundred is the sample's
        posted = store.post(
            db, config, uid(app, "ann"), parse(f"status {number}"), f"form-{number}"
        )
        wanted += [posted] if share_of(posted) in shares else []
        if len(wanted) == 2:
            break
    worker.drain(db, config)
    assert [first.next()["id"] for _ in wanted] == [again.next()["id"] for _ in wanted] == wanted
    assert len(wanted) == 2


def test_each_message_may_come_after_its_length(
    app: Flask, client: FlaskClient, member: Member, opened: Callable[..., Opened]
) -> None:
    ann = member("ann")
    stream = opened(client, "filter.json?track=wren&delimited=length", headers=bearer(app, "ann"))
    write(ann, "a wren 🐦")
    length, _, message = next(stream.chunks).partition(b"\r\n")
    assert int(length) == len(message) and json.loads(message)["text"] == "a wren 🐦"


def test_gzip_is_flushed_with_each_message(app: Flask, client: FlaskClient, member: Member) -> None:
    ann = member("ann")
    answer = client.get(
        API + "filter.json?track=wren", headers={**bearer(app, "ann"), "Accept-Encoding": "gzip"}
    )
    assert answer.headers["Content-Encoding"] == "gzip"
    chunks, inflate = iter(answer.response), zlib.decompressobj(wbits=31)
    assert inflate.decompress(next(chunks)) == b"\r\n"
    write(ann, "a wren")
    assert json.loads(inflate.decompress(next(chunks)))["text"] == "a wren"
    answer.close()


def test_a_browser_reads_events_with_its_session_and_comes_back_for_what_it_missed(
    app: Flask, member: Member, opened: Callable[..., Opened]
) -> None:
    ann, greeting = member("ann"), encoders.API_SSE.greeting
    stream = opened(ann, "filter.json?track=wren", greeting, headers=SSE)
    assert stream.answer.content_type == "text/event-stream; charset=utf-8"
    write(ann, "wren one")
    name, event, data = next(stream.chunks).decode().strip().split("\n")
    assert (
        event == "event: update" and json.loads(data.removeprefix("data: "))["text"] == "wren one"
    )
    stream.answer.close()
    write(ann, "wren two")
    back = {**SSE, "Last-Event-ID": name.removeprefix("id: ")}
    assert b"wren two" in next(opened(ann, "filter.json?track=wren", greeting, headers=back).chunks)
    db: Db = app.extensions["linnet.db"]
    db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", 1))
    for lost in ("1-1", "x", "99999999999999-0"):
        again = opened(
            ann, "filter.json?track=wren", greeting, headers={**SSE, "Last-Event-ID": lost}
        )
        assert b"event: reload" in next(again.chunks)
        again.answer.close()


def test_count_goes_back_and_then_on_or_ends(
    app: Flask, client: FlaskClient, member: Member, opened: Callable[..., Opened]
) -> None:
    ann, token = member("ann"), bearer(app, "ann")
    for number in range(5):
        write(ann, f"wren {number}")
    assert client.get(API + "filter.json?track=wren&count=2", headers=token).status_code == 416
    grant(app, "ann")
    stream = opened(client, "filter.json?track=wren&count=2", headers=token)
    write(ann, "wren 5")
    assert stream.texts(3) == ["wren 3", "wren 4", "wren 5"]
    ending = opened(client, "firehose.json?count=-3", headers=token)
    assert ending.texts(3) == ["wren 3", "wren 4", "wren 5"]
    assert next(ending.chunks, None) is None


def test_silence_is_broken_by_signs_of_life(
    app: Flask,
    client: FlaskClient,
    member: Member,
    opened: Callable[..., Opened],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for kind in (encoders.LineEncoder, encoders.ApiSseEncoder):
        monkeypatch.setattr(kind, "heartbeat", 0.01)
    ann, greeting = member("ann"), encoders.API_SSE.greeting
    token = bearer(app, "ann")
    assert next(opened(client, "filter.json?track=wren", headers=token).chunks) == b"\r\n"
    stream = opened(client, "filter.json?track=wren", greeting, headers={**token, **SSE})
    assert next(stream.chunks) == b": still here\n\n"
    write(ann, "a robin")
    seen = next(chunk for chunk in stream.chunks if chunk != b": still here\n\n")
    assert re.match(rb"id: \d+-\d+\nevent: mark\n", seen)


# Who is let in, and how long


def test_four_ways_to_say_who_one_is(app: Flask, client: FlaskClient, member: Member) -> None:
    ann = member("ann")
    pair = apps.create(
        app.extensions["linnet.db"], app.extensions["linnet.config"], uid(app, "ann"), "app"
    )
    signer = Client(pair.consumer_key, pair.consumer_secret, pair.token, pair.token_secret)
    url, headers, _ = signer.sign("http://localhost/1.1/statuses/filter.json?track=a%20b%2Cc")
    answers = [
        client.get(API + "filter.json?track=a", headers=bearer(app, "ann")),
        client.get(url, headers=headers),
        ann.get(API + "filter.json?track=a"),
        client.get(API + "sample.json?identifier=me"),
    ]
    assert [answer.status_code for answer in answers] == [200] * 4
    again = client.get(url, headers=headers)
    assert again.status_code == 401 and again.headers["WWW-Authenticate"].startswith("OAuth")
    for answer in answers:
        answer.close()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("filter.json", 406),
        ("filter.json?track=" + "x" * 61, 406),
        ("filter.json?track=" + ",".join(map(str, range(401))), 413),
        ("filter.json?locations=1,2,3", 406),
        ("filter.json?follow=@nobody", 406),
        ("sample.json?count=1", 416),
        ("sample.json?percent=x", 406),
        ("other.json", 404),
    ],
)
def test_what_cannot_be_had_is_refused_in_words(
    path: str, status: int, app: Flask, member: Member
) -> None:
    answer = member("ann").get(API + path)
    assert answer.status_code == status
    if status != 404:
        assert answer.json["errors"][0]["message"].endswith(".")
    assert held(app, uid(app, "ann")) == 0


def test_a_form_has_room_for_all_that_may_be_asked_for_and_not_for_more(
    app: Flask, member: Member
) -> None:
    ann = member("ann")
    many = ",".join(str(10**14 + number) for number in range(5_000))
    answer = ann.post(API + "filter.json", data={"follow": many})
    assert answer.status_code == 200
    answer.close()
    too_long = ann.post(API + "filter.json", data={"track": "x" * 300_000})
    assert too_long.status_code == 413 and "bytes" in too_long.json["errors"][0]["message"]


def test_nobody_unknown_is_let_in(client: FlaskClient) -> None:
    for path in ("filter.json?track=a", "firehose.json", "sample.json"):
        answer = client.get(API + path)
        assert answer.status_code == 401 and "Bearer" in answer.headers["WWW-Authenticate"]


def test_reconnecting_too_often_is_refused_with_when_to_come_back(
    app: Flask, settings: Config, member: Member
) -> None:
    ann = member("ann")
    app.extensions["linnet.config"] = replace(settings, limit_stream=Rate(1, 60))
    ann.get(API + "filter.json?track=a").close()
    answer = ann.get(API + "filter.json?track=a")
    assert answer.status_code == 429 and 0 < int(answer.headers["Retry-After"]) <= 60


def test_a_seat_is_held_while_the_client_stays_and_no_longer(app: Flask, member: Member) -> None:
    ann, path = member("ann"), API + "filter.json?track=a"
    read, unread = ann.get(path), ann.get(path)
    next(iter(read.response))
    assert held(app, uid(app, "ann")) == 2
    head = ann.head(path, headers={"Accept-Encoding": "gzip;q=0"})
    assert (head.status_code, head.content_type, head.data) == (200, "application/json", b"")
    assert "Content-Encoding" not in head.headers and held(app, uid(app, "ann")) == 2
    read.close()
    unread.close()
    assert held(app, uid(app, "ann")) == 0


def test_the_oldest_stream_of_a_member_is_cut_for_one_too_many(
    app: Flask, member: Member, opened: Callable[..., Opened], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "REFRESH_SECONDS", 0.01)
    ann = member("ann")
    first, *_ = [opened(ann, "filter.json?track=a") for _ in range(3)]
    assert first.next()["disconnect"] == {
        "code": 7,
        "stream_name": "filter",
        "reason": "Admin logout",
    }
    assert next(first.chunks, None) is None


def test_a_stream_ends_when_its_token_is_revoked(
    app: Flask, client: FlaskClient, member: Member, opened: Callable[..., Opened]
) -> None:
    ann, headers = member("ann"), bearer(app, "ann")
    stream = opened(client, "filter.json?track=wren", headers=headers)
    [sha] = re.findall(r"/settings/tokens/(\w+)/revoke", ann.get("/settings/tokens").text)
    ann.post(f"/settings/tokens/{sha}/revoke")
    write(ann, "a wren that is not for them")
    assert stream.next()["disconnect"]["code"] == 6
    assert next(stream.chunks, None) is None


# The way to the streams


@pytest.fixture
def bare(settings: Config) -> Iterator[Flask]:
    """The app as it runs beside a stream process."""
    app = make_app(replace(settings, inline_projections=False), WTF_CSRF_ENABLED=True)
    yield app
    app.extensions["linnet.db"].close()


def test_beside_a_stream_process_the_way_to_it_is_answered(bare: Flask) -> None:
    client = bare.test_client()
    for method in ("GET", "POST"):
        for path in ("/1.1/statuses/filter.json?track=a%20b,%E9%BA%BB", "/statuses/sample.json"):
            answer = client.open(path, method=method, base_url="http://linnet.example:8000")
            assert (answer.status_code, answer.location) == (
                307,
                f"http://linnet.example:8001{path}",
            )


@pytest.mark.parametrize(
    "changes",
    [
        {"trusted_proxies": 1},
        {"stream_url": "http://localhost"},
        {"stream_url": "http://localhost/"},
    ],
)
def test_a_way_that_would_lead_back_here_is_an_error(
    changes: dict[str, Any], settings: Config
) -> None:
    app = make_app(replace(settings, inline_projections=False, **changes))
    answer = app.test_client().get(API + "sample.json?identifier=a")
    assert answer.status_code == 503 and "proxy" in answer.json["errors"][0]["message"]
    app.extensions["linnet.db"].close()


def test_a_web_process_told_to_serve_streams_does(settings: Config) -> None:
    app = make_app(replace(settings, inline_projections=False, web_streams=True))
    Opened(app.test_client().get(API + "sample.json?identifier=a")).answer.close()
    app.extensions["linnet.db"].close()


def test_a_server_that_collects_answers_never_serves_streams(app: Flask, settings: Config) -> None:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/statuses/sample.json",
        "query_string": b"identifier=a",
    }
    scope |= {"http_version": "1.1", "scheme": "http", "headers": [(b"host", b"linnet.example")]}
    in_loop(AsgiBridge(app, settings)(scope, receive, send))
    headers = dict(sent[0]["headers"])
    assert sent[0]["status"] == 307
    assert headers[b"location"] == b"http://linnet.example:8001/statuses/sample.json?identifier=a"


# The page


def test_the_page_has_lines_with_the_streams_own_address(bare: Flask) -> None:
    page = bare.test_client().get("/about/streaming", base_url="http://linnet.example:8000").text
    assert "http://linnet.example:8001/1.1/statuses/sample.json?identifier=visitor" in page
    assert "http://linnet.example:8001/1.1/statuses/filter.json?track=wren,麻雀" in page


def test_what_is_tried_is_shown_live_to_members_only(member: Member, client: FlaskClient) -> None:
    path = {"path": "/about/streaming", "query_string": {"track": 'wren "&<b>,麻雀'}}
    tap = re.search(r'data-tap="([^"]+)"', member("ann").get(**path).text)
    assert tap and unescape(tap[1]).endswith(
        "/1.1/statuses/filter.json?track=wren+%22%26%3Cb%3E%2C%E9%BA%BB%E9%9B%80"
    )
    page = client.get(**path).text
    assert "data-tap" not in page and "<b>," not in page
