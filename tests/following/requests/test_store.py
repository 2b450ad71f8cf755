"""Follow requests: sending, answering and ending them, concurrently and across crashes."""

import threading
import time
from collections.abc import Callable
from functools import wraps

import pytest

from tests.support import worker
from tests.support.notified import notified
from tests.support.settings import with_settings
from tests.support.streaming.client import assert_log_holds_only_ids
from tests.support.timelines import home, walk
from tests.support.world import World
from webapp.accounts import store as accounts
from webapp.accounts.store import get_or_404
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.events import keys as event_keys
from webapp.core.events.leases import LEASE
from webapp.core.events.outbox import BulkProjection, Context, Event
from webapp.core.store import PARTITIONS, Db, Site
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys, store as following
from webapp.following.blocks import store as blocks
from webapp.following.requests import projections as requests_projections, store as requests
from webapp.registry import REGISTRY
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import boosts, likers, likes
from webapp.timelines import keys as timeline_keys, store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page


def listed(db: Db, key: str) -> set[int]:
    return set(map(int, db.run(("ZRANGE", key, 0, -1))))


def state(db: Db, uid: int, target: int) -> tuple[bool, bool, bool, bool]:
    """Return if `uid` follows, is a follower, has sent a request, and has one waiting."""
    return (
        target in listed(db, following_keys.following(uid)),
        uid in listed(db, following_keys.followers(target)),
        target in listed(db, following_keys.sent_follow_requests(uid)),
        uid in listed(db, following_keys.follow_requests(target)),
    )


FOLLOWS = (True, True, False, False)
REQUESTED = (False, False, True, True)
NOTHING = (False, False, False, False)


def apply_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply every event twice, as after a worker's crash before its acknowledgement."""

    def repeated(projection: Callable[..., None]) -> Callable[..., None]:
        def run_twice(context: Context, events: list[Event]) -> None:
            projection(context, events)
            projection(context, events)

        return run_twice

    def repeated_slices(projection: BulkProjection) -> BulkProjection:
        @wraps(projection)
        def run_twice(context: Context, event: Event, cursor: str) -> str | None:
            projection(context, event, cursor)
            return projection(context, event, cursor)

        return run_twice

    table = {
        group: {
            event_type: tuple(map(repeated, projections))
            for event_type, projections in by_type.items()
        }
        for group, by_type in REGISTRY.projections.items()
    }
    bulk = {
        event_type: tuple(map(repeated_slices, projections))
        for event_type, projections in REGISTRY.bulk.items()
    }
    worker.use_projections(monkeypatch, table, bulk)


@pytest.fixture(params=["once", "twice"])
def applications(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply each event once, or twice."""
    if request.param == "twice":
        apply_twice(monkeypatch)


def test_a_request_is_accepted_refused_or_withdrawn(world: World, applications: None) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    world.do(following.follow, dot, "ann")
    assert world.protect(ann) and not world.protect(ann)
    for uid in (ben, cid, dot):
        for _ in range(2):
            following.follow(world, uid, "ann")
    world.apply_events()
    assert state(world.db, ben, ann) == state(world.db, cid, ann) == REQUESTED
    assert state(world.db, dot, ann) == FOLLOWS, "existing followers stay"
    assert {requester.uid for requester in requests.page(world.db, ann).items} == {ben, cid}
    assert {("request", ben, 0), ("request", cid, 0)} <= set(notified(world.db, ann))
    assert requests.answer(world, ann, "ben", True)
    assert not requests.answer(world, ann, "ben", True)
    assert requests.answer(world, ann, "cid", False)
    assert not requests.answer(world, ann, "dot", True)
    world.apply_events()
    assert state(world.db, ben, ann) == FOLLOWS and state(world.db, cid, ann) == NOTHING
    assert sorted(notified(world.db, ann)) == sorted([("follow", ben, 0), ("follow", dot, 0)])
    following.follow(world, cid, "ann")
    world.do(following.unfollow, cid, "ann")
    assert state(world.db, cid, ann) == NOTHING and requests.page(world.db, ann).items == ()
    assert requests.remove_follower(world, ann, "dot")
    assert not requests.remove_follower(world, ann, "dot")
    world.apply_events()
    assert state(world.db, dot, ann) == NOTHING
    following.unfollow(world, ben, "ann")
    world.do(following.follow, ben, "ann")
    assert state(world.db, ben, ann) == REQUESTED, "a former follower needs a new request"


def test_ending_protection_accepts_all_requests(
    world: World, applications: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests_projections, "BATCH", 2)
    ann, *requesters = world.people("ann", *(f"bird{n}" for n in range(5)))
    first = world.post(ann, "one")
    world.protect(ann)
    for uid in requesters:
        following.follow(world, uid, "ann")
    world.apply_events()
    assert home(world, requesters[0]) == []
    world.protect(ann, False)
    world.do(following.unfollow, requesters[1], "ann")  # withdrawn before acceptance is applied
    expected = [FOLLOWS, NOTHING, FOLLOWS, FOLLOWS, FOLLOWS]
    assert [state(world.db, uid, ann) for uid in requesters] == expected
    assert home(world, requesters[0]) == [first] and requests.page(world.db, ann).items == ()


def test_a_request_applied_after_protection_ended_becomes_a_follow(
    world: World, applications: None
) -> None:
    ann, ben = world.people("ann", "ben")
    world.protect(ann)
    following.follow(world, ben, "ann")
    world.do(World.protect, ann, False)
    assert state(world.db, ben, ann) == FOLLOWS
    world.protect(ann)
    following.unfollow(world, ben, "ann")
    following.follow(world, ben, "ann")
    world.protect(ann, False)
    world.do(following.follow, ben, "ann")  # its request is still waiting
    assert state(world.db, ben, ann) == FOLLOWS


def test_a_follow_concurrent_with_protection_becomes_a_request(
    world: World, applications: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    before_protection = world.db.read(get_or_404(ann))
    following.follow(world, cid, "ann")  # not applied yet
    world.protect(ann)
    with monkeypatch.context() as patch:
        patch.setattr(accounts, "get_by_login", lambda _db, _login: before_protection)
        following.follow(world, ben, "ann")
    world.apply_events()
    assert state(world.db, ben, ann) == state(world.db, cid, ann) == REQUESTED
    world.do(requests.answer, ann, "cid", True)
    assert state(world.db, cid, ann) == FOLLOWS


def test_an_old_event_does_not_end_a_newer_follow(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    following.follow(world, ben, "ann")
    following.unfollow(world, ben, "ann")
    world.protect(ann)
    following.follow(world, ben, "ann")
    for _ in range(2):  # one group is ahead of the other
        drain_group(world, "log")
    requests.answer(world, ann, "ben", True)
    world.do(drain_group, "log")
    assert state(world.db, ben, ann) == FOLLOWS


def drain_group(site: Site, group: str) -> None:
    """Apply all waiting events for one group."""
    for partition in range(PARTITIONS):
        consumer = worker.consumer(site, group, partition, 0)
        consumer.token = int(
            site.db.run(LEASE(partition=partition, group=group, owner="one", duration=60_000))
        )
        while consumer.apply(site.db.trip_with_errors([consumer.command()])[0], lambda: None):
            pass
        site.db.run(("HSET", event_keys.lease(partition, group), "until", 0))


def test_crossing_answers_and_withdrawals_leave_consistent_lists(
    world: World, applications: None
) -> None:
    ann, ben = world.people("ann", "ben")
    world.protect(ann)
    world.do(following.follow, ben, "ann")
    following.unfollow(world, ben, "ann")
    assert requests.answer(world, ann, "ben", True)  # the withdrawal is not applied yet
    world.apply_events()
    assert state(world.db, ben, ann) == NOTHING
    world.do(following.follow, ben, "ann")
    requests.answer(world, ann, "ben", True)
    following.unfollow(world, ben, "ann")
    world.do(following.follow, ben, "ann")  # a new request before the answer is applied
    assert state(world.db, ben, ann) == FOLLOWS
    world.do(requests.remove_follower, ann, "ben")
    world.do(following.follow, ben, "ann")
    requests.answer(world, ann, "ben", False)
    world.do(requests.answer, ann, "ben", True)
    assert state(world.db, ben, ann) == NOTHING


def test_a_removed_follower_may_follow_again_before_the_worker_comes(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(following.follow, ben, "ann")
    requests.remove_follower(world, ann, "ben")
    following.unfollow(world, ben, "ann")
    following.follow(world, ben, "ann")
    later = 10**6 * int(time.time() + 3_600)
    world.db.run(("ZADD", following_keys.following(ben), later, ann))
    world.apply_events()
    assert ann in listed(world.db, following_keys.following(ben))


def test_concurrent_requests_and_answers_leave_consistent_lists(world: World) -> None:
    limited = with_settings(world, requests_max=8)
    ann, *requesters = world.people("ann", *(f"bird{n}" for n in range(12)))
    world.protect(ann)

    def send_requests(uid: int, number: int) -> None:
        own_db = connect(world.config)
        try:
            for turn in range(4):
                try:
                    following.follow(Site(own_db, limited.config), uid, "ann")
                except Conflict as refusal:
                    assert refusal.code == "requests_full"
                if (turn + number) % 3 == 0:
                    following.unfollow(Site(own_db, limited.config), uid, "ann")
                requests.answer(Site(own_db, limited.config), ann, f"bird{number}", number % 2 == 0)
        finally:
            own_db.close()

    threads = [
        threading.Thread(target=send_requests, args=(uid, number))
        for number, uid in enumerate(requesters)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
        worker.drain(limited)
    worker.drain(limited)
    assert len(listed(world.db, following_keys.follow_requests(ann))) <= 8
    assert all(state(world.db, uid, ann) in (FOLLOWS, REQUESTED, NOTHING) for uid in requesters)


def test_lists_of_requests_are_bounded(world: World) -> None:
    limited = with_settings(world, requests_max=1)
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    for uid in (ann, ben):
        limited.protect(uid)
    following.follow(limited, cid, "ann")
    limited.do(following.follow, dot, "ann")  # before the first is counted
    assert state(world.db, cid, ann) == REQUESTED and state(world.db, dot, ann) == NOTHING
    limited.refuses(Conflict, following.follow, dot, "ann", match="requests_full")
    limited.refuses(Conflict, following.follow, cid, "ben", match="requested_full")


@pytest.mark.parametrize("side", ["requester", "requested"])
@pytest.mark.parametrize("action", ["block", "suspend", "delete"])
def test_a_block_a_suspension_and_a_deletion_end_requests(
    world: World, side: str, action: str, applications: None
) -> None:
    ann, ben = world.people("ann", "ben")
    for uid in (ann, ben):
        world.protect(uid)
    following.follow(world, ben, "ann")
    world.do(following.follow, ann, "ben")
    actor, target = (ben, "ann") if side == "requester" else (ann, "ben")
    if action == "block":
        blocks.block(world, actor, target)
    elif action == "suspend":
        world.suspend(actor)
    else:
        world.delete_account(actor, None)
    world.apply_events()
    assert state(world.db, ben, ann) == state(world.db, ann, ben) == NOTHING
    assert ("request", ben, 0) not in notified(world.db, ann)
    assert ("request", ann, 0) not in notified(world.db, ben)
    if action == "block":
        world.refuses(Forbidden, following.follow, ben, "ann")


def test_acceptance_is_void_when_the_requester_cannot_follow_any_more(world: World) -> None:
    limited = with_settings(world, following_max=1)
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.protect(ann)
    limited.do(following.follow, ben, "ann")
    following.follow(limited, ben, "cid")
    limited.do(requests.answer, ann, "ben", True)
    assert state(world.db, ben, ann) == NOTHING and state(world.db, ben, cid) == FOLLOWS
    following.unfollow(limited, ben, "cid")
    limited.do(following.follow, ben, "ann")
    requests.answer(limited, ann, "ben", True)
    limited.do(blocks.block, ben, "ann")
    assert state(world.db, ben, ann) == NOTHING


def test_protection_hides_public_statuses_immediately_and_restores_them(world: World) -> None:
    caching = with_settings(world, status_seconds=60)
    ann, ben, cid = world.people("ann", "ben", "cid")
    following.follow(world, ben, "ann")
    status = world.post(ann, "a wren sings #song")
    world.apply_events()

    def visibility(viewer: int) -> list[bool]:
        member = world.db.read(get_or_404(viewer))
        try:
            readable = world.status(status, viewer).text != ""
        except NotFound:
            readable = False
        pages = [
            walk(
                lambda before: timelines.public(caching, before, viewer), caching.config.page_size
            ),
            walk(
                lambda before: timelines.tagged(caching, "song", before, viewer),
                caching.config.page_size,
            ),
            walk(
                lambda before: profile_page(caching, ProfileQuery("ann", member, before)).timeline,
                caching.config.page_size,
            ),
        ]
        return [readable, *(status in page for page in pages)]

    assert visibility(cid) == visibility(ben) == [True] * 4
    world.protect(ann)  # and no event is applied yet
    assert visibility(cid) == [False] * 4
    assert visibility(ben) == visibility(ann) == [True, False, False, True]
    world.apply_events()
    assert visibility(cid) == [False] * 4
    assert listed(world.db, timeline_keys.tag_index(ann)) == set()
    assert listed(world.db, timeline_keys.public_timeline()) == set()
    world.protect(ann, False)
    assert visibility(cid) == [True, False, False, True]
    world.apply_events()
    assert visibility(cid) == [True] * 4


def test_protected_statuses_enter_no_public_timeline_and_the_log_without_text(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.do(following.follow, ben, "ann")
    parent = world.post(cid, "well?")
    world.do(World.protect, ann)
    status_id = world.post(ann, "hush @ben @cid #song")
    reply = world.post(ann, "well", reply=parent)
    world.apply_events()
    for posted in (status_id, reply):
        assert_log_holds_only_ids(world.db, posted)
    assert listed(world.db, timeline_keys.hashtag_statuses("song")) == set()
    assert world.status(parent, cid).replies == 0, "protected replies are not counted"
    assert home(world, ben) == [status_id]
    assert ("mention", ann, status_id) in notified(world.db, ben)
    assert notified(world.db, cid) == []
    world.do(World.protect, ann, False)
    assert world.db.run(("ZCARD", timeline_keys.hashtag_statuses("song"))) == 1
    assert world.status(parent, cid).replies == 1
    assert world.status(reply, cid).text == "well"
    world.do(World.protect, ann)
    assert world.status(parent, cid).replies == 0


def test_a_block_hides_a_protected_profile_before_it_is_applied(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    following.follow(world, ben, "ann")
    world.post(ann, "one")
    world.apply_events()
    world.protect(ann)
    member = world.db.read(get_or_404(ben))
    assert len(profile_page(world, ProfileQuery("ann", member)).timeline.items) == 1
    blocks.block(world, ann, "ben")
    assert profile_page(world, ProfileQuery("ann", member)).timeline.items == ()


def test_a_reply_to_a_protected_member_is_at_most_for_followers(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(following.follow, ben, "ann")
    world.protect(ann)
    status = world.post(ann, "one")
    world.refuses(
        Forbidden,
        statuses.post,
        ben,
        parse("two"),
        "form-two",
        reply=status,
        visibility=Visibility.PUBLIC,
    )
    reply = statuses.post(world, ben, parse("two"), "form-two", reply=status)
    assert world.status(reply, ann).visibility is Visibility.FOLLOWERS


@pytest.mark.parametrize("field", ["likes", "boosts"])
def test_lists_of_likers_and_boosters_show_protected_members_only_to_followers(
    world: World, field: str
) -> None:
    ann, ben, cid, dot = world.people("ann", "ben", "cid", "dot")
    world.do(following.follow, cid, "ben")
    status_id = world.post(ann, "a wren sings")
    world.protect(ben)
    for uid in (ben, dot):
        (likes.like if field == "likes" else boosts.boost)(world, uid, status_id)
        world.apply_events()  # members of different partitions are in no order otherwise

    def logins(viewer: int | None) -> list[str]:
        return [
            member.login
            for member in likers.likers(world.db, status_id, None, 30, viewer, field).page.items
        ]

    assert [logins(viewer) for viewer in (ben, cid)] == [["dot", "ben"]] * 2
    assert [logins(viewer) for viewer in (ann, dot, None)] == [["dot"]] * 3
    world.protect(ben, False)
    assert logins(None) == ["dot", "ben"]


def test_followers_only_replies_count_while_the_author_is_protected(
    world: World, applications: None
) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    for uid in (ben, cid):
        following.follow(world, uid, "ann")
    world.apply_events()
    status_id = world.post(ann, "a wren sings")

    def reply(
        uid: int, text: str, visibility: Visibility | None = None, parent: int = status_id
    ) -> int:
        return world.post(uid, text, reply=parent, visibility=visibility)

    def reply_count(parent: int = status_id) -> int:
        world.apply_events()
        return world.status(parent, cid).replies

    reply(ben, "for all")
    quiet = reply(ben, "for followers", Visibility.FOLLOWERS)
    reply(ben, "for ann", Visibility.MENTIONED)
    own = reply(ann, "her own")
    assert reply_count() == 2
    world.protect(ann)
    assert reply_count() == 3, "the reply for followers counts too"
    later = reply(ben, "as visible as that")
    assert world.status(later, ann).visibility is Visibility.FOLLOWERS
    assert reply_count() == 4
    deeper = reply(cid, "below", parent=own)
    assert reply_count(own) == 1
    world.protect(ann, False)
    assert (reply_count(), reply_count(own)) == (2, 0)
    world.protect(ann)
    assert (reply_count(), reply_count(own)) == (4, 1)
    for uid, reply_id in ((ben, quiet), (ben, later), (cid, deeper)):
        statuses.delete(world, uid, reply_id)
    assert (reply_count(), reply_count(own)) == (2, 0)


def test_changes_of_a_protected_members_status_report_not_found(world: World) -> None:
    uids = world.crowd(65)
    ann, ben, neighbour = uids[0], uids[1], uids[64]  # the last one shares ann's partition
    status_id = world.post(ann, "a wren sings")
    changes: list[Callable[[int], object]] = [
        lambda uid: statuses.delete(world, uid, status_id),
        lambda uid: pins.pin(world, uid, status_id),
        lambda uid: editing.edit(world, uid, status_id, parse("mine"), "", "0"),
    ]
    for expected, protected in ((Forbidden, False), (NotFound, True)):
        world.protect(ann, protected)
        for change, uid in ((change, uid) for change in changes for uid in (ben, neighbour)):
            with pytest.raises(expected):
                change(uid)
    pins.pin(world, ann, status_id)
    statuses.delete(world, ann, status_id)
