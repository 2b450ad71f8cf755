"""Bodies that end too early or break their framing, sent over raw sockets to the real servers."""

import re
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.support.body_site import PATIENCE, BodySite

CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
MALFORMED = {
    "size that is no number": CHUNKED + b"zz\r\nlogin=",
    "negative size": CHUNKED + b"-1\r\nlogin=",
    "huge size": CHUNKED + b"f" * 18 + b"\r\nlogin=",
    "chunk longer than its size": CHUNKED + b"6\r\nlogin=XX\r\n0\r\n\r\n",
    "malformed trailer": CHUNKED + b"6\r\nlogin=\r\n0\r\nno trailer\r\n\r\n",
}
HALF_CLOSED = {
    "no end of a length": b"Content-Length: 50\r\n\r\nlogin=",
    "no byte of a length": b"Content-Length: 50\r\n\r\n",
    "no end of a chunk": CHUNKED + b"f\r\nlogin=",
    "no last chunk": CHUNKED + b"6\r\nlogin=\r\n",
}
pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("site") / "serve.log"


@pytest.fixture(scope="module", params=["serve", "stream"])
def site(request: pytest.FixtureRequest, server: str, output: Path) -> Iterator[BodySite]:
    """The server of the pages, then that of the streams."""
    site = BodySite(server, output, command=request.param)
    site.until(site.responds_with(200, "/readyz"))
    yield site
    site.process.terminate()
    site.process.wait(PATIENCE)


def send(site: BodySite, rest: bytes) -> socket.socket:
    """Send a request that ends with `rest`, from its headers on."""
    client = socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE)
    path = "/login" if site.command == "serve" else "/1.1/statuses/filter.json"
    kind = "Content-Type: application/x-www-form-urlencoded"
    client.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\n{kind}\r\n".encode() + rest)
    return client


def check_refusal(site: BodySite, client: socket.socket) -> None:
    """Check the response; for a page, also its headers and its line in the log."""
    with client:
        response = b"".join(iter(partial(client.recv, 65_536), b"")).decode()
    head, _, body = response.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 400 "), response
    assert "nosniff" in head and "arrive" in body
    if site.command == "serve":
        assert "content-security-policy" in head and 'class="error-code"' in body
        found = re.search(r"x-request-id: (\w+)", head)
        assert found
        site.until(lambda: f"[{found[1]}] POST /login 400 " in site.output.read_text())


@pytest.mark.parametrize("rest", MALFORMED.values(), ids=list(MALFORMED))
def test_a_malformed_body_is_refused(site: BodySite, rest: bytes) -> None:
    check_refusal(site, send(site, rest))


@pytest.mark.parametrize("rest", HALF_CLOSED.values(), ids=list(HALF_CLOSED))
def test_a_client_that_stops_sending_is_told_so(site: BodySite, rest: bytes) -> None:
    client = send(site, rest)
    client.shutdown(socket.SHUT_WR)
    check_refusal(site, client)


def test_clients_that_are_gone_leave_no_error(site: BodySite) -> None:
    def refused() -> int:
        return site.output.read_text().count("POST /login 400 ")

    before, bodies = refused(), [*MALFORMED.values(), *HALF_CLOSED.values()]
    for rest in bodies:
        send(site, rest).close()
    if site.command == "serve":
        site.until(lambda: refused() == before + len(bodies))
    assert site.responds_with(200, "/readyz")()
    log = site.output.read_text()
    assert "Traceback" not in log and "ERROR" not in log
