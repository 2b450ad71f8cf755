"""How long requests usually take, so that a slow one gets a line in the log."""

import time
from collections.abc import Mapping

from .timing import Timing

HOUR = 3_600  # seconds
KNOWN_MIN = 30  # requests of a route, before any of them is called slow
SLOW_MIN = 200  # ms: a faster request is never called slow


class UsualTimes:
    """The times of this process's routes in this hour and the one before."""

    def __init__(self) -> None:
        self._hour = 0
        self._before: Mapping[str, Timing] = {}
        self._current: dict[str, Timing] = {}

    def add(self, timings: Mapping[str, Timing], at: float | None = None) -> None:
        """Add the times of a batch. `at`: unix seconds, by default now."""
        hour = int((time.time() if at is None else at) // HOUR)
        if hour != self._hour:
            self._before = self._current if hour == self._hour + 1 else {}
            self._hour, self._current = hour, {}
        for route, timing in timings.items():
            self._current[route] = self._current.get(route, Timing()) + timing

    def exceeded_by(self, route: str, ms: float) -> float:
        """Return the mean time of a route in ms if a request of it was slow, otherwise 0.

        A slow one took two standard deviations longer than the mean.
        """
        if ms < SLOW_MIN:
            return 0.0
        for times in (self._before, self._current):
            usual = times.get(route)
            if usual and usual.n >= KNOWN_MIN:
                return usual.mean if ms > usual.mean + 2 * usual.deviation else 0.0
        return 0.0
