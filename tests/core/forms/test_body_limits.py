"""Forms with pictures: limits of size, and memory use."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from random import Random
from typing import Any

import pytest
from flask import Flask
from PIL import Image

from tests.support.loops import in_loop
from tests.support.world import Web
from webapp.config import Config
from webapp.core.forms.body_limits import body_limit
from webapp.server.bridge.asgi_bridge import AsgiBridge

MEGABYTE = 1024 * 1024
BOUNDARY = "linnet-boundary"
PATH = "/settings/profile"


def noise(side: int = 1300) -> bytes:
    """Return a picture of about 5 MB with random pixels."""
    data = io.BytesIO()
    picture = Image.frombytes("RGB", (side, side), Random(7).randbytes(3 * side * side))
    picture.save(data, "PNG", compress_level=1)
    return data.getvalue()


def form(picture: bytes, bio: str = "I sing.", padding: bytes = b"") -> bytes:
    """Return a profile form as a browser sends it."""
    fields = {"name": "Wren", "bio": bio}
    disposition = f"--{BOUNDARY}\r\nContent-Disposition: form-data"
    texts = [f'{disposition}; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    head = f'{disposition}; name="avatar"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
    end = f"\r\n--{BOUNDARY}--\r\n"
    return "".join([*texts, head]).encode() + picture + padding + end.encode()


@dataclass
class Call:
    """A request to the bridge as a server passes it on, and its response."""

    cookie: str
    chunks: Iterable[bytes]
    length: int | None  # as declared, or None for a chunked body
    path: str = PATH
    read: int = 0
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)

    async def send(self, bridge: AsgiBridge) -> Call:
        """Send the request."""
        headers = [(b"host", b"localhost"), (b"cookie", self.cookie.encode())]
        headers.append((b"content-type", f"multipart/form-data; boundary={BOUNDARY}".encode()))
        if self.length is None:
            headers.append((b"transfer-encoding", b"chunked"))
        else:
            headers.append((b"content-length", str(self.length).encode()))
        self._rest = iter(self.chunks)
        scope = {
            "type": "http",
            "method": "POST",
            "http_version": "1.1",
            "scheme": "http",
            "path": self.path,
        }
        scope |= {"query_string": b"", "headers": headers}
        await bridge(scope, self._receive, self._send)
        return self

    async def _receive(self) -> dict[str, Any]:
        body = next(self._rest, None)
        self.read += len(body or b"")
        return {"type": "http.request", "body": body or b"", "more_body": body is not None}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}


def in_chunks(body: bytes) -> list[bytes]:
    """Return a body in chunks, as it comes from the network."""
    return [body[start : start + 60_000] for start in range(0, len(body), 60_000)]


def bridge_of(app: Flask) -> AsgiBridge:
    """Return the bridge as the server starts it."""
    config = app.extensions["linnet.config"]
    return AsgiBridge(app, config, partial(body_limit, app, config))


def request(app: Flask, call: Call) -> Call:
    """Send one request."""
    return in_loop(call.send(bridge_of(app)))


@pytest.fixture
def ann(web: Web) -> str:
    """Return the cookie of a member."""
    cookie = web.member("ann").get_cookie("linnet")
    assert cookie
    return f"linnet={cookie.value}"


def test_a_member_sends_a_picture_of_five_megabytes(web: Web, ann: str) -> None:
    body = form(noise())
    assert 4 * MEGABYTE < len(body) < 8 * MEGABYTE
    response = request(web.app, Call(ann, in_chunks(body), len(body)))
    expected = (303, "/@ann", len(body))
    assert (response.status, response.headers["location"], response.read) == expected
    page = web.client.get("/@ann").text
    assert "I sing." in page and 'src="/media/1/' in page


def test_an_endless_form_is_refused(web: Web, ann: str) -> None:
    response = request(web.app, Call(ann, repeat(b"x" * MEGABYTE), 10**11))
    assert response.status == 413 and response.read < 100 * MEGABYTE


def test_a_picture_above_its_own_limit_is_refused(web: Web, ann: str) -> None:
    body = form(noise(), padding=b"\0" * (4 * MEGABYTE))
    response = request(web.app, Call(ann, in_chunks(body), len(body)))
    assert (response.status, response.read) == (422, len(body))
    assert "I sing." not in web.client.get("/@ann").text


def test_a_large_chunked_body_is_refused(web: Web, ann: str) -> None:
    body = form(noise(300))
    response = request(web.app, Call(ann, in_chunks(body), None))
    assert response.status == 413
    assert response.read < 3 * 60_000
    assert "I sing." not in web.client.get("/@ann").text


@pytest.mark.parametrize(("limit", "sent"), [(20, 12), (5, 12), (100, 90)])  # megabytes
def test_a_large_body_is_not_held_in_memory(limit: int, sent: int, settings: Config) -> None:
    bodies = []

    def application(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        bodies.append((int(environ["CONTENT_LENGTH"]), environ["wsgi.input"].seek(0, io.SEEK_END)))
        start("200 OK", [])
        return [b""]

    bridge = AsgiBridge(application, settings, lambda environ: limit * MEGABYTE)
    part = f"\r\n--{BOUNDARY}\r\n\r\n".encode().ljust(65_536, b"x")
    call = Call("", repeat(part, sent * 16), sent * MEGABYTE)
    tracemalloc.start()
    try:
        in_loop(call.send(bridge))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    [(length, kept)] = bodies
    assert length == sent * MEGABYTE and call.status == 200
    assert 0 <= min(limit, sent) * MEGABYTE - kept < 65_536  # pieces that fit are kept
    assert peak < 2 * MEGABYTE


def test_the_same_limits_hold_without_a_bridge(web: Web) -> None:
    ann, body = web.member("ann"), form(noise())
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    assert ann.post(PATH, data=body, content_type=kind).status_code == 303
    assert ann.post("/statuses/weight", data=body, content_type=kind).status_code == 413
    assert ann.post(PATH, data=b"x" * (17 * MEGABYTE), content_type=kind).status_code == 413
