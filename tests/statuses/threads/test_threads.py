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
from webapp.core.errors import Forbidden, Invalid, NotFound
from webapp.core.site import Site
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.status import InReplyTo
from webapp.statuses.threads import cursors, replies
from webapp.statuses.threads import keys as thread_keys
from webapp.statuses.threads import store as threads


def test_a_thread_shows_ancestors_and_descendants_depth_first(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(site, ann)
    first, second = post(site, ben, "1", root), post(site, cid, "2", root)
    under_first = post(site, cid, "1.1", first)
    under_second = post(site, ann, "2.1", second)
    deep = post(site, ben, "1.1.1", under_first)
    late = post(site, ann, "1.2", first)
    assert ancestors(site.db, deep) == [root, first, under_first]  # before projections run
    apply_events()
    tree = [(first, 1), (under_first, 2), (deep, 3), (late, 2), (second, 1), (under_second, 2)]
    assert [descendants(site.db, root, size) for size in (30, 6, 5, 2, 1)] == [tree] * 5
    assert descendants(site.db, first) == [(under_first, 1), (deep, 2), (late, 1)]
    assert ancestors(site.db, root) == [] and descendants(site.db, deep) == []
    assert reply_ids(site.db, root) == {first, second}
    assert reply_ids(site.db, first) == {under_first, late}
    status = statuses.get(site.db, deep)
    assert status.in_reply_to == InReplyTo(under_first, cid, "cid")
    assert status.reply_to_uid == cid
    assert statuses.get(site.db, root).replies == 2
    assert statuses.get(site.db, root).in_reply_to is None


def test_a_thread_page_takes_two_trips(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(site, ann)
    for status_id in [root, *chain(site, [ben, cid, ann], root, 12)]:
        post(site, cid, f"aside {status_id}", status_id)
    apply_events()
    middle_id = descendants(site.db, root)[5][0]
    for status_id in (root, middle_id):
        for viewer in (None, ann):
            trips = site.db.trips
            threads.thread(site.db, int(status_id), viewer, (), 30)
            assert site.db.trips - trips == 2


def test_long_chains_are_cut_with_links_to_the_rest(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    root = post(site, ann)
    links = chain(site, [ben, ann], root, replies.ANCESTORS_MAX + 3)
    apply_events()
    end = page(site.db, links[-1])
    assert [content_id(part) for part in end.ancestors] == links[-replies.ANCESTORS_MAX - 1 : -1]
    assert end.earlier and end.earlier.id == links[-replies.ANCESTORS_MAX - 2]
    full = page(site.db, links[replies.ANCESTORS_MAX - 1])
    assert [content_id(part) for part in full.ancestors] == [
        root,
        *links[: replies.ANCESTORS_MAX - 1],
    ]
    assert not full.earlier
    top = page(site.db, root)
    assert [content_id(node.content) for node in top.descendants] == links[: replies.DEPTH_MAX]
    assert [node.has_more_replies for node in top.descendants] == [False] * (
        replies.DEPTH_MAX - 1
    ) + [True]
    last = page(site.db, links[-replies.DEPTH_MAX - 1])
    assert [content_id(node.content) for node in last.descendants] == links[-replies.DEPTH_MAX :]
    assert not last.descendants[-1].has_more_replies
    statuses.delete(site, ann, links[-replies.ANCESTORS_MAX - 2])
    statuses.delete(site, ben, links[-replies.ANCESTORS_MAX - 1])
    earlier = page(site.db, links[-1]).earlier
    assert earlier and earlier.id == links[-replies.ANCESTORS_MAX]  # the first that still exists


def test_a_deleted_status_leaves_a_tombstone_while_it_has_replies(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    root = post(site, ann)
    first, second, third = chain(site, [ben, ann], root, 3)
    apply_events()
    statuses.delete(site, ben, first)
    for _ in range(2):  # before and after projections run
        assert descendants(site.db, root) == [("deleted", 1), (second, 2), (third, 3)]
        assert ancestors(site.db, third) == [root, "deleted", second]
        apply_events()
    assert reply_ids(site.db, root) == set()
    statuses.delete(site, ann, second)
    apply_events()
    assert descendants(site.db, root) == [("deleted", 1), ("deleted", 2), (third, 3)]
    with pytest.raises(NotFound):
        page(site.db, second)
    statuses.delete(site, ben, third)
    for _ in range(2):
        assert descendants(site.db, root) == []
        apply_events()
    statuses.delete(site, ann, root)
    apply_events()
    assert not [
        key
        for key in live_keys(site.db)
        if key.split(":")[0] in ("thread", "replies", "profile_replies", "status")
    ]


def test_suspended_authors_leave_tombstones_only_above_replies(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    root = post(site, ann)
    first = post(site, ben, "1", root)
    under = post(site, cid, "1.1", first)
    post(site, ben, "2", root)
    apply_events()
    lifecycle.suspend(site, ben, True)
    assert [descendants(site.db, root, size) for size in (30, 1)] == [
        [("hidden", 1), (under, 2)]
    ] * 2
    assert ancestors(site.db, under) == [root, "hidden"]
    with pytest.raises(Forbidden):
        page(site.db, first)
    with pytest.raises(Forbidden):
        post(site, ann, "to one who is suspended", first)
    lifecycle.suspend(site, ben, False)
    assert len(descendants(site.db, root)) == 3


def test_replies_of_a_deleted_account_leave_tombstones(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    root = post(site, ann)
    first, second, third = chain(site, [ben, ann, ben], root, 3)
    own = post(site, ben, "to myself", third)
    apply_events()
    assert profile_ids(site, "ben", True) == [own, third, first]
    lifecycle.delete_account(site, ben, None)
    for _ in range(2):
        assert descendants(site.db, root) == [("deleted", 1), (second, 2)]
        assert ancestors(site.db, second) == [
            root,
            "deleted",
        ]
        apply_events()
    assert reply_ids(site.db, root) == reply_ids(site.db, second) == set()
    remaining_keys = " ".join(live_keys(site.db))
    assert status_keys.profile_replies(ben) not in remaining_keys
    assert thread_keys.thread(first) not in remaining_keys
    assert thread_keys.replies(third) not in remaining_keys
    assert site.db.run(("ZRANGE", thread_keys.thread(second), 0, -1)) == []


@pytest.mark.parametrize(
    "cursor",
    ["", "1", "1.", ".1", "1.2-", "1.2/3.4", "01.2", "1.2.3", "-", "1.x", "1.2-" * 10 + "1.2"],
)
def test_an_invalid_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(Invalid):
        cursors.parse_cursor(cursor)
    assert cursors.parse_cursor("1.2-3.4") == ((1, 2), (3, 4))
    assert cursors.parse_cursor(None) == ()
