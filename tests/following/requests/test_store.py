"""Follow requests: making, answering and ending them, concurrently and across crashes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.notifications.test_store import told
from tests.support import worker
from tests.support.streaming.client import numbers_alone
from tests.timelines.test_store import home, walk
from webapp.accounts import lifecycle
from webapp.accounts import store as accounts
from webapp.accounts.store import get_or_404
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.leases import LEASE
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.store.ids import PARTITIONS
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, NotFound
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.requests import projections as requests_projections
from webapp.following.requests import store as requests
from webapp.registry import REGISTRY
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import boosts, likers, likes
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page

People = Callable[..., list[int]]
Settle = Callable[[], None]


def post(db: Db, config: Config, uid: int, text: str, visibility: Visibility | None = None) -> int:
    return statuses.post(
        db, config, uid, parse(text), f"form-{uid}-{text}"[:60], visibility=visibility
    )


def listed(db: Db, key: str) -> set[int]:
    return set(map(int, db.run(("ZRANGE", key, 0, -1))))


def state(db: Db, uid: int, target: int) -> tuple[bool, bool, bool, bool]:
    """Return whether `uid` follows, is a follower, has requested, and waits for an answer."""
    lists = ((following_keys.following(uid), target), (following_keys.followers(target), uid))
    asked = (
        (following_keys.sent_follow_requests(uid), target),
        (following_keys.follow_requests(target), uid),
    )
    return tuple(one in listed(db, key) for key, one in (*lists, *asked))  # type: ignore[return-value]


FOLLOWS, ASKS, NOTHING = (
    (True, True, False, False),
    (False, False, True, True),
    (False, False, False, False),
)


def twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply every event twice, as after a worker's death before it acknowledged them."""

    def doubled(one: Callable[..., None]) -> Callable[..., None]:
        def both(context: Context, events: list[Event]) -> None:
            one(context, events)
            one(context, events)

        return both

    table = {
        group: {kind: tuple(map(doubled, all_)) for kind, all_ in kinds.items()}
        for group, kinds in REGISTRY.projections.items()
    }
    worker.use_projections(monkeypatch, table)


@pytest.fixture(params=["once", "twice"])
def often(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Apply each event once, or twice."""
    if request.param == "twice":
        twice(monkeypatch)


def test_a_request_is_accepted_refused_or_taken_back(
    db: Db, config: Config, people: People, settle: Settle, often: None
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    following.follow(db, config, dot, "ann")
    settle()
    assert lifecycle.protect(db, config, ann) and not lifecycle.protect(db, config, ann)
    for uid in (ben, cid, dot):
        for _ in range(2):
            following.follow(db, config, uid, "ann")
    settle()
    assert state(db, ben, ann) == state(db, cid, ann) == ASKS
    assert state(db, dot, ann) == FOLLOWS, "who follows already stays"
    assert {one.uid for one in requests.page(db, ann).items} == {ben, cid}
    assert {("request", ben, 0), ("request", cid, 0)} <= set(told(db, ann))
    assert requests.answer(db, config, ann, "ben", True) and not requests.answer(
        db, config, ann, "ben", True
    )
    assert requests.answer(db, config, ann, "cid", False)
    assert not requests.answer(db, config, ann, "dot", True)
    settle()
    assert state(db, ben, ann) == FOLLOWS and state(db, cid, ann) == NOTHING
    assert sorted(told(db, ann)) == sorted([("follow", ben, 0), ("follow", dot, 0)])
    following.follow(db, config, cid, "ann")
    following.unfollow(db, config, cid, "ann")
    settle()
    assert state(db, cid, ann) == NOTHING and requests.page(db, ann).items == ()
    assert requests.remove_follower(db, config, ann, "dot") and not requests.remove_follower(
        db, config, ann, "dot"
    )
    settle()
    assert state(db, dot, ann) == NOTHING
    following.unfollow(db, config, ben, "ann")
    following.follow(db, config, ben, "ann")
    settle()
    assert state(db, ben, ann) == ASKS, "whoever has left must ask again"


def test_going_public_accepts_all_who_wait_and_what_follows_brings_home(
    db: Db,
    config: Config,
    people: People,
    settle: Settle,
    often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(requests_projections, "BATCH", 2)
    ann, *others = people("ann", *(f"bird{n}" for n in range(5)))
    first = post(db, config, ann, "one")
    lifecycle.protect(db, config, ann)
    for uid in others:
        following.follow(db, config, uid, "ann")
    settle()
    assert home(db, config, others[0]) == []
    lifecycle.protect(db, config, ann, False)
    following.unfollow(db, config, others[1], "ann")  # at the last moment
    settle()
    assert [state(db, uid, ann) for uid in others] == [FOLLOWS, NOTHING, FOLLOWS, FOLLOWS, FOLLOWS]
    assert home(db, config, others[0]) == [first] and requests.page(db, ann).items == ()


def test_a_request_that_arrives_after_its_member_became_public_is_a_follow(
    db: Db, config: Config, people: People, settle: Settle, often: None
) -> None:
    ann, ben = people("ann", "ben")
    lifecycle.protect(db, config, ann)
    following.follow(db, config, ben, "ann")
    lifecycle.protect(db, config, ann, False)
    settle()
    assert state(db, ben, ann) == FOLLOWS
    lifecycle.protect(db, config, ann)
    following.unfollow(db, config, ben, "ann")
    following.follow(db, config, ben, "ann")
    lifecycle.protect(db, config, ann, False)
    following.follow(db, config, ben, "ann")  # which was asked for, and needs no answer any more
    settle()
    assert state(db, ben, ann) == FOLLOWS


def test_a_follow_that_crosses_the_protection_becomes_a_request(
    db: Db,
    config: Config,
    people: People,
    settle: Settle,
    often: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    public = db.read(get_or_404(ann))
    following.follow(db, config, cid, "ann")  # which ann has not heard of
    lifecycle.protect(db, config, ann)
    with monkeypatch.context() as patched:
        patched.setattr(
            accounts, "get_by_login", lambda _db, _login: public
        )  # as ben saw her a moment ago
        following.follow(db, config, ben, "ann")
    settle()
    assert state(db, ben, ann) == state(db, cid, ann) == ASKS
    requests.answer(db, config, ann, "cid", True)
    settle()
    assert state(db, cid, ann) == FOLLOWS


def test_an_old_event_does_not_end_a_follow_that_was_asked_for_since(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    following.unfollow(db, config, ben, "ann")
    lifecycle.protect(db, config, ann)
    following.follow(db, config, ben, "ann")
    for _ in range(2):  # one group is far ahead of the other
        worker_of(db, config, "log")
    requests.answer(db, config, ann, "ben", True)
    worker_of(db, config, "log")
    settle()
    assert state(db, ben, ann) == FOLLOWS


def worker_of(db: Db, config: Config, group: str) -> None:
    """Apply all events that wait for one group."""
    for partition in range(PARTITIONS):
        lease = worker.consumer(db, config, group, partition, 0)
        lease.token = int(
            db.run(LEASE(lease=event_keys.lease(partition, group), owner="one", duration=60_000))
        )
        while lease.apply(db.trip_with_errors([lease.command()])[0], lambda: None):
            pass
        db.run(("HSET", event_keys.lease(partition, group), "until", 0))


def test_answers_and_second_thoughts_at_once_leave_nothing_half_done(
    db: Db, config: Config, people: People, settle: Settle, often: None
) -> None:
    ann, ben = people("ann", "ben")
    lifecycle.protect(db, config, ann)
    following.follow(db, config, ben, "ann")
    settle()
    following.unfollow(db, config, ben, "ann")
    assert requests.answer(db, config, ann, "ben", True)  # which sees the request still
    settle()
    assert state(db, ben, ann) == NOTHING
    following.follow(db, config, ben, "ann")
    settle()
    requests.answer(db, config, ann, "ben", True)
    following.unfollow(db, config, ben, "ann")
    following.follow(db, config, ben, "ann")  # asks again before the answer has arrived
    settle()
    assert state(db, ben, ann) == FOLLOWS
    requests.remove_follower(db, config, ann, "ben")
    settle()
    following.follow(db, config, ben, "ann")
    settle()
    requests.answer(db, config, ann, "ben", False)
    requests.answer(db, config, ann, "ben", True)
    settle()
    assert state(db, ben, ann) == NOTHING


def test_fifty_who_ask_while_they_are_answered_end_as_the_lists_say(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    few = replace(config, requests_max=8)
    ann, *others = people("ann", *(f"bird{n}" for n in range(12)))
    lifecycle.protect(db, config, ann)

    def ask(uid: int, number: int) -> None:
        own = connect(config)
        try:
            for turn in range(4):
                try:
                    following.follow(own, few, uid, "ann")
                except Conflict as refusal:
                    assert refusal.code == "requests_full"
                if (turn + number) % 3 == 0:
                    following.unfollow(own, few, uid, "ann")
                requests.answer(own, few, ann, f"bird{number}", number % 2 == 0)
        finally:
            own.close()

    threads = [
        threading.Thread(target=ask, args=(uid, number)) for number, uid in enumerate(others)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
        worker.drain(db, few)
    worker.drain(db, few)
    assert len(listed(db, following_keys.follow_requests(ann))) <= 8
    assert all(state(db, uid, ann) in (FOLLOWS, ASKS, NOTHING) for uid in others)


def test_lists_of_requests_are_bounded(db: Db, config: Config, people: People) -> None:
    few = replace(config, requests_max=1)
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    for uid in (ann, ben):
        lifecycle.protect(db, few, uid)
    following.follow(db, few, cid, "ann")
    following.follow(db, few, dot, "ann")  # before anybody has counted the first
    worker.drain(db, few)
    assert state(db, cid, ann) == ASKS and state(db, dot, ann) == NOTHING
    with pytest.raises(Conflict) as refusal:
        following.follow(db, few, dot, "ann")
    assert refusal.value.code == "requests_full"
    with pytest.raises(Conflict) as refusal:
        following.follow(db, few, cid, "ben")
    assert refusal.value.code == "requested_full"


@pytest.mark.parametrize("who", ["asker", "asked"])
@pytest.mark.parametrize("what", ["block", "suspend", "remove"])
def test_a_block_a_suspension_and_the_end_of_an_account_end_requests(
    db: Db, config: Config, people: People, settle: Settle, who: str, what: str, often: None
) -> None:
    ann, ben = people("ann", "ben")
    for uid in (ann, ben):
        lifecycle.protect(db, config, uid)
    following.follow(db, config, ben, "ann")
    following.follow(db, config, ann, "ben")
    settle()
    one, other = (ben, "ann") if who == "asker" else (ann, "ben")
    if what == "block":
        blocks.block(db, config, one, other)
    elif what == "suspend":
        lifecycle.suspend(db, config, one)
    else:
        lifecycle.delete_account(db, config, one, None)
    settle()
    assert state(db, ben, ann) == state(db, ann, ben) == NOTHING
    assert ("request", ben, 0) not in told(db, ann) and ("request", ann, 0) not in told(db, ben)
    if what == "block":
        with pytest.raises(Forbidden):
            following.follow(db, config, ben, "ann")


def test_an_accepted_member_may_have_been_suspended_blocked_or_full_by_then(
    db: Db, config: Config, people: People
) -> None:
    few = replace(config, following_max=1)
    ann, ben, cid = people("ann", "ben", "cid")
    lifecycle.protect(db, config, ann)
    following.follow(db, few, ben, "ann")
    worker.drain(db, few)
    following.follow(db, few, ben, "cid")
    requests.answer(db, few, ann, "ben", True)
    worker.drain(db, few)
    assert state(db, ben, ann) == NOTHING and state(db, ben, cid) == FOLLOWS
    following.unfollow(db, few, ben, "cid")
    following.follow(db, few, ben, "ann")
    worker.drain(db, few)
    requests.answer(db, few, ann, "ben", True)
    blocks.block(db, few, ben, "ann")
    worker.drain(db, few)
    assert state(db, ben, ann) == NOTHING


def test_what_was_public_is_hidden_at_once_and_back_at_once(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    keeping = replace(config, status_seconds=60)
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")
    status = post(db, config, ann, "a wren sings #song")
    settle()

    def seen(viewer: int) -> list[bool]:
        member = db.read(get_or_404(viewer))
        try:
            found = statuses.get(db, status, viewer).text != ""
        except NotFound:
            found = False
        pages = [
            walk(lambda before: timelines.public(db, keeping, before, viewer), keeping.page_size),
            walk(
                lambda before: timelines.tagged(db, keeping, "song", before, viewer),
                keeping.page_size,
            ),
            walk(
                lambda before: profile_page(db, keeping, "ann", member, before).timeline,
                keeping.page_size,
            ),
        ]
        return [found, *(status in page for page in pages)]

    assert seen(cid) == seen(ben) == [True] * 4
    lifecycle.protect(db, config, ann)  # and nothing of it is applied yet
    assert seen(cid) == [False] * 4
    assert seen(ben) == seen(ann) == [True, False, False, True]
    settle()
    assert seen(cid) == [False] * 4
    assert (
        listed(db, timeline_keys.tag_index(ann))
        == set()
        == listed(db, timeline_keys.public_timeline())
    )
    lifecycle.protect(db, config, ann, False)
    assert seen(cid) == [True, False, False, True]
    settle()
    assert seen(cid) == [True] * 4


def test_what_is_posted_while_protected_enters_no_public_place_and_the_log_as_numbers_alone(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")
    settle()
    parent = post(db, config, cid, "well?")
    lifecycle.protect(db, config, ann)
    settle()
    status = post(db, config, ann, "hush @ben @cid #song")
    answer = statuses.post(db, config, ann, parse("well"), "form-answer", reply=parent)
    settle()
    for posted in (status, answer):
        numbers_alone(db, posted)
    assert listed(db, timeline_keys.hashtag_statuses("song")) == set()
    assert statuses.get(db, parent, cid).replies == 0, (
        "a reply that not everybody sees is not counted"
    )
    assert home(db, config, ben) == [status]
    assert ("mention", ann, status) in told(db, ben) and ("mention", ann, status) not in told(
        db, cid
    )
    assert told(db, cid) == []
    lifecycle.protect(db, config, ann, False)
    settle()
    assert (
        db.run(("ZCARD", timeline_keys.hashtag_statuses("song"))) == 1
        and statuses.get(db, parent, cid).replies == 1
    )
    assert statuses.get(db, answer, cid).text == "well"
    lifecycle.protect(db, config, ann)
    settle()
    assert statuses.get(db, parent, cid).replies == 0


def test_a_block_of_a_follower_hides_a_protected_profile_before_it_is_mirrored(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    post(db, config, ann, "one")
    settle()
    lifecycle.protect(db, config, ann)
    member = db.read(get_or_404(ben))
    assert len(profile_page(db, config, "ann", member).timeline.items) == 1
    blocks.block(db, config, ann, "ben")
    assert profile_page(db, config, "ann", member).timeline.items == ()


def test_a_reply_to_a_protected_member_is_no_more_visible_than_what_it_answers(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    lifecycle.protect(db, config, ann)
    status = post(db, config, ann, "one")
    with pytest.raises(Forbidden):
        statuses.post(
            db, config, ben, parse("two"), "form-two", reply=status, visibility=Visibility.PUBLIC
        )
    answer = statuses.post(db, config, ben, parse("two"), "form-two", reply=status)
    assert statuses.get(db, answer, ann).visibility is Visibility.FOLLOWERS


@pytest.mark.parametrize("field", ["likes", "boosts"])
def test_who_likes_or_boosts_tells_of_protected_members_to_their_followers_alone(
    db: Db, config: Config, people: People, settle: Settle, field: str
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    following.follow(db, config, cid, "ben")
    settle()
    status = post(db, config, ann, "a wren sings")
    lifecycle.protect(db, config, ben)
    for uid in (ben, dot):
        (likes.like if field == "likes" else boosts.boost)(db, config, uid, status)
    settle()

    def named(viewer: int | None) -> list[str]:
        return [one.login for one in likers.likers(db, status, None, 30, viewer, field).page.items]

    assert [named(viewer) for viewer in (ben, cid)] == [["dot", "ben"]] * 2
    assert [named(viewer) for viewer in (ann, dot, None)] == [["dot"]] * 3
    lifecycle.protect(db, config, ben, False)
    assert named(None) == ["dot", "ben"]


def test_replies_for_followers_count_below_what_a_protected_member_wrote_and_only_then(
    db: Db, config: Config, people: People, settle: Settle, often: None
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    for uid in (ben, cid):
        following.follow(db, config, uid, "ann")
    settle()
    status = post(db, config, ann, "a wren sings")

    def answer(uid: int, text: str, visibility: Visibility | None = None, to: int = status) -> int:
        return statuses.post(
            db, config, uid, parse(text), f"form-{text}", reply=to, visibility=visibility
        )

    def number(to: int = status) -> int:
        settle()
        return statuses.get(db, to, cid).replies

    answer(ben, "for all")
    quiet = answer(ben, "for followers", Visibility.FOLLOWERS)
    answer(ben, "for ann", Visibility.MENTIONED)
    own = answer(ann, "her own")
    assert number() == 2
    lifecycle.protect(db, config, ann)
    assert number() == 3, "all three are for followers by now, or for everybody"
    later = answer(ben, "as visible as that")
    assert statuses.get(db, later, ann).visibility is Visibility.FOLLOWERS
    assert number() == 4
    deeper = answer(cid, "below", to=own)
    assert number(own) == 1
    lifecycle.protect(db, config, ann, False)
    assert (number(), number(own)) == (2, 0)
    lifecycle.protect(db, config, ann)
    assert (number(), number(own)) == (4, 1)
    for uid, one in ((ben, quiet), (ben, later), (cid, deeper)):
        statuses.delete(db, config, uid, one)
    assert (number(), number(own)) == (2, 0)


def test_nobody_is_told_that_what_a_protected_member_wrote_is_theirs(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    uids = people(*(f"bird{number}" for number in range(65)))
    ann, ben, beside = uids[0], uids[1], uids[64]  # the last is in ann's partition
    status = post(db, config, ann, "a wren sings")
    acts: list[Callable[[int], object]] = [
        lambda uid: statuses.delete(db, config, uid, status),
        lambda uid: pins.pin(db, config, uid, status),
        lambda uid: editing.edit(db, config, uid, status, parse("mine"), "", "0"),
    ]
    for expected, protected in ((Forbidden, False), (NotFound, True)):
        lifecycle.protect(db, config, ann, protected)
        for act, uid in ((act, uid) for act in acts for uid in (ben, beside)):
            with pytest.raises(expected):
                act(uid)
    pins.pin(db, config, ann, status)
    statuses.delete(db, config, ann, status)
