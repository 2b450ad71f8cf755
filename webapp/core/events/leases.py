"""Which worker applies which partitions: leases with fencing tokens, shared evenly among the workers that are alive."""

from __future__ import annotations

import time

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.core.store.scripts import script
from webapp.errors import LeaseLost

from . import keys

LEASE = script("core/events/lua/lease.lua")
HEARTBEAT = script("core/events/lua/heartbeat.lua")


class Leases:
    """The partitions one worker holds for one group: `held` maps each to its fencing token."""

    def __init__(self, db: Db, config: Config, group: str, owner: str) -> None:
        self._db, self._config, self._group, self.owner = db, config, group, owner
        self._rebalanced_at = 0.0
        self._heartbeat_at = 0.0
        self.held: dict[int, int] = {}

    def rebalance(self) -> None:
        """Keeps what is held, takes what nobody holds up to a fair share, gives up what is above it. Raises
        Unavailable.
        """
        self._rebalanced_at = time.monotonic()
        share = self._fair_share()
        retained = list(self.held)[:share]
        released = list(self.held)[share:]
        to_hold = (
            retained
            if len(retained) == share
            else [*retained, *(p for p in range(PARTITIONS) if p not in self.held)]
        )
        tokens = self._db.trip(
            *(self._command(p, self._duration_ms) for p in to_hold),
            *(self._command(p, 0) for p in released),
        )
        acquired = {p: int(token) for p, token in zip(to_hold, tokens, strict=False) if token}
        self.held = dict(list(acquired.items())[:share])
        surplus = list(acquired)[share:]
        if surplus:
            self._db.trip(*(self._command(p, 0) for p in surplus))

    def is_due(self) -> bool:
        """True when a third of the leases' life has passed since they were tended."""
        return time.monotonic() - self._rebalanced_at > self._config.lease_seconds / 3

    def renew(self, partition: int) -> None:
        """Called during long work: tells that the worker lives, and renews in time. Raises LeaseLost."""
        self.heartbeat()
        if self.is_due():
            token = self.held.get(partition)
            self.rebalance()
            if token is None or self.held.get(partition) != token:
                raise LeaseLost

    def heartbeat(self) -> None:
        """Tells the other workers, once a second, that this one is alive."""
        if time.monotonic() - self._heartbeat_at >= 1:
            self._count_workers()

    def mark_lost(self, partition: int) -> None:
        """Another worker owns it."""
        self.held.pop(partition, None)

    def release(self) -> None:
        """Gives everything up, so that others need not wait for it to expire."""
        self._db.trip(
            *(self._command(p, 0) for p in self.held), ("ZREM", keys.workers(), self.owner)
        )
        self.held = {}

    @property
    def _duration_ms(self) -> int:
        return int(self._config.lease_seconds * 1000)

    def _fair_share(self) -> int:
        return -(-PARTITIONS // self._count_workers())

    def _count_workers(self) -> int:
        self._heartbeat_at = time.monotonic()
        return int(
            self._db.run(HEARTBEAT([keys.workers()], self.owner, self._config.lease_seconds))
        )

    def _command(self, partition: int, duration_ms: int) -> tuple[object, ...]:
        return LEASE([keys.lease(partition, self._group)], self.owner, duration_ms)
