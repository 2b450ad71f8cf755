"""The worker: applies the events of the partitions it holds, in one thread a group, does periodic jobs, and tells bots
of messages in threads of their own.

A stopped worker loses nothing: its leases run out, and the next owner begins with what it left unfinished.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterable
from contextlib import suppress

from flask import Flask, Response, request

from . import keys
from .accounts import sessions
from .app import config as app_config
from .app import db as app_db
from .applying import SWEEP, Outbox
from .bell import Bell
from .chat.delivering import Deliverer
from .config import Config
from .connect import connect
from .db import Db
from .errors import LeaseLost, Unavailable
from .events import GROUPS
from .ids import PARTITIONS
from .leases import Leases
from .lists import jobs as lists
from .logs import configure, log
from .scripts import script
from .statuses import drafts, uploads, voting
from .timelines import jobs as timelines

RETRY = script("retry.lua")
RETRY_BATCH = 100  # parked events one call puts back
DUE_EVERY = 1.0  # seconds between two looks at what is to be posted, and which polls end, by now
JOBS_EVERY = 60.0  # seconds between two rounds of a partition's periodic jobs
DOWN_SECONDS = 0.5  # pause while the store does not answer
JOBS = (sessions.trim, timelines.retire, lists.retire, uploads.sweep)


def run(config: Config) -> None:
    """Works until SIGTERM or SIGINT. Raises StoreError at the start."""
    configure(config)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    db = connect(config)
    owner = f"{socket.gethostname()}:{os.getpid()}"
    loops = [threading.Thread(target=Loop(db, config, group, owner).run, args=(stop,), name=group) for group in GROUPS]
    loops.append(threading.Thread(target=Deliverer(db, config).run, args=(stop,), name="deliveries"))
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()


def drain(db: Db, config: Config, owner: str = "inline") -> None:
    """Applies everything that waits, here and now: for tests, and for an app without a worker."""
    before: list[object] = []
    oldest = [("XRANGE", keys.outbox(p), "-", "+", "COUNT", 1) for p in range(PARTITIONS)]
    # What is applied may tell of as much again, here or in other partitions; what fails stays the oldest of its own.
    while any(first := db.trip(*oldest)) and first != before:
        before = first
        _drain_once(db, config, owner, {p for p, entries in enumerate(first) if entries})


def apply_inline(app: Flask) -> None:
    """Lets an app apply the events of each request before it answers."""
    turn = threading.Lock()
    with app.app_context(), suppress(Unavailable):
        drain(app_db(), app_config())  # what waits since the last time

    @app.after_request
    def apply(response: Response) -> Response:
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            # Events that cannot be applied now wait in their outbox, as they would for a worker.
            with turn, suppress(Unavailable):
                drain(app_db(), app_config())
        return response


def _drain_once(db: Db, config: Config, owner: str, waiting: set[int]) -> None:
    for group in GROUPS:
        loop = Loop(db, config, group, owner)
        loop.take()
        busy = waiting
        while busy:
            busy = loop.step(busy)
        loop.leave()
    for p in waiting:
        db.run(SWEEP([keys.outbox(p)]))


def retry_parked(db: Db) -> int:
    """Puts all parked events back into their outboxes; returns how many."""
    total = 0
    for p in range(PARTITIONS):
        while count := db.run(RETRY([keys.parked(p), keys.outbox(p)], p, RETRY_BATCH)):
            total += count
    return total


class Loop:
    """One group's events, for the partitions this worker holds."""

    def __init__(self, db: Db, config: Config, group: str, owner: str) -> None:
        self._db, self._config, self._group = db, config, group
        self._leases = Leases(db, config, group, owner)
        self._outboxes: dict[int, Outbox] = {}
        self._jobs_at: dict[int, float] = {}
        self._due_at = 0.0

    def run(self, stop: threading.Event) -> None:
        """Works until told to stop; waits out a store that is down."""
        bell = Bell(self._db)
        busy: set[int] = set()
        polled = 0.0
        while not stop.is_set():
            try:
                self._leases.beat()
                if self._leases.due():
                    self._leases.tend()
                self._follow_leases()
                woken = bell.wait(0 if busy else self._config.poll_seconds)
                everything = time.monotonic() - polled >= self._config.poll_seconds
                polled = time.monotonic() if everything else polled
                busy = self.step(self._outboxes.keys() if everything else woken | busy)
                self._do_jobs()
            except Exception as error:  # a loop that ends would stop the site's timelines
                log.warning(
                    "%s pauses: %r", self._group, error.__cause__ or error, exc_info=not isinstance(error, Unavailable)
                )
                for box in self._outboxes.values():
                    box.doubt()
                stop.wait(DOWN_SECONDS)
        bell.close()
        self.leave()

    def take(self) -> None:
        """Takes all it can get, at once."""
        self._leases.tend()
        self._follow_leases()

    def step(self, partitions: Iterable[int]) -> set[int]:
        """Reads and applies one batch of each of these partitions; returns those that may have more. Raises
        Unavailable.
        """
        outboxes = [box for p in partitions if (box := self._outboxes.get(p)) and box.ready]
        replies = self._db.replies([box.command() for box in outboxes]) if outboxes else []
        busy = set()
        for box, reply in zip(outboxes, replies, strict=True):
            try:
                if box.apply(reply, lambda p=box.partition: self._leases.keep(p)):  # type: ignore[misc]
                    busy.add(box.partition)
            except LeaseLost:
                log.warning("%s p=%d has another owner", self._group, box.partition)
                self._outboxes.pop(box.partition, None)
                self._leases.forget(box.partition)
        return busy

    def leave(self) -> None:
        """Gives the partitions up, so that others need not wait for the leases to run out."""
        with suppress(Unavailable):
            self._leases.release()

    def _follow_leases(self) -> None:
        held = self._leases.held
        self._outboxes = {
            p: box
            if (box := self._outboxes.get(p)) and box.token == token
            else Outbox(self._db, self._config, self._group, p, token)
            for p, token in held.items()
        }

    def _do_jobs(self) -> None:
        """What is due by now, and at most one partition's periodic jobs, so that events do not wait for them."""
        now = time.monotonic()
        due = next((p for p in self._outboxes if now - self._jobs_at.get(p, 0) >= JOBS_EVERY), None)
        if self._group == "fanout" and now - self._due_at >= DUE_EVERY:
            self._due_at = now
            drafts.post_due(self._db, self._config, self._outboxes)
            voting.end_due(self._db, self._config, self._outboxes)
        if self._group == "fanout" and due is not None:
            self._jobs_at[due] = now
            for job in JOBS:
                job(self._db, self._config, due)
            self._outboxes[due].sweep()
