"""Requests to addresses that members give us: never to where only we could go, and never for long.

The name is resolved once, each address is looked at, and the connection goes to the very address that was; TLS asks for
the name all the same. No redirect is followed, no proxy used, and nobody can keep us waiting.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from queue import Empty, Queue
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError

URL_MAX = 500  # characters
RESPONSE_BODY_MAX = 65_536  # bytes of an answer that are read, and thrown away
TARGET_SAFE = "/?%:@!$&'()*+,;=~-._"  # what a path and a query hold unencoded
GLOBAL_UNICAST = IPv6Network("2000::/3")  # where all that is public begins
NAT64 = IPv6Network("64:ff9b::/96")


class RequestFailed(Exception):
    """A request that could not be made, or whose answer did not come. The text is one of: bad_address, no_host,
    not_public, late, no_answer.
    """


def parse_url(url: str) -> SplitResult | None:
    """The parts of an address that a request can go to, or None: http or https, a host, no name or password in it."""
    try:
        parts = urlsplit(url)
        valid_port = parts.port is None or parts.port > 0
        host = (parts.hostname or "").encode(
            "idna" if not (parts.hostname or "").isascii() else "ascii"
        )
    except ValueError:  # UnicodeError is one
        return None
    plain = url.isprintable() and " " not in url and "\\" not in url and "@" not in parts.netloc
    fits = parts.scheme in ("http", "https") and 0 < len(host) < 254 and len(url) <= URL_MAX
    return parts if fits and plain and valid_port else None


def is_public(address: str) -> bool:
    """Whether anybody in the world could go to this address: not loopback, private, link-local, multicast or reserved,
    nor one of these inside an IPv6 address.
    """
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        embedded = _embedded_ipv4(ip)
        if embedded:
            return is_public(str(embedded))
        if ip not in GLOBAL_UNICAST:
            return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def post(
    url: str, body: bytes, headers: Mapping[str, str], allow_private: bool, timeout: float
) -> int:
    """Sends a body and gives the status of the answer. `private`: any address will do; `deadline`: seconds for each of
    finding the address, connecting, agreeing on TLS, and all the rest. Raises Undeliverable.
    """
    parts = parse_url(url)
    if parts is None:
        raise RequestFailed("bad_address")
    connection = _make_connection(parts, _resolve(parts, allow_private, timeout), timeout)
    timed_out = threading.Event()
    watchdog = threading.Timer(timeout, _abort, [connection, timed_out])
    watchdog.daemon = True
    target = quote(
        f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/", safe=TARGET_SAFE
    )
    try:
        connection.connect()
        watchdog.start()  # a time-out alone would begin anew with each byte that comes
        connection.request(
            "POST", target, body, {"Host": _host_header(parts), **headers}, preload_content=False
        )
        response = connection.getresponse()
        response.read(
            RESPONSE_BODY_MAX, decode_content=False
        )  # or whoever answers would be cut off
        if timed_out.is_set():  # which may look like the end of an answer
            raise TimeoutError
        return response.status
    except (HTTPError, HTTPException, OSError, ValueError) as error:
        slow = timed_out.is_set() or isinstance(error, (TimeoutError, ConnectTimeoutError))
        raise RequestFailed("late" if slow else "no_answer") from error
    finally:
        watchdog.cancel()
        connection.close()


def _embedded_ipv4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 one leads to."""
    if address.teredo:
        return address.teredo[1]
    if address in NAT64 or (int(address) >> 32 == 0 and int(address) > 1):  # the old ::192.0.2.1
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def _resolve(parts: SplitResult, allow_private: bool, timeout: float) -> str:
    """An address of the host that a request may go to."""
    results: Queue[list[str]] = Queue()
    threading.Thread(
        target=_put_addresses, args=(parts, results), daemon=True, name="resolver"
    ).start()
    try:
        addresses = results.get(
            timeout=timeout
        )  # a resolver knows no time-out of ours, and is left to its own
    except Empty:
        raise RequestFailed("late") from None
    if not addresses:
        raise RequestFailed("no_host")
    allowed = [address for address in addresses if allow_private or is_public(address)]
    if not allowed:
        raise RequestFailed("not_public")
    return allowed[0]


def _put_addresses(parts: SplitResult, results: Queue[list[str]]) -> None:
    """Puts the addresses of the host, none where its name leads nowhere."""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    infos: list[Any] = []
    try:
        infos = socket.getaddrinfo(
            parts.hostname, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
        )
    except (OSError, UnicodeError):
        pass
    finally:
        results.put([str(entry[4][0]) for entry in infos])


def _make_connection(parts: SplitResult, address: str, timeout: float) -> HTTPConnection:
    if parts.scheme == "http":
        return HTTPConnection(address, parts.port or 80, timeout=timeout)
    name = (
        (parts.hostname or "").encode("idna").decode()
        if not (parts.hostname or "").isascii()
        else parts.hostname
    )
    return HTTPSConnection(
        address, parts.port or 443, timeout=timeout, server_hostname=name, assert_hostname=name
    )


def _host_header(parts: SplitResult) -> str:
    return parts.netloc if parts.netloc.isascii() else parts.netloc.encode("idna").decode()


def _abort(connection: HTTPConnection, timed_out: threading.Event) -> None:
    """Ends whatever the connection waits for."""
    timed_out.set()
    with suppress(OSError):
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
