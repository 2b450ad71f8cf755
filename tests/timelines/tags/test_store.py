"""Hashtags at the store: their statuses, following them, and what they add to a home."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.schema import live_keys
from tests.support.timeline_events import event
from tests.support.timelines import home, home_timeline, post, walk
from webapp.accounts import lifecycle
from webapp.autocomplete.reindexing import request_reindex
from webapp.config import Config
from webapp.core.errors import Conflict, Forbidden, LeaseLost, NotFound
from webapp.core.events.outbox import Context
from webapp.core.store.client import Db
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import extract
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store
from webapp.timelines.entries import id_of
from webapp.timelines.home.snapshot import home_snapshot
from webapp.timelines.home_page import home_page
from webapp.timelines.tags import projections as tags_projections
from webapp.timelines.tags import store as tags


@pytest.fixture
def config(config: Config) -> Config:
    """Cache nothing from one read to the next."""
    return replace(config, merged_seconds=0, status_seconds=0)


def tagged_ids(db: Db, config: Config, name: str) -> list[int]:
    """Return the ids on a hashtag's pages, newest first."""
    return walk(lambda before: store.tagged(db, config, name, before), config.page_size)


def indexed_ids(db: Db, name: str) -> list[int]:
    """Return the ids stored under a hashtag, newest first."""
    return [
        id_of(entry)
        for entry in db.run(("ZRANGE", timeline_keys.hashtag_statuses(name), 0, -1, "REV"))
    ]


def set_text(db: Db, status_id: int, text: str) -> None:
    """Change the text of a stored status."""
    fields = {"text": text, "entities": pack_entities(extract(text))}
    for field, value in fields.items():
        db.run(("HSET", status_keys.status(status_id), field, value))


def test_a_status_is_indexed_under_its_folded_tags(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    first, untagged = post(db, config, ann, "see #Birds and #麻雀, #birds", "no tag # here")
    [third] = post(db, config, ben, "more ＃ＢＩＲＤＳ!")
    apply_events()
    assert tagged_ids(db, config, "birds") == sorted([third, first], reverse=True)
    assert tagged_ids(db, config, "麻雀") == [first]
    assert untagged not in tagged_ids(db, config, "here")
    assert tagged_ids(db, config, "nothing") == []
    statuses.delete(db, config, ann, first)
    assert tagged_ids(db, config, "birds") == [third], "before events are applied"
    apply_events()
    assert indexed_ids(db, "birds") == [third]
    assert not db.run(("EXISTS", timeline_keys.tag_index(ann)))
    assert timeline_keys.hashtag_statuses("麻雀") not in live_keys(db)


def test_an_upgrade_moves_statuses_and_follows_to_names_that_are_folded_otherwise(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    moved, other = post(db, config, ann, "#İstanbul", "#birds")
    tags.follow_all(db, config, ben, ["birds", "istanbul"])
    apply_events()
    former = "i\u0307stanbul"  # as it was folded before
    db.run(("DEL", timeline_keys.hashtag_statuses("istanbul")))
    db.run(("ZADD", timeline_keys.hashtag_statuses(former), moved, f"{moved}:{ann}"))
    db.run(("ZREM", timeline_keys.tag_index(ann), f"{moved}:istanbul"))
    db.run(("ZADD", timeline_keys.tag_index(ann), moved, f"{moved}:{former}"))
    db.run(("ZREM", timeline_keys.followed_tags(ben), "istanbul"))
    db.run(("ZADD", timeline_keys.followed_tags(ben), 1, former))
    for _ in range(2):
        assert list(request_reindex(db)) == [(2, 2)]
        apply_events()
        assert tagged_ids(db, config, "istanbul") == indexed_ids(db, "istanbul") == [moved]
        assert indexed_ids(db, former) == [] and indexed_ids(db, "birds") == [other]
        assert db.read(tags.followed(ben)) == ["birds", "istanbul"]


def test_a_tag_holds_its_newest_statuses_and_pages_them(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    small = replace(config, tagged_max=7, page_size=3)
    ids = sorted(
        (post(db, small, (ann, ben)[n % 2], f"{n} #Birds")[0] for n in range(9)), reverse=True
    )
    worker.drain(db, small)
    assert tagged_ids(db, small, "birds") == ids[:7]


def test_an_edit_moves_a_status_to_its_new_tags(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    [status_id] = post(db, config, ann, "#one #two")
    apply_events()
    set_text(db, status_id, "#Two #three")
    for _ in "12":
        tags_projections.index(
            Context(db, config, lambda: None), [event(db, "posted", ann, status_id)]
        )
        assert [indexed_ids(db, name) for name in ("one", "two", "three")] == [
            [],
            [status_id],
            [status_id],
        ]


def test_a_suspension_removes_statuses_from_tags_until_it_ends(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tags_projections, "BATCH", 2)
    ann, ben = people("ann", "ben")
    ids = post(db, config, ann, *(f"{n} #birds #more{n}" for n in range(5)))
    [other] = post(db, config, ben, "#birds")
    apply_events()
    lifecycle.suspend(db, config, ann)
    assert tagged_ids(db, config, "birds") == [other], "before events are applied"
    apply_events()
    assert indexed_ids(db, "birds") == [other] and indexed_ids(db, "more3") == []
    lifecycle.suspend(db, config, ann, False)
    apply_events()
    assert indexed_ids(db, "birds") == sorted([other, *ids], reverse=True)
    assert indexed_ids(db, "more3") == [ids[3]]


def test_a_deleted_account_leaves_no_tag_entries_and_follows_no_tags(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    post(db, config, ann, *(f"{n} #birds #more{n}" for n in range(5)))
    tags.follow(db, config, ann, "birds")
    apply_events()
    lifecycle.delete_account(db, config, ann, None)
    assert tagged_ids(db, config, "birds") == []
    apply_events()
    assert not [key for key in live_keys(db) if key.startswith(("hashtag:", "tag_index:", "tags:"))]


REINDEX_STATUS = worker.in_slices(tags_projections.reindex_status)
REINDEX_INDEXED = worker.in_slices(tags_projections.reindex_indexed)
TAG_PROJECTIONS = {
    "posted": (tags_projections.index,),
    "deleted": (tags_projections.index, REINDEX_STATUS),
    "edited": (tags_projections.index, REINDEX_STATUS),
    "suspended": (REINDEX_INDEXED,),
    "restored": (
        REINDEX_INDEXED,
        worker.in_slices(tags_projections.reindex_statuses, tags_projections.reindex_replies),
    ),
    "account_deleted": (REINDEX_INDEXED,),
}


@pytest.mark.parametrize("event_type", list(TAG_PROJECTIONS))
def test_a_crash_between_any_two_trips_is_recovered(
    event_type: str,
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tags_projections, "BATCH", 2)
    for trips in count():
        [ann] = people(f"ann{trips}")
        ids = post(db, config, ann, *(f"{n} #old{trips}" for n in range(3)))
        if event_type != "posted":
            apply_events()
        if event_type == "deleted":
            for status_id in ids:
                statuses.delete(db, config, ann, status_id)
        elif event_type == "edited":
            for status_id in ids:
                set_text(db, status_id, f"#new{trips}")
        elif event_type in ("suspended", "restored"):
            lifecycle.suspend(db, config, ann)
            if event_type == "restored":
                apply_events()
                lifecycle.suspend(db, config, ann, False)
        elif event_type == "account_deleted":
            lifecycle.delete_account(db, config, ann, None)
        of_account = event_type in ("suspended", "restored", "account_deleted")
        events = (
            [event(db, event_type, ann)]
            if of_account
            else [event(db, event_type, ann, status_id) for status_id in ids]
        )
        projections = TAG_PROJECTIONS[event_type]
        crashed = False
        try:
            for projection in projections:
                projection(Context(CrashingDb(db, trips), config, lambda: None), events)
        except Crashed:
            crashed = True
        for projection in projections:
            projection(Context(db, config, lambda: None), events)
        old, new = indexed_ids(db, f"old{trips}"), indexed_ids(db, f"new{trips}")
        assert old == (ids[::-1] if event_type in ("posted", "restored") else [])
        assert new == (ids[::-1] if event_type == "edited" else [])
        assert db.run(("ZCARD", timeline_keys.tag_index(ann))) == len(old + new)
        if not crashed:
            assert trips > 2
            break


def test_a_worker_that_lost_its_lease_indexes_nothing(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    [status_id] = post(db, config, ann, "#birds")
    late = event(db, "posted", ann, status_id, 1)

    class OvertakenDb(Db):
        """Let another worker take over between the first trip and the second."""

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
        tags_projections.index(Context(OvertakenDb(), config, lambda: None), [late])
    assert indexed_ids(db, "birds") == [] and not db.run(("EXISTS", timeline_keys.tag_index(ann)))


def test_concurrent_posts_and_deletions_leave_existing_statuses_in_the_tag(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    members = people(*(f"bird{n}" for n in range(10)))

    def write(n: int) -> int:
        [status_id] = post(db, config, members[n % 10], f"{n} #birds")
        if n % 3 == 0:
            statuses.delete(db, config, members[n % 10], status_id)
            return 0
        return status_id

    with ThreadPoolExecutor(12) as pool:
        results = [pool.submit(write, n) for n in range(50)]
        pool.submit(apply_events).result()
        existing = sorted((result.result() for result in results if result.result()), reverse=True)
    apply_events()
    assert indexed_ids(db, "birds") == tagged_ids(db, config, "birds") == existing
    assert len(existing) == 33


def test_a_tag_is_followed_once_and_up_to_the_limit(db: Db, config: Config, people: People) -> None:
    [ann] = people("ann")
    limited = replace(config, followed_tags_max=2)
    for name in ("birds", "麻雀", "birds"):
        tags.follow(db, limited, ann, name)
    with pytest.raises(Conflict, match="tags_full"):
        tags.follow(db, limited, ann, "more")
    assert db.read(tags.followed(ann)) == ["麻雀", "birds"]
    tags.unfollow(db, config, ann, "birds")
    tags.unfollow(db, config, ann, "birds")
    assert db.read(tags.followed(ann)) == ["麻雀"]
    with ThreadPoolExecutor(20) as pool:
        attempts = [pool.submit(tags.follow, db, limited, ann, f"tag{n}") for n in range(20)]
    assert sum(attempt.exception() is None for attempt in attempts) == 1
    assert len(db.read(tags.followed(ann))) == 2
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden):
        tags.follow(db, config, ann, "more")
    lifecycle.delete_account(db, config, ann, None)
    with pytest.raises(NotFound):
        tags.follow(db, config, ann, "more")


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_a_home_shows_statuses_of_followed_tags_once_in_order(
    db: Db, config: Config, people: People, apply_events: ApplyEvents, seconds: float
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    small = replace(config, page_size=3, merged_seconds=seconds)
    following.follow(db, small, ann, "ben")
    for name in ("birds", "reeds"):
        tags.follow(db, small, ann, name)
    apply_events()
    texts = [
        ("ben", ben),
        ("cid #birds", cid),
        ("ben #birds", ben),
        ("ann #reeds", ann),
        ("cid #birds #reeds", cid),
        ("cid", cid),
        ("cid #Reeds", cid),
        ("ben #reeds", ben),
        ("cid #other", cid),
    ]
    ids = [post(db, small, uid, text)[0] for text, uid in texts]
    apply_events()

    def newest_first(*numbers: int) -> list[int]:
        return sorted((ids[number] for number in numbers), reverse=True)

    assert home(db, small, ann) == home(db, small, ann) == newest_first(0, 1, 2, 3, 4, 6, 7)
    statuses.delete(db, small, cid, ids[4])
    assert home(db, small, ann) == newest_first(0, 1, 2, 3, 6, 7)
    apply_events()
    tags.unfollow(db, config, ann, "reeds")
    assert home(db, small, ann) == newest_first(0, 1, 2, 3, 7)
    assert home(db, small, cid) == newest_first(1, 5, 6, 8)


def test_followed_tags_skip_blocked_and_suspended_authors(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
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
    apply_events()
    blocks.block(db, small, ann, "cid")
    blocks.block(db, small, eve, "ann")
    worker.drain(db, small)
    lifecycle.suspend(db, small, dot)
    visible = sorted(ids[ann] + ids[ben], reverse=True)
    assert home(db, small, ann) == visible, "before events are applied"
    apply_events()
    assert home(db, small, ann) == visible
    assert set(ids[cid] + ids[eve]) < set(tagged_ids(db, small, "birds"))
    caching = replace(small, merged_seconds=60)
    for before in (None, ids[eve][-1]):
        trips = db.trips
        assert len(home_timeline(db, caching, ann, before).items) == 3
        assert db.trips - trips <= 3


def test_a_block_during_a_read_of_home_hides_tagged_statuses(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    small = replace(config, page_size=3)
    tags.follow(db, small, ann, "birds")
    own = [post(db, small, ann, f"{n} #birds")[0] for n in range(5)]
    for n in range(9):
        post(db, small, (ben, cid)[n % 2], f"{n} #birds")
    apply_events()
    snapshot = db.read(home_snapshot(db, small, ann, None))
    blocks.block(db, small, ann, "ben")
    blocks.block(db, small, cid, "ann")
    apply_events()
    page = home_page(db, small, snapshot)
    assert [status.id for status in page.items] == own[:1:-1] and page.next == own[2]


def test_followed_tags_add_nothing_below_the_end_of_a_cut_home(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    small = replace(config, home_max=3, home_slack=0, page_size=2)
    tags.follow(db, small, ann, "birds")
    old = post(db, small, ben, "old #birds")
    own = post(db, small, ann, *(f"text {n}" for n in range(6)))
    new = [post(db, small, ben, f"new {n} #birds")[0] for n in range(9)]
    worker.drain(db, small)
    # Ids of one millisecond are not in the order of posting.
    added = [status_id for status_id in new if status_id > own[3]]
    assert old and added and home(db, small, ann) == sorted([*added, *own[3:]], reverse=True)


def test_a_home_with_followed_tags_takes_a_third_trip_until_they_are_cached(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    caching = replace(config, merged_seconds=60)
    post(db, caching, ben, *(f"{n} #birds #reeds" for n in range(9)))
    post(db, caching, ann, "own")
    apply_events()

    def trips(config: Config, before: int | None = None) -> int:
        trips_before = db.trips
        home_timeline(db, config, ann, before)
        return db.trips - trips_before

    assert trips(caching) == 2
    for name in ("birds", "reeds"):
        tags.follow(db, caching, ann, name)
    assert [trips(caching), trips(caching), trips(config), trips(caching, 2**53 - 1)] == [
        3,
        2,
        2,
        2,
    ]
    trips_before = db.trips
    assert len(store.tagged(db, config, "birds", viewer=ann).items) == 9
    assert db.trips - trips_before == 2
