"""Events applied without a worker: after each request, and in tests."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import cache

from flask import Flask, Response, request

from webapp.core.errors import Unavailable
from webapp.core.store import PARTITIONS, Command, Db, Site, script

from . import keys
from .consumer import sweep_command
from .group_loop import GroupLoop
from .outbox import GROUPS
from .registry import Registry

OLDEST = script("core/events/lua/oldest.lua")
PARTITION_OF = {
    stream: p for p in range(PARTITIONS) for stream in (keys.outbox(p), keys.bulk_events(p))
}


def drain(site: Site, registry: Registry, owner: str = "inline") -> None:
    """Apply all waiting events now. Many trips.

    An event that fails stays in its outbox, as do those of partitions that a worker holds.
    """
    previous: dict[str, str] = {}
    # Applied events may cause others, in any partition. A failing one stays the oldest.
    while (oldest := _oldest_events(site.db)) and oldest != previous:
        previous = oldest
        waiting = {PARTITION_OF[stream] for stream in oldest}
        loops = [GroupLoop(site, registry, group, owner) for group in GROUPS]
        site.db.fetch(*(loop.acquire_read(waiting) for loop in loops))
        *outbox_loops, bulk_loop = loops
        for loop in outbox_loops:
            _apply_all(loop, waiting)
        site.db.trip_with_errors(
            [sweep_command(partition, registry, site.config) for partition in waiting]
        )
        _apply_all(bulk_loop, waiting)
        site.db.fetch(*(loop.release_read() for loop in loops))


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


def _oldest_events(db: Db) -> dict[str, str]:
    """Return the id of the oldest event of each stream that has any. One trip."""
    found: dict[str, str] = {}
    for reply in db.trip(*_oldest_commands(db.is_single_server)):
        found |= zip(reply[::2], reply[1::2], strict=True)
    return found


@cache
def _oldest_commands(is_single_server: bool) -> list[Command]:
    """Return one command for all streams, or on a Cluster one for each partition."""
    if is_single_server:
        return [OLDEST(streams=list(PARTITION_OF))]
    return [OLDEST(streams=(keys.outbox(p), keys.bulk_events(p))) for p in range(PARTITIONS)]


def _apply_all(loop: GroupLoop, partitions: set[int]) -> None:
    while partitions:
        partitions = loop.poll(partitions)
