"""Lists at the store: who is on them, what they show to whom, and what they keep out of homes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from tests.following.test_blocks import Dying, Killed
from tests.statuses.interactions.test_boosts import Seen, pages
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.timelines import home_timeline
from tests.timelines.test_store import home, post, walk
from webapp import registry
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, Invalid, LeaseLost, NotFound
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.lists import jobs, lookup, projections
from webapp.lists import keys as list_keys
from webapp.lists import store as lists
from webapp.lists import timeline as list_timeline
from webapp.lists.timeline import list_page
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.interactions import boosts
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines.tags import store as tags

People = Callable[..., list[int]]
Settle = Callable[[], None]
OWN = ("lists:", "list:", "list_members:", "list_home:", "active_lists:", "listers:", "aside:")


@pytest.fixture
def config(config: Config) -> Config:
    """Nothing is kept from one reading to the next."""
    return replace(config, merged_seconds=0, status_seconds=0)


def put(db: Db, config: Config, uid: int, number: int, *logins: str, on: bool = True) -> None:
    """Puts members on a list, or takes them off."""
    for login in logins:
        lists.set_memberships(db, config, uid, login, {number: on})


def make(db: Db, config: Config, uid: int, *logins: str, name: str = "Birds", **kind: bool) -> int:
    """A list with these members."""
    number = lists.create(db, config, uid, name, **kind)
    put(db, config, uid, number, *logins)
    return number


def shown(db: Db, config: Config, owner: int, number: int, viewer: int | None = 0) -> list[int]:
    """Return every id that a viewer (0: the owner) can page to, checking that no page is short."""
    reader = owner if viewer == 0 else viewer
    return walk(
        lambda before: list_page(db, config, owner, number, reader, before)[1],
        config.page_size,
    )


def read(db: Db, config: Config, owner: int, number: int, viewer: int | None = 0) -> list[Seen]:
    """The same with who boosts what, where it is a boost."""
    reader = owner if viewer == 0 else viewer
    return list(pages(lambda before: list_page(db, config, owner, number, reader, before)[1]))


def stale(db: Db, uid: int, number: int) -> None:
    """The timeline of a list is not kept any more."""
    db.run(("ZREM", list_keys.active_lists(partition_of(uid)), f"{uid}:{number}"))
    db.run(("DEL", list_keys.list_home(uid, number)))


def later(db: Db, uid: int, other: int) -> None:
    """Wait, so that what a member does next comes after what another did."""
    last = [status_keys.last_status_id(partition_of(one)) for one in (uid, other)]
    db.run(("SET", last[0], max(int(db.run(("GET", name)) or 0) for name in last)))


def on(db: Db, uid: int, number: int) -> list[str]:
    """Who is on a list, by name, the newest first."""
    return [one.login for one in lookup.members_page(db, uid, number, uid, None, 100)[1].items]


def listers(db: Db, uid: int) -> set[str]:
    """The lists a member is on, as their own partition has it."""
    return set(db.run(("ZRANGE", list_keys.listed_on(uid), 0, -1)))


def newest(*ids: int) -> list[int]:
    return sorted(ids, reverse=True)


def say(
    db: Db,
    config: Config,
    uid: int,
    text: str,
    visibility: Visibility = Visibility.PUBLIC,
    to: int = 0,
) -> int:
    form = f"form-{uid}-{text}-{visibility.slug}".replace(" ", "-")
    return statuses.post(
        db, config, uid, parse(text), form, reply=to or None, visibility=visibility
    )


def test_a_list_shows_what_its_members_wrote_and_write_followed_or_not(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    following.follow(db, config, ann, "ben")
    before = [say(db, config, uid, "before") for uid in (ben, cid, dot)]
    settle()
    number = make(db, config, ann, "ben", "cid")
    assert shown(db, config, ann, number) == newest(*before[:2]), "at once, whatever waits"
    settle()
    after = [say(db, config, uid, "after") for uid in (ben, cid, dot)]
    settle()
    assert shown(db, config, ann, number) == newest(*before[:2], *after[:2])
    statuses.delete(db, config, cid, after[1])
    assert shown(db, config, ann, number) == newest(*before[:2], after[0])
    settle()
    assert db.run(("ZCARD", list_keys.list_home(ann, number))) == 3
    put(db, config, ann, number, "ben", on=False)
    assert shown(db, config, ann, number) == [before[1]]
    assert home(db, config, ann) == newest(before[0], after[0])


def test_what_is_written_while_somebody_is_put_on_a_list_is_not_lost(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    settle()
    number = make(db, config, ann, "ben")
    assert (
        shown(db, config, ann, number) == []
    )  # it is kept from here on, and ben's partition does not know of it
    one = say(db, config, ben, "hello")
    told = event(db, "posted", ben, id=str(one), author=str(ben))
    registry.deliver_statuses(Context(db, config, lambda: None), [told])  # before it does
    settle()
    assert shown(db, config, ann, number) == [one]


def test_replies_are_on_a_list_where_both_are_or_to_who_made_it(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    number = make(db, config, ann, "ben", "cid")
    settle()
    first = {uid: say(db, config, uid, "first") for uid in (ann, ben, cid, dot)}
    settle()
    assert shown(db, config, ann, number) == newest(first[ben], first[cid])
    answers = {
        uid: say(db, config, ben, f"answer {uid}", to=first[uid]) for uid in (ann, ben, cid, dot)
    }
    settle()
    expected = newest(first[ben], first[cid], answers[ann], answers[ben], answers[cid])
    assert shown(db, config, ann, number) == expected
    stale(db, ann, number)
    assert shown(db, config, ann, number) == expected, "built anew"
    put(db, config, ann, number, "cid", on=False)
    assert shown(db, config, ann, number) == newest(first[ben], answers[ann], answers[ben])


@pytest.mark.parametrize("built", ["delivered", "built anew"])
def test_being_on_a_list_gives_nobody_any_right_to_see_more(
    built: str, db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    following.follow(db, config, dot, "ben")
    number = make(db, config, ann, "ben")
    settle()
    if built == "delivered":
        assert shown(db, config, ann, number) == []
    ids = {one: say(db, config, ben, "hm", one) for one in Visibility}
    named = {one: say(db, config, ben, "hm @ann", one) for one in Visibility}
    settle()
    wide = [of[one] for of in (ids, named) for one in (Visibility.PUBLIC, Visibility.UNLISTED)]
    for_ann = newest(*wide, named[Visibility.FOLLOWERS], named[Visibility.MENTIONED])
    assert shown(db, config, ann, number) == for_ann
    assert (
        shown(db, config, ann, number, cid) == shown(db, config, ann, number, None) == newest(*wide)
    )
    following.follow(db, config, ann, "ben")
    settle()
    late = say(db, config, ben, "late", Visibility.FOLLOWERS)
    settle()
    assert late in shown(db, config, ann, number) and late not in shown(
        db, config, ann, number, cid
    )
    following.unfollow(db, config, ann, "ben")
    assert shown(db, config, ann, number) == for_ann, "at once"


def test_who_is_muted_blocked_or_suspended_is_not_shown(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    small = replace(config, page_size=3)
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    number = make(db, config, ann, "ben", "cid")
    settle()
    theirs = {uid: [say(db, config, uid, f"{n}") for n in range(7)] for uid in (ben, cid)}
    settle()
    both = newest(*theirs[ben], *theirs[cid])
    assert shown(db, small, ann, number) == both == shown(db, small, ann, number, dot)
    mutes.mute(db, config, ann, "ben")
    assert (
        shown(db, small, ann, number) == newest(*theirs[cid])
        and shown(db, small, ann, number, dot) == both
    )
    mutes.unmute(db, config, ann, "ben")
    blocks.block(db, config, dot, "cid")
    assert shown(db, small, ann, number, dot) == newest(*theirs[ben])
    lifecycle.suspend(db, config, ben)
    assert (
        shown(db, small, ann, number) == newest(*theirs[cid])
        and shown(db, small, ann, number, dot) == []
    )
    lifecycle.suspend(db, config, ben, False)
    settle()
    assert shown(db, small, ann, number) == both


def test_a_private_list_is_nobody_elses_and_those_apart_see_none(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    number = make(db, config, ann, "cid", private=True)
    for viewer in (ben, cid, None):
        assert not db.read(lookup.may_read(ann, number, viewer))
        with pytest.raises(NotFound, match="no_list"):
            list_page(db, config, ann, number, viewer)
        with pytest.raises(NotFound, match="no_list"):
            lookup.members_page(db, ann, number, viewer, None, 10)
    assert db.read(lookup.may_read(ann, number, ann))
    lists.update(db, config, ann, number, "Birds", False, False)
    assert db.read(lookup.may_read(ann, number, None))
    blocks.block(db, config, ann, "ben")
    settle()
    with pytest.raises(Forbidden, match="not_for_you"):
        list_page(db, config, ann, number, ben)
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden, match="suspended"):
        lookup.members_page(db, ann, number, None, None, 10)


def test_what_lists_a_member_has_is_for_whom_their_posts_are_for(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dot, eve = people("ann", "ben", "cid", "dot", "eve")
    following.follow(db, config, ben, "ann")
    blocks.block(db, config, ann, "cid")
    blocks.block(db, config, dot, "ann")
    first = make(db, config, ann, "ben", "eve", name="Birds", exclusive=True)
    secret, last = (
        make(db, config, ann, private=True, name="Secret"),
        make(db, config, ann, name="Divers"),
    )
    settle()

    def sees(viewer: int | None) -> list[int] | str:
        try:
            shown = db.read(lookup.public_lists(ann, viewer))
        except (Forbidden, NotFound) as refusal:
            return refusal.code
        numbers = [one.number for one in shown.lists]
        for number in (first, last):  # their own addresses say the same
            assert db.read(lookup.may_read(ann, number, viewer)) == (number in numbers), (
                viewer,
                number,
            )
        return "closed" if shown.restricted else numbers

    everybody = (ann, ben, eve, None)
    assert [sees(viewer) for viewer in everybody] == [[last, first]] * 4
    assert (sees(cid), sees(dot)) == ("not_for_you", "you_block")
    assert db.read(lookup.public_lists(ann, None)).lists[1].size == 2
    lifecycle.protect(db, config, ann)
    assert [sees(viewer) for viewer in everybody] == [
        [last, first],
        [last, first],
        "closed",
        "closed",
    ]
    with pytest.raises(NotFound, match="no_list"):
        list_page(db, config, ann, first, eve)
    with pytest.raises(NotFound, match="no_list"):
        lookup.members_page(db, ann, first, None, None, 10)
    lifecycle.protect(db, config, ann, False)
    lists.update(db, config, ann, secret, "Open", False, False)
    lists.delete(db, config, ann, first)
    assert sees(None) == [last, secret]
    before = db.trips
    db.read(lookup.public_lists(ann, eve))
    assert db.trips - before == 1
    lifecycle.suspend(db, config, ann)
    assert sees(ben) == sees(None) == "suspended"
    lifecycle.delete_account(db, config, ann, None)
    assert sees(None) == "no_member"


def test_what_members_boost_comes_to_a_list_and_goes_when_it_is_taken_back(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    number = make(db, config, ann, "ben", "cid")
    settle()
    first, early = say(db, config, dot, "first"), say(db, config, dot, "early")
    boosts.boost(db, config, ben, early)
    settle()
    assert read(db, config, ann, number) == [("ben", early)], "built"
    boosts.boost(db, config, ben, first)
    boosts.boost(db, config, dot, first)
    settle()
    both = [("ben", first), ("ben", early)]
    assert read(db, config, ann, number) == read(db, config, ann, number, None) == both, "delivered"
    stale(db, ann, number)
    assert read(db, config, ann, number) == both, "built anew"
    boosts.unboost(db, config, ben, first)
    assert read(db, config, ann, number) == both[1:], "at once"
    settle()
    assert db.run(("ZCARD", list_keys.list_home(ann, number))) == 1
    statuses.delete(db, config, dot, early)
    assert read(db, config, ann, number) == []
    own = say(db, config, ann, "of her own")
    boosts.boost(db, config, cid, own)
    settle()
    assert read(db, config, ann, number) == [("cid", own)]
    put(db, config, ann, number, "cid", on=False)
    assert read(db, config, ann, number) == []


def test_a_boost_is_shown_once_on_a_list_whatever_hides_what_came_first(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    small = replace(config, page_size=2)
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    number = make(db, small, ann, "ben", "cid")
    settle()
    assert read(db, small, ann, number) == []
    theirs, song = say(db, small, cid, "theirs"), say(db, small, dot, "song")
    boosts.boost(db, small, cid, song)
    others = [say(db, small, cid, f"{n}") for n in range(5)]
    later(db, ben, cid)
    for one in (song, theirs):
        boosts.boost(db, small, ben, one)
    settle()
    assert read(db, small, ann, number) == [*others[::-1], ("cid", song), theirs]
    mutes.mute(db, small, ann, "cid")
    assert read(db, small, ann, number) == [("ben", song)], "nor what these wrote"
    assert read(db, small, ann, number, None) == [*others[::-1], ("cid", song), theirs]
    mutes.unmute(db, small, ann, "cid")
    boosts.unboost(db, small, cid, song)
    assert read(db, small, ann, number) == [("ben", song), *others[::-1], theirs]
    for act, hides in ((blocks.block, True), (blocks.unblock, False)):
        act(db, small, ann, "dot")
        assert read(db, small, ann, number) == [
            *([] if hides else [("ben", song)]),
            *others[::-1],
            theirs,
        ]
    lifecycle.suspend(db, small, dot)
    assert read(db, small, ann, number) == [*others[::-1], theirs]


def test_what_is_quoted_stands_beside_what_a_list_shows(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    number, song = make(db, config, ann, "ben"), say(db, config, cid, "song")
    quote = statuses.post(db, config, ben, parse("listen"), "form-quote-1", quote=song)
    settle()
    shown = [
        list_page(db, config, ann, number, viewer)[1].viewer_state.quote_cards[quote].status
        for viewer in (ann, None)
    ]
    assert [status and status.id for status in shown] == [song, song]
    blocks.block(db, config, ann, "cid")
    assert list_page(db, config, ann, number, ann)[1].viewer_state.quote_cards[quote].status is None


def test_exclusive_lists_keep_boosts_out_of_home_too(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    small = replace(config, push_max_followers=2)
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    for uid in (ann, cid, dot):
        following.follow(db, small, uid, "ben")  # who is merged from now on
    following.follow(db, small, ann, "cid")
    worker.drain(db, small)
    song, other = say(db, small, dot, "song"), say(db, small, ann, "of her own")
    boosts.boost(db, small, ben, song)
    later(db, cid, ben)
    for uid, one in ((cid, other), (cid, song), (ben, other)):
        boosts.boost(db, small, uid, one)
    worker.drain(db, small)

    def at_home() -> set[Seen]:
        return set(pages(lambda before: home_timeline(db, small, ann, before)))

    everything = {other, ("ben", song)}
    assert at_home() == everything
    number = make(db, small, ann, "dot", exclusive=True)
    assert at_home() == {other}, "what they wrote, whoever boosts it"
    put(db, small, ann, number, "dot", on=False)
    put(db, small, ann, number, "ben")
    assert at_home() == {other, ("cid", song)}, "what they boost"
    lists.delete(db, small, ann, number)
    assert at_home() == everything


def test_what_cannot_be_is_refused_in_words(db: Db, config: Config, people: People) -> None:
    few = replace(config, lists_max=2, list_members_max=1)
    ann, *_ = people("ann", "ben", "cid")
    number = make(db, few, ann, "ben")
    with pytest.raises(Conflict, match="list_named"):
        lists.create(db, few, ann, "Birds")
    other = lists.create(db, few, ann, "Others")
    with pytest.raises(Conflict, match="list_named"):
        lists.update(db, few, ann, other, "Birds", False, False)
    lists.update(db, few, ann, other, "Others", True, False)
    for refusal, code, act in (
        (Conflict, "lists_full", lambda: lists.create(db, few, ann, "More")),
        (Conflict, "list_full", lambda: put(db, few, ann, number, "cid")),
        (Invalid, "list_yourself", lambda: put(db, few, ann, number, "ann")),
        (NotFound, "no_member", lambda: put(db, few, ann, number, "nobody")),
        (NotFound, "no_list", lambda: put(db, few, ann, 9, "cid")),
        (NotFound, "no_list", lambda: lists.update(db, few, ann, 9, "x", False, False)),
        (NotFound, "no_list", lambda: lists.delete(db, few, ann, 9)),
        (NotFound, "no_list", lambda: db.read(lookup.get(ann, 9))),
    ):
        with pytest.raises(refusal, match=code):
            act()
    with pytest.raises(NotFound):  # all or none
        lists.set_memberships(db, few, ann, "cid", {other: True, 9: True})
    assert on(db, ann, number) == ["ben"] and on(db, ann, other) == []
    lists.delete(db, few, ann, other)
    assert lists.create(db, few, ann, "New") > other, "a number is never used again"
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden):
        lists.create(db, replace(config, lists_max=9), ann, "More")


def test_fifty_who_are_added_at_once_end_at_the_bound(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    [ann], few = people("ann"), replace(config, list_members_max=20)
    birds = [f"bird{n}" for n in range(50)]
    uids = people(*birds)
    number = lists.create(db, few, ann, "Birds", exclusive=True)

    def add(login: str) -> None:
        with suppress(Conflict):
            put(db, few, ann, number, login)

    with ThreadPoolExecutor(50) as pool:
        list(pool.map(add, birds))
    settle()
    there = set(on(db, ann, number))
    assert len(there) == 20 == db.read(lookup.get(ann, number)).size
    assert {name for name, uid in zip(birds, uids, strict=True) if listers(db, uid)} == there
    assert db.run(("ZCARD", list_keys.home_excluded(ann))) == 20


def test_many_lists_made_at_once_end_at_the_bound(db: Db, config: Config, people: People) -> None:
    [ann], few = people("ann"), replace(config, lists_max=5)

    def add(number: int) -> None:
        with suppress(Conflict):
            lists.create(db, few, ann, f"list {number % 10}")

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(add, range(40)))
    mine = db.read(lookup.owned(ann))
    assert len(mine) == 5 == len({one.name for one in mine})


def test_a_block_takes_both_off_each_others_lists_unless_it_is_gone(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben", "cid")[:2]
    anns = [make(db, config, ann, "ben", "cid", name=name, exclusive=True) for name in "xy"]
    bens = make(db, config, ben, "ann", "cid")
    settle()
    blocks.block(db, config, ann, "ben")
    blocks.unblock(db, config, ann, "ben")
    settle()
    assert on(db, ann, anns[0]) == ["cid", "ben"] and on(db, ben, bens) == ["cid", "ann"]
    blocks.block(db, config, ann, "ben")
    settle()
    assert [on(db, ann, number) for number in anns] == [["cid"], ["cid"]] and on(db, ben, bens) == [
        "cid"
    ]
    assert (
        listers(db, ann) == listers(db, ben) == set()
        and db.run(("ZSCORE", list_keys.home_excluded(ann), ben)) is None
    )
    for uid, login, number in ((ann, "ben", anns[0]), (ben, "ann", bens)):
        with pytest.raises(Forbidden, match="cannot_list"):
            put(db, config, uid, number, login)
        put(db, config, uid, number, login, on=False)


def test_exclusive_lists_keep_their_members_out_of_home_and_nothing_is_lost(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    small = replace(config, page_size=3, push_max_followers=2)
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    for uid in (ann, cid, dot):
        following.follow(db, small, uid, "ben")  # who is merged from now on
    following.follow(db, small, ann, "cid")
    tags.follow(db, small, ann, "reeds")
    worker.drain(db, small)
    theirs = {
        uid: post(db, small, uid, *(f"{n} sings" for n in range(5))) for uid in (ann, ben, cid)
    }
    tagged = {uid: say(db, small, uid, "in the #reeds") for uid in (ben, dot)}
    worker.drain(db, small)
    everything = newest(*theirs[ann], *theirs[ben], *theirs[cid], *tagged.values())
    assert home(db, small, ann) == everything
    first = make(db, small, ann, "ben", "dot", name="first", exclusive=True)
    assert home(db, small, ann) == newest(*theirs[ann], *theirs[cid]), "at once"
    second = make(db, small, ann, "cid", "ben", name="second", exclusive=True)
    assert home(db, small, ann) == newest(*theirs[ann])
    worker.drain(db, small)
    assert shown(db, small, ann, first) == newest(*theirs[ben], *tagged.values())
    lists.update(db, small, ann, first, "first", False, False)
    assert home(db, small, ann) == newest(*theirs[ann], tagged[dot])
    put(db, small, ann, second, "ben", on=False)
    assert home(db, small, ann) == newest(*theirs[ann], *theirs[ben], *tagged.values())
    lists.delete(db, small, ann, second)
    assert home(db, small, ann) == everything and not db.run(
        ("EXISTS", list_keys.home_excluded(ann))
    )


def test_a_list_is_bounded_is_retired_and_is_built_anew(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    small = replace(config, list_home_max=6, page_size=2, fanout_batch=2)
    ann, ben, cid = people("ann", "ben", "cid")
    number = make(db, small, ann, "ben", "cid")
    worker.drain(db, small)
    assert shown(db, small, ann, number) == []
    ids = [say(db, small, uid, f"{n} sings") for n in range(5) for uid in (ben, cid)]
    worker.drain(db, small)
    assert shown(db, small, ann, number) == newest(*ids)[:6]
    p, name = partition_of(ann), f"{ann}:{number}"
    db.run(("ZADD", list_keys.active_lists(p), 1, name))
    assert jobs.expire_inactive(db, small, p) == 1
    assert not db.run(("EXISTS", list_keys.list_home(ann, number)))
    late = say(db, small, ben, "late")
    worker.drain(db, small)
    assert not db.run(("EXISTS", list_keys.list_home(ann, number))), (
        "nobody looks, nothing is delivered"
    )
    assert shown(db, small, ann, number) == newest(*ids, late)[:6]
    put(db, small, ann, number, "cid", on=False)
    mine = [status_id for status_id in ids if partition_of(status_id) == partition_of(ben)]
    assert shown(db, small, ann, number) == newest(*mine, late), "what had no room before"


def test_a_rebuild_that_dies_or_is_overtaken_is_done_again(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    number = make(db, config, ann, "ben")
    ids = [say(db, config, uid, "sings") for uid in (ben, cid)]
    settle()
    with pytest.raises(Killed):
        list_page(Dying(db, 2), config, ann, number, ann)
    assert shown(db, config, ann, number) == [ids[0]]
    put(db, config, ann, number, "cid", on=False)
    built, acts = (
        list_timeline.page_from_candidates,
        iter([lambda: put(db, config, ann, number, "cid")]),
    )

    def slowly(*args: Any) -> Any:
        next(acts, lambda: None)()
        return built(*args)

    monkeypatch.setattr(list_timeline, "page_from_candidates", slowly)
    stale(db, ann, number)
    assert shown(db, config, ann, number) == [ids[0]], "as it was when it was asked for"
    assert shown(db, config, ann, number) == newest(*ids)


def test_lists_of_many_authors_of_one_are_walked_in_batches(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    small = replace(config, fanout_batch=3)
    [ben], owners = people("ben"), people(*(f"bird{n}" for n in range(8)))
    numbers = {uid: make(db, small, uid, "ben") for uid in owners}
    settle()
    assert all(shown(db, small, uid, number) == [] for uid, number in numbers.items())
    one = say(db, small, ben, "hello")
    worker.drain(db, small)
    held = [
        db.run(("ZRANGE", list_keys.list_home(uid, number), 0, -1))
        for uid, number in numbers.items()
    ]
    assert held == [[f"{one}:{ben}"]] * 8
    statuses.delete(db, small, ben, one)
    worker.drain(db, small)
    assert not [name for name in live_keys(db) if name.startswith("list_home:")]


def test_a_deleted_account_leaves_all_lists_and_takes_its_own_along(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    anns = make(db, config, ann, "ben", exclusive=True)
    make(db, config, cid, "ben", "ann", exclusive=True)
    settle()
    say(db, config, ben, "hello")
    settle()
    assert len(shown(db, config, ann, anns)) == 1
    lifecycle.delete_account(db, config, ben, None)
    assert on(db, ann, anns) == [] == shown(db, config, ann, anns)
    settle()
    assert db.read(lookup.get(ann, anns)).size == 0 and not db.run(
        ("EXISTS", list_keys.home_excluded(ann))
    )
    for uid in (ann, cid):
        lifecycle.delete_account(db, config, uid, None)
    settle()
    assert not [name for name in live_keys(db) if name.startswith(OWN)]


def test_who_is_listed_while_their_account_goes_is_taken_off_again(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    number = make(db, config, ann, exclusive=True)
    settle()
    at = {"uid": str(ann), "list": str(number), "target": str(ben)}
    put(db, config, ann, number, "ben")
    lifecycle.delete_account(db, config, ben, None)
    projections.purge_deleted_account(
        Context(db, config, lambda: None), [event(db, "removed", ben, uid=str(ben))]
    )
    projections.sync_listed_on(Context(db, config, lambda: None), [event(db, "listed", ann, **at)])
    assert db.read(lookup.get(ann, number)).size == 0 and not db.run(
        ("EXISTS", list_keys.listed_on(ben))
    )
    settle()


def event(db: Db, kind: str, by: int, token: int | None = None, **data: str) -> Event:
    """One of this member's partition, under the token of whoever holds it."""
    held = (
        db.run(("HGET", event_keys.lease(partition_of(by), "log"), "token"))
        if token is None
        else token
    )
    return Event("1-1", partition_of(by), "log", int(held or 1), kind, "-", data)


@pytest.mark.parametrize(
    "applied", ["listed", "unlisted", "list_gone", "blocked", "posted", "deleted", "removed"]
)
def test_a_worker_that_dies_between_any_two_trips_leaves_nothing_undone(
    applied: str, db: Db, config: Config, people: People, settle: Settle
) -> None:
    acts = {
        "listed": projections.sync_listed_on,
        "unlisted": projections.sync_listed_on,
        "list_gone": projections.purge_deleted_list,
        "blocked": projections.on_block,
        "posted": registry.deliver_statuses,
        "deleted": registry.retract_statuses,
        "removed": projections.purge_deleted_account,
    }
    few = replace(config, fanout_batch=2)
    for at in count():
        ann, ben = people(f"ann{at}", f"ben{at}")
        numbers = [lists.create(db, few, ann, name, exclusive=True) for name in "xyz"]
        back = make(db, few, ben, f"ann{at}")
        put(db, few, ann, numbers[0], f"ben{at}")
        if applied != "listed":
            for number in numbers:
                put(db, few, ann, number, f"ben{at}")
            settle()
            [shown(db, few, ann, number) for number in numbers]
        data = {"uid": str(ann), "list": str(numbers[0]), "target": str(ben), "members": str(ben)}
        if applied in ("posted", "deleted"):
            data = {"id": str(say(db, few, ben, "hello")), "author": str(ben)}
        if applied == "deleted":
            settle()
            statuses.delete(db, few, ben, int(data["id"]))
        elif applied == "unlisted":
            put(db, few, ann, numbers[0], f"ben{at}", on=False)
        elif applied == "list_gone":
            lists.delete(db, few, ann, numbers[0])
        elif applied == "blocked":
            blocks.block(db, few, ann, f"ben{at}")
        elif applied == "removed":
            lifecycle.delete_account(db, few, ann, None)
        run, died = (
            [event(db, applied, ben if applied in ("posted", "deleted") else ann, **data)],
            False,
        )
        try:
            acts[applied](Context(Dying(db, at), few, lambda: None), run)
        except Killed:
            died = True
        for _ in "12":
            acts[applied](Context(db, few, lambda: None), run)
        owned = {f"{ann}:{number}" for number in numbers}
        held = [bool(db.run(("EXISTS", list_keys.list_home(ann, number)))) for number in numbers]
        members = [
            db.run(("ZSCORE", list_keys.list_members(ann, number), ben)) is not None
            for number in numbers
        ]
        if applied == "listed":
            assert listers(db, ben) == {f"{ann}:{numbers[0]}"}
        elif applied in ("unlisted", "list_gone"):
            assert listers(db, ben) == owned - {f"{ann}:{numbers[0]}"}
        elif applied == "blocked":
            assert members == [False] * 3 and on(db, ben, back) == []
        elif applied == "removed":
            assert listers(db, ben) == set() == listers(db, ann) and members == [False] * 3
            assert not [
                name
                for name in live_keys(db)
                if name.startswith(OWN) and f"{name}:".split(":")[2] == str(ann)
            ]
        else:
            assert held == [applied == "posted"] * 3
        settle()
        if not died:
            return


def test_a_former_owner_of_a_partition_writes_no_list(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    number = make(db, config, ann, "ben")
    settle()
    shown(db, config, ann, number)
    one = say(db, config, ben, "hello")
    context, told = (
        Context(db, config, lambda: None),
        {"uid": str(ann), "list": str(number), "target": str(ben)},
    )
    status = {"id": str(one), "author": str(ben)}
    for kind, projection in (
        ("posted", registry.deliver_statuses),
        ("listed", projections.sync_listed_on),
    ):
        uid, data = (ben, status) if kind == "posted" else (ann, told)
        projection(context, [event(db, kind, uid, 10**6, **data)])
        with pytest.raises(LeaseLost):
            projection(context, [event(db, kind, uid, 1, **data)])


def test_a_page_of_a_list_takes_as_many_trips_whatever_it_shows(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    small = replace(config, page_size=5)
    ann, ben, *_ = people("ann", "ben", *(f"bird{n}" for n in range(10)))

    def trips(act: Callable[[], object]) -> int:
        before = db.trips
        act()
        return db.trips - before

    number = make(db, small, ann, "ben")
    say(db, small, ben, "hello")
    settle()
    shown(db, small, ann, number)
    pages = [
        lambda: list_page(db, small, ann, number, ann),
        lambda: list_page(db, small, ann, number, None),
        lambda: lookup.members_page(db, ann, number, ann, None, 5),
        lambda: db.read(lookup.owned(ann, ben)),
    ]
    few = [trips(page) for page in pages]
    put(db, small, ann, number, *(f"bird{n}" for n in range(10)))
    for n in range(10):
        lists.create(db, small, ann, f"list {n}")
        say(db, small, n + 1 + ben, "sings")
    settle()
    shown(db, small, ann, number)
    assert [trips(page) for page in pages] == few == [2, 2, 2, 1]


def test_a_protected_member_is_on_a_list_like_others(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for uid in (ann, cid):
        following.follow(db, config, uid, "ben")
    settle()
    lifecycle.protect(db, config, ben)
    settle()
    number = make(db, config, ann, "ben")
    settle()
    assert listers(db, ben) == {f"{ann}:{number}"} and shown(db, config, ann, number) == []
    one = say(db, config, ben, "for followers")
    settle()
    assert shown(db, config, ann, number) == shown(db, config, ann, number, cid) == [one]
    assert shown(db, config, ann, number, None) == []
    lifecycle.delete_account(db, config, ben, None)
    settle()
    assert db.run(("ZCARD", list_keys.list_members(ann, number))) == 0 and listers(db, ben) == set()
