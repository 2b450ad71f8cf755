"""Forms with pictures: how large and how slow they may be, and what a process holds of them."""

from __future__ import annotations

import asyncio
import io
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from random import Random
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image

from tests.conftest import make_app
from tests.support.streaming.client import in_loop
from webapp.config import Config
from webapp.core.forms.body_limits import body_limit
from webapp.server.asgi_bridge import UPLOADS_MAX, AsgiBridge

MEGABYTE = 1024 * 1024
BOUNDARY = "linnet-boundary"
PATH = "/settings/profile"
Join = Callable[[str], FlaskClient]


def noise(side: int = 1300) -> bytes:
    """A picture of about 5 MB, in which every byte comes as often as any other, as in photos."""
    data = io.BytesIO()
    Image.frombytes("RGB", (side, side), Random(7).randbytes(3 * side * side)).save(
        data, "PNG", compress_level=1
    )
    return data.getvalue()


def small() -> bytes:
    """A picture that is quickly encoded."""
    data = io.BytesIO()
    Image.new("RGB", (40, 40)).save(data, "PNG")
    return data.getvalue()


def form(picture: bytes, bio: str = "I sing.", last: bytes = b"") -> bytes:
    """A profile form as a browser sends it."""
    fields = {"name": "Wren", "bio": bio}
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
             for name, value in fields.items()]  # fmt: skip
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\nContent-Type: image/png'
    return b"".join(
        (*parts, head.encode(), b"\r\n\r\n", picture, last, f"\r\n--{BOUNDARY}--\r\n".encode())
    )


@dataclass
class Call:
    """A request to the gateway as a server passes it on, and its answer."""

    cookie: str
    chunks: Iterable[bytes]
    length: int | None  # as declared; None: the body comes in pieces
    path: str = PATH
    read: int = 0
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    stalls: asyncio.Event | None = None  # the body waits for it after its first piece
    leaves: bool = False  # the client goes away before the end
    stalled: asyncio.Event = field(default_factory=asyncio.Event)

    async def go(self, gateway: AsgiBridge) -> Call:
        """Makes the request."""
        headers = [(b"host", b"localhost"), (b"cookie", self.cookie.encode())]
        headers.append((b"content-type", f"multipart/form-data; boundary={BOUNDARY}".encode()))
        headers.append((b"transfer-encoding", b"chunked") if self.length is None else
                       (b"content-length", str(self.length).encode()))  # fmt: skip
        self._rest = iter(self.chunks)
        scope = {
            "type": "http",
            "method": "POST",
            "http_version": "1.1",
            "scheme": "http",
            "path": self.path,
        }
        scope |= {"query_string": b"", "headers": headers}
        await gateway(scope, self._receive, self._send)
        return self

    async def _receive(self) -> dict[str, Any]:
        if self.read and self.stalls:
            self.stalled.set()
            await self.stalls.wait()
        body = next(self._rest, None)
        if body is None and self.leaves:
            return {"type": "http.disconnect"}
        self.read += len(body or b"")
        return {"type": "http.request", "body": body or b"", "more_body": body is not None}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}


def pieces(body: bytes) -> list[bytes]:
    """A body as it comes from the network."""
    return [body[at : at + 60_000] for at in range(0, len(body), 60_000)]


def gateway_of(app: Flask) -> AsgiBridge:
    """The gateway as the server starts it."""
    config = app.extensions["linnet.config"]
    return AsgiBridge(app, config, partial(body_limit, app, config))


def ask(app: Flask, call: Call) -> Call:
    """One request."""
    return in_loop(call.go(gateway_of(app)))


@pytest.fixture
def ann(member: Join) -> str:
    """The cookie of a member."""
    cookie = member("ann").get_cookie("linnet")
    assert cookie
    return f"linnet={cookie.value}"


def test_a_member_sends_a_picture_of_five_megabytes(
    app: Flask, ann: str, client: FlaskClient
) -> None:
    body = form(noise())
    assert 4 * MEGABYTE < len(body) < 8 * MEGABYTE
    answer = ask(app, Call(ann, pieces(body), len(body)))
    assert (answer.status, answer.headers["location"], answer.read) == (303, "/@ann", len(body))
    page = client.get("/@ann").text
    assert "I sing." in page and 'src="/media/1/' in page


@pytest.mark.parametrize(
    ("path", "cookie", "status"),
    [
        ("/statuses/weight", "linnet=1.x", 413),
        ("/nowhere", "linnet=1.x", 404),
        (PATH, "linnet_form=x", 413),
        (PATH, "", 413),
    ],
)
def test_long_bodies_are_refused_unread_by_other_views_and_from_strangers(
    settings: Config, path: str, cookie: str, status: int
) -> None:
    app, body = make_app(settings, WTF_CSRF_ENABLED=True), form(noise())
    answer = ask(app, Call(cookie, pieces(body), len(body), path))
    assert (answer.read, answer.status) == (0, status)
    app.extensions["linnet.db"].close()


def test_a_form_longer_than_two_pictures_is_refused(
    app: Flask, ann: str, client: FlaskClient, settings: Config
) -> None:
    most = 2 * settings.upload_max + settings.body_max
    assert ask(app, Call(ann, pieces(b"x" * most), most)).read == most
    body = form(small(), last=b"\0" * most)
    assert ask(app, Call(ann, pieces(body), len(body))).status == 413
    assert "I sing." not in client.get("/@ann").text


def test_a_form_without_end_is_not_read_for_ever(app: Flask, ann: str) -> None:
    answer = ask(app, Call(ann, repeat(b"x" * MEGABYTE), 10**11))
    assert answer.status == 413 and answer.read < 100 * MEGABYTE


def test_a_picture_over_its_own_limit_is_refused_in_words(
    app: Flask, ann: str, client: FlaskClient
) -> None:
    body = form(noise(), last=b"\0" * (4 * MEGABYTE))
    answer = ask(app, Call(ann, pieces(body), len(body)))
    assert (answer.status, answer.read) == (422, len(body))
    assert "I sing." not in client.get("/@ann").text


def test_a_long_body_in_pieces_is_refused_and_changes_nothing(
    app: Flask, ann: str, client: FlaskClient
) -> None:
    body = form(noise(300))
    answer = ask(app, Call(ann, pieces(body), None))
    assert answer.status == 413
    assert answer.read < 3 * 60_000
    assert "I sing." not in client.get("/@ann").text


def test_a_short_form_in_pieces_is_taken(app: Flask, ann: str, client: FlaskClient) -> None:
    body = form(small())
    assert ask(app, Call(ann, pieces(body), None)).status == 303
    assert "I sing." in client.get("/@ann").text


def test_an_upload_that_stalls_is_answered_408_by_its_own_deadline(
    settings: Config, ann: str
) -> None:
    hasty = make_app(replace(settings, upload_deadline=0.1, body_deadline=10_000.0))

    async def stall() -> Call:
        call = Call(ann, pieces(b"x" * MEGABYTE), MEGABYTE, stalls=asyncio.Event())
        async with asyncio.timeout(60):
            return await call.go(gateway_of(hasty))

    answer = in_loop(stall())
    assert (answer.status, answer.headers["content-type"]) == (408, "text/html; charset=utf-8")
    hasty.extensions["linnet.db"].close()


def test_a_client_that_goes_away_gives_its_place_back(app: Flask, ann: str) -> None:
    async def leave(gateway: AsgiBridge) -> None:
        call = Call(ann, [b"x" * 60_000, b"x" * 60_000], MEGABYTE, leaves=True)
        assert (await call.go(gateway)).status == 0

    async def many() -> int:
        gateway = gateway_of(app)
        for _ in range(UPLOADS_MAX + 1):
            await leave(gateway)
        body = form(noise(300))
        return (await Call(ann, pieces(body), len(body)).go(gateway)).status

    assert in_loop(many()) == 303


def test_one_upload_too_many_at_once_is_told_to_come_back(app: Flask, ann: str) -> None:
    body = form(small(), last=b"\0" * MEGABYTE)

    async def crowd() -> tuple[Call, list[Call], Call, Call]:
        gateway, go_on = gateway_of(app), asyncio.Event()
        calls = [Call(ann, pieces(body), len(body), stalls=go_on) for _ in range(UPLOADS_MAX)]
        async with asyncio.TaskGroup() as tasks:
            for call in calls:
                tasks.create_task(call.go(gateway))
            await asyncio.gather(*(call.stalled.wait() for call in calls))
            refused = await Call(ann, pieces(body), len(body)).go(gateway)
            words = await Call(ann, [b"name=Wren"], 9, "/statuses").go(gateway)
            go_on.set()
        return refused, calls, await Call(ann, pieces(body), len(body)).go(gateway), words

    refused, calls, later, words = in_loop(crowd())
    assert (refused.status, refused.headers["retry-after"], refused.read) == (503, "10", 0)
    assert words.status == 422  # forms without pictures do not queue behind them
    assert {call.status for call in calls} == {303}
    assert later.status == 303


@pytest.mark.parametrize(("most", "sent"), [(20, 12), (5, 12), (100, 90)])  # megabytes
def test_a_long_body_is_not_held_in_memory_and_not_cut(
    most: int, sent: int, settings: Config
) -> None:
    seen = []

    def application(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        seen.append((int(environ["CONTENT_LENGTH"]), environ["wsgi.input"].seek(0, io.SEEK_END)))
        start("200 OK", [])
        return [b""]

    gateway = AsgiBridge(application, settings, lambda environ: most * MEGABYTE)
    call = Call("", repeat(b"x" * 65_536, sent * 16), sent * MEGABYTE)
    tracemalloc.start()
    try:
        in_loop(call.go(gateway))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seen == [(sent * MEGABYTE, min(most, sent) * MEGABYTE)] and call.status == 200
    assert peak < 2 * MEGABYTE


def test_without_a_gateway_the_same_limits_hold(member: Join) -> None:
    ann, body = member("ann"), form(noise())
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    assert ann.post(PATH, data=body, content_type=kind).status_code == 303
    assert ann.post("/statuses/weight", data=body, content_type=kind).status_code == 413
    assert ann.post(PATH, data=b"x" * (17 * MEGABYTE), content_type=kind).status_code == 413
