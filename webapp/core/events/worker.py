"""The worker process: a thread for each group of projections, and one for each background loop.

A stopped worker loses nothing. Its leases expire, and the next owner begins with the events that it
left.
"""

import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress

from webapp.config import Config
from webapp.core import reporter
from webapp.core.errors import Refused
from webapp.core.logs import configure
from webapp.core.process_memory import freeze_startup_objects, share_one_heap
from webapp.core.settings.live import LiveSettings, LiveSite
from webapp.core.settings.store import refresh, watch
from webapp.core.store import Db
from webapp.core.store.connection import connect

from . import keys
from .group_loop import GroupLoop
from .outbox import GROUPS
from .registry import BackgroundLoop, Registry
from .schedule.precedence import Precedence

HEARTBEAT_AGE_MAX = 5.0  # seconds
# After so long a thread that computes lets another go on. Why, measured: a group waits for the
# interpreter after each trip, for 5 ms by default. Deliveries take ten trips beside other groups.
SWITCH_SECONDS = 0.0005


def run(config: Config, registry: Registry) -> None:
    """Work until SIGTERM or SIGINT. Raises StoreError at the start."""
    configure(config)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    db, live = connect(config), LiveSettings(config)
    refresh(db, live)
    watch(db, live)
    site = LiveSite(db, live)
    owner, precedence = owner_name(os.getpid()), Precedence()
    loops: dict[str, BackgroundLoop] = {
        group: GroupLoop(site, registry, group, owner, precedence) for group in GROUPS
    }
    for make_loop in registry.background_loops:
        loops[make_loop.__name__] = make_loop(site)
    reporter.start(site, "worker")
    share_one_heap()
    freeze_startup_objects()
    sys.setswitchinterval(SWITCH_SECONDS)
    threads = [
        threading.Thread(target=loop.run, args=(stop,), name=name) for name, loop in loops.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def owner_name(pid: int) -> str:
    """Return the name under which a worker process of this machine holds its leases."""
    return f"{socket.gethostname()}:{pid}"


def has_heartbeat(db: Db, pid: int) -> bool:
    """Return True if the worker with this process id had a heartbeat recently. One trip.

    Raises Unavailable, also where it cannot have any as the store refuses writes.
    """
    no_change = ("ZADD", keys.workers(), "XX", 0, "nobody")
    heartbeat, _ = db.trip(("ZSCORE", keys.workers(), owner_name(pid)), no_change)
    return heartbeat is not None and time.time() - float(heartbeat) < HEARTBEAT_AGE_MAX


def is_alive(db: Db, pid: int) -> bool:
    """Return True if the store answers, and knows that this worker is alive. One trip."""
    with suppress(Refused):
        return has_heartbeat(db, pid)
    return False
