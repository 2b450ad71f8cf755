"""Follow requests: sending, answering and ending them, concurrently and across crashes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import wraps

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.notified import notified
from tests.support.streaming.client import assert_log_holds_only_ids
from tests.support.timelines import home, walk
from webapp.accounts import lifecycle
from webapp.accounts import store as accounts
from webapp.accounts.store import get_or_404
from webapp.config import Config
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.events import keys as event_keys
from webapp.core.events.leases import LEASE
from webapp.core.events.outbox import BulkProjection, Context, Event
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


def post(db: Db, config: Config, uid: int, text: str, visibility: Visibility | None = None) -> int:
    return statuses.post(
        db, config, uid, parse(text), f"form-{uid}-{text}"[:60], visibility=visibility
    )


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
    db: Db, config: Config, people: People, apply_events: ApplyEvents, applications: None
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    following.follow(db, config, dot, "ann")
    apply_events()
    assert lifecycle.protect(db, config, ann) and not lifecycle.protect(db, config, ann)
    for uid in (ben, cid, dot):
        for _ in range(2):
            following.follow(db, config, uid, "ann")
    apply_events()
    assert state(db, ben, ann) == state(db, cid, ann) == REQUESTED
    assert state(db, dot, ann) == FOLLOWS, "existing followers stay"
    assert {requester.uid for requester in requests.page(db, ann).items} == {ben, cid}
    assert {("request", ben, 0), ("request", cid, 0)} <= set(notified(db, ann))
    assert requests.answer(db, config, ann, "ben", True)
    assert not requests.answer(db, config, ann, "ben", True)
    assert requests.answer(db, config, ann, "cid", False)
    assert not requests.answer(db, config, ann, "dot", True)
    apply_events()
    assert state(db, ben, ann) == FOLLOWS and state(db, cid, ann) == NOTHING
    assert sorted(notified(db, ann)) == sorted([("follow", ben, 0), ("follow", dot, 0)])
    following.follow(db, config, cid, "ann")
    following.unfollow(db, config, cid, "ann")
    apply_events()
    assert state(db, cid, ann) == NOTHING and requests.page(db, ann).items == ()
    assert requests.remove_follower(db, config, ann, "dot")
    assert not requests.remove_follower(db, config, ann, "dot")
    apply_events()
    assert state(db, dot, ann) == NOTHING
    following.unfollow(db, config, ben, "ann")
    following.follow(db, config, ben, "ann")
    apply_events()
    assert state(db, ben, ann) == REQUESTED, "a former follower needs a new request"


def test_ending_protection_accepts_all_requests(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    applications: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(requests_projections, "BATCH", 2)
    ann, *requesters = people("ann", *(f"bird{n}" for n in range(5)))
    first = post(db, config, ann, "one")
    lifecycle.protect(db, config, ann)
    for uid in requesters:
        following.follow(db, config, uid, "ann")
    apply_events()
    assert home(db, config, requesters[0]) == []
    lifecycle.protect(db, config, ann, False)
    following.unfollow(db, config, requesters[1], "ann")  # withdrawn before acceptance is applied
    apply_events()
    assert [state(db, uid, ann) for uid in requesters] == [
        FOLLOWS,
        NOTHING,
        FOLLOWS,
        FOLLOWS,
        FOLLOWS,
    ]
    assert home(db, config, requesters[0]) == [first] and requests.page(db, ann).items == ()


def test_a_request_applied_after_protection_ended_becomes_a_follow(
    db: Db, config: Config, people: People, apply_events: ApplyEvents, applications: None
) -> None:
    ann, ben = people("ann", "ben")
    lifecycle.protect(db, config, ann)
    following.follow(db, config, ben, "ann")
    lifecycle.protect(db, config, ann, False)
    apply_events()
    assert state(db, ben, ann) == FOLLOWS
    lifecycle.protect(db, config, ann)
    following.unfollow(db, config, ben, "ann")
    following.follow(db, config, ben, "ann")
    lifecycle.protect(db, config, ann, False)
    following.follow(db, config, ben, "ann")  # its request is still waiting
    apply_events()
    assert state(db, ben, ann) == FOLLOWS


def test_a_follow_concurrent_with_protection_becomes_a_request(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    applications: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    before_protection = db.read(get_or_404(ann))
    following.follow(db, config, cid, "ann")  # not applied yet
    lifecycle.protect(db, config, ann)
    with monkeypatch.context() as patch:
        patch.setattr(accounts, "get_by_login", lambda _db, _login: before_protection)
        following.follow(db, config, ben, "ann")
    apply_events()
    assert state(db, ben, ann) == state(db, cid, ann) == REQUESTED
    requests.answer(db, config, ann, "cid", True)
    apply_events()
    assert state(db, cid, ann) == FOLLOWS


def test_an_old_event_does_not_end_a_newer_follow(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    following.unfollow(db, config, ben, "ann")
    lifecycle.protect(db, config, ann)
    following.follow(db, config, ben, "ann")
    for _ in range(2):  # one group is ahead of the other
        drain_group(db, config, "log")
    requests.answer(db, config, ann, "ben", True)
    drain_group(db, config, "log")
    apply_events()
    assert state(db, ben, ann) == FOLLOWS


def drain_group(db: Db, config: Config, group: str) -> None:
    """Apply all waiting events for one group."""
    for partition in range(PARTITIONS):
        consumer = worker.consumer(db, config, group, partition, 0)
        consumer.token = int(
            db.run(LEASE(lease=event_keys.lease(partition, group), owner="one", duration=60_000))
        )
        while consumer.apply(db.trip_with_errors([consumer.command()])[0], lambda: None):
            pass
        db.run(("HSET", event_keys.lease(partition, group), "until", 0))


def test_crossing_answers_and_withdrawals_leave_consistent_lists(
    db: Db, config: Config, people: People, apply_events: ApplyEvents, applications: None
) -> None:
    ann, ben = people("ann", "ben")
    lifecycle.protect(db, config, ann)
    following.follow(db, config, ben, "ann")
    apply_events()
    following.unfollow(db, config, ben, "ann")
    assert requests.answer(db, config, ann, "ben", True)  # the withdrawal is not applied yet
    apply_events()
    assert state(db, ben, ann) == NOTHING
    following.follow(db, config, ben, "ann")
    apply_events()
    requests.answer(db, config, ann, "ben", True)
    following.unfollow(db, config, ben, "ann")
    following.follow(db, config, ben, "ann")  # a new request before the answer is applied
    apply_events()
    assert state(db, ben, ann) == FOLLOWS
    requests.remove_follower(db, config, ann, "ben")
    apply_events()
    following.follow(db, config, ben, "ann")
    apply_events()
    requests.answer(db, config, ann, "ben", False)
    requests.answer(db, config, ann, "ben", True)
    apply_events()
    assert state(db, ben, ann) == NOTHING


def test_concurrent_requests_and_answers_leave_consistent_lists(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    limited = replace(config, requests_max=8)
    ann, *requesters = people("ann", *(f"bird{n}" for n in range(12)))
    lifecycle.protect(db, config, ann)

    def send_requests(uid: int, number: int) -> None:
        own_db = connect(config)
        try:
            for turn in range(4):
                try:
                    following.follow(own_db, limited, uid, "ann")
                except Conflict as refusal:
                    assert refusal.code == "requests_full"
                if (turn + number) % 3 == 0:
                    following.unfollow(own_db, limited, uid, "ann")
                requests.answer(own_db, limited, ann, f"bird{number}", number % 2 == 0)
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
        worker.drain(db, limited)
    worker.drain(db, limited)
    assert len(listed(db, following_keys.follow_requests(ann))) <= 8
    assert all(state(db, uid, ann) in (FOLLOWS, REQUESTED, NOTHING) for uid in requesters)


def test_lists_of_requests_are_bounded(db: Db, config: Config, people: People) -> None:
    limited = replace(config, requests_max=1)
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    for uid in (ann, ben):
        lifecycle.protect(db, limited, uid)
    following.follow(db, limited, cid, "ann")
    following.follow(db, limited, dot, "ann")  # before the first is counted
    worker.drain(db, limited)
    assert state(db, cid, ann) == REQUESTED and state(db, dot, ann) == NOTHING
    with pytest.raises(Conflict) as refusal:
        following.follow(db, limited, dot, "ann")
    assert refusal.value.code == "requests_full"
    with pytest.raises(Conflict) as refusal:
        following.follow(db, limited, cid, "ben")
    assert refusal.value.code == "requested_full"


@pytest.mark.parametrize("side", ["requester", "requested"])
@pytest.mark.parametrize("action", ["block", "suspend", "delete"])
def test_a_block_a_suspension_and_a_deletion_end_requests(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    side: str,
    action: str,
    applications: None,
) -> None:
    ann, ben = people("ann", "ben")
    for uid in (ann, ben):
        lifecycle.protect(db, config, uid)
    following.follow(db, config, ben, "ann")
    following.follow(db, config, ann, "ben")
    apply_events()
    actor, target = (ben, "ann") if side == "requester" else (ann, "ben")
    if action == "block":
        blocks.block(db, config, actor, target)
    elif action == "suspend":
        lifecycle.suspend(db, config, actor)
    else:
        lifecycle.delete_account(db, config, actor, None)
    apply_events()
    assert state(db, ben, ann) == state(db, ann, ben) == NOTHING
    assert ("request", ben, 0) not in notified(db, ann)
    assert ("request", ann, 0) not in notified(db, ben)
    if action == "block":
        with pytest.raises(Forbidden):
            following.follow(db, config, ben, "ann")


def test_acceptance_is_void_when_the_requester_cannot_follow_any_more(
    db: Db, config: Config, people: People
) -> None:
    limited = replace(config, following_max=1)
    ann, ben, cid = people("ann", "ben", "cid")
    lifecycle.protect(db, config, ann)
    following.follow(db, limited, ben, "ann")
    worker.drain(db, limited)
    following.follow(db, limited, ben, "cid")
    requests.answer(db, limited, ann, "ben", True)
    worker.drain(db, limited)
    assert state(db, ben, ann) == NOTHING and state(db, ben, cid) == FOLLOWS
    following.unfollow(db, limited, ben, "cid")
    following.follow(db, limited, ben, "ann")
    worker.drain(db, limited)
    requests.answer(db, limited, ann, "ben", True)
    blocks.block(db, limited, ben, "ann")
    worker.drain(db, limited)
    assert state(db, ben, ann) == NOTHING


def test_protection_hides_public_statuses_immediately_and_restores_them(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    caching = replace(config, status_seconds=60)
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")
    status = post(db, config, ann, "a wren sings #song")
    apply_events()

    def visibility(viewer: int) -> list[bool]:
        member = db.read(get_or_404(viewer))
        try:
            readable = statuses.get(db, status, viewer).text != ""
        except NotFound:
            readable = False
        pages = [
            walk(lambda before: timelines.public(db, caching, before, viewer), caching.page_size),
            walk(
                lambda before: timelines.tagged(db, caching, "song", before, viewer),
                caching.page_size,
            ),
            walk(
                lambda before: (
                    profile_page(db, caching, ProfileQuery("ann", member, before)).timeline
                ),
                caching.page_size,
            ),
        ]
        return [readable, *(status in page for page in pages)]

    assert visibility(cid) == visibility(ben) == [True] * 4
    lifecycle.protect(db, config, ann)  # and no event is applied yet
    assert visibility(cid) == [False] * 4
    assert visibility(ben) == visibility(ann) == [True, False, False, True]
    apply_events()
    assert visibility(cid) == [False] * 4
    assert listed(db, timeline_keys.tag_index(ann)) == set()
    assert listed(db, timeline_keys.public_timeline()) == set()
    lifecycle.protect(db, config, ann, False)
    assert visibility(cid) == [True, False, False, True]
    apply_events()
    assert visibility(cid) == [True] * 4


def test_protected_statuses_enter_no_public_timeline_and_the_log_without_text(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")
    apply_events()
    parent = post(db, config, cid, "well?")
    lifecycle.protect(db, config, ann)
    apply_events()
    status_id = post(db, config, ann, "hush @ben @cid #song")
    reply = statuses.post(db, config, ann, parse("well"), "form-answer", reply=parent)
    apply_events()
    for posted in (status_id, reply):
        assert_log_holds_only_ids(db, posted)
    assert listed(db, timeline_keys.hashtag_statuses("song")) == set()
    assert statuses.get(db, parent, cid).replies == 0, "protected replies are not counted"
    assert home(db, config, ben) == [status_id]
    assert ("mention", ann, status_id) in notified(db, ben)
    assert notified(db, cid) == []
    lifecycle.protect(db, config, ann, False)
    apply_events()
    assert db.run(("ZCARD", timeline_keys.hashtag_statuses("song"))) == 1
    assert statuses.get(db, parent, cid).replies == 1
    assert statuses.get(db, reply, cid).text == "well"
    lifecycle.protect(db, config, ann)
    apply_events()
    assert statuses.get(db, parent, cid).replies == 0


def test_a_block_hides_a_protected_profile_before_it_is_applied(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    post(db, config, ann, "one")
    apply_events()
    lifecycle.protect(db, config, ann)
    member = db.read(get_or_404(ben))
    assert len(profile_page(db, config, ProfileQuery("ann", member)).timeline.items) == 1
    blocks.block(db, config, ann, "ben")
    assert profile_page(db, config, ProfileQuery("ann", member)).timeline.items == ()


def test_a_reply_to_a_protected_member_is_at_most_for_followers(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    apply_events()
    lifecycle.protect(db, config, ann)
    status = post(db, config, ann, "one")
    with pytest.raises(Forbidden):
        statuses.post(
            db, config, ben, parse("two"), "form-two", reply=status, visibility=Visibility.PUBLIC
        )
    reply = statuses.post(db, config, ben, parse("two"), "form-two", reply=status)
    assert statuses.get(db, reply, ann).visibility is Visibility.FOLLOWERS


@pytest.mark.parametrize("field", ["likes", "boosts"])
def test_lists_of_likers_and_boosters_show_protected_members_only_to_followers(
    db: Db, config: Config, people: People, apply_events: ApplyEvents, field: str
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    following.follow(db, config, cid, "ben")
    apply_events()
    status_id = post(db, config, ann, "a wren sings")
    lifecycle.protect(db, config, ben)
    for uid in (ben, dot):
        (likes.like if field == "likes" else boosts.boost)(db, config, uid, status_id)
    apply_events()

    def logins(viewer: int | None) -> list[str]:
        return [
            member.login
            for member in likers.likers(db, status_id, None, 30, viewer, field).page.items
        ]

    assert [logins(viewer) for viewer in (ben, cid)] == [["dot", "ben"]] * 2
    assert [logins(viewer) for viewer in (ann, dot, None)] == [["dot"]] * 3
    lifecycle.protect(db, config, ben, False)
    assert logins(None) == ["dot", "ben"]


def test_followers_only_replies_count_while_the_author_is_protected(
    db: Db, config: Config, people: People, apply_events: ApplyEvents, applications: None
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for uid in (ben, cid):
        following.follow(db, config, uid, "ann")
    apply_events()
    status_id = post(db, config, ann, "a wren sings")

    def reply(
        uid: int, text: str, visibility: Visibility | None = None, parent: int = status_id
    ) -> int:
        return statuses.post(
            db, config, uid, parse(text), f"form-{text}", reply=parent, visibility=visibility
        )

    def reply_count(parent: int = status_id) -> int:
        apply_events()
        return statuses.get(db, parent, cid).replies

    reply(ben, "for all")
    quiet = reply(ben, "for followers", Visibility.FOLLOWERS)
    reply(ben, "for ann", Visibility.MENTIONED)
    own = reply(ann, "her own")
    assert reply_count() == 2
    lifecycle.protect(db, config, ann)
    assert reply_count() == 3, "the reply for followers counts too"
    later = reply(ben, "as visible as that")
    assert statuses.get(db, later, ann).visibility is Visibility.FOLLOWERS
    assert reply_count() == 4
    deeper = reply(cid, "below", parent=own)
    assert reply_count(own) == 1
    lifecycle.protect(db, config, ann, False)
    assert (reply_count(), reply_count(own)) == (2, 0)
    lifecycle.protect(db, config, ann)
    assert (reply_count(), reply_count(own)) == (4, 1)
    for uid, reply_id in ((ben, quiet), (ben, later), (cid, deeper)):
        statuses.delete(db, config, uid, reply_id)
    assert (reply_count(), reply_count(own)) == (2, 0)


def test_changes_of_a_protected_members_status_report_not_found(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    uids = people(*(f"bird{number}" for number in range(65)))
    ann, ben, neighbour = uids[0], uids[1], uids[64]  # the last one shares ann's partition
    status_id = post(db, config, ann, "a wren sings")
    changes: list[Callable[[int], object]] = [
        lambda uid: statuses.delete(db, config, uid, status_id),
        lambda uid: pins.pin(db, config, uid, status_id),
        lambda uid: editing.edit(db, config, uid, status_id, parse("mine"), "", "0"),
    ]
    for expected, protected in ((Forbidden, False), (NotFound, True)):
        lifecycle.protect(db, config, ann, protected)
        for change, uid in ((change, uid) for change in changes for uid in (ben, neighbour)):
            with pytest.raises(expected):
                change(uid)
    pins.pin(db, config, ann, status_id)
    statuses.delete(db, config, ann, status_id)
