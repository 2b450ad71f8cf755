"""A web server on loopback that stands for the pages that posts link to."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

import pytest
from PIL import Image

from tests.support.webhook_receiver import Receiver, Responder, receiving
from webapp.core.net import safe_http


@dataclass
class LinkedSite:
    """The server under a public name; `pages` maps a path to its answer, 404 for others."""

    receiver: Receiver
    pages: dict[str, Responder] = field(default_factory=dict)
    hosts: dict[str, str] = field(default_factory=dict)  # name -> the address it resolves to

    @property
    def port(self) -> int:
        return urlsplit(self.receiver.url).port or 0

    def url(self, path: str = "/", host: str = "reeds.net") -> str:
        """Return a URL of the server, under a name that posts can link to."""
        return f"http://{host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        """Return the paths that were asked for, in order."""
        return [request.path for request in self.receiver.requests]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.pages.get(handler.path, content(b"", status=404))(handler)


def content(
    body: bytes, kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str
) -> Responder:
    """Return a responder that sends this body."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        fields = {"Content-Type": kind, "Content-Length": str(len(body)), **headers}
        for name, value in fields.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def page(title: str = "Reed warblers", description: str = "", picture: str = "") -> Responder:
    """Return a responder that sends a page with these properties."""
    rows = {"og:title": title, "og:description": description, "og:image": picture}
    tags = "".join(f'<meta property="{name}" content="{rows[name]}">' for name in rows)
    return content(f"<!doctype html><html><head>{tags}</head><body>no</body></html>".encode())


def png(size: tuple[int, int] = (800, 420), mode: str = "RGB") -> bytes:
    """Return a picture of one colour. The mode "1" is quick to encode, however large."""
    data = io.BytesIO()
    Image.new(mode, size, (12, 106, 98) if mode == "RGB" else 0).save(data, "PNG")
    return data.getvalue()


@contextmanager
def linked_site(monkeypatch: pytest.MonkeyPatch) -> Iterator[LinkedSite]:
    """Run the server while the block runs. All names resolve to it, except its `hosts`."""
    with receiving() as receiver:
        site = LinkedSite(receiver)
        receiver.responders = [site.answer]

        def resolve(host: str, port: int, timeout: float) -> list[str]:
            address = site.hosts.get(host, "127.0.0.1")
            return [address] if address else []

        monkeypatch.setattr(safe_http, "resolve", resolve)
        yield site
