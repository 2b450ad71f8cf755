"""Visitors' requests as they reach the app, whatever is in them, and what is kept for visitors in the store."""

from __future__ import annotations

import gzip
import html
import io
import re
import sys
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import brotli
from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.test import run_wsgi_app

from webapp.core.store.client import Db, RawReply
from webapp.pagecache.cached_page import CachedPage
from webapp.pagecache.store import LookupState, PageStore
from webapp.pagecache.variant import CacheKey
from webapp.server.asgi_bridge import AsgiBridge

HOST = "linnet.example"
UNPACK = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}
BY_DESIGN = frozenset(  # of what is sent: other for a kept page than for one that is rendered alone, or new each time
    "accept-ranges cache-control content-encoding content-length etag last-modified vary x-request-id".split()
)
TOKEN = re.compile(rb'name="(csrf_token|form|key)"[^>]* value="([^"]*)"')
TOKENS = (f"token{number}" for number in count())  # of leases
NEXT = re.compile(rb'name="next" value="([^"]*)"')


class Reply(NamedTuple):
    """A whole answer."""

    status: int
    headers: Headers
    body: bytes

    @property
    def page(self) -> bytes:
        """The body, unpacked."""
        return (
            bytes(UNPACK[self.headers.get("Content-Encoding", "")](self.body)) if self.body else b""
        )

    @property
    def whole(self) -> bytes:
        """Everything that is said, unpacked, but the id of the request."""
        return (
            repr([pair for pair in self.headers if pair[0] != "X-Request-ID"]).encode() + self.page
        )


class Found(NamedTuple):
    """A page in the store."""

    path: str
    variant: str
    page: CachedPage
    text: bytes  # unpacked


def ask(
    app: Flask,
    path: str = "/",
    query: str = "",
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """The answer to a request; `path` unquoted, and with `query` and `headers` in Latin-1 as WSGI has it."""
    environ = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SERVER_NAME": "server",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "192.0.2.1",
        "HTTP_HOST": HOST,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in (headers or {}).items():
        environ[f"HTTP_{name.upper().replace('-', '_')}"] = value
    body, status, answered = run_wsgi_app(app.wsgi_app, environ, buffered=True)
    return Reply(int(status[:3]), answered, b"".join(body))


async def through(
    gateway: AsgiBridge, target: str, method: str = "GET", headers: Mapping[str, str] | None = None
) -> Reply:
    """The answer of the server's gateway to a request for a path, with its query."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    path, _, query = target.partition("?")
    told = [
        (name.encode(), value.encode("latin-1"))
        for name, value in ({"host": HOST} | dict(headers or {})).items()
    ]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
    }
    await gateway(scope | {"query_string": query.encode("latin-1"), "headers": told}, receive, send)
    answered = Headers(
        [(name.decode(), value.decode("latin-1")) for name, value in sent[0]["headers"]]
    )
    return Reply(sent[0]["status"], answered, b"".join(message["body"] for message in sent[1:]))


def alike(reply: Reply, here: bool = True) -> tuple[object, ...]:
    """What must be the same in two answers to the same question. `here`: and in how they write the
    address that was asked for."""
    rid = reply.headers["X-Request-ID"].encode()
    page = TOKEN.sub(rb"\1", reply.page.replace(rid, b"the request"))
    said = sorted(
        pair for pair in reply.headers if pair[0].lower() not in BY_DESIGN | {"set-cookie"}
    )
    return reply.status, said, page if here else NEXT.sub(_decoded, page)


def tokens(page: bytes) -> set[bytes]:
    """The tokens and keys of the forms on a page."""
    return {value for _, value in TOKEN.findall(page)}


def kept(db: Db) -> list[Found]:
    """Every page in the store."""
    found: list[Found] = []
    for name in _names(db):
        fields = db.run(RawReply(("HGETALL", name)))
        for variant, stored in zip(fields[::2], fields[1::2], strict=True):
            if not variant.startswith(b"="):
                page = CachedPage.from_bytes(stored)
                text = bytes(UNPACK[variant.rpartition(b" ")[2].decode()](page.body))
                found.append(Found(name.split(":", 2)[2], variant.decode(), page, text))
    return found


def forget(db: Db) -> None:
    """Loses every page and every lease."""
    db.trip(*(("DEL", name) for name in _names(db)))


def sizes(db: Db) -> dict[str, int]:
    """Bytes of all that is kept of each path: pages, leases and their names."""
    names = _names(db)
    found = db.trip(*(RawReply(("HGETALL", name)) for name in names))
    return {
        name.split(":", 2)[2]: sum(map(len, fields))
        for name, fields in zip(names, found, strict=True)
    }


def want(path: str = "/@wren", **more: Any) -> CacheKey:
    """What a visitor asks for."""
    usual = {
        "query": "",
        "site": f"http://{HOST}",
        "language": "en",
        "theme": "",
        "encoding": "br",
        "uncompressed": False,
    }
    return CacheKey(path=path, **{**usual, **more})


def page(body: bytes = b"page", seen: int = 0, uids: tuple[int, ...] = (7,)) -> CachedPage:
    """A page to keep; its body is not packed."""
    return CachedPage([("Content-Type", "text/html")], "tag", 5, seen, uids, body)


def keep(store: PageStore, wanted: CacheKey, body: bytes = b"page") -> bool:
    """Keeps a page that is not there."""
    token = next(TOKENS)
    assert store.lookup(wanted, token).state is LookupState.LEASED
    return store.store(wanted, token, page(body, store.member_versions.latest))


def paths(found: Iterable[Found]) -> set[str]:
    """Whose pages these are."""
    return {one.path for one in found}


def _decoded(found: re.Match[bytes]) -> bytes:
    path, _, query = html.unescape(found[1].decode()).partition("?")
    return repr(
        (path, parse_qsl(query, keep_blank_values=True, errors="werkzeug.url_quote"))
    ).encode()


def _names(db: Db) -> list[str]:
    return sorted(name for names in db.on_every_primary("KEYS", "page:*") for name in names)
