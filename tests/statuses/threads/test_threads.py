"""Threads: ancestors, descendants, tombstones, pages, and cursors."""

from __future__ import annotations

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.schema import live_keys
from tests.support.statuses.threads import (
    ancestors,
    chain,
    content_id,
    descendants,
    page,
    post,
    profile_ids,
    reply_ids,
)
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.errors import Forbidden, Invalid, NotFound
from webapp.core.store.client import Db
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.status import InReplyTo
from webapp.statuses.threads import cursors, replies
from webapp.statuses.threads import keys as thread_keys
from webapp.statuses.threads import store as threads


def test_a_thread_shows_ancestors_and_descendants_depth_first(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    first, second = post(db, config, ben, "1", root), post(db, config, cid, "2", root)
    under_first = post(db, config, cid, "1.1", first)
    under_second = post(db, config, ann, "2.1", second)
    deep = post(db, config, ben, "1.1.1", under_first)
    late = post(db, config, ann, "1.2", first)
    assert ancestors(db, deep) == [root, first, under_first]  # before projections run
    apply_events()
    tree = [(first, 1), (under_first, 2), (deep, 3), (late, 2), (second, 1), (under_second, 2)]
    assert [descendants(db, root, size) for size in (30, 6, 5, 2, 1)] == [tree] * 5
    assert descendants(db, first) == [(under_first, 1), (deep, 2), (late, 1)]
    assert ancestors(db, root) == [] and descendants(db, deep) == []
    assert reply_ids(db, root) == {first, second}
    assert reply_ids(db, first) == {under_first, late}
    status = statuses.get(db, deep)
    assert status.in_reply_to == InReplyTo(under_first, cid, "cid")
    assert status.reply_to_uid == cid
    assert statuses.get(db, root).replies == 2
    assert statuses.get(db, root).in_reply_to is None


def test_a_thread_page_takes_two_trips(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    for status_id in [root, *chain(db, config, [ben, cid, ann], root, 12)]:
        post(db, config, cid, f"aside {status_id}", status_id)
    apply_events()
    middle_id = descendants(db, root)[5][0]
    for status_id in (root, middle_id):
        for viewer in (None, ann):
            trips = db.trips
            threads.thread(db, int(status_id), viewer, (), 30)
            assert db.trips - trips == 2


def test_long_chains_are_cut_with_links_to_the_rest(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    root = post(db, config, ann)
    links = chain(db, config, [ben, ann], root, replies.ANCESTORS_MAX + 3)
    apply_events()
    end = page(db, links[-1])
    assert [content_id(part) for part in end.ancestors] == links[-replies.ANCESTORS_MAX - 1 : -1]
    assert end.earlier and end.earlier.id == links[-replies.ANCESTORS_MAX - 2]
    full = page(db, links[replies.ANCESTORS_MAX - 1])
    assert [content_id(part) for part in full.ancestors] == [
        root,
        *links[: replies.ANCESTORS_MAX - 1],
    ]
    assert not full.earlier
    top = page(db, root)
    assert [content_id(node.content) for node in top.descendants] == links[: replies.DEPTH_MAX]
    assert [node.has_more_replies for node in top.descendants] == [False] * (
        replies.DEPTH_MAX - 1
    ) + [True]
    last = page(db, links[-replies.DEPTH_MAX - 1])
    assert [content_id(node.content) for node in last.descendants] == links[-replies.DEPTH_MAX :]
    assert not last.descendants[-1].has_more_replies
    statuses.delete(db, config, ann, links[-replies.ANCESTORS_MAX - 2])
    statuses.delete(db, config, ben, links[-replies.ANCESTORS_MAX - 1])
    earlier = page(db, links[-1]).earlier
    assert earlier and earlier.id == links[-replies.ANCESTORS_MAX]  # the first that still exists


def test_a_deleted_status_leaves_a_tombstone_while_it_has_replies(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    root = post(db, config, ann)
    first, second, third = chain(db, config, [ben, ann], root, 3)
    apply_events()
    statuses.delete(db, config, ben, first)
    for _ in range(2):  # before and after projections run
        assert descendants(db, root) == [("deleted", 1), (second, 2), (third, 3)]
        assert ancestors(db, third) == [root, "deleted", second]
        apply_events()
    assert reply_ids(db, root) == set()
    statuses.delete(db, config, ann, second)
    apply_events()
    assert descendants(db, root) == [("deleted", 1), ("deleted", 2), (third, 3)]
    with pytest.raises(NotFound):
        page(db, second)
    statuses.delete(db, config, ben, third)
    for _ in range(2):
        assert descendants(db, root) == []
        apply_events()
    statuses.delete(db, config, ann, root)
    apply_events()
    assert not [
        key
        for key in live_keys(db)
        if key.split(":")[0] in ("thread", "replies", "profile_replies", "status")
    ]


def test_suspended_authors_leave_tombstones_only_above_replies(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(db, config, ann)
    first = post(db, config, ben, "1", root)
    under = post(db, config, cid, "1.1", first)
    post(db, config, ben, "2", root)
    apply_events()
    lifecycle.suspend(db, config, ben, True)
    assert [descendants(db, root, size) for size in (30, 1)] == [[("hidden", 1), (under, 2)]] * 2
    assert ancestors(db, under) == [root, "hidden"]
    with pytest.raises(Forbidden):
        page(db, first)
    with pytest.raises(Forbidden):
        post(db, config, ann, "to one who is suspended", first)
    lifecycle.suspend(db, config, ben, False)
    assert len(descendants(db, root)) == 3


def test_replies_of_a_deleted_account_leave_tombstones(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    root = post(db, config, ann)
    first, second, third = chain(db, config, [ben, ann, ben], root, 3)
    own = post(db, config, ben, "to myself", third)
    apply_events()
    assert profile_ids(db, config, "ben", True) == [own, third, first]
    lifecycle.delete_account(db, config, ben, None)
    for _ in range(2):
        assert descendants(db, root) == [("deleted", 1), (second, 2)]
        assert ancestors(db, second) == [
            root,
            "deleted",
        ]
        apply_events()
    assert reply_ids(db, root) == reply_ids(db, second) == set()
    remaining_keys = " ".join(live_keys(db))
    assert status_keys.profile_replies(ben) not in remaining_keys
    assert thread_keys.thread(first) not in remaining_keys
    assert thread_keys.replies(third) not in remaining_keys
    assert db.run(("ZRANGE", thread_keys.thread(second), 0, -1)) == []


@pytest.mark.parametrize(
    "cursor",
    ["", "1", "1.", ".1", "1.2-", "1.2/3.4", "01.2", "1.2.3", "-", "1.x", "1.2-" * 10 + "1.2"],
)
def test_an_invalid_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(Invalid):
        cursors.parse_cursor(cursor)
    assert cursors.parse_cursor("1.2-3.4") == ((1, 2), (3, 4))
    assert cursors.parse_cursor(None) == ()
