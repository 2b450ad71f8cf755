"""Request bodies that are too large, chunked or stalled: at the app, then at the real server."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from errno import ENOSPC
from functools import partial
from http.client import HTTPResponse
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import create_environ

from tests.conftest import PASSWORD, QUICK, SignUp
from tests.support.body_site import PATIENCE, BodySite
from tests.support.loops import in_loop
from tests.support.multipart import Field, multipart
from webapp.accounts.viewer import uploader
from webapp.config import Config
from webapp.core.forms.body_limits import UPLOADER, body_limit, upload_limit
from webapp.core.forms.form_parser import FormRequest
from webapp.core.store.connection import open_store
from webapp.server import granian
from webapp.server.bridge import request_bodies
from webapp.server.bridge.asgi_bridge import AsgiBridge
from webapp.server.bridge.request_bodies import MEMBER_UPLOADS_MAX, UPLOADS_MAX

MAX = Config().body_max
PIECE = 65_536  # bytes
HUGE = bytes(30 * 1024 * 1024)  # of a picture: more than a form may have in all
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("size", "status"), [(100, 200), (MAX, 200), (MAX + 1, 413), (3 * MAX, 413)]
)
def test_a_body_is_accepted_up_to_the_limit(member: SignUp, size: int, status: int) -> None:
    body = BytesIO(b"text=" + b"\t" * (size - 5))
    length = {"CONTENT_LENGTH": str(size)}
    answer = member("ann").post(
        "/statuses/weight", input_stream=body, headers=FORM, environ_overrides=length
    )
    assert answer.status_code == status


class Upload:
    """A request to the bridge, whose body is sent in pieces."""

    def __init__(
        self, bridge: AsgiBridge, length: int, path: str = "/settings/profile", **headers: str
    ) -> None:
        all_headers = {
            "content-length": str(length),
            "cookie": "linnet=x",
            "content-type": "text/plain",
        } | headers
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": all_headers.pop("method", "POST"),
            "scheme": "http",
            "path": path,
            "query_string": b"",
            "headers": [
                (name.encode(), value.encode())
                for name, value in {"host": "x", **all_headers}.items()
            ],
        }
        self.pieces: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: list[dict[str, Any]] = []
        self.task = asyncio.create_task(bridge(scope, self.pieces.get, self._send))

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    def piece(self, size: int, more: bool = True) -> None:
        """Send a piece of this many bytes."""
        self.pieces.put_nowait({"type": "http.request", "body": b"x" * size, "more_body": more})

    def send(self, body: bytes) -> None:
        """Send a whole body, in pieces."""
        for start in range(0, len(body), PIECE):
            piece, more = body[start : start + PIECE], start + PIECE < len(body)
            self.pieces.put_nowait({"type": "http.request", "body": piece, "more_body": more})

    async def status(self) -> int:
        """Return the status of the response."""
        await asyncio.wait_for(self.task, PATIENCE)
        return int(self.sent[0]["status"])


@pytest.fixture
def make_bridge(app: Flask, settings: Config) -> Callable[..., AsgiBridge]:
    """Return a function that makes a bridge. `bodies` collects (length, is in a file)."""

    def make(bodies: list[tuple[int, bool]] | None = None, **changes: Any) -> AsgiBridge:
        def wsgi(environ: dict[str, Any], start: Any) -> Any:
            body = environ["wsgi.input"]
            if bodies is not None:
                bodies.append(
                    (int(environ["CONTENT_LENGTH"]), bool(getattr(body, "_rolled", False)))
                )
            return app.wsgi_app(environ, start)

        config = replace(settings, **changes)
        return AsgiBridge(wsgi, config, partial(limit_of_others, app, config))

    return make


def limit_of_others(app: Flask, config: Config, environ: dict[str, Any]) -> int:
    """Return the limit of a body, as if each were sent by another member."""
    environ[UPLOADER] = id(environ)
    return body_limit(app, config, environ)


MakeBridge = Callable[..., AsgiBridge]


@pytest.mark.parametrize(
    ("length", "path", "headers", "status"),
    [
        (5_000_000, "/settings/profile", {}, 303),  # read, then redirected without a session
        (16 * 1024 * 1024 + MAX, "/settings/profile", {}, 303),
        (16 * 1024 * 1024 + MAX + 1, "/settings/profile", {}, 413),
        (5_000_000, "/settings/profile", {"cookie": ""}, 413),
        (5_000_000, "/settings/profile", {"cookie": "theme=dark"}, 413),
        (5_000_000, "/settings/profile", {"cookie": "linnet_form=x"}, 413),
        (5_000_000, "/settings/profile", {"method": "PUT"}, 413),
        (5_000_000, "/settings/profile", {"method": "GET"}, 413),
        (5_000_000, "/settings/password", {}, 413),
        (5_000_000, "/statuses", {}, 303),
        (5_000_000, "/statuses/weight", {}, 413),
        (5_000_000, "/no/such/page", {}, 413),
        (5_000_000, "/media/" + "9" * 5_000 + "/x", {}, 413),
    ],
)
async def test_only_members_forms_with_pictures_may_be_large(
    length: int, path: str, headers: dict[str, str], status: int, make_bridge: MakeBridge
) -> None:
    upload = Upload(make_bridge(), length, path, **headers)
    for offset in range(0, length, 1_000_000):
        upload.piece(min(1_000_000, length - offset), offset + 1_000_000 < length)
    answered = await upload.status()
    # Views that do not read the body respond as without one.
    assert answered == status or (status == 413 and answered in (303, 404, 405)), answered
    # A picture above the limit is read too: a client sees the refusal only after sending.
    assert (upload.pieces.qsize() == 0) == (status != 413 or length > 16 * 1024 * 1024 + MAX)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/settings/profile", [("name", "Ann Marsh"), ("avatar", HUGE), ("bio", "reeds & rain")]),
        ("/statuses", [("pictures", HUGE), ("alt", "reeds & rain"), ("text", "Ann Marsh")]),
    ],
    ids=["profile", "post"],
)
async def test_a_form_with_a_huge_picture_comes_back_with_what_was_written(
    path: str, fields: list[Field], make_bridge: MakeBridge, member: SignUp
) -> None:
    cookie = member("ann").get_cookie("linnet")
    assert cookie
    body, sent_headers = multipart(fields)
    headers = {name.lower(): value for name, value in sent_headers.items()}
    headers["cookie"] = f"linnet={cookie.value}"
    upload = Upload(make_bridge(), len(body), path, **headers)
    upload.send(body)
    assert await upload.status() == 422
    page = upload.sent[1]["body"].decode()
    assert "That file is too big. Pictures can be up to 8 MB." in page
    assert "Ann Marsh" in page and "reeds &amp; rain" in page


def ended_upload(bridge: AsgiBridge, length: int, content_type: str) -> Upload:
    """Return a request of a form of this site whose session has ended."""
    headers = {"cookie": "linnet=1.ended", "content-type": content_type}
    return Upload(bridge, length, "/statuses", **headers, **{"sec-fetch-site": "same-origin"})


def test_a_form_with_pictures_whose_session_has_ended_comes_back_without_them(
    app: Flask, settings: Config
) -> None:
    text, picture = "reeds & rain", bytes(5_000_000)
    fields: list[Field] = [("text", text), ("pictures", picture), ("alt", "a 木 " * 500)]
    body, headers = multipart(fields)
    bodies: list[int] = []

    def wsgi(environ: dict[str, Any], start: Any) -> Any:
        bodies.append(int(environ["CONTENT_LENGTH"]))
        return app.wsgi_app(environ, start)

    async def run() -> None:
        bridge = AsgiBridge(wsgi, settings, partial(upload_limit, app, partial(uploader, app)))
        stalled = [ended_upload(bridge, len(body), headers["Content-Type"]) for _ in range(4)]
        while bridge.bodies.active_refused.total() < 4:
            await asyncio.sleep(0.01)
        assert not bridge.bodies.active_uploads, "members' uploads have places of their own"
        fifth = ended_upload(bridge, len(body), headers["Content-Type"])
        assert await fifth.status() == 303 and fifth.pieces.empty(), "it is not read"
        for upload in stalled:
            upload.send(body)
        for upload in stalled:
            assert await upload.status() == 403
            page = upload.sent[1]["body"].decode()
            assert "Log in to send what you wrote." in page
            assert "reeds &amp; rain" in page and "a 木 " * 500 in page
        assert not bridge.bodies.active_refused

    in_loop(run())
    assert bodies[0] == len(body) and all(17_000 < length < 3 * MAX for length in bodies[1:])


async def test_large_bodies_are_spooled_to_a_file(make_bridge: MakeBridge) -> None:
    bodies: list[tuple[int, bool]] = []
    bridge = make_bridge(bodies)
    for length in (MAX, 5_000_000):
        upload = Upload(bridge, length)
        upload.piece(length, more=False)
        await upload.status()
    assert bodies == [(MAX, False), (5_000_000, True)]


async def test_an_upload_without_room_on_the_disk_gets_503(
    make_bridge: MakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    class FullDisk(BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(request_bodies, "SpooledTemporaryFile", lambda _size: FullDisk())
    bridge = make_bridge()
    upload = Upload(bridge, 5_000_000)
    upload.piece(5_000_000, more=False)
    assert await upload.status() == 503 and not bridge.bodies.active_uploads


def test_a_picture_without_room_on_the_disk_gets_503(
    member: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any, **_options: Any) -> Any:
        raise OSError(ENOSPC, "No space left on device")

    ann = member("ann")
    monkeypatch.setattr(FormRequest, "_get_file_stream", fail)
    form = {"name": "Ann", "avatar": (BytesIO(b"picture"), "ann.png")}
    assert ann.post("/settings/profile", data=form).status_code == 503


async def test_a_stalled_upload_gets_408_and_frees_its_slot(make_bridge: MakeBridge) -> None:
    bridge = make_bridge(upload_deadline=0.05, body_deadline=10_000.0)
    upload = Upload(bridge, 5_000_000)
    upload.piece(1_000_000)
    assert await upload.status() == 408 and not bridge.bodies.active_uploads


async def test_uploads_above_the_limit_get_503(make_bridge: MakeBridge) -> None:
    bridge = make_bridge()
    uploads = [Upload(bridge, 5_000_000) for _ in range(UPLOADS_MAX)]
    while bridge.bodies.active_uploads.total() < UPLOADS_MAX:  # a thread decides on each of them
        await asyncio.sleep(0.001)
    refused = Upload(bridge, 5_000_000)
    assert await refused.status() == 503
    assert (b"retry-after", b"10") in refused.sent[0]["headers"]
    short = Upload(bridge, 10)
    short.piece(10, more=False)
    assert await short.status() == 303
    uploads[0].pieces.put_nowait({"type": "http.disconnect"})
    assert await uploads[0].status() == 400  # in case it only stopped sending
    last = Upload(bridge, 5_000_000)
    for upload in (last, *uploads[1:]):
        upload.piece(5_000_000, more=False)
        assert await upload.status() == 303
    assert not bridge.bodies.active_uploads


async def test_a_member_leaves_places_for_the_uploads_of_others(
    app: Flask, settings: Config, member: SignUp
) -> None:
    cookies = [member(name).get_cookie("linnet") for name in ("ann", "ben")]
    ann, ben = [f"linnet={cookie.value}" for cookie in cookies if cookie]
    limit = partial(upload_limit, app, partial(uploader, app))
    bridge = AsgiBridge(app, settings, limit)
    own = [Upload(bridge, 5_000_000, cookie=ann) for _ in range(MEMBER_UPLOADS_MAX)]
    while bridge.bodies.active_uploads.total() < MEMBER_UPLOADS_MAX:
        await asyncio.sleep(0.001)
    assert await Upload(bridge, 5_000_000, cookie=ann).status() == 503
    others = Upload(bridge, 5_000_000, cookie=ben)
    for upload in (others, *own):
        upload.piece(5_000_000, more=False)
        assert await upload.status() != 503


@pytest.fixture(scope="module")
def site(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BodySite]:
    """Return the running site on an empty store, for all tests of this module."""
    db = open_store(server)
    db.on_every_primary("FLUSHALL")
    db.close()
    site = BodySite(server, tmp_path_factory.mktemp("site") / "serve.log", PASSWORD_COST=QUICK)
    site.until(site.responds_with(200, "/readyz"))
    yield site
    site.process.terminate()
    site.process.wait(PATIENCE)


@pytest.mark.kill
@pytest.mark.xdist_group("kill")
@pytest.mark.parametrize("count", [12, 200])
def test_stalled_uploads_get_408_and_other_requests_are_served(site: BodySite, count: int) -> None:
    with ExitStack() as stack:
        uploads = [stack.enter_context(site.stall(number % 2 == 0)) for number in range(count)]
        for upload in uploads:
            assert b" 408 " in upload.recv(65_536).partition(b"\r\n")[0]
        # The stalled clients are still connected.
        for _ in range(4):  # each of the processes
            site.until(site.responds_with(200, "/public"))
            site.until(site.responds_with(400, "/login", "POST", body=b"login=ann", headers=FORM))


@pytest.mark.kill
@pytest.mark.xdist_group("kill")
def test_chunked_bodies_are_accepted_up_to_the_limit(site: BodySite) -> None:
    def send_chunked(size: int) -> HTTPResponse | None:
        body = iter([b"x" * 9_000] * (size // 9_000) + [b"x" * (size % 9_000)])
        return site.request("/login", "POST", body=body, headers=FORM, encode_chunked=True)

    site.until(site.responds_with(413, "/login", "POST", body=b"x" * (MAX + 1), headers=FORM))
    for size, status in ((MAX, 400), (MAX + 1, 413), (3 * MAX, 413)):
        refused = send_chunked(size)
        assert refused and refused.status == status
    page = site.request("/signup")
    assert page
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.body.decode())  # type: ignore[attr-defined]
    cookie = page.getheader("Set-Cookie")
    assert token and cookie
    form = urlencode(
        {"csrf_token": token[1], "login": "ann", "name": "Ann", "password": PASSWORD}
    ).encode()
    headers = FORM | {"Cookie": cookie.partition(";")[0]}
    body = iter(form[start : start + 7] for start in range(0, len(form), 7))
    answer = site.request("/signup", "POST", body=body, headers=headers, encode_chunked=True)
    assert answer and answer.status == 303
    assert answer.getheader("Location", "").startswith("/welcome")


@pytest.mark.kill
@pytest.mark.xdist_group("kill")
def test_too_long_headers_are_refused(site: BodySite) -> None:
    for name in ("Accept-Encoding", "Accept-Language", "If-None-Match", "Cookie"):
        for size, status in ((granian.HEADER_BYTES // 2, 200), (4 * granian.HEADER_BYTES, 431)):
            answer = site.request("/login", headers={name: "x" * size})
            assert answer and answer.status == status, (name, size)


@pytest.mark.kill
@pytest.mark.xdist_group("kill")
@pytest.mark.usefixtures("site")  # which still writes to this store
def test_headers_with_underscores_are_ignored(server: str, tmp_path: Path) -> None:
    site = BodySite(server, tmp_path / "serve.log", TRUSTED_PROXIES="1")
    try:
        site.until(site.responds_with(200, "/readyz"))
        for headers, trusted in (
            ({"X-Forwarded-Proto": "https"}, True),
            ({"X_Forwarded_Proto": "https"}, False),
            ({"X-Forwarded-Proto": "http", "X_Forwarded_Proto": "https"}, False),
        ):
            answer = site.request("/login", headers=headers)
            assert answer, headers
            assert (answer.getheader("Strict-Transport-Security") is not None) == trusted, headers
    finally:
        site.process.terminate()
        site.process.wait(PATIENCE)


@pytest.mark.kill
@pytest.mark.xdist_group("kill")
@pytest.mark.parametrize(
    ("request_line", "hosts", "status"),
    [
        (b"GET /login HTTP/1.1", (b"x",), b"200"),
        (b"GET /login HTTP/1.1", (), b"400"),
        (b"GET /login HTTP/1.1", (b"x", b"x"), b"400"),
        (b"GET /login HTTP/1.1", (b"",), b"400"),
        (b"GET /login HTTP/1.0", (), b"200"),
    ],
)
def test_the_server_refuses_a_missing_or_doubled_host(
    site: BodySite, request_line: bytes, hosts: tuple[bytes, ...], status: bytes
) -> None:
    lines = [request_line, *(b"Host: " + host for host in hosts), b"Connection: close", b"", b""]
    with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE) as connection:
        connection.sendall(b"\r\n".join(lines))
        response = b"".join(iter(partial(connection.recv, 65_536), b""))
    assert response.split(b" ", 2)[1] == status
    assert (b'class="error-code"' in response) == (status == b"400")


def test_only_a_valid_session_may_send_a_large_body(
    app: Flask, member: Callable[[str], FlaskClient]
) -> None:
    cookie = member("ann").get_cookie("linnet")
    assert cookie
    allowed = {
        cookies: upload_limit(
            app,
            partial(uploader, app),
            create_environ("/settings/profile", method="POST", headers={"Cookie": cookies}),
        )
        for cookies in (
            f"linnet={cookie.value}",
            "linnet=1.forged",
            f"linnet_form={cookie.value}",
            "",
        )
    }
    assert list(allowed.values()) == [2 * 8 * 1024 * 1024 + MAX, MAX, MAX, MAX]
