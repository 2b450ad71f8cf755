"""Run the whole site with the demo community in a temporary folder."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

from webapp.config import Config, load
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.demo.community import Plan
from webapp.demo.fill import FeaturedMember, fill
from webapp.demo.walk.walk import run_walk
from webapp.demo.walk.walk_members import choose_members
from webapp.pagecache import invalidation
from webapp.server.liveness import parent_death

READY_SECONDS = 60.0  # for every part of the site to answer
STOP_SECONDS = 20.0  # for all of them to end
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Showcase:
    """Hold the address of the site, and the member to sign in as."""

    url: str
    member: FeaturedMember


@contextmanager
def showcase() -> Iterator[Showcase]:
    """Run the site with the community of `linnet demo`, and delete it afterwards."""
    with TemporaryDirectory(prefix="linnet-showcase-") as folder:
        settings = {
            "DATA_DIR": folder,
            "PORT": _free_port(),
            "STREAM_PORT": _free_port(),
            "LOG_LEVEL": "WARNING",
        }
        ours = {field.name.upper() for field in fields(Config)}
        env = {name: value for name, value in os.environ.items() if name not in ours} | settings
        program = parent_death.wrap_command(
            signal.SIGTERM, [sys.executable, "-m", "webapp.cli", "run"]
        )
        process = subprocess.Popen(program, cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
        try:
            url = f"http://127.0.0.1:{settings['PORT']}"
            _await(f"{url}/readyz", process)
            yield Showcase(url, _fill(load({}, settings)))
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)


def _fill(config: Config) -> FeaturedMember:
    """Do what `linnet demo` does: fill the store, then walk through all features."""
    db = connect(config)
    filled = fill(Site(db, config), Plan("1", time.time_ns() // 1_000_000), False, _quiet)
    run_walk(Site(db, config), choose_members(filled.community, filled.first_uid), _quiet)
    invalidation.clear(db)
    db.close()
    return filled.featured


@contextmanager
def _quiet(_: str, parts: Sequence[Any]) -> Iterator[Iterator[Any]]:
    yield iter(parts)


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError), urlopen(url, timeout=READY_SECONDS):
            return
        time.sleep(0.1)
    raise RuntimeError("the site did not start")


def _free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return str(free.getsockname()[1])
