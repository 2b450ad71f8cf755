"""A request is slow if it is far above what its route took in the last hour."""

import pytest

from webapp.core.metrics.timing import Timing
from webapp.core.metrics.usual_times import HOUR, KNOWN_MIN, UsualTimes

NOW = 500_000 * HOUR + 1


def timing(*times: float) -> Timing:
    one = Timing()
    for ms in times:
        one.add(ms)
    return one


@pytest.mark.parametrize(
    ("times", "ms", "mean"),
    [
        ([100, 120] * KNOWN_MIN, 201, 110),
        ([100, 120] * KNOWN_MIN, 199, 0),  # too fast to matter
        ([100, 700] * KNOWN_MIN, 1_000, 0),  # within two deviations
        ([100, 700] * KNOWN_MIN, 1_100, 400),
        ([100] * (KNOWN_MIN - 1), 5_000, 0),  # too few to know
    ],
)
def test_two_deviations_above_the_mean_are_slow(times: list[float], ms: float, mean: float) -> None:
    usual = UsualTimes()
    half = len(times) // 2
    for batch in (times[:half], times[half:]):
        usual.add({"/home": timing(*batch)}, NOW)
    assert usual.exceeded_by("/home", ms) == pytest.approx(mean)
    assert usual.exceeded_by("/other", ms) == 0


def test_the_last_hour_counts_and_earlier_ones_do_not() -> None:
    usual = UsualTimes()
    usual.add({"/home": timing(*[100] * KNOWN_MIN)}, NOW)
    usual.add({"/home": timing(300)}, NOW + HOUR)
    assert usual.exceeded_by("/home", 250) == 100
    usual.add({"/home": timing(*[300] * KNOWN_MIN)}, NOW + 2 * HOUR)
    assert usual.exceeded_by("/home", 250) == 0
    usual.add({}, NOW + 9 * HOUR)
    assert usual.exceeded_by("/home", 9_000) == 0
