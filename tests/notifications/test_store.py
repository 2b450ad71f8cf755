"""Notifications: one for each fact that still holds, for members who want its kind."""

import random
from collections.abc import Callable, Sequence
from functools import partial
from operator import call
from typing import Any

import pytest

from tests.support import paging, worker
from tests.support.concurrently import at_once
from tests.support.events import event
from tests.support.notified import Entry, notified, unread
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.interactions import liked_ids as own
from tests.support.world import World, post
from webapp.client_api.news import notices
from webapp.core.errors import NotFound
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Event
from webapp.core.store import Db, partition_of
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys, store as following
from webapp.notifications import keys as notification_keys, projections, removal, store
from webapp.notifications.groups import GROUP_MEMBERS_SHOWN
from webapp.notifications.kinds import KINDS, kinds_in_tab
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.interactions import likes


def groups(
    db: Db, uid: int, tab: str = "all", size: int = 30, seen: bool = False
) -> list[tuple[str, list[str], int]]:
    """Read all pages and return each group as (kind, logins shown, number of members)."""
    read = lambda cursor: store.page(db, uid, kinds_in_tab(tab), cursor, size, seen)
    return [
        (group.kind.name, [member.login for member in group.members], group.count)
        for group in paging.items(read, size)
    ]


def test_mentions_likes_and_follows_notify_once_until_undone(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = post(world, ann)
    mention_id = post(world, ben, "hello @ann, @ANN and @nobody, and @ben and @cid too")
    likes.like(world, ben, status_id)
    world.do(following.follow, ben, "ann")
    expected = [("follow", ben, 0), ("like", ben, status_id), ("mention", ben, mention_id)]
    assert notified(world.db, ann) == expected
    assert unread(world.db, ann) == 3
    assert notified(world.db, cid) == [("mention", ben, mention_id)]
    assert notified(world.db, ben) == []
    likes.like(world, ben, status_id)
    world.do(following.follow, ben, "ann")
    assert len(notified(world.db, ann)) == 3
    likes.unlike(world, ben, status_id)
    world.do(following.unfollow, ben, "ann")
    assert notified(world.db, ann) == [("mention", ben, mention_id)] and unread(world.db, ann) == 1
    world.do(statuses.delete, ben, mention_id)
    assert notified(world.db, ann) == notified(world.db, cid) == [] and unread(world.db, ann) == 0
    assert not {
        notification_keys.notifications(ann),
        notification_keys.unread_notifications(ann),
    } & set(live_keys(world.db))


def test_an_edit_notifies_nobody_again_who_removed_the_notification(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    own_status = post(world, ann)
    mention = post(world, ben, "hello @ann")
    reply = post(world, ben, "so it is", reply=own_status)
    quote = post(world, ben, "look", quote=own_status)
    world.apply_events()
    assert len(notified(world.db, ann)) == 3
    notices.remove(world.db, ann, notices.visible_notices(world.db, ann))
    assert notified(world.db, ann) == []
    for status_id in (mention, reply, quote):
        world.do(editing.edit, ben, status_id, parse("hello again, @ann and @cid"), "", "0")
    assert notified(world.db, ann) == []
    assert {kind for kind, *_ in notified(world.db, cid)} == {"mention"}


def test_a_reply_notifies_its_parents_author_and_mentions_the_others(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    parent = post(world, ann)
    reply = world.post(ben, "@ann and @cid, it does", reply=parent)
    own_reply = world.post(ann, "it does indeed", reply=parent)
    world.apply_events()
    assert notified(world.db, ann) == [("reply", ben, reply)]
    assert notified(world.db, cid) == [("mention", ben, reply)]
    assert notified(world.db, ben) == [] and own_reply
    assert groups(world.db, ann, "mentions") == [("reply", ["ben"], 1)]
    world.do(statuses.delete, ben, reply)
    assert notified(world.db, ann) == notified(world.db, cid) == []


def test_a_mute_hides_notifications_if_chosen_until_it_ends(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    for number, (hide, ended, expected) in enumerate(
        [(False, False, True), (True, False, False), (True, True, True)]
    ):
        world.mute(ann, "ben", hide_notifications=hide)
        if ended:
            world.db.run(("ZADD", following_keys.muted_notifications(ann), "XX", 1, ben))
        mention_id = world.do(post, ben, f"@ann {number}")
        assert (("mention", ben, mention_id) in notified(world.db, ann)) == expected
    before = groups(world.db, ann)
    world.mute(ann, "ben", hide_notifications=True)
    assert before and groups(world.db, ann) == []  # older ones are hidden too
    for name in (following_keys.mutes(ann), following_keys.muted_notifications(ann)):
        world.db.run(("ZADD", name, "XX", 1, ben))
    assert groups(world.db, ann) == before


def test_own_actions_notify_nobody(world: World) -> None:
    (ann,) = world.people("ann")
    world.do(likes.like, ann, post(world, ann, "I am @ann"))
    assert notified(world.db, ann) == []
    assert not world.db.run(("EXISTS", notification_keys.notified_members(ann)))


def test_a_deleted_status_takes_its_notifications_with_it(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    deleted, remaining = post(world, ann, "deleted"), post(world, ann, "remaining")
    for uid in (ben, cid):
        for status_id in (deleted, remaining):
            likes.like(world, uid, status_id)
    world.apply_events()
    likes.unlike(world, ben, deleted)
    likes.like(world, ben, deleted)  # not applied when the status is deleted
    world.do(statuses.delete, ann, deleted)
    assert notified(world.db, ann) == [("like", cid, remaining), ("like", ben, remaining)]
    assert unread(world.db, ann) == 2


def test_a_block_ends_notifications_in_both_directions(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    by_ann, by_ben = post(world, ann, "hello @ben"), post(world, ben, "hello @ann")
    likes.like(world, ben, by_ann)
    likes.like(world, ann, by_ben)
    world.do(likes.like, cid, by_ann)
    assert len(notified(world.db, ann)) == 3 and len(notified(world.db, ben)) == 2
    world.block(ann, "ben")
    assert groups(world.db, ann) == [("like", ["cid"], 1)], "before events are applied"
    post(world, ann, "again @ben")
    world.do(post, ben, "again @ann")
    assert notified(world.db, ann) == [("like", cid, by_ann)]
    assert notified(world.db, ben) == []
    assert unread(world.db, ann) == 1
    world.do(World.unblock, ann, "ben")
    assert notified(world.db, ben) == []
    third = world.do(post, ben, "once more @ann")
    assert notified(world.db, ann)[0] == ("mention", ben, third)


def test_suspended_members_are_hidden_and_deleted_ones_removed(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = post(world, ann)
    for uid, login in ((ben, "ben"), (cid, "cid")):
        likes.like(world, uid, status_id)
        following.follow(world, uid, "ann")
        following.follow(world, ann, login)
        world.do(post, uid, "hello @ann")
    world.suspend(cid)
    found = [group[1] for group in groups(world.db, ann)]
    assert found == [["ben"]] * 3, "before events are applied"
    world.apply_events()
    expected = [("mention", ["ben"], 1), ("follow", ["ben"], 1), ("like", ["ben"], 1)]
    assert groups(world.db, ann) == expected
    assert groups(world.db, ann, seen=True) and unread(world.db, ann) == 0
    world.do(World.suspend, cid, False)
    assert groups(world.db, ann)[:2] == [("mention", ["cid"], 1), ("follow", ["cid", "ben"], 2)]
    world.delete_account(ben, None)
    assert all("ben" not in names for _, names, _ in groups(world.db, ann))
    world.apply_events()
    assert {actor for _, actor, _ in notified(world.db, ann)} == {cid}
    assert notified(world.db, cid) == [("follow", ann, 0)]
    world.do(World.delete_account, ann, None)
    keys = [
        key
        for uid in (ann, ben)
        for key in (
            notification_keys.notifications(uid),
            notification_keys.unread_notifications(uid),
            notification_keys.notified_members(uid),
        )
    ]
    assert not any(world.db.trip(*(("EXISTS", key) for key in keys)))
    assert notified(world.db, cid) == []


def test_preferences_decide_whose_actions_notify(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    assert world.db.read(store.preferences(ann)) == dict.fromkeys(KINDS, "everyone")
    following.follow(world, ann, "ben")
    status_id = post(world, ann)

    def kinds_and_actors(choice: str) -> set[tuple[str, int]]:
        entries = set[Entry]()
        store.set_preferences(world.db, ann, dict.fromkeys(KINDS, choice))
        assert world.db.read(store.preferences(ann)) == dict.fromkeys(KINDS, choice)
        for uid in (ben, cid):
            likes.like(world, uid, status_id)
            world.boost(uid, status_id)
            world.protect(ann)
            world.do(following.follow, uid, "ann")
            entries.update(entry for entry in notified(world.db, ann) if entry[1] == uid)
            world.do(World.protect, ann, False)
            mention = post(world, uid, f"hello @ann {choice}")
            reply = world.post(uid, f"so it is {choice}", reply=status_id)
            quote = world.do(
                statuses.post, uid, parse(f"look {choice}"), f"form-{choice}", quote=status_id
            )
            entries.update(entry for entry in notified(world.db, ann) if entry[1] == uid)
            likes.unlike(world, uid, status_id)
            world.unboost(uid, status_id)
            following.unfollow(world, uid, "ann")
            for deleted in (mention, reply, quote):
                statuses.delete(world, uid, deleted)
            world.apply_events()
        assert notified(world.db, ann) == []
        return {(kind, actor) for kind, actor, _ in entries}

    caused = ("mention", "reply", "quote", "like", "boost", "request", "follow")
    for choice, expected in (("everyone", {ben, cid}), ("followed", {ben}), ("nobody", set[int]())):
        assert kinds_and_actors(choice) == {(kind, actor) for kind in caused for actor in expected}
    store.set_preferences(world.db, ann, {"like": "everyone"})
    likes.like(world, cid, status_id)
    world.do(following.follow, cid, "ann")
    assert notified(world.db, ann) == [("like", cid, status_id)]
    world.delete_account(cid, None)
    with pytest.raises(NotFound):
        store.set_preferences(world.db, cid, {"like": "nobody"})


def test_a_list_is_bounded_and_drops_the_oldest(world: World) -> None:
    limited = with_settings(world, notifications_max=3)
    ann, *others = world.people("ann", *(f"bird{n}" for n in range(6)))
    status_id = post(world, ann)
    for uid in others[:5]:
        likes.like(world, uid, status_id)
        worker.drain(limited)
    assert [actor for _, actor, _ in notified(world.db, ann)] == others[4:1:-1] and unread(
        world.db, ann
    ) == 3
    likes.like(world, others[5], status_id)
    worker.drain(with_settings(world, notifications_max=1))
    assert notified(world.db, ann) == [("like", others[5], status_id)]
    assert unread(world.db, ann) == 1


def test_a_group_is_on_one_page_at_the_place_of_its_newest_entry(world: World) -> None:
    ann, *likers, latecomer = world.people("ann", *(f"bird{n}" for n in range(12)), "late")
    first, second = post(world, ann, "one"), post(world, ann, "two")

    def apply(action: Callable[..., Any], *args: Any) -> None:
        world.do(action, *args)

    for uid in likers:
        apply(likes.like, uid, first)
    apply(likes.like, likers[0], second)
    world.do(post, likers[1], "hey @ann")
    for uid in likers[:2]:
        apply(following.follow, uid, "ann")
    apply(likes.like, likers[2], second)
    newest = [f"bird{n}" for n in range(11, 11 - GROUP_MEMBERS_SHOWN, -1)]
    all_groups = [
        ("like", ["bird2", "bird0"], 2),
        ("follow", ["bird1", "bird0"], 2),
        ("mention", ["bird1"], 1),
        ("like", newest, 12),
    ]
    for size in (1, 2, 4, 30):
        assert groups(world.db, ann, size=size) == all_groups
    for tab, expected in (
        ("likes", [all_groups[0], all_groups[3]]),
        ("follows", all_groups[1:2]),
        ("mentions", all_groups[2:3]),
    ):
        assert groups(world.db, ann, tab, 1) == expected
    page = store.page(world.db, ann, kinds_in_tab("all"), None, 2, False)
    apply(likes.like, latecomer, first)  # moves its group to the top between two pages
    older = store.page(world.db, ann, kinds_in_tab("all"), page.next, 2, False)
    assert [group.kind.name for group in older.items] == ["mention"] and older.next is None


def test_follows_are_grouped_by_day(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for uid in (ben, cid):
        world.do(following.follow, uid, "ann")
    assert groups(world.db, ann) == [("follow", ["cid", "ben"], 2)]
    world.db.run(
        ("ZINCRBY", notification_keys.notifications(ann), -86_400_000_000, f"follow:{ben}:0")
    )
    assert groups(world.db, ann) == [("follow", ["cid"], 1), ("follow", ["ben"], 1)]


def test_reading_a_page_marks_only_its_groups_as_read(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status_id = post(world, ann)
    for uid in (ben, cid):
        likes.like(world, uid, status_id)
        following.follow(world, uid, "ann")
    world.apply_events()
    page = store.page(world.db, ann, kinds_in_tab("all"), None, 30, False)
    assert [group.has_unread for group in page.items] == [True, True]
    assert page.unread_count == unread(world.db, ann) == 4
    page = store.page(world.db, ann, kinds_in_tab("likes"), None, 30, True)
    assert [group.has_unread for group in page.items] == [True]
    assert page.unread_count == unread(world.db, ann) == 2
    page = store.page(world.db, ann, kinds_in_tab("all"), None, 1, True)
    rest = store.page(world.db, ann, kinds_in_tab("all"), None, 30, True)
    assert sorted(group.has_unread for group in rest.items) == [False, page.unread_count > 0]
    for action in (likes.unlike, likes.like):  # applied one by one, so that both take effect
        world.do(action, ben, status_id)
    assert unread(world.db, ann) == 1
    store.mark_all(world.db, ann)
    store.mark_all(world.db, ann)
    assert unread(world.db, ann) == 0 and len(notified(world.db, ann)) == 4


def test_a_status_without_mentions_costs_no_trip(world: World) -> None:
    (ann,) = world.people("ann")
    post(world, ann)
    entries = world.db.run(("XRANGE", event_keys.outbox(partition_of(ann)), "-", "+"))
    assert all("mentions" not in fields for _, fields in entries)
    trips = world.db.trips
    data = {"id": "1", "author": str(ann)}
    projections.notify_mentions(
        world.context,
        [Event("1-1", 0, "log", 1, "posted", "-", data)],
    )
    assert world.db.trips == trips


def test_concurrent_likes_and_unlikes_leave_a_correct_list(world: World) -> None:
    members = world.crowd(50)
    ann, ben = members[:2]
    ids = {post(world, uid): uid for uid in (ann, ben)}
    rng = random.Random(11)
    clicks = [
        partial(rng.choice((likes.like, likes.unlike)), world, uid, rng.choice(list(ids)))
        for uid in members
        for _ in range(4)
    ]
    rng.shuffle(clicks)
    assert len(clicks) == 200
    read = partial(store.page, world.db, ann, kinds_in_tab("all"), None, 30, True)
    at_once(50, call, [*clicks, world.apply_events, read])
    world.apply_events()
    for status_id, author in ids.items():
        expected = {
            ("like", uid, status_id)
            for uid in members
            if status_id in own(world.db, uid) and uid != author
        }
        assert set(notified(world.db, author)) == expected
        assert len(notified(world.db, author)) == len(expected) > 0


def test_repeated_and_late_events_lead_to_the_current_state(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    unliked, liked = post(world, ann), post(world, ann, "kept")
    mention_id = post(world, ben, "hey @ann")
    likes.like(world, ben, unliked)
    likes.unlike(world, ben, unliked)
    likes.like(world, ben, liked)
    following.follow(world, cid, "ann")
    following.unfollow(world, cid, "ann")
    statuses.delete(world, ben, mention_id)
    context = world.context
    like = event("liked", ben, uid=ben, id=unliked, author=ann)
    unlike = event("unliked", ben, uid=ben, id=unliked)
    batches: Sequence[tuple[Any, list[Event]]] = (
        (projections.notify_likes, [unlike, like, event("unliked", ben, uid=ben, id=liked)]),
        (projections.notify_likes, [like, like]),
        (
            projections.notify_follows,
            [event(kind, cid, uid=cid, target=ann) for kind in ("unfollowed", "followed")],
        ),
        (
            removal.on_statuses_deleted,
            [event("deleted", ben, id=mention_id, author=ben, mentions="ann")],
        ),
        (
            projections.notify_mentions,
            [event("posted", ben, id=mention_id, author=ben, mentions="ann")],
        ),
    )
    for projection, events in (*batches, *batches):
        projection(context, events)
        assert notified(world.db, ann) == [("like", ben, liked)]
    likes.like(world, ben, deleted := post(world, ann))
    statuses.delete(world, ann, deleted)
    projections.notify_likes(context, [event("liked", ben, uid=ben, id=deleted, author=ann)])
    following.follow(world, cid, "ann")
    world.delete_account(ann, None)
    projections.notify_follows(context, [event("followed", cid, uid=cid, target=ann)])
    assert notified(world.db, ann) == [("like", ben, liked)]
