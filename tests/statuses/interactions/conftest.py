"""Fixtures for tests of interactions."""

from __future__ import annotations

import pytest

from tests.conftest import ApplyEvents, People
from webapp.core.site import Site
from webapp.following import store as following


@pytest.fixture
def author_booster_follower(
    site: Site, people: People, apply_events: ApplyEvents
) -> tuple[int, int, int]:
    """Return ann, who writes; ben, who boosts; cid, who follows ben."""
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(site, cid, "ben")
    apply_events()
    return ann, ben, cid
