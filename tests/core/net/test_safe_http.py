"""Requests to addresses that members chose: public hosts only, bounded in time and size."""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from urllib3.util import connection

from tests.support.certificates import make_certificate
from tests.support.webhook_receiver import Receiver, drip, receiving
from webapp.core.net import safe_http

HOME = "127.0.0.1"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A server that records the requests it gets."""
    with receiving() as receiver:
        yield receiver


NOT_PUBLIC = [
    "http://127.0.0.1:{port}/",
    "http://127.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://localhost:{port}/",
    "http://loopback.example:{port}/",  # resolves to 127.0.0.1
    "http://both.example:{port}/",  # resolves to 127.0.0.1 among others
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[fe80::1]:{port}/",
    "http://[fc00::1]:{port}/",
    "http://0.0.0.0:{port}/",
    "http://[::]:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://172.16.0.1/",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://[ff02::1]/",
    "http://255.255.255.255/",
]


@pytest.mark.parametrize("url", NOT_PUBLIC)
def test_address_that_is_not_public_is_refused_before_connecting(
    url: str, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"loopback.example": [HOME], "both.example": ["10.0.0.1", HOME]}
    monkeypatch.setattr(socket, "getaddrinfo", fake_getaddrinfo(names))
    connected: list[object] = []
    monkeypatch.setattr(safe_http.HTTPConnection, "connect", lambda self: connected.append(self))
    with pytest.raises(safe_http.RequestFailed, match="not_public"):
        safe_http.post(url.format(port=receiver.url.rpartition(":")[2]), b"{}", {}, False, 5)
    assert not receiver.requests and not connected


def fake_getaddrinfo(names: dict[str, list[str]], lookups: list[str] | None = None) -> Any:
    """Return the system's resolver with extra names; it records its lookups."""
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        if lookups is not None:
            lookups.append(host)
        if host in names:
            stream = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
            return [(*stream, (address, port)) for address in names[host]]
        return real(host, port, *args, **kwargs)

    return getaddrinfo


def test_host_is_resolved_once(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    lookups: list[str] = []
    monkeypatch.setattr(socket, "getaddrinfo", fake_getaddrinfo({"bird.example": [HOME]}, lookups))
    port = receiver.url.rpartition(":")[2]
    assert safe_http.post(f"http://bird.example:{port}/x", b"{}", {}, True, 5).status == 200
    assert lookups.count("bird.example") == 1
    assert receiver.requests[0].headers["host"] == f"bird.example:{port}"


def test_url_in_any_script_is_encoded_as_browsers_do(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", fake_getaddrinfo({"麻雀.example": [HOME]}))
    port = receiver.url.rpartition(":")[2]
    url = f"http://麻雀.example:{port}/钩?a=%20b&c=é#part"
    assert safe_http.post(url, b"{}", {}, True, 5).status == 200
    [request] = receiver.requests
    assert request.path == "/%E9%92%A9?a=%20b&c=%C3%A9"
    assert request.headers["host"] == f"xn--8n5a30n.example:{port}"


def test_tls_certificate_must_match_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"bird.example": [HOME], "cat.example": [HOME]}
    monkeypatch.setattr(socket, "getaddrinfo", fake_getaddrinfo(names))
    path, key = make_certificate(tmp_path, "bird.example")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, key)
    server_names: list[str] = []

    def record_server_name(sock: Any, name: str, context: ssl.SSLContext) -> None:
        server_names.append(name)

    context.sni_callback = record_server_name  # type: ignore[assignment]
    with receiving(context) as receiver:
        port = receiver.url.rpartition(":")[2]
        with pytest.raises(safe_http.RequestFailed, match="no_answer"):  # not a trusted issuer
            safe_http.post(f"https://bird.example:{port}/", b"{}", {}, True, 5)
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        assert safe_http.post(f"https://bird.example:{port}/", b"{}", {}, True, 5).status == 200
        with pytest.raises(safe_http.RequestFailed, match="no_answer"):
            safe_http.post(f"https://cat.example:{port}/", b"{}", {}, True, 5)
        assert len(receiver.requests) == 1
        assert server_names == ["bird.example", "bird.example", "cat.example"]


@pytest.mark.parametrize("private", [True, False])
def test_invalid_url_or_unknown_host_is_refused(
    private: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in (
        "ftp://a.example/",
        "http://",
        "http://wren:pw@a.example/",
        "http://a.example:0/",
        "http://[::1",
    ):
        with pytest.raises(safe_http.RequestFailed, match="bad_address"):
            safe_http.post(url, b"{}", {}, private, 5)

    def fails(*args: Any, **kwargs: Any) -> Any:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fails)
    with pytest.raises(safe_http.RequestFailed, match="no_host"):
        safe_http.post("http://nowhere.example/", b"{}", {}, private, 5)


def test_endless_response_times_out(receiver: Receiver) -> None:
    receiver.responders = [drip]
    with pytest.raises(safe_http.RequestFailed, match="late"):
        safe_http.post(receiver.url, b"{}", {}, True, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("head", ["", "Content-Length: 400\r\n", "Transfer-Encoding: chunked\r\n"])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_slow_body_is_not_read_to_its_end(receiver: Receiver, version: str, head: str) -> None:
    sent: list[int] = []

    def drip_body(handler: Any) -> None:
        handler.close_connection = True
        piece = b"1\r\n \r\n" if "chunked" in head else b" "
        with suppress(OSError):
            handler.wfile.write(f"HTTP/{version} 200 OK\r\n{head}\r\n".encode())
            for _ in range(400):
                sent.append(handler.wfile.write(piece))
                time.sleep(0.01)

    receiver.responders = [drip_body]
    with pytest.raises(safe_http.RequestFailed, match="late"):
        safe_http.post(receiver.url, b"{}", {}, True, 0.5)
    assert len(sent) < 400


def test_silent_server_times_out() -> None:
    with (
        socket.create_server((HOME, 0)) as silent,
        pytest.raises(safe_http.RequestFailed, match="late"),
    ):
        safe_http.post(f"http://{HOME}:{silent.getsockname()[1]}/", b"{}", {}, True, 0.2)


def test_large_response_is_not_read_to_its_end(receiver: Receiver) -> None:
    sent: list[int] = []

    def large(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(1 << 30))
        handler.end_headers()
        try:
            while True:
                sent.append(handler.wfile.write(b"x" * 65_536))
        except OSError:
            handler.close_connection = True

    receiver.responders = [large]
    assert safe_http.post(receiver.url, b"{}", {}, True, 30).status == 200
    assert sum(sent) < 1 << 28


def test_resolving_connecting_and_the_handshake_share_one_deadline(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, connect = [0.0], connection.create_connection
    monkeypatch.setattr(safe_http.time, "monotonic", lambda: now[0])
    timeouts: list[float] = []

    def slow_connect(address: Any, timeout: Any, *args: Any, **kwargs: Any) -> Any:
        timeouts.append(timeout)
        connected = connect(address, timeout, *args, **kwargs)
        now[0] += 6
        return connected

    def slow_resolve(*args: Any) -> list[str]:
        now[0] += 5
        return [HOME]

    monkeypatch.setattr(connection, "create_connection", slow_connect)
    monkeypatch.setattr(safe_http, "resolve", slow_resolve)
    for scheme in ("http", "https"):
        with pytest.raises(safe_http.RequestFailed, match="late"):
            safe_http.post(receiver.url.replace("http:", f"{scheme}:"), b"{}", {}, True, 10)
    with pytest.raises(safe_http.RequestFailed, match="late"):
        safe_http.post(receiver.url, b"{}", {}, True, 4)
    assert timeouts == [5, 5], "the rest of ten seconds; none is left of four"
    assert not receiver.requests


def test_name_resolution_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = threading.Event()

    def hangs(*args: Any, **kwargs: Any) -> Any:
        stuck.wait(60)
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", hangs)
    try:
        with pytest.raises(safe_http.RequestFailed, match="late"):
            safe_http.post("http://nowhere.example/", b"{}", {}, False, 0.1)
    finally:
        stuck.set()
