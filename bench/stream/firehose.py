"""Measure messages a second from one stream process to 1,000 firehose readers at full load.

A round: statuses are posted by the site's own script, and wait. What is timed begins when they get
into the log, and ends when the last client has the last of them. The reference, under the same
server in a process of its own, sends its 1,000 clients the same bytes, which lie ready, in one
piece each. The same clients count both.
"""

import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from http.client import HTTPConnection

from bench.deliveries import drain
from bench.site import Site, add_members, site
from bench.table import Figure, compare
from webapp.core.events import keys as event_keys
from webapp.core.events.group_loop import GroupLoop
from webapp.core.store import partition_of
from webapp.core.text.parser import parse
from webapp.registry import REGISTRY
from webapp.statuses.store import post

from .clients import EACH, PATIENCE, Counter, Crowd, crowd, request
from .processes import FIRST_READER, Program, ask, bearers, reference, stream
from .reference import PREPARED

STREAMS, BURST, ROUNDS = 1_000, 400, 7  # readers, statuses of one round
MESSAGES, LEAST = 200_000, 0.6  # the targets: messages a second, and of the reference's
PATH = "/1.1/statuses/firehose.json"
AUTHOR = 1  # a member id
TEXT = "Larks sing while they climb, and I have never heard one stop for breath. #larks https://example.org/"


def measure() -> list[Figure]:
    """Measure messages a second to many readers of the firehose under full load."""
    with site() as here, ExitStack() as stack:
        many, ours = stack.enter_context(crowd()), stack.enter_context(stream(here))
        readers = bearers(here, range(FIRST_READER, FIRST_READER + STREAMS), "firehose")
        add_members(here.db, [AUTHOR])
        (here.config.data_dir / PREPARED).write_bytes(_prepared(here, ours, readers[0]))
        bare = stack.enter_context(reference(here))
        many.open(ours.port, [partial(Counter, many, request(PATH, bearer)) for bearer in readers])
        many.open(bare.port, [partial(Counter, many, request("/stream"))] * STREAMS)
        push = partial(ask, bare.port, "POST", "/push")
        figure = compare(
            f"messages to {STREAMS:,} firehose clients, {BURST} statuses at once"
            " (reference: raw ASGI push)",
            "/s",
            lambda: _burst(here, many),
            lambda: _timed(many, push),
            ROUNDS,
            LEAST,
        )
    return [
        figure,
        Figure("the same, by the number", figure.value, "/s", MESSAGES, figure.value / MESSAGES, 1),
    ]


def _burst(here: Site, many: Crowd) -> float:
    """Return messages a second, from writing the log to the last client."""
    _post_burst(here)
    return _timed(many, partial(_apply, here))


def _timed(many: Crowd, act: Callable[[], object]) -> float:
    began = time.perf_counter()
    with many.counting(BURST * STREAMS):
        act()
    return BURST * STREAMS / (time.perf_counter() - began)


def _post_burst(here: Site) -> None:
    parsed = parse(TEXT, 280)
    for _ in range(BURST):
        post(here, AUTHOR, parsed, secrets.token_urlsafe(12))


def _apply(here: Site) -> None:
    """Write posted statuses into the log, but into no home."""
    loop = GroupLoop(here, REGISTRY, "log", "bench")
    loop.acquire()
    drain(loop, [partition_of(AUTHOR)])
    loop.release()
    here.db.run(("XTRIM", event_keys.outbox(partition_of(AUTHOR)), "MAXLEN", 0))


def _prepared(here: Site, ours: Program, bearer: str) -> bytes:
    """Return the bytes that one client receives of a burst."""
    connection = HTTPConnection("127.0.0.1", ours.port, timeout=PATIENCE)
    connection.request("GET", PATH, headers={"Authorization": f"Bearer {bearer}"})
    response = connection.getresponse()
    _post_burst(here)
    _apply(here)
    body = b""
    while body.count(EACH) < BURST or not body.endswith(b"\r\n"):
        body += response.read1()
    connection.close()
    return body
