"""Requests to addresses that members give us: bounded in time, and never into our own network.

The host's name is resolved once, and the connection goes to the very address that was checked; TLS
still checks the name. No redirect is followed, and no proxy is used. A caller that follows a
redirect asks again, so the next address is checked too.
"""

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPException
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

from urllib3 import BaseHTTPResponse
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError

from .addresses import is_public, resolve

URL_MAX = 500  # characters
RESPONSE_BODY_MAX = 65_536  # bytes of a response that are read; the rest is thrown away
CHUNK = 16_384  # bytes
TARGET_SAFE = "/?%:@!$&'()*+,;=~-._"  # characters of a path and a query that are not encoded


class Response(NamedTuple):
    """A response: its status, its media type in lower case, and the beginning of its body."""

    status: int
    media_type: str
    body: bytes
    charset: str = ""  # as the header says
    location: str = ""  # where a redirect leads, perhaps relative
    retry_after: str = ""  # as the header says: seconds, or a date


class _Request(NamedTuple):
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    body_max: int = RESPONSE_BODY_MAX
    end: bytes = b""  # nothing behind it is read


class RequestFailed(Exception):
    """A request that could not be made, or that got no response.

    The text is one of: bad_address, no_host, not_public, late, no_answer.
    """


def parse_url(url: str) -> SplitResult | None:
    """Return the parts of a URL that a request can go to, otherwise None.

    It has http or https, a host, and no name or password.
    """
    try:
        parts = urlsplit(url)
        has_valid_port = parts.port is None or parts.port > 0
        host = _ascii_host(parts)
    except ValueError:  # UnicodeError is one
        return None
    is_plain = url.isprintable() and " " not in url and "\\" not in url and "@" not in parts.netloc
    fits = parts.scheme in ("http", "https") and 0 < len(host) < 254 and len(url) <= URL_MAX
    return parts if fits and is_plain and has_valid_port else None


def post(
    url: str, body: bytes, headers: Mapping[str, str], allow_private: bool, timeout: float
) -> Response:
    """Send a body and return the response.

    `timeout`: seconds for all of it, from resolving the name to the response's end.
    `allow_private`: any address will do. Raises RequestFailed.
    """
    return _send(_Request("POST", url, headers, body), allow_private, timeout)


def get(
    url: str,
    headers: Mapping[str, str],
    allow_private: bool,
    timeout: float,
    body_max: int,
    end: bytes,
) -> Response:
    """Return the response to a GET, with at most `body_max` bytes of its body.

    Reading stops soon after `end`, in lower case. The rest as `post`. Raises RequestFailed, also
    for a compressed body, which nobody asked for.
    """
    request = _Request("GET", url, headers, body_max=body_max, end=end)
    return _send(request, allow_private, timeout)


def _send(request: _Request, allow_private: bool, timeout: float) -> Response:
    parts = parse_url(request.url)
    if parts is None:
        raise RequestFailed("bad_address")
    deadline = time.monotonic() + timeout
    address = _allowed_address(parts, allow_private, timeout)
    connection = _make_connection(parts, address)
    timed_out = threading.Event()
    try:
        _connect(connection, deadline)
        with _watchdog(connection, _seconds_left(deadline), timed_out):
            response = _exchange(connection, parts, request)
        if timed_out.is_set():  # an aborted connection may look like the end of the response
            raise TimeoutError
        return response
    except (HTTPError, HTTPException, OSError, ValueError) as error:
        is_late = timed_out.is_set() or isinstance(error, (TimeoutError, ConnectTimeoutError))
        raise RequestFailed("late" if is_late else "no_answer") from error
    finally:
        connection.close()


def _exchange(connection: HTTPConnection, parts: SplitResult, request: _Request) -> Response:
    path = parts.path or "/"
    target = quote(f"{path}?{parts.query}" if parts.query else path, safe=TARGET_SAFE)
    headers = {"Host": _host_header(parts), **request.headers}
    connection.request(request.method, target, request.body, headers, preload_content=False)
    response = connection.getresponse()
    if (
        request.method == "GET"
        and response.headers.get("Content-Encoding", "identity") != "identity"
    ):
        raise HTTPException("compressed")  # a small body may unfold to a huge one
    # Read, or the other side would see its response cut off.
    content = _read(response, request.body_max, request.end)
    content_type, _, parameters = response.headers.get("Content-Type", "").partition(";")
    charset = parameters.lower().partition("charset=")[2].partition(";")[0].strip(" \"'")
    location = response.headers.get("Location", "")
    retry_after = response.headers.get("Retry-After", "")
    media_type = content_type.strip().lower()
    return Response(response.status, media_type, content, charset, location, retry_after)


def _read(response: BaseHTTPResponse, size: int, end: bytes) -> bytes:
    """Return at most `size` bytes of a body, no chunk after the one with `end`."""
    if not end:
        return response.read(size, decode_content=False)
    content = bytearray()
    while len(content) < size:
        chunk = response.read(min(CHUNK, size - len(content)), decode_content=False)
        overlap = max(len(content) - len(end), 0)
        content += chunk
        if not chunk or end in content[overlap:].lower():
            break
    return bytes(content)


def _allowed_address(parts: SplitResult, allow_private: bool, timeout: float) -> str:
    """Return an address of the host that the request may go to."""
    try:
        addresses = resolve(parts.hostname or "", _port(parts), timeout)
    except TimeoutError:
        raise RequestFailed("late") from None
    if not addresses:
        raise RequestFailed("no_host")
    allowed = [address for address in addresses if allow_private or is_public(address)]
    if not allowed:
        raise RequestFailed("not_public")
    return allowed[0]


class _TlsConnection(HTTPSConnection):
    """A connection whose handshake gets the time that is left then. `deadline`: as monotonic."""

    deadline = 0.0

    def _new_conn(self) -> socket.socket:
        self.sock = super()._new_conn()  # closed with the connection, even if time is up
        self.sock.settimeout(_seconds_left(self.deadline))
        return self.sock


def _make_connection(parts: SplitResult, address: str) -> HTTPConnection:
    if parts.scheme == "http":
        return HTTPConnection(address, _port(parts))
    name = _ascii_host(parts)
    return _TlsConnection(address, _port(parts), server_hostname=name, assert_hostname=name)


def _connect(connection: HTTPConnection, deadline: float) -> None:
    connection.timeout = _seconds_left(deadline)
    if isinstance(connection, _TlsConnection):
        connection.deadline = deadline
    connection.connect()


def _seconds_left(deadline: float) -> float:
    """Return the seconds until then. Raises TimeoutError if there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _ascii_host(parts: SplitResult) -> str:
    """Return the host's name as the DNS has it. Raises UnicodeError if it cannot be one."""
    host = parts.hostname or ""
    return host if host.isascii() else host.encode("idna").decode()


def _host_header(parts: SplitResult) -> str:
    return parts.netloc if parts.netloc.isascii() else parts.netloc.encode("idna").decode()


@contextmanager
def _watchdog(
    connection: HTTPConnection, timeout: float, timed_out: threading.Event
) -> Iterator[None]:
    """Shut the connection down and set `timed_out`, if the block takes longer.

    A time-out of the socket alone would start again with each byte that arrives.
    """
    # A connection forgets its socket before it reads a response that ends with the connection.
    watchdog = threading.Timer(timeout, _abort, [connection.sock, timed_out])
    watchdog.daemon = True
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()


def _abort(connected: socket.socket, timed_out: threading.Event) -> None:
    timed_out.set()
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)
