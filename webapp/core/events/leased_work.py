"""Do leased work beside a worker's other work: one thread a piece, a few at the same time."""

import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Generic, TypeVar

from webapp.core.logs import log_pause
from webapp.core.store import PARTITIONS, Read, Site, collect, read
from webapp.core.store.schema import PartitionKey

Piece = TypeVar("Piece")
POLL_SECONDS = 0.5


def waiting(queue: PartitionKey) -> Read[int]:
    """Read how many pieces wait in a queue on the whole site."""
    counts = (read(("ZCARD", queue(partition)), int) for partition in range(PARTITIONS))
    return collect(counts).map(sum)


class LeasedWork(ABC, Generic[Piece]):
    """Claims pieces of work that are due, and does each in a thread of its own.

    A claim is a lease: a piece that is not finished is claimed again after it. `max_pieces`: at
    the same time. `max_per_owner`: of them, of one member; 0 for no limit.
    """

    name = "leased work"  # of threads and log lines
    queue: PartitionKey  # zset: waiting work -> when it is due, unix ms

    def __init__(
        self, site: Site, max_pieces: int, max_per_owner: int = 0, *, enabled: bool = True
    ) -> None:
        self._site = site
        self._enabled = enabled
        self._slots = threading.Semaphore(max_pieces)
        self._max_per_owner = max_per_owner
        self._lock = threading.Lock()
        self._in_flight: Counter[int] = Counter()  # uid of an owner → pieces

    @abstractmethod
    def claim(self, partition: int, busy_owners: Sequence[int]) -> Sequence[Piece]:
        """Claim a due piece of a partition that belongs to none of these members.

        Returns one piece, or none.
        """

    def owner_of(self, piece: Piece) -> int:
        """Return the uid of the member that a piece counts for, 0 for nobody."""
        return 0

    @abstractmethod
    def do(self, piece: Piece) -> None:
        """Do a piece, and take it out of its queue."""

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, and wait while the store is down.

        Pieces that are not finished then are done again.
        """
        while self._enabled and not stop.is_set():
            try:
                started = self._start_due(stop)
            except Exception as error:  # a loop that ends would leave its work undone
                log_pause(f"{self.name} pauses", error)
                started = False
            if not started:
                stop.wait(POLL_SECONDS)

    def run_due(self) -> int:
        """Do the due pieces of work, one after the other. Return their number."""
        count = 0
        while pieces := [
            piece for partition in self._due_partitions() for piece in self.claim(partition, ())
        ]:
            for piece in pieces:
                self.do(piece)
            count += len(pieces)
        return count

    def _due_partitions(self) -> list[int]:
        """Return the partitions where a piece is due. Claiming goes by the store's clock."""
        now = int(time.time() * 1000)
        counts = self._site.db.trip_all(
            ("ZCOUNT", self.queue(partition), "-inf", now) for partition in range(PARTITIONS)
        )
        return [partition for partition, count in enumerate(counts) if count]

    def _start_due(self, stop: threading.Event) -> bool:
        """Start one piece in each partition where one is due. Return False if none was."""
        started = False
        for partition in self._due_partitions():
            while not self._slots.acquire(timeout=POLL_SECONDS):
                if stop.is_set():
                    return False
            started = self._start_one(partition) or started
        return started

    def _start_one(self, partition: int) -> bool:
        """Start a piece in a slot that is acquired already. Return False if none is due."""
        started = False
        try:
            for piece in self.claim(partition, self._busy_owners()):
                owner = self.owner_of(piece)
                self._track(owner, 1)
                arguments = (piece, owner)
                threading.Thread(
                    target=self._do, args=arguments, daemon=True, name=self.name
                ).start()
                started = True
        finally:
            if not started:
                self._slots.release()
        return started

    def _busy_owners(self) -> list[int]:
        """Return the members who have their share of the pieces in flight."""
        if not self._max_per_owner:
            return []
        with self._lock:
            counts = list(self._in_flight.items())
        return [owner for owner, count in counts if count >= self._max_per_owner]

    def _track(self, owner: int, delta: int) -> None:
        with self._lock:
            self._in_flight[owner] += delta
            if not self._in_flight[owner]:
                del self._in_flight[owner]

    def _do(self, piece: Piece, owner: int) -> None:
        self._site.wait_for_replicas_of_cluster()
        try:
            self.do(piece)
        except Exception as error:  # it comes again when the lease runs out
            log_pause(f"{self.name} fails at {piece!r}", error)
        finally:
            self._track(owner, -1)
            self._slots.release()
