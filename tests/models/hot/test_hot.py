"""Compare hot posts with a model, while workers die and lose their leases.

Whatever happened, and in whatever order, the store agrees with the model once no event is waiting.
"""

import pytest

from tests.conftest import long
from tests.models.hot.machine import DAYS_MAX, HALF_DAY_SECONDS, HotMachine
from tests.support.state_machines.machine import run_machine
from webapp.config import Config


@pytest.mark.parametrize("examples", [15, long(40)])
def test_hot_posts_equal_the_model(config: Config, examples: int) -> None:
    run_machine(
        HotMachine,
        config,
        examples,
        hot_like_seconds=HALF_DAY_SECONDS,
        hot_boost_seconds=2 * HALF_DAY_SECONDS,
        hot_days=DAYS_MAX,
    )
