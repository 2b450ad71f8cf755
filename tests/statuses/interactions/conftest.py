"""Fixtures for tests of interactions."""

import pytest

from tests.support.world import World


@pytest.fixture
def author_booster_follower(world: World) -> tuple[int, int, int]:
    """Return ann, who writes; ben, who boosts; cid, who follows ben."""
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.do(World.follow, cid, "ben")
    return ann, ben, cid
