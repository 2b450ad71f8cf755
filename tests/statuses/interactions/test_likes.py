"""Likes and bookmarks: kept by who gives them; likes are mirrored to the status, whose count is that of the set."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from tests.following.test_blocks import Dying, Killed
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.timelines import home_timeline
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, NotFound, Unavailable
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import by_ids
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.hydration import complete
from webapp.statuses.interactions import bookmarks, like_projections, likers, likes
from webapp.statuses.interactions import keys as interaction_keys
from webapp.streaming import keys as stream_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page

People = Callable[..., list[int]]
Settle = Callable[[], None]


def post(db: Db, config: Config, uid: int, text: str = "hi") -> int:
    return statuses.post(db, config, uid, parse(text), f"form-{text}")


def mirrored(db: Db, status_id: int) -> set[int]:
    """Who likes a status, as its list says; the number that the status itself says is held to it."""
    uids, number = db.trip(
        ("ZRANGE", interaction_keys.likers(status_id), 0, -1),
        ("HGET", status_keys.status(status_id), "likes"),
    )
    assert int(number or 0) == len(uids) and number != "0"
    return set(map(int, uids))


def own(db: Db, uid: int) -> list[int]:
    """What a member likes, as their own list says, oldest first."""
    return list(map(int, db.run(("ZRANGE", interaction_keys.member_likes(uid), 0, -1))))


def looks(db: Db, status_id: int, viewer: int | None) -> tuple[int, bool, bool]:
    """What a viewer is shown: how many likes; whether they like it themselves; whether they have bookmarked it."""
    status, acts = statuses.get_with_state(db, status_id, viewer)
    return (
        acts.like_count(status_id, status.likes),
        status_id in acts.liked,
        status_id in acts.bookmarked,
    )


def names(liking: likers.LikersPage) -> list[str]:
    return [member.login for member in liking.page.items]


def test_a_like_is_counted_and_shown_to_all_and_taken_back(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = post(db, config, ann)
    assert likes.like(db, config, ben, status_id).uid == ann
    likes.like(db, config, ann, status_id)
    settle()
    assert mirrored(db, status_id) == {ann, ben} and own(db, ben) == own(db, ann) == [status_id]
    assert looks(db, status_id, ben) == (2, True, False) and looks(db, status_id, cid) == (
        2,
        False,
        False,
    )
    assert looks(db, status_id, None) == (2, False, False)
    likes.unlike(db, config, ben, status_id)
    settle()
    assert mirrored(db, status_id) == {ann} and own(db, ben) == []
    likes.unlike(db, config, ann, status_id)
    settle()
    assert mirrored(db, status_id) == set() and looks(db, status_id, ann) == (0, False, False)
    assert not {interaction_keys.likers(status_id), interaction_keys.member_likes(ann)} & set(
        live_keys(db)
    )


def test_again_is_no_change_and_tells_nobody(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    status_id, outbox = post(db, config, ann), event_keys.outbox(partition_of(ben))
    for act, told in ((likes.like, 1), (likes.like, 0), (likes.unlike, 1), (likes.unlike, 0)):
        before = db.run(("XLEN", outbox))
        act(db, config, ben, status_id)
        was = db.run(("ZRANGE", interaction_keys.member_likes(ben), 0, -1, "WITHSCORES"))
        assert db.run(("XLEN", outbox)) - before == told
        act(db, config, ben, status_id)
        assert db.run(("ZRANGE", interaction_keys.member_likes(ben), 0, -1, "WITHSCORES")) == was


def test_ones_own_act_shows_at_once_on_every_page_whatever_waits(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")
    status_id = post(db, config, ann)
    likes.like(db, config, cid, status_id)
    settle()
    member = statuses.get(db, status_id).author
    reader = replace(member, uid=ben, login="ben")

    def pages() -> set[tuple[int, bool]]:
        shown = [
            home_timeline(db, config, ben),
            timelines.public(db, config, viewer=ben),
            profile_page(db, config, "ann", reader).timeline,
        ]
        found = {
            (page.viewer_state.like_count(one.id, one.likes), one.id in page.viewer_state.liked)
            for page in shown
            for one in page.items
        }
        return found | {looks(db, status_id, ben)[:2]}

    for act, expected in (
        (likes.like, (2, True)),
        (likes.unlike, (1, False)),
        (likes.like, (2, True)),
    ):
        act(db, config, ben, status_id)
        assert pages() == {expected}
        settle()
        assert pages() == {expected}
        assert looks(db, status_id, cid) == (expected[0], True, False)


def test_pages_take_one_more_trip_only_for_what_their_reader_did_just_now(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for login in ("ann", "cid"):
        following.follow(db, config, ben, login)
    following.follow(db, config, cid, "ann")  # so that Ann's profile names Cid to Ben
    ids = [post(db, config, ann, f"text {n}") for n in range(9)]
    settle()
    for status_id in ids[::2]:
        likes.like(db, config, ben, status_id)
        bookmarks.bookmark(db, config, ben, status_id)
    settle()
    reader = replace(statuses.get(db, ids[0]).author, uid=ben, login="ben")
    reads = (
        (lambda: home_timeline(db, config, ben), 2),
        (lambda: timelines.public(db, config, viewer=ben), 2),
        (lambda: profile_page(db, config, "ann", reader), 4),
        (lambda: statuses.get_with_state(db, ids[0], ben), 2),
        (lambda: db.read(complete(ben, *by_ids.fetch(db, dict.fromkeys(ids, 0), ben))), 2),
        (lambda: bookmarks.bookmarks_page(db, ben, None, 30), 3),
    )
    for just_now in (1, 0):
        for read, most in reads:
            trips = db.trips
            read()
            assert db.trips - trips == most + just_now
        db.run(("DEL", interaction_keys.recent_interactions(ben)))  # as a minute does
    for other in (
        lambda: likers.likers(db, ids[0], None, 30, ben),
        lambda: likes.like(db, config, ben, ids[1]),
    ):
        trips = db.trips
        other()
        assert db.trips - trips == 3


def test_what_was_done_just_now_is_forgotten_in_a_minute(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    first, second = post(db, config, ann, "one"), post(db, config, ann, "two")
    likes.like(db, config, ben, first)
    assert 0 < db.run(("TTL", interaction_keys.recent_interactions(ben))) <= 60
    db.run(
        (
            "ZADD",
            interaction_keys.recent_interactions(ben),
            "XX",
            int(db.run(("ZSCORE", interaction_keys.recent_interactions(ben), first))) - 60_001,
            first,
        )
    )
    likes.like(db, config, ben, second)
    assert db.run(("ZRANGE", interaction_keys.recent_interactions(ben), 0, -1)) == [str(second)]


def test_a_merged_authors_statuses_tell_what_their_reader_did(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    config = replace(config, push_max_followers=1, merged_seconds=60)
    ann, ben, cid = people("ann", "ben", "cid")
    for uid in (ben, cid):
        following.follow(db, config, uid, "ann")
        worker.drain(db, config)
    status_id = post(db, config, ann)
    likes.like(db, config, ben, status_id)
    worker.drain(db, config)
    for _ in "12":  # read anew, and as it was kept for all
        for reader, liked in ((ben, True), (cid, False)):
            page = home_timeline(db, config, reader)
            assert [one.id for one in page.items] == [status_id]
            assert (
                status_id in page.viewer_state.liked,
                page.viewer_state.like_count(status_id, page.items[0].likes),
            ) == (liked, 1)


def test_what_cannot_be_liked_is_refused_and_nothing_is_written(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    status_id, by_ben, by_dot = post(db, config, ann), post(db, config, ben), post(db, config, dot)
    gone = post(db, config, ann, "goes")
    statuses.delete(db, config, ann, gone)
    blocks.block(db, config, ann, "ben")  # and nothing is applied yet
    lifecycle.suspend(db, config, cid)
    lifecycle.suspend(db, config, dot)

    def refused(kind: type[Exception], uid: int, about: int, **settings: int) -> str:
        with pytest.raises(kind) as refusal:
            likes.like(db, replace(config, **settings), uid, about)
        assert own(db, uid) == []
        return str(getattr(refusal.value, "sentence", ""))

    assert (
        refused(Forbidden, ben, status_id)
        == refused(Forbidden, ann, by_ben)
        == "You can’t like this post."
    )
    settle()
    assert (
        refused(Forbidden, ben, status_id)
        == refused(Forbidden, ann, by_ben)
        == "You can’t like this post."
    )
    refused(Forbidden, cid, status_id)
    refused(Forbidden, ann, by_dot)
    refused(NotFound, ben, gone)
    refused(NotFound, ben, 2**53 - 1)
    likes.unlike(db, config, ben, gone)
    lifecycle.delete_account(db, config, cid, None)
    refused(NotFound, cid, status_id)
    post(db, config, ben, "waits")
    refused(Unavailable, ben, by_ben, outbox_max=1)


def test_a_block_leaves_likes_that_were_given(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    status_id, by_ben = post(db, config, ann), post(db, config, ben)
    likes.like(db, config, ben, status_id)
    likes.like(db, config, ann, by_ben)
    blocks.block(db, config, ann, "ben")
    settle()
    assert mirrored(db, status_id) == {ben} and mirrored(db, by_ben) == {ann}
    assert (
        names(likers.likers(db, status_id, None, 30, ann)) == []
    )  # but she need not see who it was
    assert names(likers.likers(db, status_id, None, 30, None)) == ["ben"]
    assert names(likers.likers(db, by_ben, None, 30, ben)) == []
    likes.unlike(db, config, ben, status_id)
    settle()
    assert mirrored(db, status_id) == set()


def test_above_its_bound_the_oldest_like_is_taken_back_on_both_sides(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    few = replace(config, likes_max=3)
    ann, ben = people("ann", "ben")
    ids = [post(db, config, ann, f"text {n}") for n in range(5)]
    for status_id in ids:
        likes.like(db, few, ben, status_id)
        settle()
    assert own(db, ben) == ids[2:]
    assert [mirrored(db, status_id) for status_id in ids] == [set(), set(), {ben}, {ben}, {ben}]
    likes.like(db, replace(config, likes_max=1), ben, ids[0])
    settle()
    assert own(db, ben) == [ids[0]]
    assert [mirrored(db, status_id) for status_id in ids] == [{ben}, set(), set(), set(), set()]


def test_a_storm_of_clicks_ends_with_the_count_of_the_set(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    members = people(*(f"bird{n}" for n in range(50)))
    ids = [post(db, config, uid) for uid in members[:2]]
    chance = random.Random(7)
    clicks = [
        (chance.choice((likes.like, likes.unlike)), uid, chance.choice(ids))
        for uid in members
        for _ in range(4)
    ]
    chance.shuffle(clicks)
    assert len(clicks) == 200

    def click(one: tuple[Callable[..., Any], int, int]) -> None:
        one[0](db, config, *one[1:])

    with ThreadPoolExecutor(50) as pool:
        waiting = [pool.submit(click, one) for one in clicks]
        pool.submit(settle).result()
        for future in waiting:
            future.result()
    settle()
    for status_id in ids:
        truth = {uid for uid in members if status_id in own(db, uid)}
        assert mirrored(db, status_id) == truth and 0 < len(truth) < 50
        assert looks(db, status_id, None)[0] == len(truth)
        assert all(looks(db, status_id, uid)[:2] == (len(truth), uid in truth) for uid in members)


def event(kind: str, uid: int, status_id: int, token: int = 1) -> Event:
    data = {"uid": str(uid), "id": str(status_id), "author": "0"}
    return Event("1-1", partition_of(uid), "log", token, kind, "-", data)


def test_events_applied_twice_or_in_any_order_tell_the_truth_of_now(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    status_id, other = post(db, config, ann), post(db, config, ann, "other")
    context = Context(db, config, lambda: None)
    likes.like(db, config, ben, status_id)
    likes.unlike(db, config, ben, status_id)
    likes.like(db, config, ben, other)
    given, taken = event("liked", ben, status_id), event("unliked", ben, status_id)
    for run in ([taken], [given], [given, given], [taken, given], [event("unliked", ben, other)]):
        like_projections.sync_likers(context, run)
        like_projections.sync_likers(context, run)
    assert (mirrored(db, status_id), mirrored(db, other)) == (set(), {ben})


def test_a_worker_that_lost_its_lease_brings_back_no_like(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(db, config, ann)
    likes.like(db, config, ben, status_id)
    late = like_projections._sync_like(event("liked", ben, status_id, 1), ben, status_id, "1")
    likes.unlike(db, config, ben, status_id)
    like_projections.sync_likers(
        Context(db, config, lambda: None), [event("unliked", ben, status_id, 2)]
    )
    assert "LEASELOST" in str(db.trip_with_errors([late])[0]) and mirrored(db, status_id) == set()


@pytest.mark.parametrize("applied", ["sync_likers", "purge_deleted_account"])
def test_a_worker_that_dies_between_any_two_trips_leaves_nothing_undone(
    applied: str,
    db: Db,
    config: Config,
    people: People,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(like_projections, "BATCH", 2)
    projection = getattr(like_projections, applied)
    for at in count():
        ann, ben = people(f"ann{at}", f"ben{at}")
        ids = [post(db, config, ann, f"text {n}") for n in range(5)]
        for status_id in ids:
            likes.like(db, config, ben, status_id)
        run = [event("liked", ben, status_id) for status_id in ids]
        if applied == "purge_deleted_account":
            settle()
            assert all(mirrored(db, status_id) == {ben} for status_id in ids)
            bookmarks.bookmark(db, config, ben, ids[0])
            lifecycle.delete_account(db, config, ben, None)
            held = db.run(("HGET", event_keys.lease(partition_of(ben), "log"), "token"))
            run = [event("removed", ben, 0, int(held))]
        died = False
        try:
            projection(Context(Dying(db, at), config, lambda: None), run)
        except Killed:
            died = True
        projection(Context(db, config, lambda: None), run)
        liker = set() if applied == "purge_deleted_account" else {ben}
        assert all(mirrored(db, status_id) == liker for status_id in ids)
        assert own(db, ben) == ([] if applied == "purge_deleted_account" else ids)
        settle()
        if not died:
            assert at > 1
            return


def test_a_deleted_status_takes_its_likes_along_and_a_late_one_leaves_nothing(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = post(db, config, ann)
    likes.like(db, config, ben, status_id)
    settle()
    likes.like(db, config, cid, status_id)  # not applied when the status goes
    statuses.delete(db, config, ann, status_id)
    assert not db.run(("EXISTS", interaction_keys.likers(status_id)))
    settle()
    likes.unlike(db, config, ben, status_id)
    settle()
    assert not any(
        db.trip(
            ("EXISTS", interaction_keys.likers(status_id)),
            ("EXISTS", status_keys.status(status_id)),
        )
    )
    with pytest.raises(NotFound):
        likers.likers(db, status_id, None, 30, None)


def test_likes_and_deletions_at_once_leave_no_list_without_a_status(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, *others = people("ann", *(f"bird{n}" for n in range(8)))
    ids = [post(db, config, ann, f"text {n}") for n in range(6)]

    def like(one: tuple[int, int]) -> None:
        try:
            likes.like(db, config, *one)
        except NotFound:
            assert one[1] in ids[::2]

    with ThreadPoolExecutor(16) as pool:
        waiting = [pool.submit(like, (uid, status_id)) for status_id in ids for uid in others]
        waiting += [
            pool.submit(statuses.delete, db, config, ann, status_id) for status_id in ids[::2]
        ]
        waiting.append(pool.submit(settle))
        for future in waiting:
            future.result()
    settle()
    assert {key for key in live_keys(db) if key.startswith("likes:")} == {
        interaction_keys.likers(one) for one in ids[1::2]
    }
    assert all(mirrored(db, status_id) == set(others) for status_id in ids[1::2])
    assert all(not db.run(("EXISTS", status_keys.status(status_id))) for status_id in ids[::2])


def test_who_is_suspended_stays_counted_and_is_not_listed_and_who_is_removed_leaves(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = post(db, config, ann)
    for uid in (ben, cid):
        likes.like(db, config, uid, status_id)
        settle()
    following.follow(db, config, ann, "cid")
    found = likers.likers(db, status_id, None, 30, ann)
    assert (names(found), found.count, found.followed_uids, found.author.uid) == (
        ["cid", "ben"],
        2,
        {cid},
        ann,
    )
    lifecycle.suspend(db, config, cid)
    settle()
    found = likers.likers(db, status_id, None, 30, None)
    assert (names(found), found.count) == (["ben"], 2)
    bookmarks.bookmark(db, config, ben, status_id)
    lifecycle.delete_account(db, config, ben, None)
    assert names(likers.likers(db, status_id, None, 30, None)) == []  # at once
    settle()
    assert mirrored(db, status_id) == {cid}
    assert not any(
        db.trip(
            ("EXISTS", interaction_keys.member_likes(ben)),
            ("EXISTS", interaction_keys.bookmarks(ben)),
        )
    )
    lifecycle.delete_account(db, config, ann, None)
    settle()
    assert not [key for key in live_keys(db) if key.startswith(("likes:", "status:"))]


def test_those_who_like_a_status_are_paged_newest_first_and_never_repeat(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, *others = people("ann", *(f"bird{n}" for n in range(7)))
    status_id = post(db, config, ann)
    for uid in others:
        likes.like(db, config, uid, status_id)
    settle()
    found, cursor = list[str](), None
    for _ in range(3):
        liking = likers.likers(db, status_id, cursor, 3, ann)
        found += names(liking)
        cursor = liking.page.next
    assert sorted(found) == [f"bird{n}" for n in range(7)] and cursor is None


def kept(db: Db, uid: int, size: int = 2) -> list[int]:
    """All of a member's bookmarks, page by page; none but the last may be short."""
    found, cursor = list[int](), None
    while True:
        page = bookmarks.bookmarks_page(db, uid, cursor, size)
        found += [status.id for status in page.items]
        cursor = page.next
        if cursor is None:
            return found
        assert len(page.items) == size


def test_bookmarks_are_listed_newest_first_and_pages_are_never_short(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    ids = [post(db, config, ann if n % 3 else cid, f"text {n}") for n in range(12)]
    order = random.Random(3).sample(ids, len(ids))
    for status_id in order:
        bookmarks.bookmark(db, config, ben, status_id)
        bookmarks.bookmark(db, config, ben, status_id)
    likes.like(db, config, ben, order[-1])
    assert kept(db, ben) == order[::-1]
    page = bookmarks.bookmarks_page(db, ben, None, 3)
    assert (
        page.viewer_state.liked == {order[-1]}
        and {one.id for one in page.items} <= page.viewer_state.bookmarked
    )
    for status_id in order[-6:-1]:  # the newest but one
        statuses.delete(db, config, ann if ids.index(status_id) % 3 else cid, status_id)
    assert kept(db, ben) == [order[-1], *order[-7::-1]]
    assert db.run(("ZCARD", interaction_keys.bookmarks(ben))) == 7  # what is gone was taken off
    lifecycle.suspend(db, config, cid)
    settle()
    by_ann = [one for one in (order[-1], *order[-7::-1]) if ids.index(one) % 3]
    assert kept(db, ben) == by_ann
    lifecycle.suspend(db, config, cid, False)
    assert kept(db, ben) == [order[-1], *order[-7::-1]]  # hidden meanwhile, and not lost
    bookmarks.unbookmark(db, ben, order[0])
    bookmarks.unbookmark(db, ben, order[0])
    assert kept(db, ben) == [order[-1], *order[-7:0:-1]]


def test_bookmarks_are_bounded_and_what_cannot_be_kept_is_refused(
    db: Db, config: Config, people: People
) -> None:
    few = replace(config, bookmarks_max=2)
    ann, ben = people("ann", "ben")
    ids = [post(db, config, ann, f"text {n}") for n in range(3)]
    for status_id in ids[:2]:
        bookmarks.bookmark(db, few, ben, status_id)
    with pytest.raises(Conflict) as refusal:
        bookmarks.bookmark(db, few, ben, ids[2])
    assert "Remove one first" in str(refusal.value.sentence)
    bookmarks.bookmark(db, few, ben, ids[0])  # again is no change
    with pytest.raises(NotFound):
        bookmarks.bookmark(db, config, ben, 2**53 - 1)
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden):
        bookmarks.bookmark(db, config, ben, ids[2])
    lifecycle.suspend(db, config, ann, False)
    lifecycle.suspend(db, config, ben)
    with pytest.raises(Forbidden):
        bookmarks.bookmark(db, config, ben, ids[2])
    assert kept(db, ben) == ids[1::-1]


def test_nothing_tells_of_a_bookmark_but_ones_own_list(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = post(db, config, ann)
    settle()
    before = (
        set(live_keys(db)),
        db.trip(
            *(("XLEN", event_keys.outbox(p)) for p in range(64)), ("XLEN", stream_keys.event_log())
        ),
    )
    bookmarks.bookmark(db, config, ben, status_id)
    after = (
        set(live_keys(db)),
        db.trip(
            *(("XLEN", event_keys.outbox(p)) for p in range(64)), ("XLEN", stream_keys.event_log())
        ),
    )
    assert after[0] - before[0] == {interaction_keys.bookmarks(ben)} and after[1] == before[1]
    assert looks(db, status_id, ben) == (0, False, True)
    assert [looks(db, status_id, other) for other in (ann, cid, None)] == [(0, False, False)] * 3
    assert kept(db, ann) == kept(db, cid) == []
