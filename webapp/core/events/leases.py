"""Leases: which worker applies which partitions, shared evenly among the live workers.

Each lease has a fencing token that grows with every new owner.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from webapp.core.errors import LeaseLost
from webapp.core.store import PARTITIONS, Command, Read, Site, script

from . import keys

LEASE = script("core/events/lua/lease.lua")
HEARTBEAT = script("core/events/lua/heartbeat.lua")
HEARTBEAT_SECONDS = 1.0


class Leases:
    """The partitions that one worker holds for one group. `held` maps each to its token."""

    def __init__(self, site: Site, group: str, owner: str) -> None:
        self._site, self._group, self.owner = site, group, owner
        self._rebalanced_at = 0.0
        self._heartbeat_at = 0.0
        self.held: dict[int, int] = {}

    def rebalance(self) -> None:
        """Renew held leases, take free partitions up to a fair share, give up the rest.

        Two trips, a third if more was free than needed.
        """
        self._rebalanced_at = time.monotonic()
        share = -(-PARTITIONS // self._count_workers())
        wanted, given_up = list(self.held)[:share], list(self.held)[share:]
        if len(wanted) < share:
            wanted += [partition for partition in range(PARTITIONS) if partition not in self.held]
        tokens = self._site.db.trip(
            *(self._command(partition, self._duration_ms) for partition in wanted),
            *(self._command(partition, 0) for partition in given_up),
        )
        acquired = [
            (partition, int(token))
            for partition, token in zip(wanted, tokens, strict=False)
            if token
        ]
        self.held = dict(acquired[:share])
        self._site.db.trip_all(self._command(partition, 0) for partition, _ in acquired[share:])

    def acquire(self, partitions: Iterable[int]) -> None:
        """Take those of these partitions that are free, whatever a fair share is. One trip."""
        self._site.db.read(self.acquire_read(partitions))

    def acquire_read(self, partitions: Iterable[int]) -> Read[None]:
        """Return `acquire` as a read, so that several leases can share its trip."""
        wanted = list(partitions)
        sent_at = time.monotonic()

        def parse(replies: Sequence[Any]) -> None:
            _, *tokens = replies
            self._rebalanced_at = self._heartbeat_at = sent_at
            self.held = {p: int(token) for p, token in zip(wanted, tokens, strict=True) if token}

        commands = (self._command(p, self._duration_ms) for p in wanted)
        return Read((self._heartbeat_command(), *commands), parse)

    def is_due(self) -> bool:
        """Return True if a third of the leases' duration has passed since the last renewal."""
        return time.monotonic() - self._rebalanced_at > self._site.config.lease_seconds / 3

    def renew(self, partition: int) -> None:
        """Prove during long work that the worker lives, and renew in time. Raises LeaseLost."""
        self.heartbeat()
        if self.is_due():
            token = self.held.get(partition)
            self.rebalance()
            if token is None or self.held.get(partition) != token:
                raise LeaseLost

    def heartbeat(self) -> None:
        """Tell the other workers, once a second, that this one is alive. One trip at most."""
        if time.monotonic() - self._heartbeat_at >= HEARTBEAT_SECONDS:
            self._count_workers()

    def mark_lost(self, partitions: Sequence[int]) -> None:
        """Forget partitions that another worker holds. One trip.

        A failover may have lost newer tokens of a lease that is still this worker's. It is given
        up, so that the next token is higher.
        """
        for partition in partitions:
            self.held.pop(partition, None)
        self._site.db.trip_all(self._command(partition, 0) for partition in partitions)

    def release(self) -> None:
        """Give everything up, so that others need not wait for it to expire. One trip."""
        self._site.db.read(self.release_read())

    def release_read(self) -> Read[None]:
        """Return `release` as a read, so that several leases can share its trip."""
        commands = (self._command(partition, 0) for partition in self.held)
        forget = ("ZREM", keys.workers(), self.owner)
        return Read((*commands, forget), lambda _: self.held.clear())

    @property
    def _duration_ms(self) -> int:
        return int(self._site.config.lease_seconds * 1000)

    def _count_workers(self) -> int:
        self._heartbeat_at = time.monotonic()
        return int(self._site.db.run(self._heartbeat_command()))

    def _heartbeat_command(self) -> Command:
        return HEARTBEAT(owner=self.owner, silence=self._site.config.lease_seconds)

    def _command(self, partition: int, duration_ms: int) -> Command:
        return LEASE(partition=partition, group=self._group, owner=self.owner, duration=duration_ms)
