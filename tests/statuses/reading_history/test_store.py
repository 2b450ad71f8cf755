"""The posts that a member has opened: what is kept, in which order, and what is forgotten."""

import time

import pytest

from tests.conftest import PASSWORD
from tests.support.concurrently import at_once
from tests.support.world import World, post
from webapp.core.errors import Forbidden
from webapp.core.store import Site
from webapp.statuses.reading_history import keys, store


def open_posts(site: Site, uid: int, *status_ids: int) -> None:
    """Open posts, one after the other."""
    for status_id in status_ids:
        site.db.run(store.note_viewed(uid, status_id))


def viewed_ids(site: Site, uid: int, size: int = 2) -> list[int]:
    """Return the ids of all pages."""
    found, cursor = list[int](), None
    while True:
        _, ids = site.db.read(store.newest_viewed(uid, cursor, size))
        page = store.viewed_page(site.db, uid, ids, size)
        found += [status.id for status in page.items]
        if (cursor := page.next) is None:
            return found


def test_nothing_is_kept_until_the_member_switches_it_on(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    first, second, third = (post(world, ann, f"text {number}") for number in range(3))
    open_posts(world, ben, first)
    store.choose(world.db, ben, "clear")
    open_posts(world, ben, first)
    assert viewed_ids(world, ben) == [] and not world.db.read(store.newest_viewed(ben, None, 2))[0]
    store.choose(world.db, ben, "on")
    open_posts(world, ben, first, second, third, first)
    store.choose(world.db, ben, "on")  # no change
    assert viewed_ids(world, ben) == [first, third, second]
    store.choose(world.db, ben, "off")
    open_posts(world, ben, first)
    assert not world.db.run(("EXISTS", keys.viewed(ben)))


def test_a_view_from_before_a_clearing_that_comes_late_is_not_kept(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = post(world, ann, "text")
    store.choose(world.db, ben, "on")
    late = store.note_viewed(ben, status_id)
    time.sleep(0.002)
    open_posts(world, ben, status_id)
    store.choose(world.db, ben, "clear")
    world.db.run(late)
    assert viewed_ids(world, ben) == []
    open_posts(world, ben, status_id)
    assert viewed_ids(world, ben) == [status_id]


def test_the_oldest_of_many_goes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "VIEWED_MAX", 3)
    ann, ben = world.people("ann", "ben")
    ids = [post(world, ann, f"text {number}") for number in range(5)]
    store.choose(world.db, ben, "on")
    at_once(8, lambda number: open_posts(world, ben, ids[number % 5]), range(50))
    open_posts(world, ben, *ids)
    assert viewed_ids(world, ben, 5) == ids[:1:-1]


def test_deleted_posts_and_those_out_of_sight_are_left_out(world: World) -> None:
    ann, ben, cora = world.people("ann", "ben", "cora")
    kept, deleted, hidden = post(world, ann, "a"), post(world, ann, "b"), post(world, cora, "c")
    store.choose(world.db, ben, "on")
    open_posts(world, ben, kept, deleted, hidden)
    world.delete(ann, deleted)
    world.do(World.protect, cora, True)
    assert viewed_ids(world, ben) == [kept]
    assert world.db.run(("ZSCORE", keys.viewed(ben), deleted)) is None


def test_a_suspended_member_chooses_nothing_and_a_deleted_one_leaves_nothing(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = post(world, ann, "text")
    store.choose(world.db, ben, "on")
    open_posts(world, ben, status_id)
    world.delete_account(ben, PASSWORD)
    world.do(open_posts, ben, status_id)
    assert not world.db.run(("EXISTS", keys.viewed(ben)))
    world.suspend(ann)
    with pytest.raises(Forbidden):
        store.choose(world.db, ann, "on")
