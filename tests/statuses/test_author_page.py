"""A profile without replies looks through a bounded part of its restricted lists, and leads on."""

from itertools import islice

import pytest

from tests.support import paging
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.accounts import store as accounts
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.visibility import author_page
from webapp.timelines.profile import ProfileQuery, profile_page


@pytest.mark.parametrize("scan_max", [1, 8, 1_000])
def test_restricted_replies_are_skipped_over_several_pages(
    world: World, monkeypatch: pytest.MonkeyPatch, scan_max: int
) -> None:
    monkeypatch.setattr(author_page, "SCAN_MAX", scan_max)
    small = with_settings(world, page_size=2, pinned_max=0)
    ann, ben, cid = world.people("ann", "ben", "cid")
    parent = post(world, ben, Visibility.PUBLIC)
    world.follow(cid, "ann")
    visible_ids = []
    for number in range(30):
        if number % 9 == 0:
            visible_ids.append(post(world, ann, Visibility.FOLLOWERS))
        elif number % 7 == 0:
            visible_ids.append(post(world, ann, Visibility.PUBLIC))
        else:
            post(world, ann, Visibility.FOLLOWERS, parent)
    ids, pages = walk(small, cid)
    assert ids == visible_ids[::-1]
    assert pages > 5 if scan_max == 1 else pages <= 5
    public, _ = walk(small, 0)
    assert len(public) == 4


FORMS = iter(range(1_000_000))


def post(site: Site, uid: int, visibility: Visibility, reply: int | None = None) -> int:
    """Post, and return the id."""
    form = f"form-{next(FORMS)}"
    return statuses.post(site, uid, parse(form), form, visibility=visibility, reply=reply)


def walk(site: Site, viewer_uid: int) -> tuple[list[int], int]:
    """Return the ids on all pages of a profile, and how many pages there are."""
    viewer = site.db.read(accounts.get(viewer_uid)) if viewer_uid else None
    read = lambda before: profile_page(site, ProfileQuery("ann", viewer, before)).timeline
    found = list(islice(paging.pages(read), 101))
    assert len(found) <= 100, "it leads on for ever"
    return [item.id for page in found for item in page.items], len(found)
