"""Bookmarks in the store: private lists, pages and limits."""

import random

import pytest

from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.interactions import bookmarked_ids, like_state
from tests.support.world import World, post
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.events import keys as event_keys
from webapp.core.store import partition_of
from webapp.statuses.interactions import bookmarks, keys as interaction_keys
from webapp.streaming import keys as stream_keys


def test_pages_of_bookmarks_are_full_and_newest_first(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    ids = [post(world, ann if number % 3 else cid, f"text {number}") for number in range(12)]
    order = random.Random(3).sample(ids, len(ids))
    for status_id in order:
        bookmarks.bookmark(world, ben, status_id)
        bookmarks.bookmark(world, ben, status_id)
    world.like(ben, order[-1])
    assert bookmarked_ids(world.db, ben) == order[::-1]
    page = bookmarks.bookmarks_page(world.db, ben, None, 3)
    assert page.viewer_state.liked == {order[-1]}
    assert {status.id for status in page.items} <= page.viewer_state.bookmarked
    for status_id in order[-6:-1]:  # the newest but one
        world.delete(ann if ids.index(status_id) % 3 else cid, status_id)
    assert bookmarked_ids(world.db, ben) == [order[-1], *order[-7::-1]]
    # Deleted statuses were removed.
    assert world.db.run(("ZCARD", interaction_keys.bookmarks(ben))) == 7
    world.do(World.suspend, cid)
    by_ann = [status_id for status_id in (order[-1], *order[-7::-1]) if ids.index(status_id) % 3]
    assert bookmarked_ids(world.db, ben) == by_ann
    world.suspend(cid, False)
    assert bookmarked_ids(world.db, ben) == [order[-1], *order[-7::-1]]  # hidden, not lost
    bookmarks.unbookmark(world, ben, order[0])
    bookmarks.unbookmark(world, ben, order[0])
    assert bookmarked_ids(world.db, ben) == [order[-1], *order[-7:0:-1]]


def test_bookmarks_are_limited_and_forbidden_ones_refused(world: World) -> None:
    bounded = with_settings(world, bookmarks_max=2)
    ann, ben = world.people("ann", "ben")
    ids = [post(world, ann, f"text {number}") for number in range(3)]
    for status_id in ids[:2]:
        bookmarks.bookmark(bounded, ben, status_id)
    with pytest.raises(Conflict) as refusal:
        bookmarks.bookmark(bounded, ben, ids[2])
    assert "Remove one first" in str(refusal.value.sentence)
    bookmarks.bookmark(bounded, ben, ids[0])  # no change
    world.refuses(NotFound, bookmarks.bookmark, ben, 2**53 - 1)
    world.suspend(ann)
    world.refuses(Forbidden, bookmarks.bookmark, ben, ids[2])
    world.suspend(ann, False)
    world.suspend(ben)
    world.refuses(Forbidden, bookmarks.bookmark, ben, ids[2])
    assert bookmarked_ids(world.db, ben) == ids[1::-1]


def test_a_bookmark_changes_only_the_members_own_list(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = world.do(post, ann)
    before = (
        set(live_keys(world.db)),
        world.db.trip(
            *(("XLEN", event_keys.outbox(partition)) for partition in range(64)),
            ("XLEN", stream_keys.event_log()),
        ),
    )
    bookmarks.bookmark(world, ben, status_id)
    after = (
        set(live_keys(world.db)),
        world.db.trip(
            *(("XLEN", event_keys.outbox(partition)) for partition in range(64)),
            ("XLEN", stream_keys.event_log()),
        ),
    )
    outbox = event_keys.outbox(partition_of(ben))
    assert after[0] - before[0] - {outbox} == {interaction_keys.bookmarks(ben)}
    world.apply_events()
    seen = world.db.run(("XLEN", stream_keys.event_log()))
    assert seen == before[1][-1], "open pages learn nothing"
    assert like_state(world.db, status_id, ben) == (0, False, True)
    found = [like_state(world.db, status_id, viewer) for viewer in (ann, cid, None)]
    assert found == [(0, False, False)] * 3
    assert bookmarked_ids(world.db, ann) == bookmarked_ids(world.db, cid) == []
