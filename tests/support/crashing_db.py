"""Break off between two trips, as a process does that dies there."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from webapp.core.errors import Unavailable
from webapp.core.events.outbox import Context, Event, Projection
from webapp.core.store import Command, Db, Site
from webapp.core.store.replies import not_replicated


class Crashed(BaseException):
    """Raised in place of the trip at which the process dies. No handler of errors may stop it."""


class CrashingDb(Db):
    """Makes this many trips, then raises Crashed, or another error, in place of the next one."""

    def __init__(self, db: Db, trips: int, error: type[BaseException] = Crashed) -> None:
        self.__dict__.update(db.__dict__)
        self._trips_left, self._error = trips, error

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
            raise self._error

    @property
    def survived(self) -> bool:
        """Return True if everything was done without a crash."""
        return self._trips_left >= 0


class UnreplicatedDb(CrashingDb):
    """Makes this many trips that replicas confirm. The next ones are stored, and not confirmed."""

    def trip(self, *commands: Command) -> list[Any]:
        """Make the trip. Raises Unavailable if no replica has confirmed it."""
        self._trips_left -= 1
        replies = Db.trip(self, *commands)
        if self._trips_left < 0:
            raise not_replicated()
        return replies


@contextmanager
def death_after(module: object, step: str) -> Iterator[pytest.MonkeyPatch]:
    """Let the process die when a function of a module has returned."""
    original = getattr(module, step)

    def die(*args: object) -> None:
        original(*args)
        raise Crashed

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Crashed):
        patch.setattr(module, step, die)
        yield patch


def dies(site: Site, trips: int, act: Callable[[Site], object]) -> bool:
    """Call a function in a process that dies after these trips. Return True if it came so far."""
    try:
        act(Site(CrashingDb(site.db, trips), site.config))
    except Crashed:
        return True
    return False


def is_unconfirmed(site: Site, trips: int, act: Callable[[Site], object]) -> bool:
    """Call a function, of which replicas confirm so many trips. Return False if that is all."""
    try:
        act(Site(UnreplicatedDb(site.db, trips), site.config))
    except Unavailable:
        return True
    return False


def dies_before_another(
    site: Site, trips: int, events: Sequence[Event], *projections: Projection
) -> bool:
    """Apply projections by a worker that dies after these trips, then by another.

    Return True if the first one died.
    """

    def apply(site: Site) -> None:
        for projection in projections:
            projection(Context(site.db, site.config, lambda: None), events)

    has_died = dies(site, trips, apply)
    apply(site)
    return has_died
