"""Bodies that are too large, in pieces, or never arrive: at the app, then at the real server."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import fields, replace
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import create_environ

import webapp
from tests.conftest import PASSWORD, QUICK
from tests.support.streaming.client import in_loop
from webapp.accounts.sessions.viewer import is_member
from webapp.config import Config
from webapp.core.forms.body_limits import body_limit, upload_limit
from webapp.server import granian
from webapp.server.asgi_bridge import UPLOADS_MAX, AsgiBridge

PATIENCE = 30.0  # seconds, for a machine that is busy with other tests
MAX = Config().body_max
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
Member = Callable[[str], FlaskClient]


@pytest.mark.parametrize(
    ("size", "status"), [(100, 200), (MAX, 200), (MAX + 1, 413), (3 * MAX, 413)]
)
def test_a_body_is_read_up_to_the_limit_and_not_beyond(
    member: Member, size: int, status: int
) -> None:
    body = BytesIO(b"text=" + b"\t" * (size - 5))
    length = {"CONTENT_LENGTH": str(size)}
    answer = member("ann").post(
        "/statuses/weight", input_stream=body, headers=FORM, environ_overrides=length
    )
    assert answer.status_code == status


class Upload:
    """A request at the gateway, whose body is sent piece by piece."""

    def __init__(
        self, door: AsgiBridge, length: int, path: str = "/settings/profile", **given: str
    ) -> None:
        headers = {
            "content-length": str(length),
            "cookie": "linnet=x",
            "content-type": "text/plain",
        } | given
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": headers.pop("method", "POST"),
            "scheme": "http",
            "path": path,
            "query_string": b"",
            "headers": [
                (name.encode(), value.encode()) for name, value in {"host": "x", **headers}.items()
            ],
        }
        self.pieces: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: list[dict[str, Any]] = []
        self.task = asyncio.create_task(door(scope, self.pieces.get, self._send))

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    def piece(self, size: int, more: bool = True) -> None:
        """Sends so many bytes."""
        self.pieces.put_nowait({"type": "http.request", "body": b"x" * size, "more_body": more})

    async def status(self) -> int:
        """The answer's status; 0 when there was none."""
        await asyncio.wait_for(self.task, PATIENCE)
        return int(self.sent[0]["status"]) if self.sent else 0


@pytest.fixture
def door(app: Flask, settings: Config) -> Callable[..., AsgiBridge]:
    """Makes a gateway; `seen` gathers what each body was kept in when the app got it."""

    def make(seen: list[tuple[int, bool]] | None = None, **changes: Any) -> AsgiBridge:
        def wsgi(environ: dict[str, Any], start: Any) -> Any:
            body = environ["wsgi.input"]
            if seen is not None:
                seen.append((int(environ["CONTENT_LENGTH"]), bool(getattr(body, "_rolled", False))))
            return app.wsgi_app(environ, start)

        config = replace(settings, **changes)
        return AsgiBridge(wsgi, config, partial(body_limit, app, config))

    return make


Door = Callable[..., AsgiBridge]


@pytest.mark.parametrize(
    ("length", "path", "given", "status"),
    [
        (
            5_000_000,
            "/settings/profile",
            {},
            303,
        ),  # taken in; then the session turns out to be none
        (16 * 1024 * 1024 + MAX, "/settings/profile", {}, 303),
        (16 * 1024 * 1024 + MAX + 1, "/settings/profile", {}, 413),
        (5_000_000, "/settings/profile", {"cookie": ""}, 413),
        (5_000_000, "/settings/profile", {"cookie": "theme=dark"}, 413),
        (5_000_000, "/settings/profile", {"method": "PUT"}, 413),
        (5_000_000, "/settings/profile", {"method": "GET"}, 413),
        (5_000_000, "/settings/password", {}, 413),
        (5_000_000, "/statuses", {}, 303),
        (5_000_000, "/statuses/weight", {}, 413),
        (5_000_000, "/no/such/page", {}, 413),
        (5_000_000, "/media/" + "9" * 5_000 + "/x", {}, 413),
    ],
)
def test_only_members_forms_with_pictures_may_be_long(
    length: int, path: str, given: dict[str, str], status: int, door: Door
) -> None:
    async def run() -> None:
        upload = Upload(door(), length, path, **given)
        for at in range(0, length, 1_000_000):
            upload.piece(min(1_000_000, length - at), at + 1_000_000 < length)
        found = await upload.status()
        # A body that is left unread is refused by whoever would read it; others answer as if it were not there.
        assert found == status or (status == 413 and found in (303, 404, 405)), found
        # A picture too large is read all the same: who still sends does not hear the refusal.
        assert (upload.pieces.qsize() == 0) == (status != 413 or length > 16 * 1024 * 1024 + MAX)

    in_loop(run())


def test_a_long_body_lies_in_a_file_and_a_short_one_in_memory(door: Door) -> None:
    async def run() -> None:
        seen: list[tuple[int, bool]] = []
        entrance = door(seen)
        for length in (MAX, 5_000_000):
            upload = Upload(entrance, length)
            upload.piece(length, more=False)
            await upload.status()
        assert seen == [(MAX, False), (5_000_000, True)]

    in_loop(run())


def test_an_upload_that_stalls_is_answered_408_and_frees_its_place(door: Door) -> None:
    async def run() -> None:
        entrance = door(upload_deadline=0.05)
        upload = Upload(entrance, 5_000_000)
        upload.piece(1_000_000)
        assert await upload.status() == 408 and entrance._active_uploads == 0

    in_loop(run())


def test_one_upload_too_many_is_told_to_come_back(door: Door) -> None:
    async def run() -> None:
        entrance = door()
        uploads = [Upload(entrance, 5_000_000) for _ in range(UPLOADS_MAX)]
        await asyncio.sleep(0)
        refused = Upload(entrance, 5_000_000)
        assert await refused.status() == 503
        assert (b"retry-after", b"10") in refused.sent[0]["headers"]
        short = Upload(entrance, 10)
        short.piece(10, more=False)
        assert await short.status() == 303
        uploads[0].pieces.put_nowait({"type": "http.disconnect"})
        assert await uploads[0].status() == 0
        late = Upload(entrance, 5_000_000)
        for upload in (late, *uploads[1:]):
            upload.piece(5_000_000, more=False)
            assert await upload.status() == 303
        assert entrance._active_uploads == 0

    in_loop(run())


class Site:
    """`linnet serve` with two processes, on a port of its own."""

    def __init__(self, store: str, output: Path, **settings: str) -> None:
        with closing(socket.create_server(("127.0.0.1", 0))) as free:
            self.port: int = free.getsockname()[1]
        ours = {field.name.upper() for field in fields(Config)}
        env = {name: value for name, value in os.environ.items() if name not in ours}
        env |= {
            "REDIS_URL": store,
            "SECRET_KEY": "of this test",
            "PORT": str(self.port),
            "BODY_DEADLINE": "1",
        }
        self.output = output
        with output.open("wb") as file:
            command = [sys.executable, "-m", "webapp.cli", "serve"]
            root = Path(webapp.__file__).parents[1]
            self.process = subprocess.Popen(
                command, cwd=root, env=env | settings, stdout=file, stderr=file
            )

    def ask(self, path: str, method: str = "GET", **options: object) -> HTTPResponse | None:
        """An answer, read whole; None when there is none within ten seconds."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, **options)  # type: ignore[arg-type]
            answer = connection.getresponse()
            answer.body = answer.read()  # type: ignore[attr-defined]
            return answer
        except OSError:
            return None
        finally:
            connection.close()

    def until(self, condition: Callable[[], object]) -> None:
        """Waits for something to become true."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline and self.process.poll() is None, (
                self.output.read_text()
            )
            time.sleep(0.05)

    def answers(
        self, status: int, path: str, method: str = "GET", **options: object
    ) -> Callable[[], bool]:
        """The condition that a request is answered so."""

        def asked() -> bool:
            answer = self.ask(path, method, **options)
            return answer is not None and answer.status == status

        return asked

    def stall(self, chunked: bool) -> socket.socket:
        """An upload that stops after its first bytes."""
        upload = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        framing = (
            b"Transfer-Encoding: chunked\r\n\r\n6\r\n"
            if chunked
            else b"Content-Length: 50000\r\n\r\n"
        )
        upload.sendall(b"POST /login HTTP/1.1\r\nHost: x\r\n" + framing + b"login=")
        return upload


@pytest.fixture
def site(settings: Config, tmp_path: Path) -> Iterator[Site]:
    """The served site, once it answers."""
    site = Site(settings.store_url, tmp_path / "serve.log", PASSWORD_COST=QUICK)
    site.until(site.answers(200, "/readyz"))
    yield site
    site.process.terminate()
    site.process.wait(PATIENCE)


@pytest.mark.kill
@pytest.mark.xdist_group("kill")
@pytest.mark.parametrize("count", [12, 200])
def test_stalled_uploads_are_answered_408_and_others_are_served(site: Site, count: int) -> None:
    with ExitStack() as stack:
        uploads = [stack.enter_context(site.stall(number % 2 == 0)) for number in range(count)]
        for upload in uploads:
            assert b" 408 " in upload.recv(65_536).partition(b"\r\n")[0]
        # They are still connected, and never send the rest.
        for _ in range(4):  # each of the processes
            site.until(site.answers(200, "/public"))
            site.until(site.answers(400, "/login", "POST", body=b"login=ann", headers=FORM))


@pytest.mark.kill
@pytest.mark.xdist_group("kill")
def test_the_server_takes_chunked_bodies_limits_them_and_signs_a_member_up(site: Site) -> None:
    def pieces(size: int) -> HTTPResponse | None:
        body = iter([b"x" * 1_000] * (size // 1_000) + [b"x" * (size % 1_000)])
        return site.ask("/login", "POST", body=body, headers=FORM, encode_chunked=True)

    site.until(site.answers(413, "/login", "POST", body=b"x" * (MAX + 1), headers=FORM))
    for size, status in ((MAX, 400), (MAX + 1, 413), (3 * MAX, 413)):
        refused = pieces(size)
        assert refused and refused.status == status
    page = site.ask("/signup")
    assert page
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.body.decode())  # type: ignore[attr-defined]
    cookie = page.getheader("Set-Cookie")
    assert token and cookie
    form = urlencode(
        {"csrf_token": token[1], "login": "ann", "name": "Ann", "password": PASSWORD}
    ).encode()
    headers = FORM | {"Cookie": cookie.partition(";")[0]}
    body = iter(form[at : at + 7] for at in range(0, len(form), 7))
    answer = site.ask("/signup", "POST", body=body, headers=headers, encode_chunked=True)
    assert answer and (answer.status, answer.getheader("Location")) == (303, "/home")


@pytest.mark.kill
@pytest.mark.xdist_group("kill")
def test_the_server_reads_no_head_that_is_longer_than_it_can_remember(site: Site) -> None:
    for name in ("Accept-Encoding", "Accept-Language", "If-None-Match", "Cookie"):
        for size, status in ((granian.HEADER_BYTES // 2, 200), (4 * granian.HEADER_BYTES, 431)):
            answer = site.ask("/login", headers={name: "x" * size})
            assert answer and answer.status == status, (name, size)


@pytest.mark.kill
@pytest.mark.xdist_group("kill")
def test_a_header_with_underscores_does_not_pass_for_the_proxys(
    settings: Config, tmp_path: Path
) -> None:
    site = Site(settings.store_url, tmp_path / "serve.log", TRUSTED_PROXIES="1")
    try:
        site.until(site.answers(200, "/readyz"))
        for headers, believed in (
            ({"X-Forwarded-Proto": "https"}, True),
            ({"X_Forwarded_Proto": "https"}, False),
            ({"X-Forwarded-Proto": "http", "X_Forwarded_Proto": "https"}, False),
        ):
            answer = site.ask("/login", headers=headers)
            assert (
                answer and (answer.getheader("Strict-Transport-Security") is not None) == believed
            ), headers
    finally:
        site.process.terminate()
        site.process.wait(PATIENCE)


def test_only_a_real_session_may_send_a_long_body(
    app: Flask, member: Callable[[str], FlaskClient]
) -> None:
    cookie = member("ann").get_cookie("linnet")
    assert cookie
    allowed = {
        given: upload_limit(
            app,
            partial(is_member, app),
            create_environ("/settings/profile", method="POST", headers={"Cookie": given}),
        )
        for given in (
            f"linnet={cookie.value}",
            "linnet=1.forged",
            f"linnet_form={cookie.value}",
            "",
        )
    }
    assert list(allowed.values()) == [2 * 8 * 1024 * 1024 + MAX, MAX, MAX, MAX]
