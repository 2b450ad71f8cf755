"""Compare hot posts with a model, while workers die and lose their leases.

Whatever happened, and in whatever order, the store agrees with the model once no event is waiting.
"""

from __future__ import annotations

from tests.models.hot.machine import DAYS_MAX, HALF_DAY_SECONDS, HotMachine
from tests.support.state_machines.machine import run_machine
from webapp.config import Config


def test_hot_posts_equal_the_model(config: Config) -> None:
    run_machine(
        HotMachine,
        config,
        40,
        hot_like_seconds=HALF_DAY_SECONDS,
        hot_boost_seconds=2 * HALF_DAY_SECONDS,
        hot_days=DAYS_MAX,
    )
