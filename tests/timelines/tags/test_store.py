"""Hashtags at the store: their statuses, following them, and what they add to a home."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import call

import pytest

from tests.support import worker
from tests.support.concurrently import at_once, concurrently
from tests.support.events import current_event
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.timelines import home, home_timeline, post, walk
from tests.support.upgrades import run_upgrade
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.accounts.collections import featured_tags
from webapp.config import Config
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.events import outbox
from webapp.core.store import Db, Site
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import extract
from webapp.following.blocks import store as blocks
from webapp.statuses import keys as status_keys
from webapp.timelines import keys as timeline_keys, store
from webapp.timelines.entries import id_of
from webapp.timelines.home.snapshot import home_snapshot
from webapp.timelines.home_page import home_page
from webapp.timelines.tags import projections as tags_projections, store as tags


@pytest.fixture
def config(config: Config) -> Config:
    """Cache nothing from one read to the next."""
    return replace(config, merged_seconds=0, status_seconds=0)


def tagged_ids(site: Site, name: str) -> list[int]:
    """Return the ids on a hashtag's pages, newest first."""
    return walk(lambda before: store.tagged(site, name, before), site.config.page_size)


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


def test_a_status_is_indexed_under_its_folded_tags(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    first, untagged = post(world, ann, "see #Birds and #麻雀, #birds", "no tag # here")
    [third] = world.do(post, ben, "more ＃ＢＩＲＤＳ!")
    assert tagged_ids(world, "birds") == sorted([third, first], reverse=True)
    assert tagged_ids(world, "麻雀") == [first]
    assert untagged not in tagged_ids(world, "here")
    assert tagged_ids(world, "nothing") == []
    world.delete(ann, first)
    assert tagged_ids(world, "birds") == [third], "before events are applied"
    world.apply_events()
    assert indexed_ids(world.db, "birds") == [third]
    assert not world.db.run(("EXISTS", timeline_keys.tag_index(ann)))
    assert timeline_keys.hashtag_statuses("麻雀") not in live_keys(world.db)


def test_an_upgrade_moves_what_is_under_a_hashtag_to_the_name_that_is_folded_otherwise(
    world: World,
) -> None:
    ann, ben = world.people("ann", "ben")
    moved, other = post(world, ann, "#İstanbul", "#birds")
    world.do(tags.follow_all, ben, ["birds", "istanbul"])
    former = "i\u0307stanbul"  # as it was folded before
    world.db.run(("DEL", timeline_keys.hashtag_statuses("istanbul")))
    world.db.run(("ZADD", timeline_keys.hashtag_statuses(former), moved, f"{moved}:{ann}"))
    world.db.run(("ZREM", timeline_keys.tag_index(ann), f"{moved}:istanbul"))
    world.db.run(("ZADD", timeline_keys.tag_index(ann), moved, f"{moved}:{former}"))
    world.db.run(("ZREM", timeline_keys.followed_tags(ben), "istanbul"))
    for own in (timeline_keys.followed_tags(ben), account_keys.featured_tags(ben)):
        world.db.run(("ZADD", own, 1, former))
    featured_tags.feature(world, ben, "birds")
    for _ in range(2):
        world.do(run_upgrade, "names")
        assert tagged_ids(world, "istanbul") == indexed_ids(world.db, "istanbul") == [moved]
        assert indexed_ids(world.db, former) == [] and indexed_ids(world.db, "birds") == [other]
        assert world.db.read(tags.followed(ben)) == ["birds", "istanbul"]
        assert world.db.read(featured_tags.featured(ben)) == ("istanbul", "birds")


def test_a_tag_holds_its_newest_statuses_and_pages_them(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    small = with_settings(world, tagged_max=7, page_size=3)
    ids = sorted((post(small, (ann, ben)[n % 2], f"{n} #Birds")[0] for n in range(9)), reverse=True)
    worker.drain(small)
    assert tagged_ids(small, "birds") == ids[:7]


def test_an_edit_moves_a_status_to_its_new_tags(world: World) -> None:
    [ann] = world.people("ann")
    [status_id] = world.do(post, ann, "#one #two")
    set_text(world.db, status_id, "#Two #three")
    for _ in "12":
        tags_projections.index(
            world.context, [current_event(world.db, "posted", ann, id=status_id, author=ann)]
        )
        expected = [[], [status_id], [status_id]]
        assert [indexed_ids(world.db, name) for name in ("one", "two", "three")] == expected


def test_a_suspension_removes_statuses_from_tags_until_it_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "BATCH", 2)
    ann, ben = world.people("ann", "ben")
    ids = post(world, ann, *(f"{n} #birds #more{n}" for n in range(5)))
    [other] = world.do(post, ben, "#birds")
    world.suspend(ann)
    assert tagged_ids(world, "birds") == [other], "before events are applied"
    world.apply_events()
    assert indexed_ids(world.db, "birds") == [other] and indexed_ids(world.db, "more3") == []
    world.do(World.suspend, ann, False)
    assert indexed_ids(world.db, "birds") == sorted([other, *ids], reverse=True)
    assert indexed_ids(world.db, "more3") == [ids[3]]


def test_concurrent_posts_and_deletions_leave_existing_statuses_in_the_tag(world: World) -> None:
    members = world.crowd(10)

    def write(n: int) -> int:
        [status_id] = post(world, members[n % 10], f"{n} #birds")
        if n % 3 == 0:
            world.delete(members[n % 10], status_id)
            return 0
        return status_id

    acts = [*(partial(write, n) for n in range(50)), world.apply_events]
    existing = sorted(filter(None, at_once(12, call, acts)), reverse=True)
    world.apply_events()
    assert indexed_ids(world.db, "birds") == tagged_ids(world, "birds") == existing
    assert len(existing) == 33


def test_a_tag_is_followed_once_and_up_to_the_limit(world: World) -> None:
    [ann] = world.people("ann")
    limited = with_settings(world, followed_tags_max=2)
    for name in ("birds", "麻雀", "birds"):
        tags.follow(limited, ann, name)
    limited.refuses(Conflict, tags.follow, ann, "more", match="tags_full")
    assert world.db.read(tags.followed(ann)) == ["麻雀", "birds"]
    tags.unfollow(world, ann, "birds")
    tags.unfollow(world, ann, "birds")
    assert world.db.read(tags.followed(ann)) == ["麻雀"]
    results = concurrently(lambda n: tags.follow(limited, ann, f"tag{n}"), 20)
    assert results.count("tags_full") == 19
    assert len(world.db.read(tags.followed(ann))) == 2
    world.suspend(ann)
    world.refuses(Forbidden, tags.follow, ann, "more")
    world.delete_account(ann, None)
    world.refuses(NotFound, tags.follow, ann, "more")


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_a_home_shows_statuses_of_followed_tags_once_in_order(world: World, seconds: float) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    small = with_settings(world, page_size=3, merged_seconds=seconds)
    small.follow(ann, "ben")
    for name in ("birds", "reeds"):
        tags.follow(small, ann, name)
    world.apply_events()
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
    ids = [post(small, uid, text)[0] for text, uid in texts]
    world.apply_events()

    def newest_first(*numbers: int) -> list[int]:
        return sorted((ids[number] for number in numbers), reverse=True)

    assert home(small, ann) == home(small, ann) == newest_first(0, 1, 2, 3, 4, 6, 7)
    small.delete(cid, ids[4])
    assert home(small, ann) == newest_first(0, 1, 2, 3, 6, 7)
    world.apply_events()
    tags.unfollow(world, ann, "reeds")
    assert home(small, ann) == newest_first(0, 1, 2, 3, 7)
    assert home(small, cid) == newest_first(1, 5, 6, 8)


def test_followed_tags_skip_blocked_and_suspended_authors(world: World) -> None:
    ann, ben, cid, dot, eve = world.people("ann", "ben", "cid", "dot", "eve")
    small = with_settings(world, page_size=3)
    tags.follow(small, ann, "birds")
    ids = {uid: list[int]() for uid in (ann, ben, cid, dot, eve)}
    for n in range(8):
        for uid in (ann, ben) if n % 2 else (ann, cid, dot, ben):
            ids[uid] += post(small, uid, f"{uid} {n} #birds")
    for n in range(30):
        ids[eve] += post(small, eve, f"{n} #birds")
    world.apply_events()
    blocks.block(small, ann, "cid")
    small.do(blocks.block, eve, "ann")
    small.suspend(dot)
    visible = sorted(ids[ann] + ids[ben], reverse=True)
    assert home(small, ann) == visible, "before events are applied"
    world.apply_events()
    assert home(small, ann) == visible
    assert set(ids[cid] + ids[eve]) < set(tagged_ids(small, "birds"))
    caching = replace(small.config, merged_seconds=60)
    for before in (None, ids[eve][-1]):
        trips = world.db.trips
        assert len(home_timeline(Site(world.db, caching), ann, before).items) == 3
        assert world.db.trips - trips <= 3


def test_a_block_during_a_read_of_home_hides_tagged_statuses(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    small = with_settings(world, page_size=3)
    tags.follow(small, ann, "birds")
    own = [post(small, ann, f"{n} #birds")[0] for n in range(5)]
    for n in range(9):
        post(small, (ben, cid)[n % 2], f"{n} #birds")
    world.apply_events()
    snapshot = world.db.read(home_snapshot(small, ann, None))
    blocks.block(small, ann, "ben")
    blocks.block(small, cid, "ann")
    world.apply_events()
    page = home_page(small, snapshot)
    assert [status.id for status in page.items] == own[:1:-1] and page.next == own[2]


def test_followed_tags_add_nothing_below_the_end_of_a_cut_home(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    small = with_settings(world, home_max=3, home_slack=0, page_size=2)
    tags.follow(small, ann, "birds")
    old = post(small, ben, "old #birds")
    own = post(small, ann, *(f"text {n}" for n in range(6)))
    new = [post(small, ben, f"new {n} #birds")[0] for n in range(9)]
    worker.drain(small)
    # Ids of one millisecond are not in the order of posting.
    added = [status_id for status_id in new if status_id > own[3]]
    assert old and added and home(small, ann) == sorted([*added, *own[3:]], reverse=True)


def test_a_home_with_followed_tags_takes_a_third_trip_until_they_are_cached(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    caching = with_settings(world, merged_seconds=60)
    post(caching, ben, *(f"{n} #birds #reeds" for n in range(9)))
    post(caching, ann, "own")
    world.apply_events()

    def trips(config: Config, before: int | None = None) -> int:
        trips_before = world.db.trips
        home_timeline(Site(world.db, config), ann, before)
        return world.db.trips - trips_before

    assert trips(caching.config) == 2
    for name in ("birds", "reeds"):
        tags.follow(caching, ann, name)
    assert [
        trips(caching.config),
        trips(caching.config),
        trips(world.config),
        trips(caching.config, 2**53 - 1),
    ] == [3, 2, 2, 2]
    trips_before = world.db.trips
    assert len(store.tagged(world, "birds", viewer=ann).items) == 9
    assert world.db.trips - trips_before == 2
