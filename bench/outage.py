"""Measure what readers notice of a store that hangs, and what waiting for a replica costs.

The store is stopped (SIGSTOP) for OUTAGE_SECONDS under a web process that serves homes, the login
form, a static file and its health, and then goes on. A replica is a second server on this machine.
"""

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from statistics import median
from tempfile import TemporaryDirectory

from webapp.core.store import Db
from webapp.core.store.reads import parse_info
from webapp.server import embedded_store

from .http import CSRF, Connection, get, prepare, rate, send_post, server
from .site import site
from .table import Figure, compare

OUTAGE_SECONDS = 10.0
PAUSE_SECONDS = 0.05  # between two requests of one client
ROUNDS = 3
Answer = tuple[float, float, bytes]  # when it was asked for, how long it took (s), its status


def measure() -> list[Figure]:
    """Measure an outage, then writes that wait for a replica."""
    return [*outage(), *replication()]


def outage() -> list[Figure]:
    """Measure the longest waits during an outage, and how soon pages are back."""
    with site() as here:
        cookie = prepare(here)
        with server("linnet", here) as port, ThreadPoolExecutor(3) as pool:
            page = Connection(port).ask(get("/home", cookie)).decode("latin-1")
            [style] = re.findall(r'href="(/static/[^"]+[.]css[^"]*)"', page)[:1]
            store_pid = int(_info(here.db)["process_id"])
            ends = time.monotonic() + OUTAGE_SECONDS + 3
            requests = (get("/home", cookie), get(style), get("/healthz"))
            clients = [pool.submit(_ask_until, ends, port, request) for request in requests]
            time.sleep(1)
            os.kill(store_pid, signal.SIGSTOP)
            time.sleep(OUTAGE_SECONDS)
            os.kill(store_pid, signal.SIGCONT)
            back = time.monotonic()
            homes, files, health = (client.result() for client in clients)
    refused = [seconds for _, seconds, status in homes if status == b"503"]
    good = [asked + seconds for asked, seconds, status in homes if status == b"200"]
    return [
        Figure(
            "store stopped: first page’s wait",
            max(refused) * 1000,
            " ms",
            target=2_200,
            at_most=True,
        ),
        Figure("store stopped: later pages, median", median(refused) * 1000, " ms"),
        Figure("store stopped: static file, longest", max(_waits(files)) * 1000, " ms"),
        Figure("store stopped: /healthz, longest", max(_waits(health)) * 1000, " ms"),
        Figure(
            "store back: first page after",
            (min(at for at in good if at > back) - back) * 1000,
            " ms",
        ),
    ]


def replication() -> list[Figure]:
    """Measure posts a second that wait for a replica, beside posts that do not."""
    with site() as here, _replica(here.db):
        cookie = prepare(here)
        with server("linnet", here, WRITE_REPLICAS="1") as safe, server("linnet", here) as plain:
            page = Connection(plain).ask(get("/home", cookie))
            head, _, body = page.partition(b"\r\n\r\n")
            form = head.partition(b"linnet_form=")[2].split(b";")[0].decode()
            token = CSRF.search(body.decode())
            assert token
            cookies = f"{cookie}; linnet_form={form}"
            return [
                compare(
                    "posts that wait for a replica (reference: that do not)",
                    "/s",
                    lambda: rate(safe, lambda: send_post(cookies, token[1]), b"303"),
                    lambda: rate(plain, lambda: send_post(cookies, token[1]), b"303"),
                    ROUNDS,
                )
            ]


def _ask_until(ends: float, port: int, request: bytes) -> list[Answer]:
    """Ask again and again until a time. Return the answers."""
    connection, answers = Connection(port), []
    while (asked := time.monotonic()) < ends:
        response = connection.ask(request)
        answers.append((asked, time.monotonic() - asked, response[9:12]))
        time.sleep(PAUSE_SECONDS)
    connection.close()
    return answers


def _waits(answers: list[Answer]) -> list[float]:
    statuses = {status for _, _, status in answers}
    assert statuses == {b"200"}, statuses
    return [seconds for _, seconds, _ in answers]


def _info(db: Db) -> dict[str, str]:
    return parse_info(str(db.run(("INFO",))))


@contextmanager
def _replica(primary: Db) -> Iterator[None]:
    """Run a server that follows the store of `primary` over loopback, once it is up to date."""
    primary_port, port = _free_port(), _free_port()
    for name, value in (("bind", "127.0.0.1"), ("port", primary_port)):
        primary.run(("CONFIG", "SET", name, value))
    with TemporaryDirectory(prefix="linnet-replica-") as folder:
        options = ("--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "")
        follow = ("--replicaof", "127.0.0.1", str(primary_port))
        command = [embedded_store.binary_path(), *options, *follow]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            while "state=online" not in _info(primary).get("slave0", ""):
                time.sleep(0.1)
            yield
        finally:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
