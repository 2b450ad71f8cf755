"""Events applied without a worker: after each request, and in tests."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import chain

from flask import Flask, Response, request

from webapp.core.errors import Unavailable
from webapp.core.store import PARTITIONS, Db, Read, Site, script, to_dict

from . import keys
from .consumer import sweep_command
from .group_loop import GroupLoop, poll_together
from .outbox import GROUPS
from .registry import Registry
from .worker import owner_name

OLDEST = script("core/events/lua/oldest.lua")
PARTITION_OF = {
    stream: p for p in range(PARTITIONS) for stream in (keys.outbox(p), keys.bulk_events(p))
}


def drain(site: Site, registry: Registry, owner: str = "") -> bool:
    """Apply all waiting events now. Many trips. `owner`: of the leases, "" for this process.

    Returns whether none is left. An event that fails stays in its outbox, as do those of
    partitions that another process holds: it looks for more before it ends.
    """
    owner = owner or owner_name(os.getpid())
    previous: dict[str, str] = {}
    read_oldest = _oldest_events(site.db.is_single_server)
    oldest = site.db.read(read_oldest)
    # Applied events may cause others, in any partition. A failing one stays the oldest.
    while oldest and oldest != previous:
        previous = oldest
        waiting = {PARTITION_OF[stream] for stream in oldest}
        loops = [GroupLoop(site, registry, group, owner) for group in GROUPS]
        site.db.fetch(*(loop.acquire_read(waiting) for loop in loops))
        *outbox_loops, bulk_loop = loops
        _apply_all(site.db, outbox_loops, waiting)
        site.db.trip_with_errors(
            [sweep_command(partition, registry, site.config) for partition in waiting]
        )
        _apply_all(site.db, [bulk_loop], waiting)
        *_, oldest = site.db.fetch(*(loop.release_read() for loop in loops), read_oldest)
    return not oldest


def apply_inline(app: Flask, site: Site, registry: Registry) -> None:
    """Make an app apply the events of each request before it answers."""
    drain_lock = threading.Lock()
    with suppress(Unavailable):
        drain(site, registry)  # events that waited since the last run

    @app.after_request
    def apply(response: Response) -> Response:
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            with drain_lock, suppress(Unavailable):
                drain(site, registry)
        return response


@cache
def _oldest_events(is_single_server: bool) -> Read[dict[str, str]]:
    """Read the id of the oldest event of each stream that has any.

    One command for all streams, or on a Cluster one for each partition.
    """
    apart = ((keys.outbox(p), keys.bulk_events(p)) for p in range(PARTITIONS))
    commands = [OLDEST(streams=each) for each in ([[*PARTITION_OF]] if is_single_server else apart)]
    return Read(tuple(commands), lambda replies: to_dict([*chain(*replies)]))


def _apply_all(db: Db, loops: Sequence[GroupLoop], partitions: set[int]) -> None:
    busy = dict.fromkeys(loops, partitions)
    while any(busy.values()):
        busy = poll_together(db, busy)
