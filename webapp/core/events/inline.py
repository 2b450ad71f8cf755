"""Events applied without a worker: after each request, and in tests."""

from __future__ import annotations

import math
import threading
import time
from contextlib import suppress

from flask import Flask, Response, request

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.errors import Unavailable

from . import keys
from .consumer import sweep_command
from .group_loop import GroupLoop
from .outbox import BULK, OUTBOX_GROUPS
from .registry import Registry


def drain(
    db: Db,
    config: Config,
    registry: Registry,
    owner: str = "inline",
    seconds: float = math.inf,
) -> None:
    """Apply all waiting events now, for about so many seconds at most. Many trips.

    An event that fails stays in its outbox, as do those of partitions that a worker holds.
    """
    deadline = time.monotonic() + seconds
    previous_heads: list[object] = []
    head_commands = [
        ("XRANGE", events(p), "-", "+", "COUNT", 1)
        for p in range(PARTITIONS)
        for events in (keys.outbox, keys.bulk_events)
    ]
    # Applied events may cause others, in any partition. A failing one stays the oldest.
    while any(heads := db.trip(*head_commands)) and heads != previous_heads:
        if time.monotonic() > deadline:
            return
        previous_heads = heads
        waiting = {index // 2 for index, entries in enumerate(heads) if entries}
        for group in OUTBOX_GROUPS:
            _drain_group(GroupLoop(db, config, registry, group, owner), waiting)
        for partition in waiting:
            db.trip_with_errors([sweep_command(partition, registry, config)])
        _drain_group(GroupLoop(db, config, registry, BULK, owner), waiting)


def apply_inline(app: Flask, db: Db, config: Config, registry: Registry) -> None:
    """Make an app apply the events of each request before it answers."""
    drain_lock = threading.Lock()
    with suppress(Unavailable):
        drain(db, config, registry)  # events that waited since the last run

    @app.after_request
    def apply(response: Response) -> Response:
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            with drain_lock, suppress(Unavailable):
                drain(db, config, registry)
        return response


def _drain_group(loop: GroupLoop, partitions: set[int]) -> None:
    loop.acquire(partitions)
    busy = partitions
    while busy:
        busy = loop.poll(busy)
    loop.release()
