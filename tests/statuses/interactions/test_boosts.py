"""Boosts: kept by who gives them, mirrored to the status, brought into homes, and shown once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.statuses.interactions.test_likes import post
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.timelines import home_timeline
from tests.timelines.test_store import walk
from webapp.accounts import lifecycle
from webapp.accounts.store import get_or_404
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, NotFound, Unavailable
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.items import Boost, Item
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page

People = Callable[..., list[int]]
Settle = Callable[[], None]
Seen = int | tuple[str, int]  # a status, or who boosts which


def seen(item: Item) -> Seen:
    return (item.booster.login, item.status.id) if isinstance(item, Boost) else item.id


def home(db: Db, config: Config, uid: int) -> list[Seen]:
    """All pages of a home."""
    return list(pages(lambda before: home_timeline(db, config, uid, before)))


def profile(
    db: Db, config: Config, login: str, viewer: int = 0, replies: bool = False
) -> list[Seen]:
    """All pages of a profile."""
    reader = db.read(get_or_404(viewer)) if viewer else None
    return list(
        pages(lambda before: profile_page(db, config, login, reader, before, replies).timeline)
    )


def pages(
    read: Callable[[int | None], timelines.Timeline[Item]], short: bool = False
) -> Iterator[Seen]:
    """All items; no page but the last is short, unless so many are hidden that it may be `short`."""
    before, size = None, 0
    while True:
        page = read(before)
        yield from map(seen, page.items)
        size, before = size or len(page.items), page.next
        if before is None:
            return
        assert short or (len(page.items) == size and page.items[-1].id == before)


def mirrored(db: Db, status_id: int) -> set[int]:
    """Who boosts a status, as its list says; the number that the status itself says is held to it."""
    uids, number = db.trip(
        ("ZRANGE", interaction_keys.boosters(status_id), 0, -1),
        ("HGET", status_keys.status(status_id), "boosts"),
    )
    assert int(number or 0) == len(uids) and number != "0"
    return set(map(int, uids))


def own(db: Db, uid: int) -> list[int]:
    """What a member boosts, as their own list says, oldest first."""
    return [
        int(name.partition(":")[0])
        for name in db.run(("ZRANGE", interaction_keys.member_boosts(uid), 0, -1))
    ]


@pytest.fixture
def three(db: Db, config: Config, people: People, settle: Settle) -> tuple[int, int, int]:
    """ann, who writes; ben, who boosts; cid, who follows ben."""
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, cid, "ben")
    settle()
    return ann, ben, cid


def test_a_boost_comes_to_those_who_follow_and_goes_when_it_is_taken_back(
    db: Db, config: Config, three: tuple[int, int, int], settle: Settle
) -> None:
    ann, ben, cid = three
    status_id = post(db, config, ann)
    boosts.boost(db, config, ben, status_id)
    assert (
        home(db, config, ben) == [("ben", status_id)] == profile(db, config, "ben")
    )  # before anything is applied
    settle()
    assert home(db, config, cid) == [("ben", status_id)] and home(db, config, ann) == [status_id]
    assert mirrored(db, status_id) == {ben} and own(db, ben) == [status_id]
    boosts.unboost(db, config, ben, status_id)
    assert home(db, config, cid) == home(db, config, ben) == profile(db, config, "ben") == []
    settle()
    assert mirrored(db, status_id) == set() and own(db, ben) == []
    assert db.run(("ZCARD", timeline_keys.home(cid))) == 0
    assert not {interaction_keys.boosters(status_id), interaction_keys.member_boosts(ben)} & set(
        live_keys(db)
    )


def test_again_is_no_change_and_tells_nobody(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    status_id, outbox = post(db, config, ann), event_keys.outbox(partition_of(ben))
    for act, told in (
        (boosts.boost, 1),
        (boosts.boost, 0),
        (boosts.unboost, 1),
        (boosts.unboost, 0),
    ):
        before = db.run(("XLEN", outbox))
        act(db, config, ben, status_id)
        assert db.run(("XLEN", outbox)) - before == told


def test_a_boost_is_newer_than_what_it_shows_and_posts_after_it_are_newer_still(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    for number in range(5):
        one = post(db, config, ann, f"one {number}")
        boosts.boost(db, config, ben, one)
        two = post(db, config, ben, f"two {number}")
        at = int(db.run(("ZSCORE", interaction_keys.member_boosts(ben), f"{one}:{ann}")))
        assert one < at < two and at % 64 == partition_of(ben)


def test_what_cannot_be_boosted_is_refused_and_leaves_nothing(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")

    def refused(uid: int, status_id: int, error: type[Exception]) -> None:
        before = db.run(("ZCARD", timeline_keys.home(uid)))
        with pytest.raises(error):
            boosts.boost(db, config, uid, status_id)
        assert own(db, uid) == [] and db.run(("ZCARD", timeline_keys.home(uid))) == before

    limited = statuses.post(
        db, config, ann, parse("psst @ben"), "form-psst", visibility=Visibility.MENTIONED
    )
    refused(ben, limited, Forbidden)
    refused(cid, limited, NotFound)
    refused(ann, limited, Forbidden)
    unlisted = statuses.post(
        db, config, cid, parse("quietly"), "form-quiet", visibility=Visibility.UNLISTED
    )
    boosts.boost(db, config, dan, unlisted)
    refused(ben, 4096, NotFound)
    blocks.block(db, config, ann, "ben")
    open_ = statuses.post(db, config, ann, parse("hello"), "form-hello")
    refused(ben, open_, Forbidden)
    blocks.block(db, config, dan, "ann")
    with pytest.raises(Forbidden):
        boosts.boost(db, config, dan, open_)
    lifecycle.suspend(db, config, cid, True)
    refused(cid, open_, Forbidden)
    refused(ben, unlisted, Forbidden)
    far = (
        int(db.run(("HGET", status_keys.status(open_), "author"))) + (open_ // 64 + 10**9 * 64) * 64
    )
    db.run(
        ("HSET", status_keys.status(far), "author", ann, "text", "of tomorrow", "entities", "[]")
    )
    with pytest.raises(Conflict):
        boosts.boost(db, config, people("eve")[0], far)
    db.run(("DEL", status_keys.status(far)))


def test_it_is_shown_once_among_the_newest_and_again_when_what_was_before_goes(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")
    for login in ("ann", "ben", "dan"):
        following.follow(db, config, cid, login)
    settle()
    status_id = post(db, config, ann)
    boosts.boost(db, config, ben, status_id)
    settle()
    assert home(db, config, cid) == [status_id]  # the post itself is there
    boosts.boost(db, config, dan, status_id)
    settle()
    following.unfollow(db, config, cid, "ann")
    assert home(db, config, cid) == [("ben", status_id)]  # now the first boost
    boosts.unboost(db, config, ben, status_id)
    assert home(db, config, cid) == []  # which finds that it is gone
    assert home(db, config, cid) == [("dan", status_id)]
    settle()
    assert home(db, config, cid) == [("dan", status_id)]
    boosts.boost(db, config, ben, status_id)
    settle()
    assert home(db, config, cid) == [("dan", status_id)]
    mutes.mute(db, config, cid, "dan", 3_600)
    assert home(db, config, cid) == [("ben", status_id)]


@pytest.mark.parametrize("between", [39, 40])
def test_once_means_the_forty_entries_below_it(
    db: Db, config: Config, people: People, settle: Settle, between: int
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for login in ("ann", "ben"):
        following.follow(db, config, cid, login)
    settle()
    status_id = post(db, config, ann)
    others = [post(db, config, ann, f"other {number}") for number in range(between)]
    db.run(
        ("SET", status_keys.last_status_id(partition_of(ben)), others[-1])
    )  # what came in one millisecond has no order
    boosts.boost(db, config, ben, status_id)
    settle()
    shown = [("ben", status_id)] if between == 40 else []
    for size in (2, 30):
        assert home(db, replace(config, page_size=size), cid) == [
            *shown,
            *reversed(others),
            status_id,
        ]


def test_boosts_never_make_a_page_short(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, *more = people("ann", "ben", "cid", *(f"bird{n}" for n in range(6)))
    small = replace(config, page_size=3)
    for login in ("ann", "ben", *(f"bird{n}" for n in range(6))):
        following.follow(db, config, cid, login)
    settle()
    ids = [post(db, config, ann, f"text {n}") for n in range(4)]
    for uid in (ben, *more):
        for status_id in ids:
            boosts.boost(db, config, uid, status_id)
    settle()
    assert home(db, small, cid) == ids[::-1]
    assert profile(db, small, "ben") == [("ben", status_id) for status_id in reversed(ids)]
    lifecycle.suspend(db, config, ann, True)
    assert home(db, small, cid) == [] == profile(db, small, "ben")
    written = [post(db, config, ben, f"own {n}") for n in range(4)]
    assert profile(db, small, "ben") == written[::-1]
    lifecycle.suspend(db, config, ann, False)
    settle()
    assert profile(db, small, "ben", cid) == [
        *written[::-1],
        *(("ben", status_id) for status_id in reversed(ids)),
    ]


def test_a_profile_mixes_posts_and_boosts_and_its_feed_has_posts_alone(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    mixed: list[Seen] = []
    for number in range(8):
        theirs = post(db, config, ann, f"ann {number}")
        if number % 3:
            boosts.boost(db, config, ben, theirs)
            mixed.append(("ben", theirs))
        else:
            mixed.append(post(db, config, ben, f"ben {number}"))
    small = replace(config, page_size=2)
    assert profile(db, small, "ben") == mixed[::-1] == profile(db, small, "ben", ann, replies=True)
    posts = [one for one in mixed if isinstance(one, int)]
    read = lambda before: profile_page(db, small, "ben", None, before, with_boosts=False).timeline
    assert walk(read, 2) == posts[::-1]


def test_one_may_boost_oneself_and_a_profile_does_not_say_it_twice(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    first = post(db, config, ann, "first")
    boosts.boost(db, config, ann, first)
    assert profile(db, config, "ann") == [first] == home(db, config, ann)


def test_nobody_is_shown_whom_they_do_not_want_to_see(
    db: Db, config: Config, three: tuple[int, int, int], settle: Settle
) -> None:
    ann, ben, cid = three
    status_id = post(db, config, ann)
    boosts.boost(db, config, ben, status_id)
    settle()
    acts = (
        (
            lambda: mutes.mute(db, config, cid, "ann", 60),
            lambda: mutes.unmute(db, config, cid, "ann"),
        ),
        (
            lambda: blocks.block(db, config, cid, "ann"),
            lambda: blocks.unblock(db, config, cid, "ann"),
        ),
        (
            lambda: blocks.block(db, config, ann, "cid"),
            lambda: blocks.unblock(db, config, ann, "cid"),
        ),
        (
            lambda: lifecycle.suspend(db, config, ann, True),
            lambda: lifecycle.suspend(db, config, ann, False),
        ),
        (
            lambda: lifecycle.suspend(db, config, ben, True),
            lambda: lifecycle.suspend(db, config, ben, False),
        ),
        (
            lambda: mutes.mute(db, config, cid, "ben", 60),
            lambda: mutes.unmute(db, config, cid, "ben"),
        ),
    )
    for at, (hide, show) in enumerate(acts):
        hide()
        if at == 2:
            settle()
        assert home(db, config, cid) == []
        if at < 4:
            assert profile(db, config, "ben", cid) == []
        settle()
        assert home(db, config, cid) == []
        show()
        settle()
        assert home(db, config, cid) == [("ben", status_id)] == profile(db, config, "ben", cid)
    following.unfollow(db, config, cid, "ben")
    assert home(db, config, cid) == []


def test_leaving_who_wrote_it_leaves_the_boosts_of_others(
    db: Db, config: Config, three: tuple[int, int, int], settle: Settle
) -> None:
    ann, ben, cid = three
    following.follow(db, config, cid, "ann")
    settle()
    status_id = post(db, config, ann)
    boosts.boost(db, config, ben, status_id)
    settle()
    following.unfollow(db, config, cid, "ann")
    settle()
    assert home(db, config, cid) == [("ben", status_id)]


def away(db: Db, uid: int) -> None:
    """As if a member had been away for long."""
    db.trip(
        ("ZREM", timeline_keys.active_members(partition_of(uid)), uid),
        ("DEL", timeline_keys.home(uid)),
    )


def test_a_new_follow_and_a_home_built_anew_bring_boosts(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    ids = [post(db, config, ann, f"text {n}") for n in range(5)]
    for status_id in ids:
        boosts.boost(db, config, ben, status_id)
    mine = post(db, config, ben, "mine")
    settle()
    following.follow(db, config, cid, "ben")
    settle()
    whole = [mine, *(("ben", one) for one in reversed(ids))]
    assert home(db, config, cid) == whole
    entries = db.run(("ZRANGE", timeline_keys.home(cid), 0, -1, "WITHSCORES"))
    away(db, cid)
    assert home(db, config, cid) == whole
    assert db.run(("ZRANGE", timeline_keys.home(cid), 0, -1, "WITHSCORES")) == entries
    away(db, cid)
    boosts.unboost(db, config, ben, ids[2])
    assert home(db, config, cid) == [one for one in whole if one != ("ben", ids[2])]
    few = replace(config, home_max=3, home_slack=0, page_size=2)
    away(db, cid)
    assert home(db, few, cid) == [one for one in whole if one != ("ben", ids[2])][:3]


def test_who_has_very_many_followers_is_merged_with_their_boosts(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    merged = replace(config, push_max_followers=0, merged_seconds=0, page_size=3)
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, merged, cid, "ben")
    worker.drain(db, merged)
    ids = [post(db, config, ann, f"text {n}") for n in range(4)]
    for status_id in ids:
        boosts.boost(db, merged, ben, status_id)
    worker.drain(db, merged)
    assert db.run(("ZCARD", timeline_keys.home(cid))) == 0
    assert home(db, merged, cid) == [("ben", one) for one in reversed(ids)]
    mutes.mute(db, config, cid, "ann", 60)
    assert list(pages(lambda before: home_timeline(db, merged, cid, before), short=True)) == []
    mutes.unmute(db, config, cid, "ann")
    kept = replace(merged, merged_seconds=60)
    assert home(db, kept, cid) == home(db, kept, cid) == [("ben", one) for one in reversed(ids)]
    following.follow(db, merged, cid, "ann")
    settle()
    # Boosts of what stands below are left out, and may make a page of merged ones short.
    assert (
        list(pages(lambda before: home_timeline(db, merged, cid, before), short=True)) == ids[::-1]
    )


def test_a_deleted_status_goes_from_the_lists_of_those_who_boosted_it(
    db: Db, config: Config, three: tuple[int, int, int], settle: Settle
) -> None:
    ann, ben, cid = three
    status_id, late = post(db, config, ann), post(db, config, ann, "late")
    boosts.boost(db, config, ben, status_id)
    settle()
    boosts.boost(db, config, ben, late)
    for one in (status_id, late):
        statuses.delete(db, config, ann, one)
    assert home(db, config, cid) == home(db, config, ben) == profile(db, config, "ben") == []
    settle()
    assert own(db, ben) == [] and not any(
        key.startswith(("boost", "home")) for key in live_keys(db)
    )
    boosts.unboost(db, config, ben, late)


def test_deleted_accounts_boost_nothing_and_what_they_wrote_is_boosted_by_nobody(
    db: Db, config: Config, three: tuple[int, int, int], settle: Settle
) -> None:
    ann, ben, cid = three
    status_id, other = post(db, config, ann), post(db, config, cid)
    boosts.boost(db, config, ben, status_id)
    boosts.boost(db, config, cid, status_id)
    boosts.boost(db, config, ben, other)
    settle()
    lifecycle.delete_account(db, config, ben, None)
    assert home(db, config, cid) == [
        other
    ]  # which finds that what one's own boost stood aside for is gone
    assert home(db, config, cid) == [("cid", status_id), other]
    settle()
    assert mirrored(db, other) == set() and mirrored(db, status_id) == {cid} and own(db, ben) == []
    lifecycle.delete_account(db, config, ann, None)
    assert home(db, config, cid) == [other]
    settle()
    assert own(db, cid) == [] and not any(key.startswith("boost") for key in live_keys(db))


def test_with_one_more_than_the_most_the_oldest_is_taken_back_everywhere(
    db: Db, config: Config, three: tuple[int, int, int], settle: Settle
) -> None:
    ann, ben, cid = three
    few = replace(config, boosts_max=2)
    ids = [post(db, config, ann, f"text {n}") for n in range(4)]
    for status_id in ids:
        boosts.boost(db, few, ben, status_id)
        settle()
    assert own(db, ben) == ids[2:] and [mirrored(db, one) for one in ids] == [
        set(),
        set(),
        {ben},
        {ben},
    ]
    left = [("ben", ids[3]), ("ben", ids[2])]
    assert home(db, config, cid) == home(db, config, ben) == profile(db, config, "ben") == left
    assert db.run(("ZCARD", timeline_keys.home(cid))) == 2


def test_fifty_who_boost_and_unboost_at_once_are_counted_right(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, *crowd = people("ann", *(f"bird{n}" for n in range(50)))
    status_id = post(db, config, ann)

    def act(uid: int) -> None:
        for _ in range(4):
            random.choice((boosts.boost, boosts.unboost))(db, config, uid, status_id)

    with ThreadPoolExecutor(10) as pool:
        drains = pool.submit(settle)
        list(pool.map(act, crowd))
        drains.result()
    settle()
    truth = {uid for uid in crowd if own(db, uid)}
    assert mirrored(db, status_id) == truth
    for uid in (ann, *crowd[:3]):
        assert statuses.get_with_state(db, status_id, uid)[1].boost_count(status_id, 0) in (
            len(truth),
            int(uid in truth),
        )
        homes = db.run(("ZRANGE", timeline_keys.home(uid), 0, -1))
        assert len(homes) == (1 if uid == ann else int(uid in truth))


def test_one_member_who_clicks_often_at_once_boosts_once(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(db, config, ann)
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda _: boosts.boost(db, config, ben, status_id), range(50)))
    assert own(db, ben) == [status_id] and db.run(("ZCARD", timeline_keys.home(ben))) == 1


def test_a_late_delivery_cannot_undo_a_newer_act(
    db: Db, config: Config, three: tuple[int, int, int], settle: Settle
) -> None:
    ann, ben, cid = three
    status_id = post(db, config, ann)
    for _ in range(3):
        boosts.boost(db, config, ben, status_id)
        boosts.unboost(db, config, ben, status_id)
    boosts.boost(db, config, ben, status_id)
    settle()
    assert db.run(("ZCARD", timeline_keys.home(cid))) == 1 and mirrored(db, status_id) == {ben}
    assert home(db, config, cid) == [("ben", status_id)]


def test_ones_own_boost_shows_and_counts_at_once_whatever_waits(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(db, config, ann)

    def looks(viewer: int) -> tuple[bool, int]:
        status, acts = statuses.get_with_state(db, status_id, viewer)
        return status_id in acts.boosted, acts.boost_count(status_id, status.boosts)

    boosts.boost(db, config, ben, status_id)
    likes.like(db, config, ben, status_id)
    assert looks(ben) == (True, 1) and looks(ann) == (False, 0)
    boosts.unboost(db, config, ben, status_id)
    assert looks(ben) == (False, 0)


def test_an_overloaded_partition_refuses_and_changes_nothing(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(db, config, ann)
    with pytest.raises(Unavailable):
        boosts.boost(db, replace(config, outbox_max=0), ben, status_id)
    assert own(db, ben) == []
    boosts.boost(db, config, ben, status_id)
    with pytest.raises(Unavailable):
        boosts.unboost(db, replace(config, outbox_max=0), ben, status_id)
    assert own(db, ben) == [status_id]


def test_a_home_with_boosts_takes_two_trips(
    db: Db, config: Config, three: tuple[int, int, int], settle: Settle
) -> None:
    ann, ben, cid = three
    for number in range(9):
        boosts.boost(db, config, ben, post(db, config, ann, f"text {number}"))
    settle()
    before = db.trips
    assert len(home_timeline(db, config, cid).items) == 9
    assert db.trips - before == 2
