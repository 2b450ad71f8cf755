"""Hashtags at the store: what stands under one, following them, and what they bring home."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import pytest

from tests.following.test_blocks import Dying, Killed
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.timelines import home_timeline
from tests.timelines.test_store import home, post, walk
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import extract
from webapp.errors import Conflict, Forbidden, LeaseLost, NotFound
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store
from webapp.timelines.entries import id_of
from webapp.timelines.home.snapshot import home_snapshot
from webapp.timelines.home.store import home_page
from webapp.timelines.tags import projections as tags_projections
from webapp.timelines.tags import store as tags

People = Callable[..., list[int]]
Settle = Callable[[], None]


@pytest.fixture
def config(config: Config) -> Config:
    """Nothing is kept from one reading to the next."""
    return replace(config, merged_seconds=0, status_seconds=0)


def under(db: Db, config: Config, name: str) -> list[int]:
    """What a hashtag's pages show, newest first."""
    return walk(lambda before: store.tagged(db, config, name, before), config.page_size)


def stored(db: Db, name: str) -> list[int]:
    """What is kept under it, newest first."""
    return [
        id_of(entry)
        for entry in db.run(("ZRANGE", timeline_keys.hashtag_statuses(name), 0, -1, "REV"))
    ]


def rewrite(db: Db, status_id: int, text: str) -> None:
    """Lets a status say something else."""
    db.run(
        (
            "HSET",
            status_keys.status(status_id),
            "text",
            text,
            "entities",
            pack_entities(extract(text)),
        )
    )


def event(db: Db, kind: str, uid: int, status_id: int = 0, token: int | None = None) -> Event:
    """One of the member's partition, under the token of whoever holds it."""
    held = (
        db.run(("HGET", event_keys.lease(partition_of(uid), "log"), "token"))
        if token is None
        else token
    )
    data = {"id": str(status_id), "author": str(uid), "uid": str(uid)}
    return Event("1-1", partition_of(uid), "log", int(held or 1), kind, "-", data)


def test_what_is_posted_stands_under_its_tags_however_they_are_written(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    first, second = post(db, config, ann, "see #Birds and #麻雀, #birds", "no tag # here")
    [third] = post(db, config, ben, "more ＃ＢＩＲＤＳ!")
    settle()
    assert under(db, config, "birds") == sorted([third, first], reverse=True) and under(
        db, config, "麻雀"
    ) == [first]
    assert (
        second not in store.tagged(db, config, "here").items and under(db, config, "nothing") == []
    )
    statuses.delete(db, config, ann, first)
    assert under(db, config, "birds") == [third], "before anything is applied"
    settle()
    assert stored(db, "birds") == [third] and not db.run(("EXISTS", timeline_keys.tag_index(ann)))
    assert timeline_keys.hashtag_statuses("麻雀") not in live_keys(db)


def test_a_tag_keeps_its_newest_and_pages_them_by_cursor(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    small = replace(config, tagged_max=7, page_size=3)
    ids = sorted(
        (post(db, small, (ann, ben)[n % 2], f"{n} #Birds")[0] for n in range(9)), reverse=True
    )
    worker.drain(db, small)
    assert under(db, small, "birds") == ids[:7]


def test_tags_follow_what_a_status_says_by_now(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    [ann] = people("ann")
    [status_id] = post(db, config, ann, "#one #two")
    settle()
    rewrite(db, status_id, "#Two #three")
    for _ in "12":
        tags_projections.index(
            Context(db, config, lambda: None), [event(db, "posted", ann, status_id)]
        )
        assert [stored(db, name) for name in ("one", "two", "three")] == [
            [],
            [status_id],
            [status_id],
        ]


def test_what_suspended_members_wrote_leaves_its_tags_and_comes_back(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tags_projections, "BATCH", 2)
    ann, ben = people("ann", "ben")
    ids = post(db, config, ann, *(f"{n} #birds #more{n}" for n in range(5)))
    [other] = post(db, config, ben, "#birds")
    settle()
    lifecycle.suspend(db, config, ann)
    assert under(db, config, "birds") == [other], "before anything is applied"
    settle()
    assert stored(db, "birds") == [other] and stored(db, "more3") == []
    lifecycle.suspend(db, config, ann, False)
    settle()
    assert stored(db, "birds") == sorted([other, *ids], reverse=True) and stored(db, "more3") == [
        ids[3]
    ]


def test_a_deleted_account_leaves_nothing_under_tags_and_follows_none(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    [ann] = people("ann")
    post(db, config, ann, *(f"{n} #birds #more{n}" for n in range(5)))
    tags.follow(db, config, ann, "birds")
    settle()
    lifecycle.delete_account(db, config, ann, None)
    assert under(db, config, "birds") == []
    settle()
    assert not [key for key in live_keys(db) if key.startswith(("tagged:", "filed:", "tags:"))]


@pytest.mark.parametrize(
    "applied", ["posted", "deleted", "edited", "suspended", "restored", "removed"]
)
def test_a_worker_that_dies_between_any_two_trips_leaves_nothing_undone(
    applied: str,
    db: Db,
    config: Config,
    people: People,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tags_projections, "BATCH", 2)
    for at in count():
        [ann] = people(f"ann{at}")
        ids = post(db, config, ann, *(f"{n} #old{at}" for n in range(3)))
        if applied != "posted":
            settle()
        if applied == "deleted":
            for status_id in ids:
                statuses.delete(db, config, ann, status_id)
        elif applied == "edited":
            for status_id in ids:
                rewrite(db, status_id, f"#new{at}")
        elif applied in ("suspended", "restored"):
            lifecycle.suspend(db, config, ann)
            if applied == "restored":
                settle()
                lifecycle.suspend(db, config, ann, False)
        elif applied == "removed":
            lifecycle.delete_account(db, config, ann, None)
        lasting = applied in ("suspended", "restored", "removed")
        run = (
            [event(db, applied, ann)]
            if lasting
            else [event(db, applied, ann, status_id) for status_id in ids]
        )
        projection, died = (
            tags_projections.reindex_author if lasting else tags_projections.index,
            False,
        )
        try:
            projection(Context(Dying(db, at), config, lambda: None), run)
        except Killed:
            died = True
        projection(Context(db, config, lambda: None), run)
        old, new = stored(db, f"old{at}"), stored(db, f"new{at}")
        assert old == (ids[::-1] if applied in ("posted", "restored") else [])
        assert new == (ids[::-1] if applied == "edited" else [])
        assert db.run(("ZCARD", timeline_keys.tag_index(ann))) == len(old + new)
        if not died:
            assert at > 2
            break


def test_a_worker_that_lost_its_lease_files_nothing_any_more(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    [status_id] = post(db, config, ann, "#birds")
    late = event(db, "posted", ann, status_id, 1)

    class Slow(Db):
        """Another worker takes over between the late one's first trip and its second."""

        def __init__(self) -> None:
            self.__dict__.update(db.__dict__)

        def trip(self, *commands: object) -> list[object]:  # type: ignore[override]
            replies = db.trip(*commands)  # type: ignore[arg-type]
            if db.run(("DEL", status_keys.status(status_id))):
                db.run(("ZREM", status_keys.profile_statuses(ann), status_id))
                newer = event(db, "deleted", ann, status_id, 2)
                tags_projections.index(Context(db, config, lambda: None), [newer])
            return replies

    with pytest.raises(LeaseLost):
        tags_projections.index(Context(Slow(), config, lambda: None), [late])
    assert stored(db, "birds") == [] and not db.run(("EXISTS", timeline_keys.tag_index(ann)))


def test_fifty_who_post_and_delete_at_once_leave_under_a_tag_what_is_there(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    members = people(*(f"bird{n}" for n in range(10)))

    def write(n: int) -> int:
        [status_id] = post(db, config, members[n % 10], f"{n} #birds")
        if n % 3 == 0:
            statuses.delete(db, config, members[n % 10], status_id)
            return 0
        return status_id

    with ThreadPoolExecutor(12) as pool:
        ids = [pool.submit(write, n) for n in range(50)]
        pool.submit(settle).result()
        left = sorted((one.result() for one in ids if one.result()), reverse=True)
    settle()
    assert stored(db, "birds") == under(db, config, "birds") == left and len(left) == 33


def test_a_tag_is_followed_once_and_no_more_than_may_be(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    few = replace(config, followed_tags_max=2)
    for name in ("birds", "麻雀", "birds"):
        tags.follow(db, few, ann, name)
    with pytest.raises(Conflict, match="tags_full"):
        tags.follow(db, few, ann, "more")
    assert db.read(tags.followed(ann)) == ["麻雀", "birds"]
    tags.unfollow(db, config, ann, "birds")
    tags.unfollow(db, config, ann, "birds")
    assert db.read(tags.followed(ann)) == ["麻雀"]
    with ThreadPoolExecutor(20) as pool:
        waiting = [pool.submit(tags.follow, db, few, ann, f"tag{n}") for n in range(20)]
    assert (
        sum(one.exception() is None for one in waiting) == 1
        and len(db.read(tags.followed(ann))) == 2
    )
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden):
        tags.follow(db, config, ann, "more")
    lifecycle.delete_account(db, config, ann, None)
    with pytest.raises(NotFound):
        tags.follow(db, config, ann, "more")


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_a_followed_tag_brings_everybodys_posts_home_once_in_order(
    db: Db, config: Config, people: People, settle: Settle, seconds: float
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    small = replace(config, page_size=3, merged_seconds=seconds)
    following.follow(db, small, ann, "ben")
    for name in ("birds", "reeds"):
        tags.follow(db, small, ann, name)
    settle()
    told = [
        ("ben", ben),
        ("cid #birds", cid),
        ("ben #birds", ben),
        ("ann #reeds", ann),
        ("cid #birds #reeds", cid),
    ]
    told += [("cid", cid), ("cid #Reeds", cid), ("ben #reeds", ben), ("cid #other", cid)]
    ids = [post(db, small, uid, text)[0] for text, uid in told]
    settle()

    def shown(*numbers: int) -> list[int]:
        return sorted((ids[number] for number in numbers), reverse=True)

    assert home(db, small, ann) == home(db, small, ann) == shown(0, 1, 2, 3, 4, 6, 7)
    statuses.delete(db, small, cid, ids[4])
    assert home(db, small, ann) == shown(0, 1, 2, 3, 6, 7)
    settle()
    tags.unfollow(db, config, ann, "reeds")
    assert home(db, small, ann) == shown(0, 1, 2, 3, 7)
    assert home(db, small, cid) == shown(1, 5, 6, 8)


def test_whoever_is_blocked_or_suspended_is_not_brought_and_no_page_is_short(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dot, eve = people("ann", "ben", "cid", "dot", "eve")
    small = replace(config, page_size=3)
    tags.follow(db, small, ann, "birds")
    ids = {uid: list[int]() for uid in (ann, ben, cid, dot, eve)}
    for n in range(8):
        for uid in (ann, ben) if n % 2 else (ann, cid, dot, ben):
            ids[uid] += post(db, small, uid, f"{uid} {n} #birds")
    for n in range(30):
        ids[eve] += post(db, small, eve, f"{n} #birds")
    settle()
    blocks.block(db, small, ann, "cid")
    blocks.block(db, small, eve, "ann")
    worker.drain(db, small)
    lifecycle.suspend(db, small, dot)
    assert home(db, small, ann) == sorted(ids[ann] + ids[ben], reverse=True), (
        "before anything is applied"
    )
    settle()
    assert home(db, small, ann) == sorted(ids[ann] + ids[ben], reverse=True)
    assert set(ids[cid] + ids[eve]) < set(under(db, small, "birds"))
    kept = replace(small, merged_seconds=60)
    for before in (None, ids[eve][-1]):
        trips = db.trips
        assert len(home_timeline(db, kept, ann, before).items) == 3 and db.trips - trips <= 3


def test_a_block_that_comes_while_a_home_is_read_hides_what_tags_bring(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    small = replace(config, page_size=3)
    tags.follow(db, small, ann, "birds")
    shown = [post(db, small, ann, f"{n} #birds")[0] for n in range(5)]
    for n in range(9):
        post(db, small, (ben, cid)[n % 2], f"{n} #birds")
    settle()
    snapshot = db.read(home_snapshot(db, small, ann, None))
    blocks.block(db, small, ann, "ben")
    blocks.block(db, small, cid, "ann")
    settle()
    page = home_page(db, small, snapshot)
    assert [status.id for status in page.items] == shown[:1:-1] and page.next == shown[2]


def test_below_where_a_home_is_cut_tags_bring_nothing(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    small = replace(config, home_max=3, home_slack=0, page_size=2)
    tags.follow(db, small, ann, "birds")
    old = post(db, small, ben, "old #birds")
    own = post(db, small, ann, *(f"text {n}" for n in range(6)))
    new = [post(db, small, ben, f"new {n} #birds")[0] for n in range(9)]
    worker.drain(db, small)
    brought = [
        status_id for status_id in new if status_id > own[3]
    ]  # in one millisecond they may stand otherwise
    assert old and brought and home(db, small, ann) == sorted([*brought, *own[3:]], reverse=True)


def test_a_home_that_follows_tags_takes_a_third_trip_once_in_a_process(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    kept = replace(config, merged_seconds=60)
    post(db, kept, ben, *(f"{n} #birds #reeds" for n in range(9)))
    post(db, kept, ann, "own")
    settle()

    def trips(config: Config, before: int | None = None) -> int:
        made = db.trips
        home_timeline(db, config, ann, before)
        return db.trips - made

    assert trips(kept) == 2
    for name in ("birds", "reeds"):
        tags.follow(db, kept, ann, name)
    assert [trips(kept), trips(kept), trips(config), trips(kept, 2**53 - 1)] == [3, 2, 2, 2]
    made = db.trips
    assert len(store.tagged(db, config, "birds", viewer=ann).items) == 9 and db.trips - made == 2
