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
from werkzeug.test import TestResponse

from tests.conftest import make_app
from tests.support.loops import in_loop
from tests.support.pages import post_status
from tests.support.world import Web
from webapp.accounts.store import get_many_by_login
from webapp.accounts.tokens import store as tokens
from webapp.config import Config, Rate
from webapp.core.settings.store import change
from webapp.core.web.context import site_of
from webapp.server.bridge.asgi_bridge import AsgiBridge
from webapp.streaming import keys as stream_keys
from webapp.streaming.api_v1 import held_slots

API = "/1.1/statuses/"


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


def test_gzip_is_flushed_with_each_message(web: Web) -> None:
    ann = web.member("ann")
    headers = {**bearer(web.app, "ann"), "Accept-Encoding": "gzip"}
    response = web.client.get(API + "filter.json?track=wren", headers=headers)
    assert response.headers["Content-Encoding"] == "gzip"
    chunks, inflate = iter(response.response), zlib.decompressobj(wbits=31)
    assert inflate.decompress(next(chunks)) == b"\r\n"
    post_status(ann, "a wren")
    assert json.loads(inflate.decompress(next(chunks)))["text"] == "a wren"
    response.close()


def test_a_refusal_keeps_its_status_reason_and_headers(web: Web) -> None:
    ann, path = web.member("ann"), API + "filter.json"
    many = ",".join(str(10**14 + number) for number in range(5_000))
    ann.post(path, data={"follow": many}).close()
    stranger = web.client.get(path + "?track=a")
    assert stranger.status_code == 401 and "Bearer" in stranger.headers["WWW-Authenticate"]
    too_long = ann.post(path, data={"track": "x" * 300_000})
    assert too_long.status_code == 413 and "bytes" in too_long.json["errors"][0]["message"]
    web.app.extensions["linnet.config"] = replace(web.config, limit_stream=Rate(1, 60))
    ann.get(path + "?track=a").close()
    often = ann.get(path + "?track=a")
    assert often.status_code == 429 and 0 < int(often.headers["Retry-After"]) <= 60
    assert slots_held(web.app, uid(web.app, "ann")) == 0


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
