"""Groups to test with."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.world import World
from webapp.community.groups import store
from webapp.community.groups.models import Voting
from webapp.statuses.visibility.groups import GroupKind

MakeGroup = Callable[..., int]  # the fixture `make_group`


@pytest.fixture
def make_group(world: World) -> MakeGroup:
    """Make a group of an owner with these members. Return its number."""

    def make(owner: int, *members: int, slug: str = "birders", **options: Any) -> int:
        kind = options.get("kind", GroupKind.OPEN)
        voting = options.get("voting", Voting.BOTH)
        gid = store.create(world, owner, slug, slug.title(), "", kind, voting)
        for uid in members:
            if not store.join(world, uid, gid):
                store.answer(world, owner, gid, uid, accept=True)
        world.apply_events()
        return gid

    return make
