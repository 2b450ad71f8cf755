"""Follow requests: sending, answering and ending them, concurrently and across crashes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.notified import notified
from tests.support.settings import with_settings
from tests.support.streaming.client import assert_log_holds_only_ids
from tests.support.timelines import home, walk
from webapp.accounts import lifecycle
from webapp.accounts import store as accounts
from webapp.accounts.store import get_or_404
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.events import keys as event_keys
from webapp.core.events.leases import LEASE
from webapp.core.events.outbox import BulkProjection, Context, Event
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.store.ids import PARTITIONS
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.requests import projections as requests_projections
from webapp.following.requests import store as requests
from webapp.registry import REGISTRY
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import boosts, likers, likes
from webapp.statuses.values.visibility import Visibility
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page


def post(site: Site, uid: int, text: str, visibility: Visibility | None = None) -> int:
    return statuses.post(site, uid, parse(text), f"form-{uid}-{text}"[:60], visibility=visibility)


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


def test_a_request_is_accepted_refused_or_withdrawn(
    site: Site, people: People, apply_events: ApplyEvents, applications: None
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    following.follow(site, dot, "ann")
    apply_events()
    assert lifecycle.protect(site, ann) and not lifecycle.protect(site, ann)
    for uid in (ben, cid, dot):
        for _ in range(2):
            following.follow(site, uid, "ann")
    apply_events()
    assert state(site.db, ben, ann) == state(site.db, cid, ann) == REQUESTED
    assert state(site.db, dot, ann) == FOLLOWS, "existing followers stay"
    assert {requester.uid for requester in requests.page(site.db, ann).items} == {ben, cid}
    assert {("request", ben, 0), ("request", cid, 0)} <= set(notified(site.db, ann))
    assert requests.answer(site, ann, "ben", True)
    assert not requests.answer(site, ann, "ben", True)
    assert requests.answer(site, ann, "cid", False)
    assert not requests.answer(site, ann, "dot", True)
    apply_events()
    assert state(site.db, ben, ann) == FOLLOWS and state(site.db, cid, ann) == NOTHING
    assert sorted(notified(site.db, ann)) == sorted([("follow", ben, 0), ("follow", dot, 0)])
    following.follow(site, cid, "ann")
    following.unfollow(site, cid, "ann")
    apply_events()
    assert state(site.db, cid, ann) == NOTHING and requests.page(site.db, ann).items == ()
    assert requests.remove_follower(site, ann, "dot")
    assert not requests.remove_follower(site, ann, "dot")
    apply_events()
    assert state(site.db, dot, ann) == NOTHING
    following.unfollow(site, ben, "ann")
    following.follow(site, ben, "ann")
    apply_events()
    assert state(site.db, ben, ann) == REQUESTED, "a former follower needs a new request"


def test_ending_protection_accepts_all_requests(
    site: Site,
    people: People,
    apply_events: ApplyEvents,
    applications: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(requests_projections, "BATCH", 2)
    ann, *requesters = people("ann", *(f"bird{n}" for n in range(5)))
    first = post(site, ann, "one")
    lifecycle.protect(site, ann)
    for uid in requesters:
        following.follow(site, uid, "ann")
    apply_events()
    assert home(site, requesters[0]) == []
    lifecycle.protect(site, ann, False)
    following.unfollow(site, requesters[1], "ann")  # withdrawn before acceptance is applied
    apply_events()
    assert [state(site.db, uid, ann) for uid in requesters] == [
        FOLLOWS,
        NOTHING,
        FOLLOWS,
        FOLLOWS,
        FOLLOWS,
    ]
    assert home(site, requesters[0]) == [first] and requests.page(site.db, ann).items == ()


def test_a_request_applied_after_protection_ended_becomes_a_follow(
    site: Site, people: People, apply_events: ApplyEvents, applications: None
) -> None:
    ann, ben = people("ann", "ben")
    lifecycle.protect(site, ann)
    following.follow(site, ben, "ann")
    lifecycle.protect(site, ann, False)
    apply_events()
    assert state(site.db, ben, ann) == FOLLOWS
    lifecycle.protect(site, ann)
    following.unfollow(site, ben, "ann")
    following.follow(site, ben, "ann")
    lifecycle.protect(site, ann, False)
    following.follow(site, ben, "ann")  # its request is still waiting
    apply_events()
    assert state(site.db, ben, ann) == FOLLOWS


def test_a_follow_concurrent_with_protection_becomes_a_request(
    site: Site,
    people: People,
    apply_events: ApplyEvents,
    applications: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    before_protection = site.db.read(get_or_404(ann))
    following.follow(site, cid, "ann")  # not applied yet
    lifecycle.protect(site, ann)
    with monkeypatch.context() as patch:
        patch.setattr(accounts, "get_by_login", lambda _db, _login: before_protection)
        following.follow(site, ben, "ann")
    apply_events()
    assert state(site.db, ben, ann) == state(site.db, cid, ann) == REQUESTED
    requests.answer(site, ann, "cid", True)
    apply_events()
    assert state(site.db, cid, ann) == FOLLOWS


def test_an_old_event_does_not_end_a_newer_follow(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    following.unfollow(site, ben, "ann")
    lifecycle.protect(site, ann)
    following.follow(site, ben, "ann")
    for _ in range(2):  # one group is ahead of the other
        drain_group(site, "log")
    requests.answer(site, ann, "ben", True)
    drain_group(site, "log")
    apply_events()
    assert state(site.db, ben, ann) == FOLLOWS


def drain_group(site: Site, group: str) -> None:
    """Apply all waiting events for one group."""
    for partition in range(PARTITIONS):
        consumer = worker.consumer(site, group, partition, 0)
        consumer.token = int(
            site.db.run(
                LEASE(lease=event_keys.lease(partition, group), owner="one", duration=60_000)
            )
        )
        while consumer.apply(site.db.trip_with_errors([consumer.command()])[0], lambda: None):
            pass
        site.db.run(("HSET", event_keys.lease(partition, group), "until", 0))


def test_crossing_answers_and_withdrawals_leave_consistent_lists(
    site: Site, people: People, apply_events: ApplyEvents, applications: None
) -> None:
    ann, ben = people("ann", "ben")
    lifecycle.protect(site, ann)
    following.follow(site, ben, "ann")
    apply_events()
    following.unfollow(site, ben, "ann")
    assert requests.answer(site, ann, "ben", True)  # the withdrawal is not applied yet
    apply_events()
    assert state(site.db, ben, ann) == NOTHING
    following.follow(site, ben, "ann")
    apply_events()
    requests.answer(site, ann, "ben", True)
    following.unfollow(site, ben, "ann")
    following.follow(site, ben, "ann")  # a new request before the answer is applied
    apply_events()
    assert state(site.db, ben, ann) == FOLLOWS
    requests.remove_follower(site, ann, "ben")
    apply_events()
    following.follow(site, ben, "ann")
    apply_events()
    requests.answer(site, ann, "ben", False)
    requests.answer(site, ann, "ben", True)
    apply_events()
    assert state(site.db, ben, ann) == NOTHING


def test_concurrent_requests_and_answers_leave_consistent_lists(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    limited = with_settings(site, requests_max=8)
    ann, *requesters = people("ann", *(f"bird{n}" for n in range(12)))
    lifecycle.protect(site, ann)

    def send_requests(uid: int, number: int) -> None:
        own_db = connect(site.config)
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
    assert len(listed(site.db, following_keys.follow_requests(ann))) <= 8
    assert all(state(site.db, uid, ann) in (FOLLOWS, REQUESTED, NOTHING) for uid in requesters)


def test_lists_of_requests_are_bounded(site: Site, people: People) -> None:
    limited = with_settings(site, requests_max=1)
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    for uid in (ann, ben):
        lifecycle.protect(limited, uid)
    following.follow(limited, cid, "ann")
    following.follow(limited, dot, "ann")  # before the first is counted
    worker.drain(limited)
    assert state(site.db, cid, ann) == REQUESTED and state(site.db, dot, ann) == NOTHING
    with pytest.raises(Conflict) as refusal:
        following.follow(limited, dot, "ann")
    assert refusal.value.code == "requests_full"
    with pytest.raises(Conflict) as refusal:
        following.follow(limited, cid, "ben")
    assert refusal.value.code == "requested_full"


@pytest.mark.parametrize("side", ["requester", "requested"])
@pytest.mark.parametrize("action", ["block", "suspend", "delete"])
def test_a_block_a_suspension_and_a_deletion_end_requests(
    site: Site,
    people: People,
    apply_events: ApplyEvents,
    side: str,
    action: str,
    applications: None,
) -> None:
    ann, ben = people("ann", "ben")
    for uid in (ann, ben):
        lifecycle.protect(site, uid)
    following.follow(site, ben, "ann")
    following.follow(site, ann, "ben")
    apply_events()
    actor, target = (ben, "ann") if side == "requester" else (ann, "ben")
    if action == "block":
        blocks.block(site, actor, target)
    elif action == "suspend":
        lifecycle.suspend(site, actor)
    else:
        lifecycle.delete_account(site, actor, None)
    apply_events()
    assert state(site.db, ben, ann) == state(site.db, ann, ben) == NOTHING
    assert ("request", ben, 0) not in notified(site.db, ann)
    assert ("request", ann, 0) not in notified(site.db, ben)
    if action == "block":
        with pytest.raises(Forbidden):
            following.follow(site, ben, "ann")


def test_acceptance_is_void_when_the_requester_cannot_follow_any_more(
    site: Site, people: People
) -> None:
    limited = with_settings(site, following_max=1)
    ann, ben, cid = people("ann", "ben", "cid")
    lifecycle.protect(site, ann)
    following.follow(limited, ben, "ann")
    worker.drain(limited)
    following.follow(limited, ben, "cid")
    requests.answer(limited, ann, "ben", True)
    worker.drain(limited)
    assert state(site.db, ben, ann) == NOTHING and state(site.db, ben, cid) == FOLLOWS
    following.unfollow(limited, ben, "cid")
    following.follow(limited, ben, "ann")
    worker.drain(limited)
    requests.answer(limited, ann, "ben", True)
    blocks.block(limited, ben, "ann")
    worker.drain(limited)
    assert state(site.db, ben, ann) == NOTHING


def test_protection_hides_public_statuses_immediately_and_restores_them(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    caching = with_settings(site, status_seconds=60)
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(site, ben, "ann")
    status = post(site, ann, "a wren sings #song")
    apply_events()

    def visibility(viewer: int) -> list[bool]:
        member = site.db.read(get_or_404(viewer))
        try:
            readable = statuses.get(site.db, status, viewer).text != ""
        except NotFound:
            readable = False
        pages = [
            walk(
                lambda before: timelines.public(caching, before, viewer),
                caching.config.page_size,
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
    lifecycle.protect(site, ann)  # and no event is applied yet
    assert visibility(cid) == [False] * 4
    assert visibility(ben) == visibility(ann) == [True, False, False, True]
    apply_events()
    assert visibility(cid) == [False] * 4
    assert listed(site.db, timeline_keys.tag_index(ann)) == set()
    assert listed(site.db, timeline_keys.public_timeline()) == set()
    lifecycle.protect(site, ann, False)
    assert visibility(cid) == [True, False, False, True]
    apply_events()
    assert visibility(cid) == [True] * 4


def test_protected_statuses_enter_no_public_timeline_and_the_log_without_text(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(site, ben, "ann")
    apply_events()
    parent = post(site, cid, "well?")
    lifecycle.protect(site, ann)
    apply_events()
    status_id = post(site, ann, "hush @ben @cid #song")
    reply = statuses.post(site, ann, parse("well"), "form-answer", reply=parent)
    apply_events()
    for posted in (status_id, reply):
        assert_log_holds_only_ids(site.db, posted)
    assert listed(site.db, timeline_keys.hashtag_statuses("song")) == set()
    assert statuses.get(site.db, parent, cid).replies == 0, "protected replies are not counted"
    assert home(site, ben) == [status_id]
    assert ("mention", ann, status_id) in notified(site.db, ben)
    assert notified(site.db, cid) == []
    lifecycle.protect(site, ann, False)
    apply_events()
    assert site.db.run(("ZCARD", timeline_keys.hashtag_statuses("song"))) == 1
    assert statuses.get(site.db, parent, cid).replies == 1
    assert statuses.get(site.db, reply, cid).text == "well"
    lifecycle.protect(site, ann)
    apply_events()
    assert statuses.get(site.db, parent, cid).replies == 0


def test_a_block_hides_a_protected_profile_before_it_is_applied(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    post(site, ann, "one")
    apply_events()
    lifecycle.protect(site, ann)
    member = site.db.read(get_or_404(ben))
    assert len(profile_page(site, ProfileQuery("ann", member)).timeline.items) == 1
    blocks.block(site, ann, "ben")
    assert profile_page(site, ProfileQuery("ann", member)).timeline.items == ()


def test_a_reply_to_a_protected_member_is_at_most_for_followers(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    apply_events()
    lifecycle.protect(site, ann)
    status = post(site, ann, "one")
    with pytest.raises(Forbidden):
        statuses.post(
            site, ben, parse("two"), "form-two", reply=status, visibility=Visibility.PUBLIC
        )
    reply = statuses.post(site, ben, parse("two"), "form-two", reply=status)
    assert statuses.get(site.db, reply, ann).visibility is Visibility.FOLLOWERS


@pytest.mark.parametrize("field", ["likes", "boosts"])
def test_lists_of_likers_and_boosters_show_protected_members_only_to_followers(
    site: Site, people: People, apply_events: ApplyEvents, field: str
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    following.follow(site, cid, "ben")
    apply_events()
    status_id = post(site, ann, "a wren sings")
    lifecycle.protect(site, ben)
    for uid in (ben, dot):
        (likes.like if field == "likes" else boosts.boost)(site, uid, status_id)
        apply_events()  # members of different partitions are in no order otherwise

    def logins(viewer: int | None) -> list[str]:
        return [
            member.login
            for member in likers.likers(site.db, status_id, None, 30, viewer, field).page.items
        ]

    assert [logins(viewer) for viewer in (ben, cid)] == [["dot", "ben"]] * 2
    assert [logins(viewer) for viewer in (ann, dot, None)] == [["dot"]] * 3
    lifecycle.protect(site, ben, False)
    assert logins(None) == ["dot", "ben"]


def test_followers_only_replies_count_while_the_author_is_protected(
    site: Site, people: People, apply_events: ApplyEvents, applications: None
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for uid in (ben, cid):
        following.follow(site, uid, "ann")
    apply_events()
    status_id = post(site, ann, "a wren sings")

    def reply(
        uid: int, text: str, visibility: Visibility | None = None, parent: int = status_id
    ) -> int:
        return statuses.post(
            site, uid, parse(text), f"form-{text}", reply=parent, visibility=visibility
        )

    def reply_count(parent: int = status_id) -> int:
        apply_events()
        return statuses.get(site.db, parent, cid).replies

    reply(ben, "for all")
    quiet = reply(ben, "for followers", Visibility.FOLLOWERS)
    reply(ben, "for ann", Visibility.MENTIONED)
    own = reply(ann, "her own")
    assert reply_count() == 2
    lifecycle.protect(site, ann)
    assert reply_count() == 3, "the reply for followers counts too"
    later = reply(ben, "as visible as that")
    assert statuses.get(site.db, later, ann).visibility is Visibility.FOLLOWERS
    assert reply_count() == 4
    deeper = reply(cid, "below", parent=own)
    assert reply_count(own) == 1
    lifecycle.protect(site, ann, False)
    assert (reply_count(), reply_count(own)) == (2, 0)
    lifecycle.protect(site, ann)
    assert (reply_count(), reply_count(own)) == (4, 1)
    for uid, reply_id in ((ben, quiet), (ben, later), (cid, deeper)):
        statuses.delete(site, uid, reply_id)
    assert (reply_count(), reply_count(own)) == (2, 0)


def test_changes_of_a_protected_members_status_report_not_found(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    uids = people(*(f"bird{number}" for number in range(65)))
    ann, ben, neighbour = uids[0], uids[1], uids[64]  # the last one shares ann's partition
    status_id = post(site, ann, "a wren sings")
    changes: list[Callable[[int], object]] = [
        lambda uid: statuses.delete(site, uid, status_id),
        lambda uid: pins.pin(site, uid, status_id),
        lambda uid: editing.edit(site, uid, status_id, parse("mine"), "", "0"),
    ]
    for expected, protected in ((Forbidden, False), (NotFound, True)):
        lifecycle.protect(site, ann, protected)
        for change, uid in ((change, uid) for change in changes for uid in (ben, neighbour)):
            with pytest.raises(expected):
                change(uid)
    pins.pin(site, ann, status_id)
    statuses.delete(site, ann, status_id)
