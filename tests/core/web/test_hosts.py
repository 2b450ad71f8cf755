"""Requests that name no host, several, or none that a URL can have: 400 at each of the ports."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse, create_environ, run_wsgi_app
from werkzeug.wrappers import Request

from tests.conftest import make_app
from tests.support.loops import in_loop
from tests.support.pages import check_error
from tests.support.world import Web
from webapp.config import Config
from webapp.core.net import hosts as host_rules
from webapp.server.bridge.asgi_bridge import AsgiBridge
from webapp.streaming.server import StreamApp

BAD_HOSTS = (
    *("", "localhost,localhost", "localhost, localhost", "a:8000,a:8000", "a b", "a/b", "a@b"),
    *("a..b", "xn--", "[:.:]", "[::1", "a:99999", "a:0", "a:", "é", "x" * 64, "?", "a?b", "a#b"),
    *("a." * 130 + "a", "x" * 10_000, "\xff\xfe", "x:y:z", "//a.b", "@", ".", "xn--xn--"),
)
GOOD_HOSTS = (
    "a." * 126 + "a:65535",
    "localhost",
    "a:8000",
    "linnet.example.",
    "127.0.0.1:8000",
    "[::1]:8000",
    "a_b",
)
PATHS = ("/", "/home", "/nowhere", "/login", "/static/favicon.svg", "/healthz")
HostLines = tuple[bytes, ...]
BAD_LINES: tuple[HostLines, ...] = ((), (b"a", b"a"), (b"a", b"b"), (b"a", b""), (b"",), (b"a,a",))


def _scope(hosts: HostLines, path: str, http_version: str = "1.1") -> dict[str, Any]:
    return {
        "type": "http",
        "http_version": http_version,
        "method": "GET",
        "scheme": "http",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", host) for host in hosts],
    }


async def _status(app: Any, scope: dict[str, Any]) -> tuple[int, bytes]:
    """The status and the body of an ASGI response."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"} if sent else {"type": "http.request", "body": b""}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await asyncio.wait_for(app(scope, receive, send), 30)
    return sent[0]["status"], b"".join(message["body"] for message in sent[1:])


@pytest.mark.parametrize("host", BAD_HOSTS)
def test_a_host_that_is_no_name_is_refused_with_the_error_page(shared_web: Web, host: str) -> None:
    for path in PATHS:
        for method in ("GET", "POST"):
            environ = create_environ(path, method=method)
            environ["HTTP_HOST"] = host
            response = TestResponse(*run_wsgi_app(shared_web.app, environ), Request(environ))
            check_error(response, 400, "We couldn’t understand that request.")
            assert response.headers["Cache-Control"] == "no-store"
            assert response.headers["X-Frame-Options"] == "DENY"
            assert "host.invalid" not in response.text


def test_a_long_host_is_not_kept_in_memory() -> None:
    before = host_rules._is_name.cache_info()
    assert not host_rules.is_valid_host("a" * 100_000, "1.1")
    assert host_rules._is_name.cache_info() == before


@pytest.mark.parametrize("host", GOOD_HOSTS)
def test_other_hosts_are_answered(shared_web: Web, host: str) -> None:
    assert shared_web.client.get("/public", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(("protocol", "status"), [("HTTP/1.1", 400), ("HTTP/1.0", 200)])
def test_only_http_1_0_may_leave_the_host_out(web: Web, protocol: str, status: int) -> None:
    environ = create_environ("/public")
    del environ["HTTP_HOST"]
    environ["SERVER_PROTOCOL"] = protocol
    assert run_wsgi_app(web.app.wsgi_app, environ)[1].startswith(str(status))


@pytest.mark.parametrize("site_url", ["", "http://a"])
def test_the_web_port_refuses_a_missing_or_doubled_host(settings: Config, site_url: str) -> None:
    app = make_app(replace(settings, site_url=site_url))
    fast_path = app.extensions["linnet.pages"].fast_path
    bridge = AsgiBridge(app, settings, fast_path=fast_path)

    async def run() -> None:
        assert (await _status(bridge, _scope((b"a",), "/public")))[0] == 200
        for hosts in BAD_LINES:
            for path in PATHS:
                status, page = await _status(bridge, _scope(hosts, path))
                assert (status, b'class="error-code"' in page) == (400, True), (hosts, path)

    in_loop(run())
    app.extensions["linnet.db"].close()


def test_the_stream_port_refuses_a_missing_or_doubled_host(settings: Config) -> None:
    app = StreamApp(settings)

    async def run() -> None:
        assert (await _status(app, _scope((b"a",), "/healthz")))[0] == 200
        assert (await _status(app, _scope((), "/healthz", "1.0")))[0] == 200
        for hosts in BAD_LINES:
            for path in ("/healthz", "/stream/public", "/stream/chats", "/nowhere"):
                assert (await _status(app, _scope(hosts, path)))[0] == 400, (hosts, path)
            path = "/1.1/statuses/sample.json"
            assert (await _status(app, _scope(hosts, path)))[0] == 400

    in_loop(run())
    app.db.close()
