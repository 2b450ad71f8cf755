"""Measure posts and home pages a second of one web process, and trips for a home page.

One web process under Granian, as the site runs it, for a signed-in member with CONNECTIONS
keep-alive connections. Two references run under the same server in a process of their own, with
bare Flask views: one that does nothing but run the posting script (beside a whole post with its
session, form token, form, rate limit and script), and one that returns the very bytes of the home
page, ready made.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

from webapp import create_app
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.core.events.inline import drain
from webapp.core.text.parser import parse
from webapp.registry import REGISTRY
from webapp.statuses.store import post

from .site import Site, add_members, follow, site
from .table import Figure, compare

VIEWER, AUTHORS = 1, range(2, 12)  # member ids
STATUSES = 40  # in the viewer's home: more than a page
TEXT = "Larks sing while they climb, and I have never heard one stop for breath. #larks https://example.org/"
CONNECTIONS = 4
SECONDS = 1.0  # of one round
ROUNDS = 7
TRIPS_MAX = 3
HOME_LEAST, POST_LEAST = 0.13, 0.3  # of the references
READY_SECONDS = 20.0  # for a server to answer
CSRF = re.compile(r'name="csrf_token" value="([^"]+)"')
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)


class Connection:
    """Hold a keep-alive connection at little cost: client and server share the machine."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))

    def ask(self, request: bytes) -> bytes:
        """Send a request and return the whole response. Raises ConnectionError if it ends early."""
        self._socket.sendall(request)
        response = self._more()
        while b"\r\n\r\n" not in response:
            response += self._more()
        head = response.index(b"\r\n\r\n") + 4
        length = LENGTH.search(response, 0, head)
        whole = head + (int(length[1]) if length else 0)
        while len(response) < whole:
            response += self._more()
        return response

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _more(self) -> bytes:
        data = self._socket.recv(1 << 18)
        if not data:
            raise ConnectionError("the server ended the connection")
        return data


def rate(port: int, request: Callable[[], bytes], status: bytes) -> float:
    """Return responses a second over all connections. Fails on any other status.

    `request` returns the bytes of each request.
    """
    ends = time.perf_counter() + SECONDS

    def count_responses() -> int:
        connection, count = Connection(port), 0
        while time.perf_counter() < ends:
            response = connection.ask(request())
            assert response.startswith(b"HTTP/1.1 " + status), response[:500]
            count += 1
        connection.close()
        return count

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        counts = [pool.submit(count_responses) for _ in range(CONNECTIONS)]
        return sum(count.result() for count in counts) / SECONDS


def get(path: str, cookie: str = "") -> bytes:
    """Return a request for a page."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode()


def send(path: str, cookie: str, form: dict[str, str]) -> bytes:
    """Return a request that sends a form."""
    body = urlencode(form).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def measure() -> list[Figure]:
    """Measure home pages and posts a second, and trips."""
    with site() as here, ExitStack() as stack:
        cookie = prepare(here)
        page = here.config.data_dir / "page.html"
        ours = stack.enter_context(server("linnet", here))
        response = Connection(ours).ask(get("/home", cookie))
        head, _, body = response.partition(b"\r\n\r\n")
        page.write_bytes(body)
        plain = stack.enter_context(server("plain", here))
        set_cookies = re.findall(r"set-cookie: ([^;]+)", head.decode(), re.IGNORECASE)
        cookies = "; ".join({cookie, *set_cookies})  # as a browser has them after its first page
        token = CSRF.search(body.decode())
        assert token and body.count(b"<article") == here.config.page_size, "that is no home page"
        return [
            compare(
                f"home pages of {here.config.page_size} statuses, HTTP",
                "/s",
                lambda: rate(ours, lambda: get("/home", cookies), b"200"),
                lambda: rate(plain, lambda: get("/page"), b"200"),
                ROUNDS,
                HOME_LEAST,
            ),
            Figure(
                "trips to the store for a home page",
                trips(here, cookie),
                "",
                target=TRIPS_MAX,
                at_most=True,
            ),
            compare(
                "posts, HTTP",
                "/s",
                lambda: rate(ours, lambda: send_post(cookies, token[1]), b"303"),
                lambda: rate(plain, lambda: send("/post", "", {"text": TEXT}), b"200"),
                ROUNDS,
                POST_LEAST,
            ),
        ]


def send_post(cookie: str, token: str) -> bytes:
    """Return a request that posts a status."""
    return send(
        "/statuses", cookie, {"text": TEXT, "csrf_token": token, "key": secrets.token_urlsafe(12)}
    )


def prepare(here: Site) -> str:
    """Create a member whose home holds more than a page. Return their cookie."""
    add_members(here.db, [VIEWER, *AUTHORS])
    follow(here.db, {author: [VIEWER] for author in AUTHORS})
    for number in range(STATUSES):
        post(here, AUTHORS[number % len(AUTHORS)], parse(TEXT, 280), f"form-{number}")
    drain(here, REGISTRY)
    return f"{COOKIE_NAME}={sessions.start(here, VIEWER)}"


def trips(here: Site, cookie: str) -> int:
    """Return how many trips a home page takes, counted in this process."""
    app = create_app(
        {"REDIS_URL": here.config.store_url, "SECRET_KEY": "bench", "LOG_LEVEL": "WARNING"}
    )
    db = app.extensions["linnet.db"]
    client = app.test_client()
    client.set_cookie(*cookie.split("=", 1))
    before = db.trips
    assert client.get("/home").status_code == 200
    count = int(db.trips - before)
    db.close()
    return count


@contextmanager
def server(name: str, here: Site, **more: str) -> Iterator[int]:
    """Run `bench.server` with one process and `more` settings, and yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    settings = {
        "PORT": str(port),
        "REDIS_URL": here.config.store_url,
        "DATA_DIR": str(here.config.data_dir),
        "SECRET_KEY": "bench",
        "LOG_LEVEL": "WARNING",
        "WEB_WORKERS": "1",
        "LIMIT_POST": "1000000/1",
        "OUTBOX_MAX": "100000000",  # nobody applies the events here
        **more,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.server", name],
        cwd=Path(__file__).parent.parent,
        env=os.environ | settings,
    )
    try:
        _await(port, process)
        yield port
    finally:
        process.terminate()
        process.wait()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError):
            connection = Connection(port)
            connection.ask(get("/healthz"))
            return connection.close()
        time.sleep(0.1)
    raise RuntimeError("the server did not start")
