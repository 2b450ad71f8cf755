"""Percentiles are right within a bucket."""

import random
from bisect import bisect_left
from math import ceil

import pytest

from webapp.core.metrics.timing import BOUNDS, Timing


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.5, 0.95, 0.99])
def test_a_percentile_is_in_the_bucket_of_the_exact_one(seed: int, share: float) -> None:
    chance = random.Random(seed)
    times = sorted(chance.lognormvariate(2, 1.5) for _ in range(999))
    timing = Timing()
    for milliseconds in times:
        timing.add(milliseconds)
    exact = times[ceil(share * len(times)) - 1]
    assert bisect_left(BOUNDS, timing.percentile(share)) == bisect_left(BOUNDS, exact)


def test_nothing_has_no_percentile() -> None:
    assert (Timing().percentile(0.95), Timing().mean, Timing().deviation) == (0, 0, 0)


def test_a_time_above_the_last_bound_is_the_slowest() -> None:
    timing = Timing()
    for milliseconds in (1, 25_000):
        timing.add(milliseconds)
    assert (timing.percentile(0.5), timing.percentile(0.99)) == (1, 25_000)
