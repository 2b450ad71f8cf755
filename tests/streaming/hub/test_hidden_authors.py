"""The authors that a stream leaves out."""

import pytest

from tests.support.streaming.messages import update
from tests.support.world import World
from webapp.following.mutes import store as mutes
from webapp.streaming.delivery import hidden_authors
from webapp.streaming.hub.page_topics import Public


def test_an_author_who_is_muted_for_a_while_may_be_a_blocker_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    for blocker in (ben, cat):
        world.do(World.block, blocker, "ann")
    mutes.mute(world, ann, "ben", seconds=60)
    monkeypatch.setattr(hidden_authors, "BLOCKERS_MAX", 1)
    hidden = world.db.read(hidden_authors.hidden_authors(ann, Public()))
    message = update(1, ben)
    assert hidden.unknown_authors([message]) == [ben]
    world.db.read(hidden.look_up([ben]))
    assert hidden.unknown_authors([message]) == [] and hidden.until[ben] == hidden_authors.inf
