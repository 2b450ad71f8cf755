"""Notifications: each tells what is so, once, to who wants to hear of it; what is undone is told no more."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from tests.following.test_blocks import Dying, Killed
from tests.statuses.interactions.test_likes import own, post
from tests.support import worker
from tests.support.schema import live_keys
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.errors import NotFound
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.notifications import keys as notification_keys
from webapp.notifications import notices, projections, store
from webapp.notifications.groups import GROUP_MEMBERS_SHOWN
from webapp.notifications.kinds import KINDS, kinds_in_tab
from webapp.statuses import store as statuses
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.interactions import keys as interaction_keys

People = Callable[..., list[int]]
Settle = Callable[[], None]
Told = tuple[str, int, int]  # kind, by whom, about what


def told(db: Db, uid: int) -> list[Told]:
    """A member's list, newest first; what is unread is held to be on it."""
    found, unread = db.trip(
        ("ZRANGE", notification_keys.notifications(uid), 0, -1, "REV"),
        ("SMEMBERS", notification_keys.unread_notifications(uid)),
    )
    assert set(unread) <= set(found)
    parts = [entry.split(":") for entry in found]
    return [(kind, int(by), int(subject)) for kind, by, subject in parts]


def unread(db: Db, uid: int) -> int:
    return int(db.read(store.unread_count(uid)))


def groups(
    db: Db, uid: int, tab: str = "all", size: int = 30, seen: bool = False
) -> list[tuple[str, list[str], int]]:
    """All pages: the kind of each group, who is shown of it, and of how many."""
    found, before = list[tuple[str, list[str], int]](), None
    while True:
        page = store.page(db, uid, kinds_in_tab(tab), before, size, seen)
        found += [
            (one.kind.name, [member.login for member in one.members], one.count)
            for one in page.items
        ]
        before = page.next
        if before is None:
            return found
        assert len(page.items) == size


def test_mentions_likes_and_follows_are_told_once_and_taken_back(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    about = post(db, config, ann)
    naming = post(db, config, ben, "hello @ann, @ANN and @nobody, and @ben and @cid too")
    likes.like(db, config, ben, about)
    following.follow(db, config, ben, "ann")
    settle()
    assert (
        told(db, ann) == [("follow", ben, 0), ("like", ben, about), ("mention", ben, naming)]
        and unread(db, ann) == 3
    )
    assert told(db, cid) == [("mention", ben, naming)] and told(db, ben) == []
    likes.like(db, config, ben, about)
    following.follow(db, config, ben, "ann")
    settle()
    assert len(told(db, ann)) == 3
    likes.unlike(db, config, ben, about)
    following.unfollow(db, config, ben, "ann")
    settle()
    assert told(db, ann) == [("mention", ben, naming)] and unread(db, ann) == 1
    statuses.delete(db, config, ben, naming)
    settle()
    assert told(db, ann) == told(db, cid) == [] and unread(db, ann) == 0
    assert not {
        notification_keys.notifications(ann),
        notification_keys.unread_notifications(ann),
    } & set(live_keys(db))


def test_a_reply_is_told_as_one_to_whom_it_answers_and_as_a_mention_to_all_else_it_names(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    about = post(db, config, ann)
    answer = statuses.post(
        db, config, ben, parse("@ann and @cid, it does"), "form-answer", reply=about
    )
    own_answer = statuses.post(db, config, ann, parse("it does indeed"), "form-own", reply=about)
    settle()
    assert told(db, ann) == [("reply", ben, answer)] and told(db, cid) == [("mention", ben, answer)]
    assert told(db, ben) == [] and own_answer
    assert groups(db, ann, "mentions") == [("reply", ["ben"], 1)]
    statuses.delete(db, config, ben, answer)
    settle()
    assert told(db, ann) == told(db, cid) == []


def test_a_mute_hides_notifications_where_it_says_so_and_while_it_lasts(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    for number, (hush, over, heard) in enumerate(
        [(False, False, True), (True, False, False), (True, True, True)]
    ):
        mutes.mute(db, config, ann, "ben", hide_notifications=hush)
        if over:
            db.run(("ZADD", following_keys.muted_notifications(ann), "XX", 1, ben))
        naming = post(db, config, ben, f"@ann {number}")
        settle()
        assert (("mention", ben, naming) in told(db, ann)) == heard
    before = groups(db, ann)
    mutes.mute(db, config, ann, "ben", hide_notifications=True)
    assert before and groups(db, ann) == []  # what was told before is hidden as long
    for name in (following_keys.mutes(ann), following_keys.muted_notifications(ann)):
        db.run(("ZADD", name, "XX", 1, ben))
    assert groups(db, ann) == before


def test_nobody_is_told_of_what_they_did_themselves(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    (ann,) = people("ann")
    likes.like(db, config, ann, post(db, config, ann, "I am @ann"))
    settle()
    assert told(db, ann) == [] and not db.run(("EXISTS", notification_keys.notified_members(ann)))


def test_a_status_that_is_deleted_takes_along_what_was_told_of_it(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    goes, stays = post(db, config, ann, "goes"), post(db, config, ann, "stays")
    for uid in (ben, cid):
        for status_id in (goes, stays):
            likes.like(db, config, uid, status_id)
    settle()
    likes.unlike(db, config, ben, goes)
    likes.like(db, config, ben, goes)  # waits while the status goes
    statuses.delete(db, config, ann, goes)
    settle()
    assert told(db, ann) == [("like", cid, stays), ("like", ben, stays)] and unread(db, ann) == 2


def test_who_blocks_whom_hears_no_more_of_each_other(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    by_ann, by_ben = post(db, config, ann, "hello @ben"), post(db, config, ben, "hello @ann")
    likes.like(db, config, ben, by_ann)
    likes.like(db, config, ann, by_ben)
    likes.like(db, config, cid, by_ann)
    settle()
    assert len(told(db, ann)) == 3 and len(told(db, ben)) == 2
    blocks.block(db, config, ann, "ben")
    assert groups(db, ann) == [("like", ["cid"], 1)]  # at once, whatever waits
    post(db, config, ann, "again @ben")
    post(db, config, ben, "again @ann")
    settle()
    assert told(db, ann) == [("like", cid, by_ann)] and told(db, ben) == [] and unread(db, ann) == 1
    blocks.unblock(db, config, ann, "ben")
    settle()
    assert told(db, ben) == []
    third = post(db, config, ben, "once more @ann")
    settle()
    assert told(db, ann)[0] == ("mention", ben, third)


def test_who_is_suspended_is_hidden_and_comes_back_and_who_is_removed_is_gone(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    about = post(db, config, ann)
    for uid, login in ((ben, "ben"), (cid, "cid")):
        likes.like(db, config, uid, about)
        following.follow(db, config, uid, "ann")
        following.follow(db, config, ann, login)
        post(db, config, uid, "hello @ann")
        settle()
    lifecycle.suspend(db, config, cid)
    assert [group[1] for group in groups(db, ann)] == [["ben"]] * 3  # at once, whatever waits
    settle()
    assert groups(db, ann) == [
        ("mention", ["ben"], 1),
        ("follow", ["ben"], 1),
        ("like", ["ben"], 1),
    ]
    assert (
        groups(db, ann, seen=True) and unread(db, ann) == 0
    )  # and what is hidden is not unread for ever
    lifecycle.suspend(db, config, cid, False)
    settle()
    assert groups(db, ann)[:2] == [("mention", ["cid"], 1), ("follow", ["cid", "ben"], 2)]
    lifecycle.delete_account(db, config, ben, None)
    assert all("ben" not in names for _, names, _ in groups(db, ann))
    settle()
    assert {by for _, by, _ in told(db, ann)} == {cid} and told(db, cid) == [("follow", ann, 0)]
    lifecycle.delete_account(db, config, ann, None)
    settle()
    left = [
        key
        for uid in (ann, ben)
        for key in (
            notification_keys.notifications(uid),
            notification_keys.unread_notifications(uid),
            notification_keys.notified_members(uid),
        )
    ]
    assert not any(db.trip(*(("EXISTS", key) for key in left))) and told(db, cid) == []


def test_each_kind_is_told_from_whom_one_chose(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    assert db.read(store.preferences(ann)) == dict.fromkeys(KINDS, "everyone")
    following.follow(db, config, ann, "ben")
    about = post(db, config, ann)

    def heard(choice: str) -> set[Told]:
        store.set_preferences(db, ann, dict.fromkeys(KINDS, choice))
        assert db.read(store.preferences(ann)) == dict.fromkeys(KINDS, choice)
        for uid in (ben, cid):
            likes.like(db, config, uid, about)
            boosts.boost(db, config, uid, about)
            lifecycle.protect(db, config, ann)
            following.follow(db, config, uid, "ann")
            settle()
            found.update({one for one in told(db, ann) if one[1] == uid})
            lifecycle.protect(db, config, ann, False)
            settle()
            made = post(db, config, uid, f"hello @ann {choice}")
            answer = statuses.post(
                db, config, uid, parse(f"so it is {choice}"), f"form-{choice}", reply=about
            )
            quote = statuses.post(
                db, config, uid, parse(f"look {choice}"), f"form-{choice}", quote=about
            )
            settle()
            found.update({one for one in told(db, ann) if one[1] == uid})
            likes.unlike(db, config, uid, about)
            boosts.unboost(db, config, uid, about)
            following.unfollow(db, config, uid, "ann")
            for one in (made, answer, quote):
                statuses.delete(db, config, uid, one)
            settle()
        assert told(db, ann) == []
        return {(kind, by, 0) for kind, by, _ in found}

    apart = ("poll", "chat")  # which test_polls.py and test_notifications_chats.py bring about
    for choice, expected in (("everyone", {ben, cid}), ("followed", {ben}), ("nobody", set[int]())):
        found = set[Told]()
        assert heard(choice) == {
            (kind, by, 0) for kind in KINDS if kind not in apart for by in expected
        }
    store.set_preferences(db, ann, {"like": "everyone"})
    likes.like(db, config, cid, about)
    following.follow(db, config, cid, "ann")
    settle()
    assert told(db, ann) == [("like", cid, about)]
    lifecycle.delete_account(db, config, cid, None)
    with pytest.raises(NotFound):
        store.set_preferences(db, cid, {"like": "nobody"})


def test_a_list_is_bounded_and_the_oldest_goes(db: Db, config: Config, people: People) -> None:
    few = replace(config, notifications_max=3)
    ann, *others = people("ann", *(f"bird{n}" for n in range(6)))
    about = post(db, config, ann)
    for uid in others[:5]:
        likes.like(db, config, uid, about)
        worker.drain(db, few)
    assert [by for _, by, _ in told(db, ann)] == others[4:1:-1] and unread(db, ann) == 3
    likes.like(db, config, others[5], about)
    worker.drain(db, replace(config, notifications_max=1))
    assert told(db, ann) == [("like", others[5], about)] and unread(db, ann) == 1


def test_groups_stand_where_their_newest_is_and_on_one_page_only(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, *others, late = people("ann", *(f"bird{n}" for n in range(12)), "late")
    first, second = post(db, config, ann, "one"), post(db, config, ann, "two")

    def act(done: Callable[..., Any], *given: Any) -> None:
        done(db, config, *given)
        settle()

    for uid in others:
        act(likes.like, uid, first)
    act(likes.like, others[0], second)
    post(db, config, others[1], "hey @ann")
    settle()
    for uid in others[:2]:
        act(following.follow, uid, "ann")
    act(likes.like, others[2], second)
    newest = [f"bird{n}" for n in range(11, 11 - GROUP_MEMBERS_SHOWN, -1)]
    whole = [
        ("like", ["bird2", "bird0"], 2),
        ("follow", ["bird1", "bird0"], 2),
        ("mention", ["bird1"], 1),
    ]
    whole.append(("like", newest, 12))
    for size in (1, 2, 4, 30):
        assert groups(db, ann, size=size) == whole
    for tab, found in (
        ("likes", [whole[0], whole[3]]),
        ("follows", whole[1:2]),
        ("mentions", whole[2:3]),
    ):
        assert groups(db, ann, tab, 1) == found
    page = store.page(db, ann, kinds_in_tab("all"), None, 2, False)
    act(likes.like, late, first)  # comes to the top while one reads
    older = store.page(db, ann, kinds_in_tab("all"), page.next, 2, False)
    assert [one.kind.name for one in older.items] == ["mention"] and older.next is None


def test_follows_are_grouped_by_day(db: Db, config: Config, people: People, settle: Settle) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for uid in (ben, cid):
        following.follow(db, config, uid, "ann")
        settle()
    assert groups(db, ann) == [("follow", ["cid", "ben"], 2)]
    db.run(("ZINCRBY", notification_keys.notifications(ann), -86_400_000_000, f"follow:{ben}:0"))
    assert groups(db, ann) == [("follow", ["cid"], 1), ("follow", ["ben"], 1)]


def test_what_is_shown_is_read_and_nothing_else(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    about = post(db, config, ann)
    for uid in (ben, cid):
        likes.like(db, config, uid, about)
        following.follow(db, config, uid, "ann")
    settle()
    page = store.page(db, ann, kinds_in_tab("all"), None, 30, False)
    assert [one.has_unread for one in page.items] == [True, True] and page.unread_count == unread(
        db, ann
    ) == 4
    page = store.page(db, ann, kinds_in_tab("likes"), None, 30, True)
    assert [one.has_unread for one in page.items] == [True] and page.unread_count == unread(
        db, ann
    ) == 2
    page = store.page(db, ann, kinds_in_tab("all"), None, 1, True)
    assert sorted(
        one.has_unread for one in store.page(db, ann, kinds_in_tab("all"), None, 30, True).items
    ) == [
        False,
        page.unread_count > 0,
    ]
    for act in (likes.unlike, likes.like):  # at once it would be no change
        act(db, config, ben, about)
        settle()
    assert unread(db, ann) == 1
    store.mark_all(db, ann)
    store.mark_all(db, ann)
    assert unread(db, ann) == 0 and len(told(db, ann)) == 4


def test_a_page_takes_three_trips_whatever_it_shows(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, *others = people("ann", *(f"bird{n}" for n in range(9)))
    ids = [post(db, config, ann, f"text {n}") for n in range(9)]
    for uid in others:
        for status_id in ids:
            likes.like(db, config, uid, status_id)
        post(db, config, uid, "hey @ann")
        following.follow(db, config, uid, "ann")
    settle()
    for _ in "12":
        trips = db.trips
        assert len(store.page(db, ann, kinds_in_tab("all"), None, 30, True).items) == 19
        assert db.trips - trips == 3


def test_a_post_that_names_nobody_asks_the_store_nothing(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    post(db, config, ann)
    entries = db.run(("XRANGE", event_keys.outbox(partition_of(ann)), "-", "+"))
    assert all("mentions" not in fields for _, fields in entries)
    trips = db.trips
    data = {"id": "1", "author": str(ann)}
    projections.notify_mentions(
        Context(db, config, lambda: None), [Event("1-1", 0, "log", 1, "posted", "-", data)]
    )
    assert db.trips == trips


def test_a_storm_of_clicks_ends_with_a_list_that_is_the_truth(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    members = people(*(f"bird{n}" for n in range(50)))
    ann, ben = members[:2]
    ids = {post(db, config, uid): uid for uid in (ann, ben)}
    chance = random.Random(11)
    clicks = [
        (chance.choice((likes.like, likes.unlike)), uid, chance.choice(list(ids)))
        for uid in members
        for _ in range(4)
    ]
    chance.shuffle(clicks)
    assert len(clicks) == 200
    with ThreadPoolExecutor(50) as pool:
        waiting = [pool.submit(act, db, config, uid, status_id) for act, uid, status_id in clicks]  # type: ignore[operator]
        waiting += [
            pool.submit(settle),
            pool.submit(store.page, db, ann, kinds_in_tab("all"), None, 30, True),
        ]
        for future in waiting:
            future.result()
    settle()
    for status_id, author in ids.items():
        truth = {
            ("like", uid, status_id)
            for uid in members
            if status_id in own(db, uid) and uid != author
        }
        assert set(told(db, author)) == truth and len(told(db, author)) == len(truth) > 0


def event(kind: str, token: int = 1, **data: Any) -> Event:
    p = partition_of(int(data.get("uid") or data["author"]))
    return Event(
        "1-1", p, "log", token, kind, "-", {name: str(value) for name, value in data.items()}
    )


def test_events_applied_twice_or_late_tell_the_truth_of_now(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    about, kept = post(db, config, ann), post(db, config, ann, "kept")
    naming = post(db, config, ben, "hey @ann")
    likes.like(db, config, ben, about)
    likes.unlike(db, config, ben, about)
    likes.like(db, config, ben, kept)
    following.follow(db, config, cid, "ann")
    following.unfollow(db, config, cid, "ann")
    statuses.delete(db, config, ben, naming)
    context = Context(db, config, lambda: None)
    given, taken = (
        event("liked", uid=ben, id=about, author=ann),
        event("unliked", uid=ben, id=about),
    )
    ends: Sequence[tuple[Any, list[Event]]] = (
        (projections.notify_likes, [taken, given, event("unliked", uid=ben, id=kept)]),
        (projections.notify_likes, [given, given]),
        (
            projections.notify_follows,
            [event("unfollowed", uid=cid, target=ann), event("followed", uid=cid, target=ann)],
        ),
        (
            projections.on_statuses_deleted,
            [event("deleted", id=naming, author=ben, mentions="ann")],
        ),
        (projections.notify_mentions, [event("posted", id=naming, author=ben, mentions="ann")]),
    )
    for projection, run in (*ends, *ends):
        projection(context, run)
        assert told(db, ann) == [("like", ben, kept)]


def test_a_worker_that_lost_its_lease_tells_nobody(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    about = post(db, config, ann)
    likes.like(db, config, ben, about)
    notice = notices.Notice(
        event("liked", uid=ben),
        "like",
        ben,
        ann,
        about,
        interaction_keys.member_likes(ben),
        about,
        about_own_status=True,
    )
    late = [notices._verify_command(notice), notices._notify_command(notice, 10)]
    likes.unlike(db, config, ben, about)
    projections.notify_likes(
        Context(db, config, lambda: None), [event("unliked", 2, uid=ben, id=about)]
    )
    assert (
        all("LEASELOST" in str(reply) for reply in db.trip_with_errors(late))
        and told(db, ann) == []
    )


@pytest.mark.parametrize(
    "what",
    ["notify_likes", "notify_mentions", "on_statuses_deleted", "on_block", "on_account_removed"],
)
def test_a_worker_that_dies_between_any_two_trips_leaves_nothing_undone(
    what: str,
    db: Db,
    config: Config,
    people: People,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(projections, "BATCH", 1)
    projection = getattr(projections, what)
    for at in count():
        ann, ben, cid = people(f"ann{at}", f"ben{at}", f"cid{at}")
        by_ann, by_cid = post(db, config, ann), post(db, config, cid)
        naming = post(db, config, ben, f"hey @ann{at} @cid{at}")
        for status_id in (by_ann, by_cid):
            likes.like(db, config, ben, status_id)
        named = {"id": naming, "author": ben, "mentions": f"ann{at} cid{at}"}
        run = [event("posted", **named)]
        expected = [("mention", ben, naming)]
        if what == "notify_likes":
            run = [
                event("liked", uid=ben, id=by_ann, author=ann),
                event("liked", uid=ben, id=by_cid, author=cid),
            ]
            expected = [("like", ben, by_ann)]
        elif what != "notify_mentions":
            settle()
            held = int(db.run(("HGET", event_keys.lease(partition_of(ben), "log"), "token")))
            expected = []
            if what == "on_statuses_deleted":
                statuses.delete(db, config, ben, naming)
                run, expected = [event("deleted", held, **named)], [("like", ben, by_ann)]
            elif what == "on_block":
                blocks.block(db, config, ben, f"ann{at}")
                run = [event("blocked", held, uid=ben, target=ann)]
            else:
                lifecycle.delete_account(db, config, ben, None)
                run = [event("removed", held, uid=ben)]
        died = False
        try:
            projection(Context(Dying(db, at), config, lambda: None), run)
        except Killed:
            died = True
        projection(Context(db, config, lambda: None), run)
        assert told(db, ann) == expected
        settle()
        if not died:
            assert at > 0
            return
