"""Compare hot posts with a model, while workers die and lose their leases.

Whatever happened, and in whatever order, the store agrees with the model once no event is waiting.
"""

from typing import Any

import pytest

from tests.conftest import long
from tests.models.hot.machine import DAYS_MAX, HALF_DAY_SECONDS, HotMachine
from tests.support.state_machines.machine import on_small_site, run_machine
from webapp.config import Config
from webapp.statuses import Visibility

SETTINGS: dict[str, Any] = {
    "hot_like_seconds": HALF_DAY_SECONDS,
    "hot_boost_seconds": 2 * HALF_DAY_SECONDS,
    "hot_days": DAYS_MAX,
}


@pytest.mark.parametrize("examples", [15, long(40)])
def test_hot_posts_equal_the_model(config: Config, examples: int) -> None:
    run_machine(HotMachine, config, examples, **SETTINGS)


def test_a_post_leaves_a_hashtag_whose_index_forgets_it_first(config: Config) -> None:
    machine = on_small_site(HotMachine, config, **SETTINGS)()
    machine.begin(pairs=set())
    machine.post(1, "!")
    machine.apply_events()
    machine.write_or_interact(1, "edit", 0, "! #birds", Visibility.PUBLIC)
    machine.apply_some_events(index=0, count=1, dies=False)  # the hashtag lists it
    machine.change_account(1, "protect", deletes=False)
    machine.teardown()  # the rest of the edit, and only then the new audience
