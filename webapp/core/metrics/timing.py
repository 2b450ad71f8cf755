"""The distribution of times: sums and a histogram, which can be added to others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from math import sqrt

STEPS = (1, 1.5, 2, 3, 5, 7)
# Upper bounds of buckets, in ms: from a tenth to ten seconds. The last bucket has no bound.
BOUNDS = [*(round(step * 10**power, 2) for power in (-1, 0, 1, 2, 3) for step in STEPS), 10_000]
FIELDS = ("n", "sum", "sumsq", "min", "max")


class Timing:
    """Times in ms. A percentile is right within its bucket."""

    __slots__ = ("buckets", "high", "low", "n", "squares", "total")

    def __init__(self) -> None:
        self.n, self.total, self.squares = 0, 0.0, 0.0
        self.low, self.high = float("inf"), 0.0
        self.buckets: dict[int, int] = {}  # index in BOUNDS -> count

    def add(self, ms: float) -> None:
        """Add one time."""
        self.n += 1
        self.total += ms
        self.squares += ms * ms
        if ms < self.low:
            self.low = ms
        if ms > self.high:
            self.high = ms
        index = bisect_left(BOUNDS, ms)
        self.buckets[index] = self.buckets.get(index, 0) + 1

    def __add__(self, other: Timing) -> Timing:
        """Return the times of both."""
        both = Timing()
        both.n = self.n + other.n
        both.total, both.squares = self.total + other.total, self.squares + other.squares
        both.low, both.high = min(self.low, other.low), max(self.high, other.high)
        indexes = self.buckets.keys() | other.buckets.keys()
        both.buckets = {i: self.buckets.get(i, 0) + other.buckets.get(i, 0) for i in indexes}
        return both

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> Timing:
        """Return the timing of a stored hash; an empty one if there is none."""
        timing = cls()
        if fields:
            timing.n = int(fields["n"])
            timing.total, timing.squares = float(fields["sum"]), float(fields["sumsq"])
            timing.low, timing.high = float(fields["min"]), float(fields["max"])
            buckets = {name: int(count) for name, count in fields.items() if name not in FIELDS}
            timing.buckets = {int(name): count for name, count in buckets.items()}
        return timing

    def as_fields(self) -> dict[str, object]:
        """Return the fields that are added to the stored ones."""
        rounded = {"sum": self.total, "sumsq": self.squares, "min": self.low, "max": self.high}
        return {
            "n": self.n,
            **{name: f"{value:.3f}" for name, value in rounded.items()},
            "buckets": {str(index): count for index, count in self.buckets.items()},
        }

    @property
    def mean(self) -> float:
        """Return the mean, 0 without any time."""
        return self.total / self.n if self.n else 0.0

    @property
    def deviation(self) -> float:
        """Return the standard deviation, 0 with fewer than two times."""
        if self.n < 2:
            return 0.0
        return sqrt(max(0.0, self.squares - self.total**2 / self.n) / (self.n - 1))

    def percentile(self, share: float) -> float:
        """Return the bound of the bucket in which this share of the times ends."""
        rank, seen = share * self.n, 0
        for index in sorted(self.buckets):
            seen += self.buckets[index]
            if seen >= rank:
                return min(BOUNDS[index], self.high) if index < len(BOUNDS) else self.high
        return 0.0
