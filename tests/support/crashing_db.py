"""Break off between two trips, as a process does that dies there."""

from collections.abc import Sequence
from typing import Any

from webapp.core.store import Command, Db


class Crashed(Exception):
    """Raised in place of the trip at which the process dies."""


class CrashingDb(Db):
    """Makes this many trips, then raises Crashed in place of the next one."""

    def __init__(self, db: Db, trips: int) -> None:
        self.__dict__.update(db.__dict__)
        self._trips_left = trips

    def trip(self, *commands: Command) -> list[Any]:
        """Make the trip, or raise Crashed if none is left."""
        self._count()
        return super().trip(*commands)

    def trip_apart(self, groups: Sequence[Sequence[Command]]) -> list[list[Any] | Exception]:
        """Make the trip, or raise Crashed if none is left."""
        self._count()
        return super().trip_apart(groups)

    def _count(self) -> None:
        self._trips_left -= 1
        if self._trips_left == -1:
            raise Crashed

    @property
    def survived(self) -> bool:
        """Return True if everything was done without a crash."""
        return self._trips_left >= 0
