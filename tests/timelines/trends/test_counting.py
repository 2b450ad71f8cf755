"""What counts for trends: members who share something publicly, each once, as long as it stands."""

import time

import pytest

from tests.support.concurrently import at_once
from tests.support.events import current_event, event
from tests.support.settings import with_settings
from tests.support.store_dump import dump
from tests.support.trends import share, share_all, trending
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.core.store import Db
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.edits import editing
from webapp.timelines.trends import keys, projections, uses
from webapp.timelines.trends.items import DAY_MS, HOUR_MS, day_of, hour_of
from webapp.timelines.trends.uses import Use, UseUpdate

URL = "https://birds.press/dawn"
NAMES = ("ann", "ben", "cid", "dot", "eve", "fay", "gus")


def counts(db: Db, item: str, use_id: int) -> tuple[int, int, int]:
    """Return the members of the hour and the day of a use, and the uses of its item."""
    hour, day, known = db.trip(
        ("PFCOUNT", keys.trend_hour(item, hour_of(use_id))),
        ("PFCOUNT", keys.trend_day(item, day_of(use_id))),
        ("ZCARD", keys.trend_uses(item)),
    )
    return hour, day, known


def test_five_members_from_two_networks_make_a_trend(world: World) -> None:
    uids = world.people(*NAMES[:5])
    world.do(share_all, uids[:4], f"#Dawn at {URL}")
    assert trending(world.db) == []
    world.do(share, uids[4], f"＃ＤＡＷＮ {URL}#top")
    assert trending(world.db) == ["#dawn", URL]


def test_one_network_alone_makes_no_trend(world: World) -> None:
    uids = world.people(*NAMES)
    for uid in uids[:5]:
        share(world, uid, "#dawn", "same")
    world.do(share, uids[5], "#dawn", "")  # scheduled: nobody knows from where
    assert trending(world.db) == []
    world.do(share, uids[6], "#dawn", "other")
    assert trending(world.db) == ["#dawn"]


def test_a_member_counts_once_however_often_they_post(world: World) -> None:
    uids = world.people(*NAMES[:4])
    for _ in range(3):
        ids = share_all(world, uids, "#dawn")
    world.apply_events()
    assert counts(world.db, "#dawn", ids[-1]) == (4, 4, 12)
    assert trending(world.db) == []


def test_only_public_posts_of_public_members_count(world: World) -> None:
    uids = world.people(*NAMES[:6])
    for uid, visibility in zip(uids, Visibility, strict=False):
        last = share(world, uid, "#dawn", visibility=visibility)
    world.protect(uids[4])
    share(world, uids[4], "#dawn")
    world.do(World.protect, uids[5])
    assert counts(world.db, "#dawn", last) == (1, 1, 1)


def test_boosts_count_for_those_who_boost_until_they_are_taken_back(world: World) -> None:
    ann, *others = world.people(*NAMES[:6])
    post = share(world, ann, "#dawn")
    for uid in others:
        world.boost(uid, post, f"net{uid}")
    world.apply_events()
    assert counts(world.db, "#dawn", post) == (6, 6, 6)
    assert trending(world.db) == ["#dawn"]
    for uid in others[:2]:
        world.unboost(uid, post)
    world.apply_events()
    assert counts(world.db, "#dawn", post) == (4, 4, 4)
    assert trending(world.db) == []


def test_ones_own_boost_counts_for_nothing(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    post = share(world, ann, "#dawn")
    for uid in (ann, ben):
        world.boost(uid, post, f"net{uid}")
    world.apply_events()
    assert counts(world.db, "#dawn", post) == (2, 2, 2)
    world.do(World.unboost, ann, post)
    assert counts(world.db, "#dawn", post) == (2, 2, 2)


def test_a_late_use_shortens_no_life_and_counts_on_its_day_alone(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    post = world.do(share, ann, "#dawn")
    ends = world.db.run(("EXPIRETIME", keys.trend_uses("#dawn")))
    for days, known in ((1, 2), (4, 2)):
        use_id = post - (days * DAY_MS << 12)
        use = Use(current_event(world.db, "posted", ben, group="fanout"), use_id, ben, use_id, ben)
        world.db.run(UseUpdate(use, "en", frozenset(), frozenset()).add_command("#dawn"))
        assert world.db.run(("PFCOUNT", keys.trend_day("#dawn", day_of(use_id)))) == 1
        assert counts(world.db, "#dawn", post) == (1, 1, known)
        assert world.db.run(("EXPIRETIME", keys.trend_uses("#dawn"))) == ends


def test_members_count_from_the_day_after_they_joined(world: World) -> None:
    world = with_settings(world, trend_member_hours=24)
    ann, ben = world.people("ann", "ben")
    a_day_ago = time.time_ns() // 1_000_000 - DAY_MS
    world.db.run(("HSET", account_keys.user(ann), "joined", a_day_ago - 1_000))
    world.db.run(("HSET", account_keys.user(ben), "joined", a_day_ago + HOUR_MS))
    post = share(world, ann, "#dawn")
    share(world, ben, "#dawn")
    world.do(World.boost, ben, post, "net")
    assert counts(world.db, "#dawn", post) == (1, 1, 1)


def test_a_deleted_post_leaves_with_its_boosts(world: World) -> None:
    ann, ben, cid = world.people(*NAMES[:3])
    first, second = share_all(world, (ann, ben), "#dawn")
    world.do(World.boost, cid, first)
    assert counts(world.db, "#dawn", first) == (3, 3, 3)
    world.do(World.delete, ann, first)
    assert counts(world.db, "#dawn", second) == (1, 1, 1)
    assert not world.db.run(("EXISTS", keys.trend_index(ann)))


def test_an_edit_moves_a_post_to_its_new_hashtags(world: World) -> None:
    [ann] = world.people("ann")
    post = world.do(share, ann, "#dusk #both")
    world.do(editing.edit, ann, post, parse("#dawn #both"), "", "")
    found = [counts(world.db, item, post) for item in ("#dusk", "#dawn", "#both")]
    assert found == [(0, 0, 0), (1, 1, 1), (1, 1, 1)]


@pytest.mark.parametrize("end", ["suspended", "protected", "deleted"])
def test_what_a_hidden_member_shared_leaves(
    end: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projections, "BATCH", 2)
    ann, *others = world.people(*NAMES[:5])
    mine = [share(world, ann, f"#dawn #dew{number} {URL}") for number in range(3)]
    theirs = share_all(world, others, f"#dawn {URL}")
    world.boost(ann, theirs[0])
    world.do(World.boost, others[0], mine[0])
    assert trending(world.db) == ["#dawn", URL]
    match end:
        case "suspended":
            world.suspend(ann)
        case "protected":
            world.protect(ann)
        case "deleted":
            world.delete_account(ann, None)
    world.apply_events()
    assert trending(world.db) == []
    assert counts(world.db, "#dawn", theirs[0]) == counts(world.db, URL, theirs[0]) == (4, 4, 4)
    assert not world.db.run(("EXISTS", keys.trend_index(ann)))


def test_a_full_item_keeps_its_older_counts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uses, "USES_MAX", 3)
    uids = world.people(*NAMES[:5])
    ids = world.do(share_all, uids, "#dawn")
    assert counts(world.db, "#dawn", ids[0]) == (5, 5, 3)
    world.do(World.delete, uids[4], ids[4])
    # Who came before the oldest use is not known any longer, so the hour is left as it is.
    assert counts(world.db, "#dawn", ids[0]) == (5, 5, 2)


def test_ten_items_of_a_post_count_and_no_long_address(world: World) -> None:
    [ann] = world.people("ann")
    share(world, ann, " ".join(f"#t{number}" for number in range(30)))
    share(world, ann, f"https://birds.press/{'a' * 600}")
    world.do(share, ann, "see https://birds.press/one and https://birds.press/two")
    assert world.db.run(("ZCARD", keys.trend_index(ann))) == 10 + 1


def test_two_workers_at_the_same_time_count_each_member_once(world: World) -> None:
    uids = world.people(*NAMES)
    ids = share_all(world, uids, "#dawn")
    events = [
        event("posted", uid, group="fanout", id=post, author=uid, has_items=1, network=f"net{uid}")
        for uid, post in zip(uids, ids, strict=True)
    ]
    at_once(
        8,
        lambda one: projections.sync_posts(world.context, [one]),
        events * 4,
    )
    assert counts(world.db, "#dawn", ids[0]) == (7, 7, 7)


def test_no_key_names_a_network_beside_a_post(world: World) -> None:
    [ann] = world.people("ann")
    post = share(world, ann, "#dawn", "thenetworkofann")
    world.do(World.boost, world.people("ben")[0], post, "thenetworkofben")
    assert world.db.run(("PFCOUNT", keys.trend_networks("#dawn", day_of(post)))) == 2
    everything = dump(world.db)
    assert status_keys.status(post) in everything
    assert "thenetworkof" not in str(everything)
