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

from webapp.accounts.sessions import store as sessions
from webapp.chat.bots.webhook_delivery import Deliverer
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.pubsub import WakeupListener
from webapp.core.store.scripts import script
from webapp.core.web.context import config as app_config
from webapp.core.web.context import db as app_db
from webapp.core.web.request_log import configure, log
from webapp.errors import LeaseLost, Unavailable
from webapp.lists import jobs as lists
from webapp.statuses.attachments import staging
from webapp.statuses.drafts import store as drafts
from webapp.statuses.polls import voting
from webapp.timelines import jobs as timelines

from . import keys
from .consumer import SWEEP, PartitionConsumer
from .leases import Leases
from .outbox import GROUPS

RETRY = script("core/events/lua/retry.lua")
RETRY_BATCH = 100  # parked events one call puts back
DUE_EVERY_SECONDS = (
    1.0  # seconds between two looks at what is to be posted, and which polls end, by now
)
JOBS_EVERY_SECONDS = 60.0  # seconds between two rounds of a partition's periodic jobs
DOWN_SECONDS = 0.5  # pause while the store does not answer
PERIODIC_JOBS = (
    sessions.trim,
    timelines.expire_inactive,
    lists.expire_inactive,
    staging.remove_stale,
)


def run(config: Config) -> None:
    """Works until SIGTERM or SIGINT. Raises StoreError at the start."""
    configure(config)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    db = connect(config)
    owner = f"{socket.gethostname()}:{os.getpid()}"
    loops = [
        threading.Thread(target=GroupLoop(db, config, group, owner).run, args=(stop,), name=group)
        for group in GROUPS
    ]
    loops.append(
        threading.Thread(target=Deliverer(db, config).run, args=(stop,), name="deliveries")
    )
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()


def drain(db: Db, config: Config, owner: str = "inline") -> None:
    """Applies everything that waits, here and now: for tests, and for an app without a worker."""
    previous_heads: list[object] = []
    head_commands = [("XRANGE", keys.outbox(p), "-", "+", "COUNT", 1) for p in range(PARTITIONS)]
    # What is applied may tell of as much again, here or in other partitions; what fails stays the oldest of its own.
    while any(heads := db.trip(*head_commands)) and heads != previous_heads:
        previous_heads = heads
        _drain_once(db, config, owner, {p for p, entries in enumerate(heads) if entries})


def apply_inline(app: Flask) -> None:
    """Lets an app apply the events of each request before it answers."""
    drain_lock = threading.Lock()
    with app.app_context(), suppress(Unavailable):
        drain(app_db(), app_config())  # what waits since the last time

    @app.after_request
    def apply(response: Response) -> Response:
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            # Events that cannot be applied now wait in their outbox, as they would for a worker.
            with drain_lock, suppress(Unavailable):
                drain(app_db(), app_config())
        return response


def _drain_once(db: Db, config: Config, owner: str, partitions: set[int]) -> None:
    for group in GROUPS:
        loop = GroupLoop(db, config, group, owner)
        loop.acquire()
        busy = partitions
        while busy:
            busy = loop.poll(busy)
        loop.release()
    for p in partitions:
        db.run(SWEEP([keys.outbox(p)]))


def retry_parked(db: Db) -> int:
    """Puts all parked events back into their outboxes; returns how many."""
    total = 0
    for p in range(PARTITIONS):
        while count := db.run(RETRY([keys.parked_events(p), keys.outbox(p)], p, RETRY_BATCH)):
            total += count
    return total


class GroupLoop:
    """One group's events, for the partitions this worker holds."""

    def __init__(self, db: Db, config: Config, group: str, owner: str) -> None:
        self._db, self._config, self._group = db, config, group
        self._leases = Leases(db, config, group, owner)
        self._consumers: dict[int, PartitionConsumer] = {}
        self._jobs_at: dict[int, float] = {}
        self._due_at = 0.0

    def run(self, stop: threading.Event) -> None:
        """Works until told to stop; waits out a store that is down."""
        listener = WakeupListener(self._db)
        busy: set[int] = set()
        polled_at = 0.0
        while not stop.is_set():
            try:
                self._leases.heartbeat()
                if self._leases.is_due():
                    self._leases.rebalance()
                self._sync_leases()
                woken = listener.wait(0 if busy else self._config.poll_seconds)
                poll_all = time.monotonic() - polled_at >= self._config.poll_seconds
                polled_at = time.monotonic() if poll_all else polled_at
                busy = self.poll(self._consumers.keys() if poll_all else woken | busy)
                self._do_jobs()
            except Exception as error:  # a loop that ends would stop the site's timelines
                log.warning(
                    "%s pauses: %r",
                    self._group,
                    error.__cause__ or error,
                    exc_info=not isinstance(error, Unavailable),
                )
                for consumer in self._consumers.values():
                    consumer.reread_pending()
                stop.wait(DOWN_SECONDS)
        listener.close()
        self.release()

    def acquire(self) -> None:
        """Takes all it can get, at once."""
        self._leases.rebalance()
        self._sync_leases()

    def poll(self, partitions: Iterable[int]) -> set[int]:
        """Reads and applies one batch of each of these partitions; returns those that may have more. Raises
        Unavailable.
        """
        consumers = [
            consumer for p in partitions if (consumer := self._consumers.get(p)) and consumer.ready
        ]
        replies = (
            self._db.trip_with_errors([consumer.command() for consumer in consumers])
            if consumers
            else []
        )
        busy = set()
        for consumer, reply in zip(consumers, replies, strict=True):
            try:
                if consumer.apply(reply, lambda p=consumer.partition: self._leases.renew(p)):  # type: ignore[misc]
                    busy.add(consumer.partition)
            except LeaseLost:
                log.warning("%s p=%d has another owner", self._group, consumer.partition)
                self._consumers.pop(consumer.partition, None)
                self._leases.mark_lost(consumer.partition)
        return busy

    def release(self) -> None:
        """Gives the partitions up, so that others need not wait for the leases to run out."""
        with suppress(Unavailable):
            self._leases.release()

    def _sync_leases(self) -> None:
        held = self._leases.held
        self._consumers = {
            p: box
            if (box := self._consumers.get(p)) and box.token == token
            else PartitionConsumer(self._db, self._config, self._group, p, token)
            for p, token in held.items()
        }

    def _do_jobs(self) -> None:
        """What is due by now, and at most one partition's periodic jobs, so that events do not wait for them."""
        now = time.monotonic()
        due_partition = next(
            (p for p in self._consumers if now - self._jobs_at.get(p, 0) >= JOBS_EVERY_SECONDS),
            None,
        )
        if self._group == "fanout" and now - self._due_at >= DUE_EVERY_SECONDS:
            self._due_at = now
            drafts.publish_due(self._db, self._config, self._consumers)
            voting.close_due(self._db, self._config, self._consumers)
        if self._group == "fanout" and due_partition is not None:
            self._jobs_at[due_partition] = now
            for job in PERIODIC_JOBS:
                job(self._db, self._config, due_partition)
            self._consumers[due_partition].sweep()
