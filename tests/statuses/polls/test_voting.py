"""Polls: a vote is kept by who gives it, once and for good; the status counts what was mirrored to it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from tests.following.test_blocks import Dying, Killed
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.timelines import home_timeline
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.ids import EPOCH_MS, PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, Invalid, NotFound, Refused, Unavailable
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.notifications import keys as notification_keys
from webapp.notifications import kinds
from webapp.notifications import projections as telling
from webapp.notifications import store as notifications
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.polls import projections as polls_projections
from webapp.statuses.polls import voting
from webapp.statuses.polls.poll import Poll, add_vote, pack_vote
from webapp.statuses.visibility.visibility import Visibility
from webapp.streaming import keys as stream_keys
from webapp.timelines.profile import profile_page

People = Callable[..., list[int]]
Settle = Callable[[], None]
SONGS = Poll(("Trill", "Chirp", "Whistle"), 60)
WEEK_MS = 7 * 86_400_000


def ask(db: Db, config: Config, uid: int, poll: Poll = SONGS, text: str = "which song?") -> int:
    return statuses.post(db, config, uid, parse(text), f"form-{text}".replace(" ", "-"), poll=poll)


def counted(db: Db, status_id: int) -> tuple[int, ...]:
    """What the status says was counted; it is held to who voted, as long as none of these has gone."""
    status = statuses.get(db, status_id)
    assert status.poll
    flat = db.run(("HGETALL", poll_keys.votes(status_id)))
    found: tuple[int, ...] = ()
    for bits in flat[1::2]:
        found = add_vote(found, int(bits))
    found = (*found[: len(status.poll.options)], *found[-1:])
    assert status.tally == found
    return status.tally


def shown(db: Db, status_id: int, viewer: int | None) -> tuple[tuple[int, ...], int]:
    """What a viewer is shown of a poll's numbers, and what they chose."""
    status, acts = statuses.get_with_state(db, status_id, viewer)
    return acts.tallies.get(status_id, status.tally), acts.votes.get(status_id, 0)


def end(db: Db, status_id: int) -> None:
    """Makes a poll's time be over, as if it had been posted long ago with no time at all."""
    stored = db.run(("HGET", status_keys.status(status_id), "poll"))
    db.run(("HSET", status_keys.status(status_id), "poll", stored.replace(",60,", ",0,")))
    db.run(
        (
            "ZADD",
            poll_keys.poll_deadlines(partition_of(status_id)),
            "XX",
            int(time.time() * 1000) - 1,
            status_id,
        )
    )


def event(kind: str, uid: int, status_id: int, token: int = 1) -> Event:
    data = {"uid": str(uid), "id": str(status_id), "author": "0"}
    return Event("1-1", partition_of(uid), "log", token, kind, "-", data)


def test_a_vote_is_given_once_and_shows_at_once_to_who_gave_it(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = ask(db, config, ann)
    assert statuses.get(db, status_id).poll == replace(
        SONGS, ends_at=statuses.get(db, status_id).created + timedelta(0, 3600)
    )
    voting.vote(db, config, ben, status_id, {1})
    assert shown(db, status_id, ben)[0][1] == 1 and shown(db, status_id, ben)[0][-1] == 1
    assert shown(db, status_id, cid) == shown(db, status_id, None) == ((), 0)
    settle()
    assert counted(db, status_id) == (0, 1, 0, 1)
    assert shown(db, status_id, ben) == ((0, 1, 0, 1), 2) and shown(db, status_id, cid) == (
        (0, 1, 0, 1),
        0,
    )
    outbox = db.run(("XLEN", event_keys.outbox(partition_of(ben))))
    voting.vote(db, config, ben, status_id, {1})  # the form that is sent twice
    with pytest.raises(Conflict, match="voted"):
        voting.vote(db, config, ben, status_id, {2})
    assert db.run(("XLEN", event_keys.outbox(partition_of(ben)))) == outbox
    voting.vote(db, config, cid, status_id, {2})
    assert shown(db, status_id, cid) == ((0, 1, 1, 2), 4)
    settle()
    assert counted(db, status_id) == (0, 1, 1, 2)


def test_a_vote_shows_at_once_where_a_home_has_just_found_out_whom_it_merges(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    merging = replace(config, push_max_followers=0)
    for uid in (ben, cid):
        following.follow(db, merging, uid, "ann")
    worker.drain(db, merging)
    status_id = ask(db, merging, ann)
    voting.vote(db, merging, ben, status_id, {1})
    page = home_timeline(db, merging, ben)  # by what only its last trip brings
    [status] = page.items
    assert (
        isinstance(status, statuses.Status)
        and page.viewer_state.tally(status_id, status.tally)[1] == 1
    )
    worker.drain(db, merging)
    voting.vote(db, merging, cid, status_id, {2})
    page = home_timeline(db, merging, cid)
    assert page.viewer_state.tally(status_id, counted(db, status_id)) == (0, 1, 1, 2)
    assert page.viewer_state.tally(status_id, (0, 1, 1, 2)) == (0, 1, 1, 2), "but once"


def test_several_answers_are_for_polls_that_take_them(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    one, many = (
        ask(db, config, ann),
        ask(db, config, ann, replace(SONGS, multiple=True), "which songs?"),
    )
    for options in ((), (0, 1), (3,), (0, 4)):
        with pytest.raises(Invalid):
            voting.vote(db, config, ben, one, options)
    for options in ((), (3,), (0, 4)):
        with pytest.raises(Invalid):
            voting.vote(db, config, ben, many, options)
    voting.vote(db, config, ben, many, {0, 2})
    settle()
    assert counted(db, many) == (1, 0, 1, 1) and counted(db, one) == ()
    assert db.run(("HGETALL", poll_keys.member_votes(ben))) == [str(many), "5"]


def test_what_cannot_be_voted_in_is_refused_and_nothing_is_written(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    status_id, plain = (
        ask(db, config, ann),
        statuses.post(db, config, ann, parse("no poll"), "form-plain"),
    )
    hidden = statuses.post(
        db, config, ann, parse("for few"), "form-few", poll=SONGS, visibility=Visibility.MENTIONED
    )
    by_dot, gone = ask(db, config, dot), ask(db, config, ann, text="goes")
    statuses.delete(db, config, ann, gone)
    lifecycle.suspend(db, config, dot)
    blocks.block(db, config, ann, "ben")  # and nothing is applied yet

    def refused(kind: type[Refused], code: str, uid: int, about: int, **settings: int) -> None:
        with pytest.raises(kind) as refusal:
            voting.vote(db, replace(config, **settings), uid, about, {0})
        assert refusal.value.code == code and not db.run(("EXISTS", poll_keys.member_votes(uid)))

    refused(Forbidden, "own_poll", ann, status_id)
    refused(Forbidden, "cannot_vote", ben, status_id)
    settle()
    refused(Forbidden, "cannot_vote", ben, status_id)
    refused(NotFound, "no_poll", cid, plain)
    refused(NotFound, "no_status", cid, hidden)
    refused(NotFound, "no_status", cid, gone)
    refused(Forbidden, "suspended", cid, by_dot)
    refused(Forbidden, "suspended", dot, status_id)
    statuses.post(db, config, cid, parse("waits"), "form-waits")
    refused(Unavailable, "overloaded", cid, status_id, outbox_max=1)
    end(db, status_id)
    refused(Conflict, "poll_ended", cid, status_id)


def test_a_vote_that_was_given_in_time_counts_however_late_it_is_applied(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    status_id = ask(db, config, ann)
    settle()
    voting.vote(db, config, ben, status_id, {0})
    end(db, status_id)
    voting.close_due(db, config, range(PARTITIONS))
    settle()
    assert counted(db, status_id) == (1, 0, 0, 1)


def test_at_its_bound_only_what_has_long_ended_makes_room(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    ids = [ask(db, config, ann, text=f"song {n}?") for n in range(4)]
    few = replace(config, voted_max=3)
    for status_id in ids[:3]:
        voting.vote(db, few, ben, status_id, {0})
    with pytest.raises(Conflict, match="voted_full"):
        voting.vote(db, few, ben, ids[3], {0})
    assert db.run(("HLEN", poll_keys.member_votes(ben))) == 3
    old = (int(time.time() * 1000) - WEEK_MS - 1_000 - EPOCH_MS) * 4096
    db.run(("HSET", poll_keys.member_votes(ben), old, 1))
    voting.vote(db, replace(config, voted_max=4), ben, ids[3], {0})
    assert sorted(db.run(("HKEYS", poll_keys.member_votes(ben)))) == sorted(map(str, ids))


def test_a_storm_of_votes_ends_with_one_each_and_the_tally_of_all(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    asker, *members = people(*(f"bird{n}" for n in range(51)))
    status_id = ask(db, config, asker, replace(SONGS, multiple=True))
    chance = random.Random(7)
    clicks = [
        (uid, frozenset(chance.sample(range(3), chance.randint(1, 3))))
        for uid in members
        for _ in range(4)
    ]
    chance.shuffle(clicks)

    def click(uid: int, options: frozenset[int]) -> bool:
        try:
            voting.vote(db, config, uid, status_id, options)
        except Conflict as refusal:
            assert refusal.code == "voted"
            return False
        return True

    with ThreadPoolExecutor(50) as pool:
        waiting = [pool.submit(click, *one) for one in clicks]
        pool.submit(settle).result()
        taken = [future.result() for future in waiting]
    settle()
    flat = db.run(("HGETALL", poll_keys.votes(status_id)))
    mirrored = dict(zip(map(int, flat[::2]), flat[1::2], strict=True))
    assert mirrored == {
        uid: db.run(("HGET", poll_keys.member_votes(uid), status_id)) for uid in members
    }
    assert counted(db, status_id)[-1] == 50 <= sum(taken)
    good = {
        (uid, pack_vote(options))
        for (uid, options), took in zip(clicks, taken, strict=True)
        if took
    }
    assert good == {(uid, int(bits)) for uid, bits in mirrored.items()}


@pytest.mark.parametrize("applied", ["sync_votes", "purge_deleted_account"])
def test_a_worker_that_dies_between_any_two_trips_leaves_nothing_undone(
    applied: str,
    db: Db,
    config: Config,
    people: People,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(polls_projections, "BATCH", 2)
    projection = getattr(polls_projections, applied)
    for at in count():
        ann, ben = people(f"ann{at}", f"ben{at}")
        ids = [ask(db, config, ann, text=f"song {n}?") for n in range(5)]
        for status_id in ids:
            voting.vote(db, config, ben, status_id, {0})
        run = [event("voted", ben, status_id) for status_id in ids]
        if applied == "purge_deleted_account":
            settle()
            lifecycle.delete_account(db, config, ben, None)
            held = db.run(("HGET", event_keys.lease(partition_of(ben), "log"), "token"))
            run = [event("removed", ben, 0, int(held))]
        died = False
        try:
            projection(Context(Dying(db, at), config, lambda: None), run)
        except Killed:
            died = True
        projection(Context(db, config, lambda: None), run)
        assert all(statuses.get(db, status_id).tally == (1, 0, 0, 1) for status_id in ids)
        listed = [db.run(("HLEN", poll_keys.votes(status_id))) for status_id in ids]
        assert listed == ([0] * 5 if applied == "purge_deleted_account" else [1] * 5)
        assert db.run(("HLEN", poll_keys.member_votes(ben))) == (
            0 if applied == "purge_deleted_account" else 5
        )
        # What comes again after the end of the account counts nothing.
        polls_projections.sync_votes(
            Context(db, config, lambda: None), [event("voted", ben, one, 10_000) for one in ids]
        )
        assert all(statuses.get(db, status_id).tally == (1, 0, 0, 1) for status_id in ids)
        if not died:
            break


def test_a_poll_ends_once_and_tells_who_asked_and_who_voted(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "BATCH", 2)
    ann, *voters, cid = people("ann", *(f"bird{n}" for n in range(5)), "cid")
    status_id, later = ask(db, config, ann), ask(db, config, ann, text="and later?")
    for uid in voters:
        voting.vote(db, config, uid, status_id, {0})
    notifications.set_preferences(db, voters[4], {"poll": kinds.NOBODY})
    settle()
    voting.close_due(db, config, range(PARTITIONS))
    assert db.run(("ZCARD", poll_keys.poll_deadlines(partition_of(ann)))) == 2 and not db.run(
        ("XLEN", event_keys.outbox(partition_of(ann)))
    )
    end(db, status_id)
    for _ in "12":  # two workers, one after the other
        loop = worker.group_loop(db, config, "fanout", "tests")
        loop.acquire()
        loop._run_jobs()
        loop.release()
    assert db.run(("XLEN", event_keys.outbox(partition_of(ann)))) == 1
    assert db.run(("ZRANGE", poll_keys.poll_deadlines(partition_of(ann)), 0, -1)) == [str(later)]
    settle()

    def told(uid: int) -> list[int]:
        page = notifications.page(
            db, uid, kinds.kinds_in_tab("all"), None, 30, mark_shown_read=False
        )
        return [
            group.status.id for group in page.items if group.status and group.kind.name == "poll"
        ]

    assert [told(uid) for uid in (ann, *voters, cid)] == [[status_id]] * 5 + [[], []]
    assert db.run(("SCARD", notification_keys.unread_notifications(ann))) == 1
    statuses.delete(db, config, ann, status_id)
    settle()
    assert [told(uid) for uid in (ann, voters[0])] == [[], []]


def test_a_vote_that_is_counted_after_the_end_was_told_tells_it_too(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = ask(db, config, ann)
    voting.vote(db, config, ben, status_id, {0})
    waiting = db.run(("XRANGE", event_keys.outbox(partition_of(ben)), "-", "+"))
    late = [fields for _, fields in waiting if "voted" in fields]
    db.run(
        ("DEL", event_keys.outbox(partition_of(ben)))
    )  # until ben's partition has a worker again
    end(db, status_id)
    voting.close_due(db, config, range(PARTITIONS))
    settle()
    assert db.run(("EXISTS", notification_keys.notifications(ben))) == 0
    for _ in "12":  # once more, as after a worker's death
        db.run(("XADD", event_keys.outbox(partition_of(ben)), "*", *late[0]))
        settle()
    assert db.run(("ZRANGE", notification_keys.notifications(ben), 0, -1)) == [
        f"poll:{ann}:{status_id}"
    ]
    other = ask(db, config, ann, text="and later?")
    voting.vote(db, config, cid, other, {0})
    settle()
    assert db.run(("EXISTS", notification_keys.notifications(cid))) == 0, "which runs on"


def test_a_poll_that_cannot_be_told_of_yet_ends_at_the_next_look(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    status_id = ask(db, config, ann)
    end(db, status_id)
    voting.close_due(db, replace(config, outbox_max=1), range(PARTITIONS))
    assert db.run(("ZCARD", poll_keys.poll_deadlines(partition_of(ann)))) == 1
    voting.close_due(db, config, range(PARTITIONS))
    assert not db.run(("ZCARD", poll_keys.poll_deadlines(partition_of(ann))))


@pytest.mark.parametrize("how", ["delete", "erase"])
def test_a_deleted_status_takes_its_poll_along(
    how: str, db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    status_id = ask(db, config, ann)
    voting.vote(db, config, ben, status_id, {0})
    settle()
    assert {poll_keys.votes(status_id), poll_keys.poll_deadlines(partition_of(ann))} <= set(
        live_keys(db)
    )
    if how == "delete":
        statuses.delete(db, config, ann, status_id)
    else:
        lifecycle.delete_account(db, config, ann, None)
    settle()
    polls_projections.sync_votes(
        Context(db, config, lambda: None), [event("voted", ben, status_id, 10_000)]
    )
    assert not {poll_keys.votes(status_id), poll_keys.poll_deadlines(partition_of(ann))} & set(
        live_keys(db)
    )


def test_an_edit_keeps_the_poll_and_a_form_with_another_poll_is_another_post(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    status_id = ask(db, config, ann)
    assert ask(db, config, ann) == status_id
    assert ask(db, config, ann, replace(SONGS, multiple=True)) != status_id
    editing.edit(db, config, ann, status_id, parse("which of these songs?"), "", "0")
    assert statuses.get(db, status_id).poll == replace(
        SONGS, ends_at=statuses.get(db, status_id).created + timedelta(0, 3600)
    )


def test_the_time_of_a_poll_that_waits_begins_when_it_is_posted(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    fields = {
        "text": "which?",
        "option1": " a ",
        "option3": "b",
        "poll_minutes": "5",
        "poll_multiple": "y",
    }
    due = datetime.now(UTC) - timedelta(hours=1)
    drafts.save(db, config, ann, "form-later", fields, due)
    drafts.save(db, config, ann, "form-broken", {**fields, "option3": "a"}, due)
    assert drafts.get(db, ann, "form-later").fields["option3"] == "b"
    drafts.publish_due(db, config, range(PARTITIONS))
    [status] = profile_page(db, config, "ann", None).timeline.items
    assert status.poll and (status.poll.options, status.poll.multiple) == (("a", "b"), True)
    assert status.poll.ends_at == status.created + timedelta(minutes=5) > datetime.now(UTC)
    assert drafts.get(db, ann, "form-broken").error_code == "draft_invalid"


def test_pages_with_polls_take_no_trip_more(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    worker.drain(db, config)
    ids = [ask(db, config, ann, text=f"song {n}?") for n in range(5)]
    for status_id in ids:
        voting.vote(db, config, ben, status_id, {0})
    worker.drain(db, config)
    for just_now in (1, 0):
        trips = db.trips
        page = home_timeline(db, config, ben)
        assert db.trips - trips == 2 + just_now
        assert {one.id: page.viewer_state.votes[one.id] for one in page.items} == dict.fromkeys(
            ids, 1
        )
        db.run(("DEL", interaction_keys.recent_interactions(ben)))
    trips = db.trips
    voting.vote(db, config, ben, ids[0], {0})
    assert db.trips - trips == 3


def test_open_pages_are_told_about_once_a_second_and_never_who_voted(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    status_id = ask(db, config, ann)
    settle()
    for uid in (ben, cid):
        voting.vote(db, config, uid, status_id, {0})
        settle()
    entries = [
        dict(zip(fields[::2], fields[1::2], strict=True))
        for _, fields in db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    ]
    told = [entry for entry in entries if entry["type"] == "voted"]
    assert len(told) == 1 and told[0]["id"] == str(status_id) and "uid" not in told[0]
    assert 0 < db.run(("PTTL", poll_keys.tally_throttle(status_id))) <= 1_000
    db.run(("DEL", poll_keys.tally_throttle(status_id)))  # as a second does
    [dot] = people("dot")
    voting.vote(db, config, dot, status_id, {0})
    settle()
    assert db.run(("XLEN", stream_keys.event_log())) == len(entries) + 1


def test_a_protected_member_is_told_of_the_end_of_their_own_poll(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    lifecycle.protect(db, config, ann)
    status_id = ask(db, config, ann)
    voting.vote(db, config, ben, status_id, {0})
    settle()
    end(db, status_id)
    voting.close_due(db, config, range(PARTITIONS))
    settle()
    for uid in (ann, ben):
        assert (
            db.run(("ZRANGE", notification_keys.notifications(uid), 0, -1))[-1]
            == f"poll:{ann}:{status_id}"
        )
