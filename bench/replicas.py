"""Measure what visitors' pages cost one store, and one of two or three of which the others help.

On one machine all stores share its processors, so rates would say little. Figures are processor
times of the stores' main threads: what replicas take off the primary, whatever else runs.
"""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from flask import Flask
from redis import Redis
from redis.exceptions import RedisError

from webapp.accounts import registration
from webapp.app import create_app, read_from_replicas
from webapp.core.events import inline
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.core.web.context import site_of
from webapp.registry import REGISTRY
from webapp.server import embedded_store
from webapp.statuses.store import post

from .table import Figure

MEMBERS, POSTS = 10, 150
ROUNDS = 30  # of all pages
PAGES = ("/tags/birds", "/public", "/explore", "/search?q=birds", "/@member1", "/tags/birds.atom")
PATIENCE = 20.0  # seconds until a store answers


def measure() -> Iterator[Figure]:
    """Yield the processor time that 1,000 pages take of the primary, and of one replica."""
    for count in (1, 2, 3):
        with _stores(count) as ports, _serving(ports) as app:
            visitor = app.test_client()
            pages = [page for _ in range(ROUNDS) for page in PAGES]
            for page in PAGES:  # loads the scripts
                assert visitor.get(page).status_code == 200
            before = [_seconds(port) for port in ports]
            for page in pages:
                visitor.get(page)
            used = [_seconds(port) - one for port, one in zip(ports, before, strict=True)]
            each = [1e6 * seconds / len(pages) for seconds in used]  # ms of 1,000 pages
            yield Figure(f"1,000 pages of visitors, primary of {count}", each[0], "ms")
            if count > 1:
                yield Figure(f"the same, each replica of {count - 1}", max(each[1:]), "ms")


@contextmanager
def _stores(count: int) -> Iterator[list[int]]:
    """Run a primary and its replicas, none of which writes to disk. Yield their ports."""
    ports = [_free_port() for _ in range(count)]
    with ExitStack() as stack:
        for port in ports:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="linnet-bench-")))
            place = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder))
            follow = ("--replicaof", f"127.0.0.1 {ports[0]}") if port != ports[0] else ()
            command = [embedded_store.binary_path(), *place, "--save", "", *follow]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
        _wait(lambda: _info(ports[0])["connected_slaves"] == count - 1)
        yield ports


@contextmanager
def _serving(ports: list[int]) -> Iterator[Flask]:
    """Run a site with posts and no page cache, which reads from the replicas if there are any."""
    settings = {
        "redis_url": f"redis://127.0.0.1:{ports[0]}",
        "secret_key": "bench",
        "password_cost": "8/1/1",
        "log_level": "WARNING",
        "page_cache_bytes": 0,
        **dict.fromkeys(("limit_post", "limit_search", "limit_signup"), "1000000/1"),
    }
    app = create_app(settings)
    site = site_of(app)
    _fill(site)
    if len(ports) > 1:
        read_from_replicas(app, site.db)
        _wait(lambda: site.db.replicas and len(site.db.replicas.usable) == len(ports) - 1)
    yield app
    site.db.close()


def _fill(site: Site) -> None:
    uids = [
        registration.sign_up(site, f"member{number}", "Lark", "feathers-9").uid
        for number in range(MEMBERS)
    ]
    for number in range(POSTS):
        text = parse(f"Larks sing while they climb, for the {number}th time. #birds", 280)
        post(site, uids[number % MEMBERS], text, f"form {number}")
    inline.drain(site, REGISTRY, "bench")


def _info(port: int) -> dict[str, float]:
    with Redis(port=port) as client:
        return dict(client.info())


def _seconds(port: int) -> float:
    """Return the processor time that the main thread of a store has taken."""
    info = _info(port)
    return info["used_cpu_user_main_thread"] + info["used_cpu_sys_main_thread"]


def _wait(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(RedisError):
            if condition():
                return
        time.sleep(0.1)
    raise TimeoutError


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
