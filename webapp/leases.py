"""Which worker applies which partitions: leases with fencing tokens, shared evenly among the workers that are alive."""

from __future__ import annotations

import time

from . import keys
from .config import Config
from .db import Db
from .errors import LeaseLost
from .ids import PARTITIONS
from .scripts import script

LEASE = script("lease.lua")
BEAT = script("beat.lua")


class Leases:
    """The partitions one worker holds for one group: `held` maps each to its fencing token."""

    def __init__(self, db: Db, config: Config, group: str, owner: str) -> None:
        self._db, self._config, self._group, self.owner = db, config, group, owner
        self._tended = 0.0
        self._beaten = 0.0
        self.held: dict[int, int] = {}

    def tend(self) -> None:
        """Keeps what is held, takes what nobody holds up to a fair share, gives up what is above it. Raises
        Unavailable.
        """
        self._tended = time.monotonic()
        share = self._share()
        keep = list(self.held)[:share]
        give_up = list(self.held)[share:]
        wanted = keep if len(keep) == share else [*keep, *(p for p in range(PARTITIONS) if p not in self.held)]
        tokens = self._db.trip(*(self._command(p, self._life) for p in wanted), *(self._command(p, 0) for p in give_up))
        won = {p: int(token) for p, token in zip(wanted, tokens, strict=False) if token}
        self.held = dict(list(won.items())[:share])
        surplus = list(won)[share:]
        if surplus:
            self._db.trip(*(self._command(p, 0) for p in surplus))

    def due(self) -> bool:
        """True when a third of the leases' life has passed since they were tended."""
        return time.monotonic() - self._tended > self._config.lease_seconds / 3

    def keep(self, partition: int) -> None:
        """Called during long work: tells that the worker lives, and renews in time. Raises LeaseLost."""
        self.beat()
        if self.due():
            token = self.held.get(partition)
            self.tend()
            if token is None or self.held.get(partition) != token:
                raise LeaseLost

    def beat(self) -> None:
        """Tells the other workers, once a second, that this one is alive."""
        if time.monotonic() - self._beaten >= 1:
            self._count()

    def forget(self, partition: int) -> None:
        """Another worker owns it."""
        self.held.pop(partition, None)

    def release(self) -> None:
        """Gives everything up, so that others need not wait for it to expire."""
        self._db.trip(*(self._command(p, 0) for p in self.held), ("ZREM", keys.workers(), self.owner))
        self.held = {}

    @property
    def _life(self) -> int:
        return int(self._config.lease_seconds * 1000)

    def _share(self) -> int:
        return -(-PARTITIONS // self._count())

    def _count(self) -> int:
        self._beaten = time.monotonic()
        return int(self._db.run(BEAT([keys.workers()], self.owner, self._config.lease_seconds)))

    def _command(self, partition: int, life: int) -> tuple[object, ...]:
        return LEASE([keys.lease(partition, self._group)], self.owner, life)
