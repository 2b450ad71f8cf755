"""Threads: ancestors, descendants, tombstones, pages, and cursors."""

import pytest

from tests.support.schema import live_keys
from tests.support.statuses.threads import (
    ancestors,
    chain,
    content_id,
    descendants,
    page,
    profile_ids,
    reply_ids,
)
from tests.support.world import World, post
from webapp.core.errors import Forbidden, Invalid, NotFound
from webapp.statuses import keys as status_keys
from webapp.statuses.status import InReplyTo
from webapp.statuses.threads import (
    keys as thread_keys,
    replies,
    replies as cursors,
    store as threads,
)


def test_a_thread_shows_ancestors_and_descendants_depth_first(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    root = post(world, ann)
    first, second = post(world, ben, "1", root), post(world, cid, "2", root)
    under_first = post(world, cid, "1.1", first)
    under_second = post(world, ann, "2.1", second)
    deep = post(world, ben, "1.1.1", under_first)
    late = post(world, ann, "1.2", first)
    assert ancestors(world.db, deep) == [root, first, under_first]  # before projections run
    world.apply_events()
    tree = [(first, 1), (under_first, 2), (deep, 3), (late, 2), (second, 1), (under_second, 2)]
    assert [descendants(world.db, root, size) for size in (30, 6, 5, 2, 1)] == [tree] * 5
    assert descendants(world.db, first) == [(under_first, 1), (deep, 2), (late, 1)]
    assert ancestors(world.db, root) == [] and descendants(world.db, deep) == []
    assert reply_ids(world.db, root) == {first, second}
    assert reply_ids(world.db, first) == {under_first, late}
    status = world.status(deep)
    assert status.in_reply_to == InReplyTo(under_first, cid, "cid")
    assert status.reply_to_uid == cid
    assert world.status(root).replies == 2
    assert world.status(root).in_reply_to is None


def test_a_thread_page_takes_two_trips(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    root = post(world, ann)
    for status_id in [root, *chain(world, [ben, cid, ann], root, 12)]:
        post(world, cid, f"aside {status_id}", status_id)
    world.apply_events()
    middle_id = descendants(world.db, root)[5][0]
    for status_id in (root, middle_id):
        for viewer in (None, ann):
            trips = world.db.trips
            threads.thread(world.db, int(status_id), viewer, (), 30)
            assert world.db.trips - trips == 2


def test_long_chains_are_cut_with_links_to_the_rest(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    root = post(world, ann)
    links = world.do(chain, [ben, ann], root, replies.ANCESTORS_MAX + 3)
    end = page(world.db, links[-1])
    assert [content_id(part) for part in end.ancestors] == links[-replies.ANCESTORS_MAX - 1 : -1]
    assert end.earlier and end.earlier.id == links[-replies.ANCESTORS_MAX - 2]
    full = page(world.db, links[replies.ANCESTORS_MAX - 1])
    expected = [root, *links[: replies.ANCESTORS_MAX - 1]]
    assert [content_id(part) for part in full.ancestors] == expected
    assert not full.earlier
    top = page(world.db, root)
    assert [content_id(node.content) for node in top.descendants] == links[: replies.DEPTH_MAX]
    found = [node.has_more_replies for node in top.descendants]
    assert found == [False] * (replies.DEPTH_MAX - 1) + [True]
    last = page(world.db, links[-replies.DEPTH_MAX - 1])
    assert [content_id(node.content) for node in last.descendants] == links[-replies.DEPTH_MAX :]
    assert not last.descendants[-1].has_more_replies
    world.delete(ann, links[-replies.ANCESTORS_MAX - 2])
    world.delete(ben, links[-replies.ANCESTORS_MAX - 1])
    earlier = page(world.db, links[-1]).earlier
    assert earlier and earlier.id == links[-replies.ANCESTORS_MAX]  # the first that still exists


def test_a_deleted_status_leaves_a_tombstone_while_it_has_replies(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    root = post(world, ann)
    first, second, third = world.do(chain, [ben, ann], root, 3)
    world.delete(ben, first)
    for _ in range(2):  # before and after projections run
        assert descendants(world.db, root) == [("deleted", 1), (second, 2), (third, 3)]
        assert ancestors(world.db, third) == [root, "deleted", second]
        world.apply_events()
    assert reply_ids(world.db, root) == set()
    world.do(World.delete, ann, second)
    assert descendants(world.db, root) == [("deleted", 1), ("deleted", 2), (third, 3)]
    with pytest.raises(NotFound):
        page(world.db, second)
    world.delete(ben, third)
    for _ in range(2):
        assert descendants(world.db, root) == []
        world.apply_events()
    world.do(World.delete, ann, root)
    assert not [
        key
        for key in live_keys(world.db)
        if key.split(":")[0] in ("thread", "replies", "profile_replies", "status")
    ]


def test_suspended_authors_leave_tombstones_only_above_replies(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    root = post(world, ann)
    first = post(world, ben, "1", root)
    under = post(world, cid, "1.1", first)
    world.do(post, ben, "2", root)
    world.suspend(ben, True)
    found = [descendants(world.db, root, size) for size in (30, 1)]
    assert found == [[("hidden", 1), (under, 2)]] * 2
    assert ancestors(world.db, under) == [root, "hidden"]
    with pytest.raises(Forbidden):
        page(world.db, first)
    world.refuses(Forbidden, post, ann, "to one who is suspended", first)
    world.suspend(ben, False)
    assert len(descendants(world.db, root)) == 3


def test_replies_of_a_deleted_account_leave_tombstones(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    root = post(world, ann)
    first, second, third = chain(world, [ben, ann, ben], root, 3)
    own = world.do(post, ben, "to myself", third)
    assert profile_ids(world, "ben", True) == [own, third, first]
    world.delete_account(ben, None)
    for _ in range(2):
        assert descendants(world.db, root) == [("deleted", 1), (second, 2)]
        assert ancestors(world.db, second) == [root, "deleted"]
        world.apply_events()
    assert reply_ids(world.db, root) == reply_ids(world.db, second) == set()
    remaining_keys = " ".join(live_keys(world.db))
    assert status_keys.profile_replies(ben) not in remaining_keys
    assert thread_keys.thread(first) not in remaining_keys
    assert thread_keys.replies(third) not in remaining_keys
    assert world.db.run(("ZRANGE", thread_keys.thread(second), 0, -1)) == []


@pytest.mark.parametrize(
    "cursor",
    ["", "1", "1.", ".1", "1.2-", "1.2/3.4", "01.2", "1.2.3", "-", "1.x", "1.2-" * 10 + "1.2"],
)
def test_an_invalid_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(Invalid):
        cursors.parse_cursor(cursor)
    assert cursors.parse_cursor("1.2-3.4") == ((1, 2), (3, 4))
    assert cursors.parse_cursor(None) == ()
