"""Count views in batches, and read the counts.

A process collects views and sends them every few seconds in one trip. If it is killed, the views
that it has not sent are lost, and nothing else.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable

from webapp.core.errors import Unavailable
from webapp.core.logs import log
from webapp.core.store import Command, Read, Site, partition_of, read, script

from . import keys

ADD_VIEWS = script("statuses/view_counts/lua/add_views.lua")
FLUSH_SECONDS = 3.0  # from the first view until a process sends its batch
PENDING_MAX = 5_000  # views that one process has yet to send; more are not counted
DAY_SECONDS = 86_400


class ViewBatch:
    """The views that this process has yet to send. Safe to use in any thread."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = threading.Lock()
        self._count = 0
        self._viewers: dict[int, set[str]] = defaultdict(set)
        self._commands: list[Command] = []
        self._timer: threading.Timer | None = None

    def add(self, status_ids: Iterable[int], viewer_uid: int, viewer_hash: str) -> None:
        """Note that a viewer (uid 0: a visitor) saw statuses. No trip."""
        viewer = f"{viewer_uid} {viewer_hash}"
        with self._lock:
            for status_id in status_ids:
                if self._count < PENDING_MAX and viewer not in self._viewers[status_id]:
                    self._viewers[status_id].add(viewer)
                    self._count += 1
            self._start_timer()

    def add_command(self, command: Command | None) -> None:
        """Send a command with the views: one that notes the posts of a page, and may be lost."""
        with self._lock:
            if command and self._count < PENDING_MAX:
                self._commands.append(command)
                self._count += 1
            self._start_timer()

    def flush(self) -> None:
        """Send the collected views. One trip. Views that cannot be sent are lost, and logged."""
        with self._lock:
            if self._timer:
                self._timer.cancel()
            pending, self._viewers = self._viewers, defaultdict(set)
            commands, self._commands = self._commands, []
            self._count, self._timer = 0, None
        try:
            self._site.db.trip(*commands, *self._view_commands(pending))
        except Unavailable:
            log.warning("views of %d statuses were not counted", len(pending))

    def _start_timer(self) -> None:
        if self._count and self._timer is None:
            self._timer = threading.Timer(FLUSH_SECONDS, self.flush)
            self._timer.daemon = True
            self._timer.start()

    def _view_commands(self, pending: dict[int, set[str]]) -> list[Command]:
        by_partition: dict[int, list[str]] = defaultdict(list)
        for status_id, viewers in pending.items():
            entry = " ".join((str(status_id), *sorted(viewers)))
            by_partition[partition_of(status_id)].append(entry)
        return [
            ADD_VIEWS(
                partition=partition,
                seconds=self._site.config.view_days * DAY_SECONDS,
                entries=entries,
            )
            for partition, entries in by_partition.items()
        ]


def view_count(status_id: int) -> Read[int]:
    """Read about how many people saw a status, mostly within one per cent. 0 once it is too old."""
    return read(("PFCOUNT", keys.views(status_id)), int)
