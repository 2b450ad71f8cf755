"""Groups to test with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from webapp.community.groups import store
from webapp.community.groups.models import Voting
from webapp.core.site import Site
from webapp.statuses.visibility.groups import GroupKind

MakeGroup = Callable[..., int]  # the fixture `make_group`


@pytest.fixture
def make_group(site: Site, apply_events: Callable[[], None]) -> MakeGroup:
    """Make a group of an owner with these members. Return its number."""

    def make(owner: int, *members: int, slug: str = "birders", **options: Any) -> int:
        kind = options.get("kind", GroupKind.OPEN)
        voting = options.get("voting", Voting.BOTH)
        gid = store.create(site, owner, slug, slug.title(), "", kind, voting)
        for uid in members:
            if not store.join(site, uid, gid):
                store.answer(site, owner, gid, uid, accept=True)
        apply_events()
        return gid

    return make
