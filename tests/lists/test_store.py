"""Lists at the store: their members, what viewers see of them, and exclusive lists."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.support import worker
from tests.support.concurrently import concurrently
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.events import current_event
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.boosts import Entry as Seen, all_entries as pages
from tests.support.timelines import home, home_timeline, post, walk
from tests.support.world import World
from webapp.accounts import store as accounts
from webapp.config import Config
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.core.store import Db, Site, partition_of
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.lists import (
    access,
    jobs,
    keys as list_keys,
    lookup,
    projections,
    store as lists,
    timeline as list_timeline,
)
from webapp.lists.listed_on import sync_listed_on
from webapp.lists.timeline import list_page
from webapp.registry import fanout
from webapp.statuses import Visibility, keys as status_keys, store as statuses
from webapp.statuses.values.visibility import WIDEST_FIRST
from webapp.timelines import keys as timeline_keys
from webapp.timelines.tags import store as tags

KEYS_OF_LISTS = (
    *"lists: list: list_members: list_home: active_lists: listed_on: home_excluded:".split(),
)


@pytest.fixture
def config(config: Config) -> Config:
    """Cache nothing from one read to the next."""
    return replace(config, merged_seconds=0, status_seconds=0)


def set_members(site: Site, uid: int, number: int, *logins: str, listed: bool = True) -> None:
    """Put members on a list, or take them off it."""
    for login in logins:
        lists.set_memberships(site, uid, login, {number: listed})


def make_list(site: Site, uid: int, *logins: str, name: str = "Birds", **options: bool) -> int:
    """Create a list with these members and return its number."""
    number = lists.create(site, uid, name, **options)
    set_members(site, uid, number, *logins)
    return number


def visible_ids(site: Site, owner: int, number: int, viewer: int | None = 0) -> list[int]:
    """Return every id that a viewer (0: the owner) can page to. Check that no page is short."""
    reader = owner if viewer == 0 else viewer
    return walk(
        lambda before: list_page(site, owner, number, reader, before)[1], site.config.page_size
    )


def visible_entries(site: Site, owner: int, number: int, viewer: int | None = 0) -> list[Seen]:
    """Return the same, each boost as its booster and its id."""
    reader = owner if viewer == 0 else viewer
    return list(pages(lambda before: list_page(site, owner, number, reader, before)[1]))


def expire_timeline(db: Db, uid: int, number: int) -> None:
    """Drop the stored timeline of a list."""
    db.run(("ZREM", list_keys.active_lists(partition_of(uid)), f"{uid}:{number}"))
    db.run(("DEL", list_keys.list_home(uid, number)))


def advance_ids(db: Db, uid: int, other: int) -> None:
    """Let the next status of `uid` come after the last one of `other`."""
    counters = [status_keys.last_status_id(partition_of(author)) for author in (uid, other)]
    db.run(("SET", counters[0], max(int(db.run(("GET", key)) or 0) for key in counters)))


def member_logins(db: Db, uid: int, number: int) -> list[str]:
    """Return the logins on a list, newest first."""
    return [
        member.login for member in access.members_page(db, uid, number, uid, None, 100)[1].items
    ]


def listed_on(db: Db, uid: int) -> set[str]:
    """Return the lists a member is on, as their own partition stores them."""
    return set(db.run(("ZRANGE", list_keys.listed_on(uid), 0, -1)))


def newest_first(*ids: int) -> list[int]:
    return sorted(ids, reverse=True)


def write(
    site: Site, uid: int, text: str, visibility: Visibility = Visibility.PUBLIC, parent: int = 0
) -> int:
    form_key = f"form-{uid}-{text}-{visibility.slug}".replace(" ", "-")
    return statuses.post(
        site, uid, parse(text), form_key, reply=parent or None, visibility=visibility
    )


def test_a_list_shows_statuses_of_its_members_followed_or_not(world: World) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    following.follow(world, ann, "ben")
    before = [write(world, uid, "before") for uid in (ben, cid, dot)]
    world.apply_events()
    number = make_list(world, ann, "ben", "cid")
    assert visible_ids(world, ann, number) == newest_first(*before[:2]), "before events are applied"
    world.apply_events()
    after = [write(world, uid, "after") for uid in (ben, cid, dot)]
    world.apply_events()
    assert visible_ids(world, ann, number) == newest_first(*before[:2], *after[:2])
    statuses.delete(world, cid, after[1])
    assert visible_ids(world, ann, number) == newest_first(*before[:2], after[0])
    world.apply_events()
    assert world.db.run(("ZCARD", list_keys.list_home(ann, number))) == 3
    set_members(world, ann, number, "ben", listed=False)
    assert visible_ids(world, ann, number) == [before[1]]
    assert home(world, ann) == newest_first(before[0], after[0])


def test_many_members_are_put_on_a_list_in_one_trip(world: World) -> None:
    ann, *others = world.people("ann", "ben", "cid", "dan")
    number = make_list(world, ann)
    found = world.db.read(accounts.get_many(others)).values()
    before = world.db.trips
    lists.set_members(world, ann, number, found, True)
    assert world.db.trips == before + 1
    assert sorted(member_logins(world.db, ann, number)) == ["ben", "cid", "dan"]
    world.refuses(Invalid, lists.set_members, ann, number, [world.db.read(accounts.get(ann))], True)
    lists.set_members(world, ann, number, found, False)
    assert member_logins(world.db, ann, number) == []
    world.suspend(others[0])
    world.do(World.block, others[1], "ann")
    for uids in (others[:1], others[1:]):
        found = world.db.read(accounts.get_many(uids)).values()
        world.refuses(Forbidden, lists.set_members, ann, number, found, True)
    assert member_logins(world.db, ann, number) == ["dan"], "who may be on it is"


def test_a_list_shows_a_status_posted_before_the_membership_is_applied(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.apply_events()
    number = make_list(world, ann, "ben")
    assert visible_ids(world, ann, number) == [], "the list's timeline is stored from here on"
    status_id = write(world, ben, "hello")
    posted = current_event(world.db, "posted", ben, id=status_id, author=ben)
    fanout.deliver_statuses(world.context, [posted])  # before `listed` is
    world.apply_events()
    assert visible_ids(world, ann, number) == [status_id]


def test_a_list_shows_replies_to_its_members_and_to_its_owner(world: World) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    number = world.do(make_list, ann, "ben", "cid")
    first = {uid: write(world, uid, "first") for uid in (ann, ben, cid, dot)}
    world.apply_events()
    assert visible_ids(world, ann, number) == newest_first(first[ben], first[cid])
    replies = {
        uid: write(world, ben, f"reply {uid}", parent=first[uid]) for uid in (ann, ben, cid, dot)
    }
    world.apply_events()
    expected = newest_first(first[ben], first[cid], replies[ann], replies[ben], replies[cid])
    assert visible_ids(world, ann, number) == expected
    expire_timeline(world.db, ann, number)
    assert visible_ids(world, ann, number) == expected, "rebuilt"
    set_members(world, ann, number, "cid", listed=False)
    assert visible_ids(world, ann, number) == newest_first(first[ben], replies[ann], replies[ben])


@pytest.mark.parametrize("source", ["delivered", "rebuilt"])
def test_a_list_shows_only_statuses_that_the_viewer_may_see(source: str, world: World) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    following.follow(world, dot, "ben")
    number = world.do(make_list, ann, "ben")
    if source == "delivered":
        assert visible_ids(world, ann, number) == []
    plain = {level: write(world, ben, "hm", level) for level in WIDEST_FIRST}
    mentioning = {level: write(world, ben, "hm @ann", level) for level in WIDEST_FIRST}
    world.apply_events()
    for_all = [
        ids[level]
        for ids in (plain, mentioning)
        for level in (Visibility.PUBLIC, Visibility.UNLISTED)
    ]
    for_ann = newest_first(
        *for_all, mentioning[Visibility.FOLLOWERS], mentioning[Visibility.MENTIONED]
    )
    assert visible_ids(world, ann, number) == for_ann
    for viewer in (cid, None):
        assert visible_ids(world, ann, number, viewer) == newest_first(*for_all)
    world.do(following.follow, ann, "ben")
    late = world.do(write, ben, "late", Visibility.FOLLOWERS)
    assert late in visible_ids(world, ann, number)
    assert late not in visible_ids(world, ann, number, cid)
    following.unfollow(world, ann, "ben")
    assert visible_ids(world, ann, number) == for_ann


def test_a_list_hides_muted_blocked_and_suspended_members(world: World) -> None:
    small = with_settings(world, page_size=3)
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    number = world.do(make_list, ann, "ben", "cid")
    theirs = {uid: [write(world, uid, f"{n}") for n in range(7)] for uid in (ben, cid)}
    world.apply_events()
    both = newest_first(*theirs[ben], *theirs[cid])
    assert visible_ids(small, ann, number) == both == visible_ids(small, ann, number, dot)
    world.mute(ann, "ben")
    assert visible_ids(small, ann, number) == newest_first(*theirs[cid])
    assert visible_ids(small, ann, number, dot) == both
    world.unmute(ann, "ben")
    blocks.block(world, dot, "cid")
    assert visible_ids(small, ann, number, dot) == newest_first(*theirs[ben])
    world.suspend(ben)
    assert visible_ids(small, ann, number) == newest_first(*theirs[cid])
    assert visible_ids(small, ann, number, dot) == []
    world.do(World.suspend, ben, False)
    assert visible_ids(small, ann, number) == both


def test_only_the_owner_sees_a_private_list_and_blocked_members_see_no_list(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    number = make_list(world, ann, "cid", private=True)
    for viewer in (ben, cid, None):
        assert not world.db.read(access.may_read(ann, number, viewer))
        world.refuses(NotFound, list_page, ann, number, viewer, match="no_list")
        with pytest.raises(NotFound, match="no_list"):
            access.members_page(world.db, ann, number, viewer, None, 10)
    active = list_keys.active_lists(partition_of(ann))
    assert not world.db.run(("EXISTS", active)), "a stranger's visit keeps nothing active"
    assert world.db.read(access.may_read(ann, number, ann))
    lists.update(world, ann, number, "Birds", False, False)
    assert world.db.read(access.may_read(ann, number, None))
    world.do(blocks.block, ann, "ben")
    world.refuses(Forbidden, list_page, ann, number, ben, match="not_for_you")
    world.suspend(ann)
    with pytest.raises(Forbidden, match="suspended"):
        access.members_page(world.db, ann, number, None, None, 10)


def test_a_members_lists_are_visible_to_those_who_may_see_their_statuses(world: World) -> None:
    ann, ben, cid, dot, eve = world.people("ann", "ben", "cid", "dot", "eve")
    following.follow(world, ben, "ann")
    blocks.block(world, ann, "cid")
    blocks.block(world, dot, "ann")
    first = make_list(world, ann, "ben", "eve", name="Birds", exclusive=True)
    private = make_list(world, ann, private=True, name="Secret")
    last = world.do(make_list, ann, name="Divers")

    def visible_lists(viewer: int | None) -> list[int] | str:
        try:
            page = world.db.read(access.public_lists(ann, viewer))
        except (Forbidden, NotFound) as refusal:
            return refusal.code
        numbers = [entry.number for entry in page.lists]
        for number in (first, last):
            readable = world.db.read(access.may_read(ann, number, viewer))
            assert readable == (number in numbers), (viewer, number)
        return "closed" if page.restricted else numbers

    everybody = (ann, ben, eve, None)
    assert [visible_lists(viewer) for viewer in everybody] == [[last, first]] * 4
    assert (visible_lists(cid), visible_lists(dot)) == ("not_for_you", "you_block")
    assert world.db.read(access.public_lists(ann, None)).lists[1].size == 2
    world.protect(ann)
    expected = [[last, first], [last, first], "closed", "closed"]
    assert [visible_lists(viewer) for viewer in everybody] == expected
    world.refuses(NotFound, list_page, ann, first, eve, match="no_list")
    with pytest.raises(NotFound, match="no_list"):
        access.members_page(world.db, ann, first, None, None, 10)
    world.protect(ann, False)
    lists.update(world, ann, private, "Open", False, False)
    lists.delete(world, ann, first)
    assert visible_lists(None) == [last, private]
    before = world.db.trips
    world.db.read(access.public_lists(ann, eve))
    assert world.db.trips - before == 1
    world.suspend(ann)
    assert visible_lists(ben) == visible_lists(None) == "suspended"
    world.delete_account(ann, None)
    assert visible_lists(None) == "no_member"


def test_a_list_shows_boosts_by_its_members_until_they_are_undone(world: World) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    number = world.do(make_list, ann, "ben", "cid")
    first, early = write(world, dot, "first"), write(world, dot, "early")
    world.do(World.boost, ben, early)
    assert visible_entries(world, ann, number) == [("ben", early)], "rebuilt"
    world.boost(ben, first)
    world.do(World.boost, dot, first)
    both = [("ben", first), ("ben", early)]
    assert (
        visible_entries(world, ann, number) == visible_entries(world, ann, number, None) == both
    ), "delivered"
    expire_timeline(world.db, ann, number)
    assert visible_entries(world, ann, number) == both, "rebuilt"
    world.unboost(ben, first)
    assert visible_entries(world, ann, number) == both[1:]
    world.apply_events()
    assert world.db.run(("ZCARD", list_keys.list_home(ann, number))) == 1
    statuses.delete(world, dot, early)
    assert visible_entries(world, ann, number) == []
    own = write(world, ann, "of her own")
    world.do(World.boost, cid, own)
    assert visible_entries(world, ann, number) == [("cid", own)]
    set_members(world, ann, number, "cid", listed=False)
    assert visible_entries(world, ann, number) == []


def test_a_list_shows_the_next_boost_when_the_first_one_is_hidden(world: World) -> None:
    small = with_settings(world, page_size=2)
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    number = make_list(small, ann, "ben", "cid")
    world.apply_events()
    assert visible_entries(small, ann, number) == []
    theirs, song = write(small, cid, "theirs"), write(small, dot, "song")
    small.boost(cid, song)
    cids = [write(small, cid, f"{n}") for n in range(5)]
    advance_ids(world.db, ben, cid)
    for status_id in (song, theirs):
        small.boost(ben, status_id)
    world.apply_events()
    assert visible_entries(small, ann, number) == [*cids[::-1], ("cid", song), theirs]
    small.mute(ann, "cid")
    assert visible_entries(small, ann, number) == [("ben", song)], "own statuses are hidden too"
    assert visible_entries(small, ann, number, None) == [*cids[::-1], ("cid", song), theirs]
    small.unmute(ann, "cid")
    small.unboost(cid, song)
    assert visible_entries(small, ann, number) == [("ben", song), *cids[::-1], theirs]
    for change, hides in ((blocks.block, True), (blocks.unblock, False)):
        change(small, ann, "dot")
        expected = [*([] if hides else [("ben", song)]), *cids[::-1], theirs]
        assert visible_entries(small, ann, number) == expected
    small.suspend(dot)
    assert visible_entries(small, ann, number) == [*cids[::-1], theirs]


def test_a_list_shows_quoted_statuses_that_the_viewer_may_see(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    number, song = make_list(world, ann, "ben"), write(world, cid, "song")
    quote = world.post(ben, "listen", quote=song)
    world.apply_events()
    quoted = [
        list_page(world, ann, number, viewer)[1].viewer_state.quote_cards[quote].status
        for viewer in (ann, None)
    ]
    assert [status and status.id for status in quoted] == [song, song]
    blocks.block(world, ann, "cid")
    assert list_page(world, ann, number, ann)[1].viewer_state.quote_cards[quote].status is None


def test_exclusive_lists_keep_boosts_out_of_home_too(world: World) -> None:
    small = with_settings(world, push_max_followers=2)
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    for uid in (ann, cid, dot):
        following.follow(small, uid, "ben")  # merged into homes from now on
    small.do(following.follow, ann, "cid")
    song, other = write(small, dot, "song"), write(small, ann, "of her own")
    small.boost(ben, song)
    advance_ids(world.db, cid, ben)
    for uid, status_id in ((cid, other), (cid, song), (ben, other)):
        small.boost(uid, status_id)
    worker.drain(small)

    def home_entries() -> set[Seen]:
        return set(pages(lambda before: home_timeline(small, ann, before)))

    everything = {other, ("ben", song)}
    assert home_entries() == everything
    number = make_list(small, ann, "dot", exclusive=True)
    assert home_entries() == {other}, "statuses by listed members, boosted by anyone"
    set_members(small, ann, number, "dot", listed=False)
    set_members(small, ann, number, "ben")
    assert home_entries() == {other, ("cid", song)}, "boosts by listed members"
    lists.delete(small, ann, number)
    assert home_entries() == everything


def test_invalid_changes_of_lists_are_refused(world: World) -> None:
    few = with_settings(world, lists_max=2, list_members_max=1)
    ann, *_ = world.people("ann", "ben", "cid")
    number = make_list(few, ann, "ben")
    few.refuses(Conflict, lists.create, ann, "Birds", match="list_named")
    other = lists.create(few, ann, "Others")
    few.refuses(Conflict, lists.update, ann, other, "Birds", False, False, match="list_named")
    lists.update(few, ann, other, "Others", True, False)
    for refusal, code, change in (
        (Conflict, "lists_full", lambda: lists.create(few, ann, "More")),
        (Conflict, "list_full", lambda: set_members(few, ann, number, "cid")),
        (Invalid, "list_yourself", lambda: set_members(few, ann, number, "ann")),
        (NotFound, "no_member", lambda: set_members(few, ann, number, "nobody")),
        (NotFound, "no_list", lambda: set_members(few, ann, 9, "cid")),
        (NotFound, "no_list", lambda: lists.update(few, ann, 9, "x", False, False)),
        (NotFound, "no_list", lambda: lists.delete(few, ann, 9)),
        (NotFound, "no_list", lambda: world.db.read(lookup.get(ann, 9))),
    ):
        with pytest.raises(refusal, match=code):
            change()
    with pytest.raises(NotFound):  # then neither list is changed
        lists.set_memberships(few, ann, "cid", {other: True, 9: True})
    assert member_logins(world.db, ann, number) == ["ben"]
    assert member_logins(world.db, ann, other) == []
    lists.delete(few, ann, other)
    assert lists.create(few, ann, "New") > other, "numbers are never reused"
    world.suspend(ann)
    with pytest.raises(Forbidden):
        lists.create(with_settings(world, lists_max=9), ann, "More")


def test_concurrent_additions_stop_at_the_members_limit(world: World) -> None:
    [ann] = world.people("ann")
    limited = with_settings(world, list_members_max=20)
    birds = [f"bird{n}" for n in range(50)]
    uids = world.people(*birds)
    number = lists.create(limited, ann, "Birds", exclusive=True)
    concurrently(lambda n: set_members(limited, ann, number, birds[n]), 50)
    world.apply_events()
    listed = set(member_logins(world.db, ann, number))
    assert len(listed) == 20 == world.db.read(lookup.get(ann, number)).size
    found = {login for login, uid in zip(birds, uids, strict=True) if listed_on(world.db, uid)}
    assert found == listed
    assert world.db.run(("ZCARD", timeline_keys.home_excluded(ann))) == 20


def test_concurrent_creations_stop_at_the_lists_limit(world: World) -> None:
    [ann] = world.people("ann")
    limited = with_settings(world, lists_max=5)
    concurrently(lambda number: lists.create(limited, ann, f"list {number % 10}"), 40)
    owned = world.db.read(lookup.owned(ann))
    assert len(owned) == 5 == len({owned_list.name for owned_list in owned})


def test_a_block_removes_both_from_each_others_lists_unless_it_was_undone(world: World) -> None:
    ann, ben = world.people("ann", "ben", "cid")[:2]
    anns = [make_list(world, ann, "ben", "cid", name=name, exclusive=True) for name in "xy"]
    bens = world.do(make_list, ben, "ann", "cid")
    blocks.block(world, ann, "ben")
    world.do(blocks.unblock, ann, "ben")
    assert member_logins(world.db, ann, anns[0]) == ["cid", "ben"]
    assert member_logins(world.db, ben, bens) == ["cid", "ann"]
    world.do(blocks.block, ann, "ben")
    assert [member_logins(world.db, ann, number) for number in anns] == [["cid"], ["cid"]]
    assert member_logins(world.db, ben, bens) == ["cid"]
    assert listed_on(world.db, ann) == listed_on(world.db, ben) == set()
    assert world.db.run(("ZSCORE", timeline_keys.home_excluded(ann), ben)) is None
    for uid, login, number in ((ann, "ben", anns[0]), (ben, "ann", bens)):
        world.refuses(Forbidden, set_members, uid, number, login, match="cannot_list")
        set_members(world, uid, number, login, listed=False)


def test_exclusive_lists_exclude_their_members_from_home_and_restore_them(world: World) -> None:
    small = with_settings(world, page_size=3, push_max_followers=2)
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    for uid in (ann, cid, dot):
        following.follow(small, uid, "ben")  # merged into homes from now on
    following.follow(small, ann, "cid")
    small.do(tags.follow, ann, "reeds")
    theirs = {uid: post(small, uid, *(f"{n} sings" for n in range(5))) for uid in (ann, ben, cid)}
    tagged = {uid: write(small, uid, "in the #reeds") for uid in (ben, dot)}
    worker.drain(small)
    everything = newest_first(*theirs[ann], *theirs[ben], *theirs[cid], *tagged.values())
    assert home(small, ann) == everything
    first = make_list(small, ann, "ben", "dot", name="first", exclusive=True)
    assert home(small, ann) == newest_first(*theirs[ann], *theirs[cid])
    second = make_list(small, ann, "cid", "ben", name="second", exclusive=True)
    assert home(small, ann) == newest_first(*theirs[ann])
    worker.drain(small)
    assert visible_ids(small, ann, first) == newest_first(*theirs[ben], *tagged.values())
    lists.update(small, ann, first, "first", False, False)
    assert home(small, ann) == newest_first(*theirs[ann], tagged[dot])
    set_members(small, ann, second, "ben", listed=False)
    assert home(small, ann) == newest_first(*theirs[ann], *theirs[ben], *tagged.values())
    lists.delete(small, ann, second)
    assert home(small, ann) == everything
    assert not world.db.run(("EXISTS", timeline_keys.home_excluded(ann)))


def test_a_list_timeline_is_bounded_expires_and_is_rebuilt(world: World) -> None:
    small = with_settings(world, list_home_max=6, page_size=2, fanout_batch=2)
    ann, ben, cid = world.people("ann", "ben", "cid")
    number = small.do(make_list, ann, "ben", "cid")
    assert visible_ids(small, ann, number) == []
    ids = [write(small, uid, f"{n} sings") for n in range(5) for uid in (ben, cid)]
    worker.drain(small)
    assert visible_ids(small, ann, number) == newest_first(*ids)[:6]
    p, name = partition_of(ann), f"{ann}:{number}"
    world.db.run(("ZADD", list_keys.active_lists(p), 1, name))
    assert jobs.expire_inactive(small, p) == 1
    assert not world.db.run(("EXISTS", list_keys.list_home(ann, number)))
    latest = small.do(write, ben, "late")
    assert not world.db.run(("EXISTS", list_keys.list_home(ann, number))), (
        "an expired one gets nothing"
    )
    assert visible_ids(small, ann, number) == newest_first(*ids, latest)[:6]
    set_members(small, ann, number, "cid", listed=False)
    bens = [status_id for status_id in ids if partition_of(status_id) == partition_of(ben)]
    found = visible_ids(small, ann, number)
    assert found == newest_first(*bens, latest), "entries beyond the bound come back"


def test_an_interrupted_or_outdated_rebuild_is_repeated(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    number = make_list(world, ann, "ben")
    ids = [write(world, uid, "sings") for uid in (ben, cid)]
    world.apply_events()
    with pytest.raises(Crashed):
        list_page(Site(CrashingDb(world.db, 2), world.config), ann, number, ann)
    assert visible_ids(world, ann, number) == [ids[0]]
    set_members(world, ann, number, "cid", listed=False)
    page_from_candidates = list_timeline.page_from_candidates
    changes = iter([lambda: set_members(world, ann, number, "cid")])

    def change_then_build(*args: Any, **options: Any) -> Any:
        next(changes, lambda: None)()
        return page_from_candidates(*args, **options)

    monkeypatch.setattr(list_timeline, "page_from_candidates", change_then_build)
    expire_timeline(world.db, ann, number)
    assert visible_ids(world, ann, number) == [ids[0]], "the list as it was when the read began"
    assert visible_ids(world, ann, number) == newest_first(*ids)


def test_a_status_is_delivered_in_batches_to_many_lists(world: World) -> None:
    small = with_settings(world, fanout_batch=3)
    [ben], owners = world.people("ben"), world.crowd(8)
    numbers = {uid: make_list(small, uid, "ben") for uid in owners}
    world.apply_events()
    assert all(visible_ids(small, uid, number) == [] for uid, number in numbers.items())
    status_id = small.do(write, ben, "hello")
    timelines = [
        world.db.run(("ZRANGE", list_keys.list_home(uid, number), 0, -1))
        for uid, number in numbers.items()
    ]
    assert timelines == [[f"{status_id}:{ben}"]] * 8
    small.do(statuses.delete, ben, status_id)
    assert not [name for name in live_keys(world.db) if name.startswith("list_home:")]


def test_a_deleted_account_leaves_all_lists_and_loses_its_own(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    anns = make_list(world, ann, "ben", exclusive=True)
    world.do(make_list, cid, "ben", "ann", exclusive=True)
    world.do(write, ben, "hello")
    assert len(visible_ids(world, ann, anns)) == 1
    world.delete_account(ben, None)
    assert member_logins(world.db, ann, anns) == [] == visible_ids(world, ann, anns)
    world.apply_events()
    assert world.db.read(lookup.get(ann, anns)).size == 0
    assert not world.db.run(("EXISTS", timeline_keys.home_excluded(ann)))
    for uid in (ann, cid):
        world.delete_account(uid, None)
    world.apply_events()
    assert not [name for name in live_keys(world.db) if name.startswith(KEYS_OF_LISTS)]


PURGE_DELETED_ACCOUNT = worker.in_slices(projections.purge_memberships, projections.purge_lists)


def test_a_member_listed_during_their_deletion_is_removed(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    number = world.do(make_list, ann, exclusive=True)
    listed = {"uid": str(ann), "list": str(number), "target": str(ben)}
    set_members(world, ann, number, "ben")
    world.delete_account(ben, None)
    deleted = current_event(world.db, "account_deleted", ben, uid=ben)
    PURGE_DELETED_ACCOUNT(world.context, [deleted])
    sync_listed_on(world.context, [current_event(world.db, "list_member_added", ann, **listed)])
    assert world.db.read(lookup.get(ann, number)).size == 0
    assert not world.db.run(("EXISTS", list_keys.listed_on(ben)))
    world.apply_events()


def test_a_list_page_takes_a_fixed_number_of_trips(world: World) -> None:
    small = with_settings(world, page_size=5)
    ann, ben, *_ = world.people("ann", "ben", *(f"bird{n}" for n in range(10)))

    def trips(load: Callable[[], object]) -> int:
        before = world.db.trips
        load()
        return world.db.trips - before

    number = make_list(small, ann, "ben")
    write(small, ben, "hello")
    world.apply_events()
    visible_ids(small, ann, number)
    pages = [
        lambda: list_page(small, ann, number, ann),
        lambda: list_page(small, ann, number, None),
        lambda: access.members_page(world.db, ann, number, ann, None, 5),
        lambda: world.db.read(lookup.owned(ann, ben)),
    ]
    trips_before = [trips(page) for page in pages]
    set_members(small, ann, number, *(f"bird{n}" for n in range(10)))
    for n in range(10):
        lists.create(small, ann, f"list {n}")
        write(small, n + 1 + ben, "sings")
    world.apply_events()
    visible_ids(small, ann, number)
    assert [trips(page) for page in pages] == trips_before == [2, 2, 2, 1]


def test_a_list_may_hold_a_protected_member(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for uid in (ann, cid):
        following.follow(world, uid, "ben")
    world.apply_events()
    world.do(World.protect, ben)
    number = world.do(make_list, ann, "ben")
    assert listed_on(world.db, ben) == {f"{ann}:{number}"} and visible_ids(world, ann, number) == []
    status_id = world.do(write, ben, "for followers")
    assert visible_ids(world, ann, number) == visible_ids(world, ann, number, cid) == [status_id]
    assert visible_ids(world, ann, number, None) == []
    world.do(World.delete_account, ben, None)
    assert world.db.run(("ZCARD", list_keys.list_members(ann, number))) == 0
    assert listed_on(world.db, ben) == set()
