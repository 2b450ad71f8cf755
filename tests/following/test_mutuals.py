"""The page of those who follow a member and are followed back."""

import re
from typing import Any

import pytest

from tests.support import paging
from tests.support.world import Web, World
from webapp.core.store import Db
from webapp.following import follow_lists
from webapp.following.follow_lists import load_follow_page
from webapp.following.store import follow, unfollow


@pytest.fixture(params=[3, 1_000])
def sample(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many follows a page looks through."""
    monkeypatch.setattr(follow_lists, "MUTUAL_SAMPLE", request.param)
    return int(request.param)


def mutuals(db: Db, uid: int, size: int = 2, viewer: int | None = None) -> list[str]:
    """Return the logins on all pages."""

    def read(before: int | None) -> Any:
        found = load_follow_page(db, "mutuals", uid, before, size, viewer)
        assert found and len(found.page.items) <= size
        return found.page

    return [member.login for member in paging.items(read)]


def test_pages_hold_mutual_follows_newest_first(world: World, sample: int) -> None:
    logins = [f"m{number}" for number in range(9)]
    ann, *others = world.people("ann", *logins)
    for number, login in enumerate(logins):
        follow(world, ann, login)
        if number % 2 == 0:
            follow(world, others[number], "ann")
    world.apply_events()
    assert mutuals(world.db, ann) == ["m8", "m6", "m4", "m2", "m0"]
    assert mutuals(world.db, others[0]) == ["ann"] and mutuals(world.db, others[1]) == []
    world.do(unfollow, others[4], "ann")
    assert mutuals(world.db, ann) == ["m8", "m6", "m2", "m0"]


def test_it_is_seen_by_those_who_see_the_followers(web: Web) -> None:
    ann, ben, cas = map(web.member, ("ann", "ben", "cas"))
    ann.post("/@ben/follow")
    ben.post("/@ann/follow")
    visitor = ann.application.test_client()
    for client in (ann, ben, cas, visitor):
        page = client.get("/@ann/mutuals").text
        assert re.findall(r'class="person-link" href="/@(\w+)"', page) == ["ben"]
    ann.post("/settings/privacy", data={"protected": "y"})
    for client in (ann, ben):
        assert 'href="/@ben"' in client.get("/@ann/mutuals").text
    for client in (cas, visitor):
        assert "This list is protected" in client.get("/@ann/mutuals").text
    assert cas.get("/@nobody/mutuals").status_code == 404
    assert cas.get("/@ann/mutuals?max_id=x").status_code == 422
    assert cas.get("/@ANN/mutuals").location.endswith("/@ann/mutuals")
