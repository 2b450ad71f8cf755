"""The worker process: a thread for each group of projections, and one for each background loop.

A stopped worker loses nothing. Its leases expire, and the next owner begins with what it left.
"""

from __future__ import annotations

import os
import signal
import socket
import threading

from webapp.config import Config
from webapp.core.logs import configure
from webapp.core.store.connection import connect

from .group_loop import GroupLoop
from .outbox import GROUPS
from .registry import BackgroundLoop, Registry


def run(config: Config, registry: Registry) -> None:
    """Work until SIGTERM or SIGINT. Raises StoreError at the start."""
    configure(config)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    db = connect(config)
    owner = f"{socket.gethostname()}:{os.getpid()}"
    loops: dict[str, BackgroundLoop] = {
        group: GroupLoop(db, config, registry, group, owner) for group in GROUPS
    }
    for make_loop in registry.background_loops:
        loops[make_loop.__name__] = make_loop(db, config)
    threads = [
        threading.Thread(target=loop.run, args=(stop,), name=name) for name, loop in loops.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
