"""Send raw requests to the app, and read or fill the page cache in the store."""

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

from webapp.core.store import Db
from webapp.core.store.client import RawReply
from webapp.pagecache.cached_page import CachedPage
from webapp.pagecache.store import LookupState, PageStore
from webapp.pagecache.variant import CacheKey
from webapp.server.bridge.asgi_bridge import AsgiBridge

HOST = "linnet.example"
UNPACK = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}
# These headers differ between a cached page and a rendered one, or are new in each reply.
VARYING_HEADERS = frozenset(
    "accept-ranges cache-control content-encoding content-length etag last-modified vary "
    "x-request-id".split()
)
TOKEN = re.compile(rb'name="(csrf_token|form|key)"[^>]* value="([^"]*)"')
POSITION = re.compile(rb'data-page="[^"]*"')  # the time at which a page was read
TOKENS = (f"token{number}" for number in count())  # of leases
NEXT = re.compile(rb'name="next" value="([^"]*)"')


class Reply(NamedTuple):
    """A complete response."""

    status: int
    headers: Headers
    body: bytes

    @property
    def page(self) -> bytes:
        """The body, decompressed."""
        return (
            bytes(UNPACK[self.headers.get("Content-Encoding", "")](self.body)) if self.body else b""
        )

    @property
    def full_text(self) -> bytes:
        """The headers except the request id, and the decompressed body."""
        return (
            repr([pair for pair in self.headers if pair[0] != "X-Request-ID"]).encode() + self.page
        )


class StoredPage(NamedTuple):
    """A page in the store."""

    path: str
    variant: str
    page: CachedPage
    text: bytes  # decompressed


def send_request(
    app: Flask,
    path: str = "/",
    query: str = "",
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Return the reply of the app. The path is unquoted; all strings are Latin-1, as in WSGI."""
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
    body, status, reply_headers = run_wsgi_app(app.wsgi_app, environ, buffered=True)
    return Reply(int(status[:3]), reply_headers, b"".join(body))


async def send_through_bridge(
    bridge: AsgiBridge,
    target: str,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> Reply:
    """Return the reply of the server's bridge to a request for a path with its query."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    path, _, query = target.partition("?")
    request_headers = [
        (name.encode(), value.encode("latin-1"))
        for name, value in ({"host": HOST} | dict(headers or {})).items()
    ]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
        "query_string": query.encode("latin-1"),
        "headers": request_headers,
    }
    await bridge(scope, receive, send)
    reply_headers = Headers(
        [(name.decode(), value.decode("latin-1")) for name, value in sent[0]["headers"]]
    )
    page = b"".join(message["body"] for message in sent[1:])
    return Reply(sent[0]["status"], reply_headers, page)


def comparable(reply: Reply, same_address: bool = True) -> tuple[object, ...]:
    """Return the part of a reply that must be equal in two replies to the same request.

    Without `same_address`, two ways to write the requested address count as equal.
    """
    request_id = reply.headers["X-Request-ID"].encode()
    text = TOKEN.sub(rb"\1", without_position(reply.page).replace(request_id, b"the request"))
    headers = sorted(
        pair for pair in reply.headers if pair[0].lower() not in VARYING_HEADERS | {"set-cookie"}
    )
    return reply.status, headers, text if same_address else NEXT.sub(_decoded, text)


def without_position(page: bytes) -> bytes:
    """Return a page without the time at which it was read."""
    return POSITION.sub(b"", page)


def tokens(page: bytes) -> set[bytes]:
    """Return the tokens and keys of the forms on a page."""
    return {value for _, value in TOKEN.findall(page)}


def stored_pages(db: Db) -> list[StoredPage]:
    """Return every page in the store."""
    pages: list[StoredPage] = []
    for name in _names(db):
        fields = db.run(RawReply(("HGETALL", name)))
        for variant, stored in zip(fields[::2], fields[1::2], strict=True):
            if not variant.startswith(b"="):
                page = CachedPage.from_bytes(stored)
                text = bytes(UNPACK[variant.rpartition(b" ")[2].decode()](page.body))
                pages.append(StoredPage(name.split(":", 2)[2], variant.decode(), page, text))
    return pages


def delete_pages(db: Db) -> None:
    """Delete every page and every lease."""
    db.trip(*(("DEL", name) for name in _names(db)))


def sizes(db: Db) -> dict[str, int]:
    """Return the bytes stored for each path: pages, leases and their names."""
    names = _names(db)
    hashes = db.trip(*(RawReply(("HGETALL", name)) for name in names))
    return {
        name.split(":", 2)[2]: sum(map(len, fields))
        for name, fields in zip(names, hashes, strict=True)
    }


def make_key(path: str = "/@wren", **changes: Any) -> CacheKey:
    """Return the cache key of a visitor's request."""
    defaults = {
        "query": "",
        "site": f"http://{HOST}",
        "language": "en",
        "theme": "",
        "encoding": "br",
        "uncompressed": False,
    }
    return CacheKey(path=path, **{**defaults, **changes})


def make_page(body: bytes = b"page", seen: int = 0, uids: tuple[int, ...] = (7,)) -> CachedPage:
    """Return a page to store; its body is not compressed."""
    return CachedPage([("Content-Type", "text/html")], "tag", 5, seen, uids, body)


def store_page(store: PageStore, key: CacheKey, body: bytes = b"page") -> bool:
    """Store a page that is missing; return True if it was stored."""
    token = next(TOKENS)
    assert store.lookup(key, token).state is LookupState.LEASED
    return store.store(key, token, make_page(body, store.member_versions.latest))


def paths(pages: Iterable[StoredPage]) -> set[str]:
    """Return the paths of stored pages."""
    return {stored.path for stored in pages}


def _decoded(match: re.Match[bytes]) -> bytes:
    path, _, query = html.unescape(match[1].decode()).partition("?")
    return repr(
        (path, parse_qsl(query, keep_blank_values=True, errors="werkzeug.url_quote"))
    ).encode()


def _names(db: Db) -> list[str]:
    return sorted(name for names in db.on_every_primary("KEYS", "page:*") for name in names)
