"""The bell: a member's posts notify those who follow them and asked for it, and nobody else."""

import pytest

from tests.conftest import ApplyEvents
from tests.support.concurrently import at_once
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.notified import notified, unread
from tests.support.pages import post_status
from tests.support.world import Web, World
from webapp.core.errors import Conflict, Forbidden
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import BULK, Context, Event
from webapp.core.store import Site, partition_of
from webapp.core.text.parser import parse
from webapp.following import keys, member_collections, store as following
from webapp.following.relations import relation
from webapp.notifications import projections, store as notifications
from webapp.statuses import Visibility
from webapp.statuses.compose.further_posts import FurtherPost
from webapp.statuses.edits import editing


def ring(site: Site, apply_events: ApplyEvents, uid: int, login: str) -> None:
    """Follow a member and turn the bell on."""
    following.follow(site, uid, login)
    member_collections.subscribe(site, uid, login)
    apply_events()


def test_new_posts_notify_once_and_replies_to_others_and_boosts_do_not(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    ring(world, world.apply_events, ann, "Ben")
    other = world.post(cid, "elsewhere")
    following.follow(world, cid, "ben")
    first = world.post(ben, "one", more=[FurtherPost(parse("two")), FurtherPost(parse("three"))])
    world.post(ben, "no, thanks", reply=other)
    world.boost(ben, other)
    quote = world.post(ben, "look", quote=other)
    more = world.post(ben, "and another thing", reply=first)
    world.do(editing.edit, ben, first, parse("one, corrected"), "", "")
    expected = [("post", ben, more), ("post", ben, quote), ("post", ben, first)]
    assert notified(world.db, ann) == expected and unread(world.db, ann) == 3
    assert ("post", ben, first) not in notified(world.db, cid), "a follower without the bell"
    mention = world.post(ben, "@ann, look")
    world.apply_events()
    assert notified(world.db, ann) == [("mention", ben, mention), *expected], "each post once"

    world.do(World.delete, ben, quote)
    assert ("post", ben, quote) not in notified(world.db, ann)
    notifications.set_preferences(world.db, ann, {"post": "nobody"})
    world.post(ben, "not wanted")
    world.apply_events()
    assert len(notified(world.db, ann)) == 3


def test_restricted_posts_notify_only_who_may_see_them(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for uid in (ann, cid):
        ring(world, world.apply_events, uid, "ben")
    for_followers = world.post(ben, "for followers", visibility=Visibility.FOLLOWERS)
    direct = world.post(ben, "@ann only you", visibility=Visibility.MENTIONED)
    world.apply_events()
    assert set(notified(world.db, ann)) == {("mention", ben, direct), ("post", ben, for_followers)}
    assert notified(world.db, cid) == [("post", ben, for_followers)]
    world.protect(ben)
    protected = world.post(ben, "protected now")
    world.apply_events()
    assert notified(world.db, cid)[0] == ("post", ben, protected)


@pytest.mark.parametrize("end", ["unsubscribe", "unfollow", "block", "blocked", "mute"])
def test_the_bell_ends_with_the_follow_and_a_mute_silences_it(world: World, end: str) -> None:
    ann, ben = world.people("ann", "ben")
    ring(world, world.apply_events, ann, "ben")
    {
        "unsubscribe": lambda: member_collections.unsubscribe(world, ann, "ben"),
        "unfollow": lambda: following.unfollow(world, ann, "ben"),
        "block": lambda: world.block(ann, "ben"),
        "blocked": lambda: world.block(ben, "ann"),
        "mute": lambda: world.mute(ann, "ben", hide_notifications=True),
    }[end]()
    world.post(ben, "at once")
    world.apply_events()
    world.post(ben, "and later")
    world.apply_events()
    assert notified(world.db, ann) == []
    is_muted = end == "mute"
    assert world.db.run(("EXISTS", keys.post_subscribers(ben))) == is_muted
    assert world.db.read(relation(ann, ben, 1)).subscribed == is_muted
    if end == "unfollow":
        following.follow(world, ann, "ben")
        assert not world.db.read(relation(ann, ben, 1)).subscribed, "it does not come back"


def test_a_subscription_needs_a_follow_and_is_bounded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    monkeypatch.setattr(member_collections, "SUBSCRIPTIONS_MAX", 1)
    world.refuses(Forbidden, member_collections.subscribe, ann, "ben")
    for login in ("ben", "cid"):
        following.follow(world, ann, login)
    at_once(10, lambda _: member_collections.subscribe(world, ann, "ben"), range(50))
    world.refuses(Conflict, member_collections.subscribe, ann, "cid")
    world.apply_events()
    assert world.db.run(("ZRANGE", keys.post_subscribers(ben), 0, -1)) == [str(ann)]
    assert not world.db.run(("EXISTS", keys.post_subscribers(cid)))


def test_many_subscribers_are_notified_in_slices_also_after_a_crash(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projections, "BATCH", 2)
    ben, *others = world.people("ben", "ann", "cid", "dot", "eve", "fay")
    for uid in others:
        following.follow(world, uid, "ben")
        member_collections.subscribe(world, uid, "ben")
    world.apply_events()
    status_id = world.post(ben, "hello")
    token = int(world.db.run(("HGET", event_keys.lease(partition_of(ben), BULK), "token")))
    data = {"id": str(status_id), "author": str(ben)}
    event = Event("1-1", partition_of(ben), BULK, token, "announced", "-", data)
    for trips in range(3):
        context = Context(CrashingDb(world.db, trips), world.config, lambda: None)
        with pytest.raises(Crashed):
            projections.notify_subscribers(context, event, "")
    world.apply_events()
    for uid in others:
        assert notified(world.db, uid) == [("post", ben, status_id)]


def test_the_bell_is_on_the_profile_of_who_is_followed(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    label = "Notify me of new posts by @ben"
    assert label not in ann.get("/@ben").text
    assert ann.post("/@ben/subscribe").status_code == 403
    ann.post("/@ben/follow")
    assert label in ann.get("/@ben").text and "@ben/subscribe" in ann.get("/@ben").text
    assert ann.post("/@ben/subscribe").location == "/@ben"
    assert "@ben/unsubscribe" in ann.get("/@ben").text
    post_status(ben, "good morning")
    page = ann.get("/notifications").text
    assert "Ben</bdi></a> posted" in page and "good morning" in page
    for browser in (ben, web.client):
        assert label not in browser.get("/@ben").text
