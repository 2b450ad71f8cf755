"""The thread of a worker that makes link cards, a few at the same time."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from webapp.config import Config
from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.core.store.ids import created_at
from webapp.errors import RateLimited, Unavailable

from .card import LinkCard
from .fetching import FetchFailed, fetch_card
from .linked_pages import begin_fetch, delay_fetch, end_fetch
from .queue import Claim, attach, claim, due_partitions, postpone
from .targets import read_target

FETCHES_MAX = 4  # of one worker
POLL_SECONDS = 0.5
LOST_LEASE_MS = 1_000  # how long a status waits for another worker that fetches its page
# A host that is always asked too often gets no more cards for a post this old. No older post can
# be edited, unless EDIT_MINUTES is longer.
AGE_MAX = timedelta(days=2)
BATCH = 8  # statuses of a partition that `make_due_cards` claims together


class LinkCards:
    """Makes link cards beside the worker's other work."""

    def __init__(self, db: Db, config: Config) -> None:
        self._db, self._config = db, config
        self._slots = threading.Semaphore(FETCHES_MAX)

    def run(self, stop: threading.Event) -> None:
        """Make cards until `stop` is set, and wait while the store is down.

        Cards that are not made then are made again.
        """
        while self._config.link_cards != "off" and not stop.is_set():
            try:
                started = self._start_due(stop)
            except Exception as error:  # a loop that ends would leave posts without cards
                _log_error("link cards pause: %r", error)
                started = False
            if not started:
                stop.wait(POLL_SECONDS)

    def _start_due(self, stop: threading.Event) -> bool:
        """Start one card in each partition where one is due. Return False if none was."""
        started = False
        for partition in self._db.read(due_partitions()):
            while not self._slots.acquire(timeout=POLL_SECONDS):
                if stop.is_set():
                    return False
            started = self._start_one(partition) or started
        return started

    def _start_one(self, partition: int) -> bool:
        """Start a card in a slot that is acquired already. Return False if none is due."""
        started = False
        try:
            for claimed in claim(self._db, partition, 1):
                threading.Thread(
                    target=self._make, args=(claimed,), daemon=True, name="link card"
                ).start()
                started = True
        finally:
            if not started:
                self._slots.release()
        return started

    def _make(self, claimed: Claim) -> None:
        try:
            make_card(self._db, self._config, claimed)
        except Exception as error:  # it comes again when the lease runs out
            _log_error(f"link card of {claimed.status_id}: %r", error)
        finally:
            self._slots.release()


def make_due_cards(db: Db, config: Config) -> int:
    """Make the cards that are due, one after the other. Return how many statuses were looked at."""
    count = 0
    while claims := [
        claimed
        for partition in db.read(due_partitions())
        for claimed in claim(db, partition, BATCH)
    ]:
        for claimed in claims:
            make_card(db, config, claimed)
        count += len(claims)
    return count


def make_card(db: Db, config: Config, claimed: Claim) -> None:
    """Give a claimed status the card of its link, or put it back. Raises Unavailable."""
    target = db.read(read_target(claimed.status_id))
    if target is None or not target.url:
        return attach(db, config, claimed, target.version if target else "", None)
    if created_at(claimed.status_id) < datetime.now(UTC) - AGE_MAX:
        return attach(db, config, claimed, target.version, None)
    page = begin_fetch(db, target.url)
    if page.wait_ms:
        return postpone(db, claimed, page.wait_ms)
    card = page.card
    if page.lease_expires:
        try:
            card = _fetch(db, config, target.url, page.lease_expires)
        except FetchDelayed as delayed:
            return postpone(db, claimed, delayed.pause_ms)
    attach(db, config, claimed, target.version, card)


class FetchDelayed(Exception):
    """Raised if a page will be fetched again after a pause."""

    def __init__(self, pause_ms: int) -> None:
        super().__init__(pause_ms)
        self.pause_ms = pause_ms


def _fetch(db: Db, config: Config, url: str, lease_expires: str) -> LinkCard | None:
    """Fetch a leased page and keep its card for others. Raises FetchDelayed, Unavailable."""
    try:
        card = fetch_card(db, config, url)
    except (FetchFailed, RateLimited) as error:
        pause_ms = delay_fetch(db, url, lease_expires, isinstance(error, RateLimited))
        log.info("link card: %s, next try in %d s", error, pause_ms // 1000)
        if not pause_ms:
            return None
        raise FetchDelayed(max(pause_ms, LOST_LEASE_MS)) from None
    end_fetch(db, url, lease_expires, card)
    return card


def _log_error(message: str, error: Exception) -> None:
    """Log an error, with its traceback unless the store is down."""
    log.warning(message, error, exc_info=not isinstance(error, Unavailable))
