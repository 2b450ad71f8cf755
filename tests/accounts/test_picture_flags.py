"""Which pictures are restricted follows the account, whatever changes meanwhile."""

from collections.abc import Collection

import pytest

from tests.support.world import World
from webapp.accounts import keys, projections
from webapp.config import Config
from webapp.core.media import restrictions


def test_a_suspension_that_comes_before_the_files_are_written_counts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")

    def write_late(config: Config, uid: int, flags: Collection[str]) -> None:
        world.db.run(("HSET", keys.user(ann), "suspended", 1))
        restrictions.set_member_flags(config, uid, flags)

    monkeypatch.setattr(projections, "set_member_flags", write_late)
    projections.sync_member_flags(world, ann)
    assert restrictions.is_suspended(world.config, ann)
