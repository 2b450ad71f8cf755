"""The streaming API from a web process: chunks with Flask's test client, or a redirect."""

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
from tests.support.pages import post_status
from tests.support.streaming.client import in_loop
from tests.support.world import Web
from webapp.accounts import lifecycle
from webapp.accounts.store import get_many_by_login
from webapp.accounts.tokens import apps
from webapp.accounts.tokens import store as tokens
from webapp.config import Config, Rate
from webapp.core.settings.store import change
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.core.web.context import site_of
from webapp.server.bridge.asgi_bridge import AsgiBridge
from webapp.statuses import store
from webapp.streaming import keys as stream_keys
from webapp.streaming.api_v1 import api, held_slots
from webapp.streaming.delivery import encoders
from webapp.streaming.hub.topics import share_of

API = "/1.1/statuses/"
SSE = {"Accept": "text/event-stream"}


class OpenStream:
    """A streaming response, read chunk by chunk."""

    def __init__(self, response: TestResponse, greeting: bytes = b"\r\n") -> None:
        assert response.status_code == 200, response.text
        self.response = response
        self.chunks = iter(response.response)
        assert next(self.chunks) == greeting

    def next(self) -> dict[str, Any]:
        """Return the next message."""
        chunk = next(self.chunks)
        assert chunk.endswith(b"\r\n")
        message: dict[str, Any] = json.loads(chunk)
        return message

    def texts(self, count: int) -> list[str]:
        """Return the texts of the next statuses."""
        return [self.next()["text"] for _ in range(count)]


@pytest.fixture
def open_stream() -> Iterator[Callable[..., OpenStream]]:
    """Open streams; close them at the end of the test."""
    responses: list[TestResponse] = []

    def open_(
        client: FlaskClient, path: str, greeting: bytes = b"\r\n", **options: Any
    ) -> OpenStream:
        responses.append(client.open(API + path, **options))
        return OpenStream(responses[-1], greeting)

    yield open_
    for response in responses * 2:  # servers may close one twice
        response.close()


def uid(app: Flask, login: str) -> int:
    """Return the uid of a login."""
    return get_many_by_login(app.extensions["linnet.db"], [login])[login].uid


def bearer(app: Flask, login: str) -> dict[str, str]:
    """Create a token of a member and return it as a header."""
    site = site_of(app)
    token = tokens.create(site, uid(app, login), "script")
    return {"Authorization": f"Bearer {token}"}


def grant(app: Flask, login: str) -> None:
    """Grant a member the right to the firehose."""
    lifecycle.grant(app.extensions["linnet.db"], uid(app, login), "firehose")


def slots_held(app: Flask, holder: int | str) -> int:
    """Return the number of connection slots that a member or address holds."""
    return int(app.extensions["linnet.db"].run(("ZCARD", stream_keys.connection_slots(holder))))


@pytest.mark.parametrize("prefix", ["/1.1/statuses/", "/statuses/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_filtered_stream_is_sent_chunk_by_chunk(prefix: str, method: str, web: Web) -> None:
    ann = web.member("ann")
    post_status(ann, "a wren before anybody came")
    parameters = {"query_string" if method == "GET" else "data": {"track": "wren,麻雀"}}
    stream = OpenStream(
        web.client.open(
            f"{prefix}filter.json", method=method, headers=bearer(web.app, "ann"), **parameters
        )
    )
    for text in ("a Wren!", "a wrenlike robin", "我的麻雀很小", "nothing"):
        post_status(ann, text)
    post_status(ann, "the last #wren")
    assert stream.texts(3) == ["a Wren!", "我的麻雀很小", "the last #wren"]
    assert stream.response.content_type == "application/json"
    assert stream.response.headers["Cache-Control"] == "no-store"
    assert stream.response.headers["X-Accel-Buffering"] == "no"
    stream.response.close()


def test_status_of_version_1_1_is_followed_by_its_deletion(
    web: Web, open_stream: Callable[..., OpenStream]
) -> None:
    ann = web.member("ann")
    stream = open_stream(web.client, "filter.json?track=wren", headers=bearer(web.app, "ann"))
    ann.post(
        "/statuses", data={"text": "a wren @ann", "lat": "31.23", "long": "121.47", "place": "上海"}
    )
    status = stream.next()
    assert status["user"]["screen_name"] == "ann" and status["id_str"] == str(status["id"])
    assert status["coordinates"] == {"type": "Point", "coordinates": [121.47, 31.23]}
    assert status["place"]["full_name"] == "上海"
    assert status["entities"]["user_mentions"][0]["indices"] == [7, 11]
    assert status["url"] == f"http://localhost/@ann/{status['id']}"
    ann.post(f"/statuses/{status['id']}/delete")
    assert stream.next()["delete"]["status"]["id"] == status["id"]


def test_a_place_without_coordinates_is_sent_by_its_name_and_is_in_no_box(
    web: Web, open_stream: Callable[..., OpenStream]
) -> None:
    ann, authorization = web.member("ann"), bearer(web.app, "ann")
    everywhere = open_stream(
        web.client, "filter.json?locations=-180,-90,180,90", headers=authorization
    )
    ann.post("/statuses", data={"text": "a wren", "place": "The reeds"})
    ann.post("/statuses", data={"text": "a lark", "lat": "1", "long": "2"})
    assert everywhere.next()["text"] == "a lark"
    everywhere.response.close()
    words = open_stream(web.client, "filter.json?track=wren", headers=authorization)
    ann.post("/statuses", data={"text": "wren again", "place": "The reeds"})
    status = words.next()
    assert status["coordinates"] is status["geo"] is None
    assert status["place"]["full_name"] == "The reeds"
    assert status["place"]["bounding_box"] is None


def test_firehose_sends_everything_and_needs_the_right(
    web: Web, open_stream: Callable[..., OpenStream]
) -> None:
    ann, token = web.member("ann"), bearer(web.app, "ann")
    refused = web.client.get(API + "firehose.json", headers=token)
    assert refused.status_code == 403 and "right" in refused.json["errors"][0]["message"]
    grant(web.app, "ann")
    stream = open_stream(web.client, "firehose.json", headers=token)
    post_status(ann, "one")
    post_status(ann, "two")
    assert stream.texts(2) == ["one", "two"]


def test_sample_is_the_same_for_the_same_visitor(
    web: Web, open_stream: Callable[..., OpenStream]
) -> None:
    web.member("ann")
    config: Config = web.config
    first, again = (open_stream(web.client, f"sample.json?identifier=reader&{n}") for n in range(2))
    [shares] = {api._shares("reader", 1.0) for _ in range(3)}
    wanted: list[int] = []
    for number in range(3_000):  # one in a hundred is in the sample
        posted = store.post(
            Site(web.db, config), uid(web.app, "ann"), parse(f"status {number}"), f"form-{number}"
        )
        wanted += [posted] if share_of(posted) in shares else []
        if len(wanted) == 2:
            break
    web.apply_events()
    assert [first.next()["id"] for _ in wanted] == [again.next()["id"] for _ in wanted] == wanted
    assert len(wanted) == 2


def test_delimited_message_follows_its_length(
    web: Web, open_stream: Callable[..., OpenStream]
) -> None:
    ann = web.member("ann")
    stream = open_stream(
        web.client, "filter.json?track=wren&delimited=length", headers=bearer(web.app, "ann")
    )
    post_status(ann, "a wren 🐦")
    length, _, message = next(stream.chunks).partition(b"\r\n")
    assert int(length) == len(message) and json.loads(message)["text"] == "a wren 🐦"


def test_gzip_is_flushed_with_each_message(web: Web) -> None:
    ann = web.member("ann")
    response = web.client.get(
        API + "filter.json?track=wren",
        headers={**bearer(web.app, "ann"), "Accept-Encoding": "gzip"},
    )
    assert response.headers["Content-Encoding"] == "gzip"
    chunks, inflate = iter(response.response), zlib.decompressobj(wbits=31)
    assert inflate.decompress(next(chunks)) == b"\r\n"
    post_status(ann, "a wren")
    assert json.loads(inflate.decompress(next(chunks)))["text"] == "a wren"
    response.close()


def test_browser_resumes_events_with_its_session(
    web: Web, open_stream: Callable[..., OpenStream]
) -> None:
    ann, greeting = web.member("ann"), encoders.API_SSE.greeting
    stream = open_stream(ann, "filter.json?track=wren", greeting, headers=SSE)
    assert stream.response.content_type == "text/event-stream; charset=utf-8"
    post_status(ann, "wren one")
    retry, name, event, data = next(stream.chunks).decode().strip().split("\n")
    assert retry.startswith("retry: ")
    assert event == "event: update"
    assert json.loads(data.removeprefix("data: "))["text"] == "wren one"
    stream.response.close()
    post_status(ann, "wren two")
    back = {**SSE, "Last-Event-ID": name.removeprefix("id: ")}
    assert b"wren two" in next(
        open_stream(ann, "filter.json?track=wren", greeting, headers=back).chunks
    )
    web.db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", 1))
    for lost in ("1-1", "x", "99999999999999-0"):
        again = open_stream(
            ann, "filter.json?track=wren", greeting, headers={**SSE, "Last-Event-ID": lost}
        )
        assert b"event: reload" in next(again.chunks)
        again.response.close()


def test_count_replays_and_then_continues_or_ends(
    web: Web, open_stream: Callable[..., OpenStream]
) -> None:
    ann, token = web.member("ann"), bearer(web.app, "ann")
    for number in range(5):
        post_status(ann, f"wren {number}")
    assert web.client.get(API + "filter.json?track=wren&count=2", headers=token).status_code == 416
    grant(web.app, "ann")
    stream = open_stream(web.client, "filter.json?track=wren&count=2", headers=token)
    post_status(ann, "wren 5")
    assert stream.texts(3) == ["wren 3", "wren 4", "wren 5"]
    ending = open_stream(web.client, "firehose.json?count=-3", headers=token)
    assert ending.texts(3) == ["wren 3", "wren 4", "wren 5"]
    assert next(ending.chunks, None) is None


def test_quiet_stream_gets_heartbeats(
    web: Web, open_stream: Callable[..., OpenStream], monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in (encoders.LineEncoder, encoders.ApiSseEncoder):
        monkeypatch.setattr(kind, "heartbeat", 0.01)
    ann, greeting = web.member("ann"), encoders.API_SSE.greeting
    token = bearer(web.app, "ann")
    assert next(open_stream(web.client, "filter.json?track=wren", headers=token).chunks) == b"\r\n"
    stream = open_stream(web.client, "filter.json?track=wren", greeting, headers={**token, **SSE})
    assert next(stream.chunks) == b": still here\n\n"
    post_status(ann, "a robin")
    seen = next(chunk for chunk in stream.chunks if chunk != b": still here\n\n")
    assert re.match(rb"retry: \d+\nid: \d+-\d+\nevent: mark\n", seen)


def test_four_kinds_of_credentials_are_accepted(web: Web) -> None:
    ann = web.member("ann")
    pair = apps.create(web, uid(web.app, "ann"), "app")
    signer = Client(pair.consumer_key, pair.consumer_secret, pair.token, pair.token_secret)
    url, headers, _ = signer.sign("http://localhost/1.1/statuses/filter.json?track=a%20b%2Cc")
    responses = [
        web.client.get(API + "filter.json?track=a", headers=bearer(web.app, "ann")),
        web.client.get(url, headers=headers),
        ann.get(API + "filter.json?track=a"),
        web.client.get(API + "sample.json?identifier=me"),
    ]
    assert [response.status_code for response in responses] == [200] * 4
    again = web.client.get(url, headers=headers)
    assert again.status_code == 401 and again.headers["WWW-Authenticate"].startswith("OAuth")
    for response in responses:
        response.close()


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
def test_invalid_request_is_refused_with_a_reason(path: str, status: int, web: Web) -> None:
    response = web.member("ann").get(API + path)
    assert response.status_code == status
    if status != 404:
        assert response.json["errors"][0]["message"].endswith(".")
    assert slots_held(web.app, uid(web.app, "ann")) == 0


def test_form_size_is_limited(web: Web) -> None:
    ann = web.member("ann")
    many = ",".join(str(10**14 + number) for number in range(5_000))
    response = ann.post(API + "filter.json", data={"follow": many})
    assert response.status_code == 200
    response.close()
    too_long = ann.post(API + "filter.json", data={"track": "x" * 300_000})
    assert too_long.status_code == 413 and "bytes" in too_long.json["errors"][0]["message"]


def test_request_without_credentials_is_refused(web: Web) -> None:
    for path in ("filter.json?track=a", "firehose.json", "sample.json"):
        response = web.client.get(API + path)
        assert response.status_code == 401 and "Bearer" in response.headers["WWW-Authenticate"]


def test_frequent_connections_get_retry_after(web: Web) -> None:
    ann = web.member("ann")
    web.app.extensions["linnet.config"] = replace(web.config, limit_stream=Rate(1, 60))
    ann.get(API + "filter.json?track=a").close()
    response = ann.get(API + "filter.json?track=a")
    assert response.status_code == 429 and 0 < int(response.headers["Retry-After"]) <= 60


def test_slot_is_held_while_the_client_is_connected(web: Web) -> None:
    ann, path = web.member("ann"), API + "filter.json?track=a"
    read, unread = ann.get(path), ann.get(path)
    next(iter(read.response))
    assert slots_held(web.app, uid(web.app, "ann")) == 2
    head = ann.head(path, headers={"Accept-Encoding": "gzip;q=0"})
    assert (head.status_code, head.content_type, head.data) == (200, "application/json", b"")
    assert "Content-Encoding" not in head.headers and slots_held(web.app, uid(web.app, "ann")) == 2
    read.close()
    unread.close()
    assert slots_held(web.app, uid(web.app, "ann")) == 0


def test_oldest_stream_ends_beyond_the_limit(
    web: Web, open_stream: Callable[..., OpenStream], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_slots, "REFRESH_SECONDS", 0.01)
    ann = web.member("ann")
    first, *_ = [open_stream(ann, "filter.json?track=a") for _ in range(3)]
    reason = {"code": 2, "stream_name": "filter", "reason": "Duplicate stream"}
    assert first.next()["disconnect"] == reason
    assert next(first.chunks, None) is None


def test_stream_ends_when_its_token_is_revoked(
    web: Web, open_stream: Callable[..., OpenStream]
) -> None:
    ann, headers = web.member("ann"), bearer(web.app, "ann")
    stream = open_stream(web.client, "filter.json?track=wren", headers=headers)
    [sha] = re.findall(r"/settings/tokens/(\w+)/revoke", ann.get("/settings/tokens").text)
    ann.post(f"/settings/tokens/{sha}/revoke")
    post_status(ann, "a wren that is not for them")
    assert stream.next()["disconnect"]["code"] == 6
    assert next(stream.chunks, None) is None


def test_stream_ends_with_maintenance(web: Web, open_stream: Callable[..., OpenStream]) -> None:
    web.member("ann")
    headers, db = bearer(web.app, "ann"), web.app.extensions["linnet.db"]
    stream = open_stream(web.client, "filter.json?track=wren", headers=headers)
    change(db, web.app.extensions["linnet.settings"], {"maintenance": "yes"})
    assert stream.next()["disconnect"]["reason"] == "Shutdown"
    assert next(stream.chunks, None) is None
    refused = web.client.get(f"{API}filter.json?track=wren", headers=headers)
    assert refused.status_code == 503 and refused.headers["Retry-After"] == "120"


@pytest.fixture
def bare(settings: Config) -> Iterator[Flask]:
    """The app as it runs next to a stream process."""
    app = make_app(replace(settings, inline_projections=False), WTF_CSRF_ENABLED=True)
    yield app
    app.extensions["linnet.db"].close()


def test_web_process_redirects_to_the_stream_process(bare: Flask) -> None:
    client = bare.test_client()
    for method in ("GET", "POST"):
        for path in ("/1.1/statuses/filter.json?track=a%20b,%E9%BA%BB", "/statuses/sample.json"):
            response = client.open(path, method=method, base_url="http://linnet.example:8000")
            assert response.status_code == 307
            assert response.location == f"http://linnet.example:8001{path}"


@pytest.mark.parametrize(
    "changes",
    [
        {"trusted_proxies": 1},
        {"stream_url": "http://localhost"},
        {"stream_url": "http://localhost/"},
    ],
)
def test_redirect_to_itself_is_an_error(changes: dict[str, Any], settings: Config) -> None:
    app = make_app(replace(settings, inline_projections=False, **changes))
    response = app.test_client().get(API + "sample.json?identifier=a")
    assert response.status_code == 503 and "proxy" in response.json["errors"][0]["message"]
    app.extensions["linnet.db"].close()


def test_web_streams_setting_serves_streams(settings: Config) -> None:
    app = make_app(replace(settings, inline_projections=False, web_streams=True))
    OpenStream(app.test_client().get(API + "sample.json?identifier=a")).response.close()
    app.extensions["linnet.db"].close()


def test_asgi_bridge_redirects_streams(web: Web) -> None:
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
    in_loop(AsgiBridge(web.app, web.config)(scope, receive, send))
    headers = dict(sent[0]["headers"])
    assert sent[0]["status"] == 307
    assert headers[b"location"] == b"http://linnet.example:8001/statuses/sample.json?identifier=a"


def test_about_page_shows_the_address_of_the_stream_process(bare: Flask) -> None:
    page = bare.test_client().get("/about/streaming", base_url="http://linnet.example:8000").text
    assert "http://linnet.example:8001/1.1/statuses/sample.json?identifier=visitor" in page
    assert "http://linnet.example:8001/1.1/statuses/filter.json?track=wren,麻雀" in page


def test_about_page_runs_examples_for_members_only(web: Web) -> None:
    path = {"path": "/about/streaming", "query_string": {"track": 'wren "&<b>,麻雀'}}
    output = re.search(r'data-output="([^"]+)"', web.member("ann").get(**path).text)
    assert output
    assert unescape(output[1]).endswith(
        "/1.1/statuses/filter.json?track=wren+%22%26%3Cb%3E%2C%E9%BA%BB%E9%9B%80"
    )
    page = web.client.get(**path).text
    assert "data-output" not in page and "<b>," not in page
