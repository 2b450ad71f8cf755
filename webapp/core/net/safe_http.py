"""Requests to addresses that members give us: never to where only we could go, and never for long.

The host's name is resolved once, and the connection goes to the very address that was checked; TLS
still checks the name. No redirect is followed, and no proxy is used.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from urllib.parse import SplitResult, quote, urlsplit

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError

from .addresses import is_public, resolve

URL_MAX = 500  # characters
RESPONSE_BODY_MAX = 65_536  # bytes of a response that are read, and thrown away
TARGET_SAFE = "/?%:@!$&'()*+,;=~-._"  # characters of a path and a query that are not encoded


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
) -> int:
    """Send a body and return the response's status.

    `timeout`: seconds for each of resolving, connecting, agreeing on TLS, and all the rest.
    `allow_private`: any address will do. Raises RequestFailed.
    """
    parts = parse_url(url)
    if parts is None:
        raise RequestFailed("bad_address")
    address = _allowed_address(parts, allow_private, timeout)
    connection = _make_connection(parts, address, timeout)
    timed_out = threading.Event()
    # A time-out of the socket alone would start again with each byte that arrives.
    watchdog = threading.Timer(timeout, _abort, [connection, timed_out])
    watchdog.daemon = True
    try:
        connection.connect()
        watchdog.start()
        status = _exchange(connection, parts, body, headers)
        if timed_out.is_set():  # an aborted connection may look like the end of the response
            raise TimeoutError
        return status
    except (HTTPError, HTTPException, OSError, ValueError) as error:
        is_late = timed_out.is_set() or isinstance(error, (TimeoutError, ConnectTimeoutError))
        raise RequestFailed("late" if is_late else "no_answer") from error
    finally:
        watchdog.cancel()
        connection.close()


def _exchange(
    connection: HTTPConnection, parts: SplitResult, body: bytes, headers: Mapping[str, str]
) -> int:
    path = parts.path or "/"
    target = quote(f"{path}?{parts.query}" if parts.query else path, safe=TARGET_SAFE)
    all_headers = {"Host": _host_header(parts), **headers}
    connection.request("POST", target, body, all_headers, preload_content=False)
    response = connection.getresponse()
    # Read, or the other side would see its response cut off.
    response.read(RESPONSE_BODY_MAX, decode_content=False)
    return response.status


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


def _make_connection(parts: SplitResult, address: str, timeout: float) -> HTTPConnection:
    if parts.scheme == "http":
        return HTTPConnection(address, _port(parts), timeout=timeout)
    name = _ascii_host(parts)
    return HTTPSConnection(
        address, _port(parts), timeout=timeout, server_hostname=name, assert_hostname=name
    )


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _ascii_host(parts: SplitResult) -> str:
    """Return the host's name as the DNS has it. Raises UnicodeError if it cannot be one."""
    host = parts.hostname or ""
    return host if host.isascii() else host.encode("idna").decode()


def _host_header(parts: SplitResult) -> str:
    return parts.netloc if parts.netloc.isascii() else parts.netloc.encode("idna").decode()


def _abort(connection: HTTPConnection, timed_out: threading.Event) -> None:
    """End whatever the connection waits for."""
    timed_out.set()
    with suppress(OSError):
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
