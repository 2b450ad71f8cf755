"""Measure posts that reach 1,000 apps, each with a WebSocket and the home of another member."""

import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from statistics import median

from bench.site import Site, add_members, send, site
from bench.table import Figure
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.statuses.store import post

from .clients import Client, Counter, Crowd, crowd
from .processes import FIRST_READER, Program, bearers, reference, stream, worker

SOCKETS, POSTS = 1_000, 20
PAUSE_SECONDS = 2.0  # before memory is looked at, and for posts that nobody is sent
AUTHOR, STRANGER = 1, 2  # member ids: one whom all follow, one whom nobody follows
TEXT = "Larks sing while they climb, and I have never heard one stop for breath. #larks"
WARM_SOCKETS = 100  # so that what is loaded once is there
SECONDS_MAX, SOCKET_BYTES = 2.0, 200_000  # the targets
Maker = Callable[[], Client]
HANDSHAKE = """GET /api/v1/streaming?stream=user HTTP/1.1\r
Host: 127.0.0.1\r
Connection: Upgrade\r
Upgrade: websocket\r
Sec-WebSocket-Version: 13\r
Sec-WebSocket-Key: {key}\r
Sec-WebSocket-Protocol: {token}\r
\r
"""


class Socket(Counter):
    """Count the statuses that a WebSocket sends."""

    accepted_by = b"HTTP/1.1 101 "
    each = b'"event":"update"'


def measure() -> list[Figure]:
    """Measure latency, processor time and memory."""
    with site() as here, ExitStack() as stack:
        many, ours = stack.enter_context(crowd()), stack.enter_context(stream(here))
        readers = range(FIRST_READER, FIRST_READER + SOCKETS)
        tokens = bearers(here, readers)
        send(here.db, (("ZADD", following_keys.following(uid), 1, AUTHOR) for uid in readers))
        add_members(here.db, [AUTHOR, STRANGER])
        stack.enter_context(worker(here))
        makers = [partial(Socket, many, _handshake(token)) for token in tokens]
        bytes_each = _bytes_of_a_client(many, ours, makers)
        with reference(here) as bare, crowd() as others:
            again = [partial(Socket, others, _handshake(token)) for token in tokens]
            bare_bytes = _bytes_of_a_client(others, bare, again)
        seconds, busy = [], ours.busy()
        for _ in range(POSTS):
            began = time.perf_counter()
            with many.counting(SOCKETS):
                _post(here, AUTHOR)
            seconds.append(time.perf_counter() - began)
        busy = (ours.busy() - busy) / POSTS
        unasked = _cost_of_unasked(here, ours)
    return [
        Figure(
            f"POST to the last of {SOCKETS:,} apps that are sent it, median",
            1_000 * median(seconds),
            "ms",
            target=1_000 * SECONDS_MAX,
            at_most=True,
        ),
        Figure("processor time of the stream process for it", 1_000 * busy, "ms"),
        Figure("the same for a post that nobody is sent", 1_000 * unasked, "ms"),
        Figure(
            "memory of an idle app (reference: a bare WebSocket)",
            bytes_each,
            "bytes",
            bare_bytes,
            bytes_each / bare_bytes,
            SOCKET_BYTES,
            True,
        ),
    ]


def _bytes_of_a_client(many: Crowd, server: Program, makers: list[Maker]) -> float:
    """Open all sockets, and return the bytes that each takes in its server."""
    many.close(many.open(server.port, makers[:WARM_SOCKETS]))
    time.sleep(PAUSE_SECONDS)
    empty = server.memory()
    many.open(server.port, makers)
    time.sleep(2 * PAUSE_SECONDS)
    return (server.memory() - empty) / SOCKETS


def _cost_of_unasked(here: Site, ours: Program) -> float:
    """Return the processor seconds of a post that no client wants."""
    busy = ours.busy()
    for _ in range(POSTS):
        _post(here, STRANGER)
    time.sleep(PAUSE_SECONDS)
    return (ours.busy() - busy) / POSTS


def _post(here: Site, uid: int) -> None:
    post(here, uid, parse(TEXT), secrets.token_hex(8))


def _handshake(token: str) -> bytes:
    return HANDSHAKE.format(key="dGhlIHNhbXBsZSBub25jZQ==", token=token).encode()
