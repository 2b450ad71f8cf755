"""Chat at the store: many at once, retries, deaths in the middle, history, coming back; one server and a Cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Event

import pytest

from tests.support.chat import (
    badge,
    die_before_acknowledging,
    draft,
    entries,
    expire_leases,
    fetch,
    fetch_all,
    forwards,
    group,
    key,
    left_of,
    owners,
    say,
    takeover,
    texts,
    together,
    uids,
    unread,
    whole,
)
from webapp.chat import keys as chat_keys
from webapp.chat.api import fetch as api_fetch
from webapp.chat.ids import direct_id, is_direct, parse_cid
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import reading, sending
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.errors import Forbidden, LeaseLost, NotFound
from webapp.following import store as following

People = Callable[..., list[int]]
Settle = Callable[[], None]
SENDERS, EACH = 20, 500


def flock(people: People, count: int) -> list[int]:
    return people(*(f"bird{number}" for number in range(count)))


# Many at once


def test_twenty_threads_send_ten_thousand_messages_without_a_gap_and_all_read_them_in_one_order(
    db: Db, config: Config, people: People
) -> None:
    roomy = replace(config, outbox_max=100_000, chat_history=SENDERS * EACH)
    birds = flock(people, SENDERS)
    cid = group(db, roomy, birds[0], birds[1:])
    sent: dict[int, str] = {}
    done = Event()

    def send(number: int) -> list[int]:
        found = []
        for at in range(EACH):
            text = f"bird{number} sings {at}"
            found.append(sending.send(db, roomy, birds[number], cid, draft(text), key()))
            sent[found[-1]] = text
        return found

    def watch() -> list[str]:
        """A reader who follows along while they are sent."""
        found: list[str] = []
        last = 0
        while not done.is_set() or len(found) < SENDERS * EACH:
            for message in db.read(reading.open_page(birds[0], cid, after=last, size=500)).messages:
                assert message.id == last + 1
                found.append(message.text)
                last = message.id
        return found

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        found = together(SENDERS, send)
        done.set()
        followed = watching.result(60)
    assert sorted(number for numbers in found for number in numbers) == list(
        range(1, SENDERS * EACH + 1)
    )
    assert all(numbers == sorted(numbers) for numbers in found)
    order = [sent[number] for number in range(1, SENDERS * EACH + 1)]
    assert followed == order
    for bird in (birds[1], birds[-1]):
        assert texts(whole(db, bird, cid, 500)) == order
        assert texts(forwards(db, bird, cid, 500)) == order


def test_every_member_fetches_a_thousand_messages_in_the_same_order(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    birds = flock(people, 4)
    cid = group(db, config, birds[0], birds[1:])
    together(
        4,
        lambda number: [say(db, config, birds[number], cid, f"{number} {at}") for at in range(250)],
    )
    settle()
    fetched = [fetch_all(db, config, bird) for bird in birds]
    assert fetched == [{cid: list(range(1, 1_001))}] * 4
    assert [fetch(db, config, bird) for bird in birds] == [{}] * 4


def test_fifty_threads_that_retry_one_key_send_one_message(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    assert (
        together(50, lambda _: sending.send(db, config, ann, cid, draft("hello"), "one-key"))
        == [1] * 50
    )
    assert texts(whole(db, ben, cid)) == ["hello"]
    # The same key of another member, in another chat, or with other words is another message.
    other = group(db, config, ann, [ben])
    assert sending.send(db, config, ben, cid, draft("hi"), "one-key") == 2
    assert sending.send(db, config, ann, other, draft("hello"), "one-key") == 1
    assert sending.send(db, config, ann, cid, draft("hello again"), "one-key") == 3


def test_fifty_threads_that_retry_one_form_make_one_group(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    found = together(
        50,
        lambda _: groups.create(
            db, config, ann, "private", "Larks", [ben], draft("hello"), "one-form"
        ),
    )
    assert len(set(found)) == 1
    settle()
    assert unread(db, ben) == {found[0]: 1}
    assert texts(whole(db, ben, found[0])) == ["hello"]


def test_both_who_open_a_direct_chat_at_once_open_the_same(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    pair = people("ann", "ben")
    cid = direct_id(*pair)
    assert cid == direct_id(*reversed(pair)) and is_direct(cid) and parse_cid(cid) == cid
    numbers = together(
        2, lambda at: sending.send(db, config, pair[at], cid, draft(f"hello from {at}"), key())
    )
    assert sorted(numbers) == [1, 2]
    settle()
    for uid in pair:
        assert sorted(texts(whole(db, uid, cid))) == ["hello from 0", "hello from 1"]
        assert list(unread(db, uid)) == [cid]
    assert sorted(uids(db, cid)) == pair


def test_of_owners_who_leave_at_once_none_leaves_the_chat_without_one(
    db: Db, config: Config, people: People
) -> None:
    birds = flock(people, 8)
    cid = group(db, config, birds[0], birds[1:])
    for bird in birds[1:5]:
        membership.promote(db, birds[0], cid, bird)
    together(5, lambda at: membership.leave(db, config, birds[at], cid))
    assert uids(db, cid) == birds[5:]
    assert owners(db, cid) == {birds[5]}  # who belongs to it longest


def test_when_all_leave_at_once_nothing_is_left(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    birds = flock(people, 10)
    cid = group(db, config, birds[0], birds[1:])
    say(db, config, birds[1], cid, "so long")
    sending.react(db, config, birds[2], cid, 1, "👋", True)
    invitations.create(db, config, birds[0], cid, 5, 24)
    settle()
    together(10, lambda at: membership.leave(db, config, birds[at], cid))
    assert left_of(db, cid) == []
    settle()
    assert [listing.inbox(db, bird) for bird in birds] == [[]] * 10
    assert [
        field for bird in birds for field in db.run(("HKEYS", chat_keys.member_chat_state(bird)))
    ] == []


def test_adding_and_removing_while_others_send_shows_each_what_was_sent_in_their_time(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, *guests = flock(people, 6)
    cid = group(db, config, ann, [ben])
    enough = Event()

    def chatter(_: int) -> int:
        count = 0
        while not enough.is_set():
            count = say(db, config, ben, cid, f"song {count}")[0]
        return count

    with ThreadPoolExecutor(1) as pool:
        chatting = pool.submit(chatter, 0)
        for _ in range(20):
            for guest in guests:
                membership.add(db, config, ann, cid, [guest])
            seen = [
                [one.id for one in db.read(reading.open_page(guest, cid, size=500)).messages]
                for guest in guests
            ]
            for ids in seen:
                assert ids == list(range(ids[0], ids[0] + len(ids))) if ids else True
            for guest in guests:
                membership.remove(db, config, ann, cid, guest)
                with pytest.raises(Forbidden):
                    db.read(reading.open_page(guest, cid, size=10))
        membership.add(db, config, ann, cid, guests)
        enough.set()
        last = chatting.result(60)
    settle()
    assert fetch_all(db, config, ann) == {cid: list(range(1, last + 1))}
    for guest in guests:
        mine = fetch_all(db, config, guest).get(cid, [])
        assert mine == list(range(last - len(mine) + 1, last + 1))
        assert [one.id for one in whole(db, guest, cid)] == mine
        assert unread(db, guest) == {cid: len(mine)}


# Workers


def test_events_that_are_applied_twice_change_nothing(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    say(db, config, ann, cid, "one", "two")
    box = takeover(db, config, chat_keys.chat_partition(cid), "first")
    reply = entries(db, box)
    die_before_acknowledging(box, reply)
    expected = {ann: unread(db, ann), ben: unread(db, ben)}
    assert expected == {ann: {cid: 0}, ben: {cid: 2}}
    again = takeover(db, config, chat_keys.chat_partition(cid), "second")
    again.apply(entries(db, again), lambda: None)
    assert {uid: unread(db, uid) for uid in (ann, ben)} == expected
    with pytest.raises(LeaseLost):
        box.apply(reply, lambda: None)
    expire_leases(db, range(64))
    settle()
    assert {uid: unread(db, uid) for uid in (ann, ben)} == expected


def test_a_late_batch_cannot_undo_what_was_done_since(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    """A worker holds events of before, and applies them after everything that came since was applied."""
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(db, config, ann, [ben, cat])
    say(db, config, ann, cid, "one")
    box = takeover(db, config, chat_keys.chat_partition(cid), "slow")
    late = entries(db, box)
    membership.leave(db, config, ben, cid)
    say(db, config, ann, cid, "two", "three")
    chat_state.mark_read(db, cat, cid, 2)
    expire_leases(db, range(64))
    settle()
    before = [unread(db, uid) for uid in (ann, ben, cat)]
    assert before == [{cid: 0}, {}, {cid: 1}]
    # Its lease is gone, so it is refused; even a new owner that reads the same again does no harm.
    with pytest.raises(LeaseLost):
        box.apply(late, lambda: None)
    fresh = takeover(db, config, chat_keys.chat_partition(cid), "fresh")
    fresh.apply(late, lambda: None)
    assert [unread(db, uid) for uid in (ann, ben, cat)] == before
    expire_leases(db, range(64))


def test_a_chat_that_is_gone_does_not_come_back_with_a_late_batch(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    say(db, config, ann, cid, "one")
    late = entries(db, takeover(db, config, chat_keys.chat_partition(cid), "slow"))
    groups.delete(db, config, ann, cid)
    expire_leases(db, range(64))
    settle()
    takeover(db, config, chat_keys.chat_partition(cid), "fresh").apply(late, lambda: None)
    assert [unread(db, uid) for uid in (ann, ben)] == [{}, {}]
    assert [db.run(("HGETALL", chat_keys.member_chat_state(uid))) for uid in (ann, ben)] == [[], []]
    expire_leases(db, range(64))


def test_a_worker_that_dies_between_an_act_and_its_projection_loses_nothing(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    say(db, config, ann, cid, "one")
    dead = takeover(db, config, chat_keys.chat_partition(cid), "dead")
    assert entries(db, dead)  # read, and nothing done with it
    assert unread(db, ben) == {}
    expire_leases(db, range(64))
    settle()
    assert unread(db, ben) == {cid: 1}
    assert fetch(db, config, ben) == {cid: [1]}


def test_a_rejoined_member_is_not_put_out_by_the_event_of_their_leaving(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben], "open")
    say(db, config, ann, cid, "one")
    settle()
    membership.leave(db, config, ben, cid)
    membership.join(db, config, ben, cid)
    say(db, config, ann, cid, "two")
    settle()
    assert unread(db, ben) == {cid: 1}
    assert fetch(db, config, ben) == {cid: [2]}
    assert texts(whole(db, ben, cid)) == ["two"]


# History


def test_a_chat_keeps_its_newest_messages(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    few = replace(config, chat_history=10)
    ann, ben = people("ann", "ben")
    cid = group(db, few, ann, [ben])
    for number in range(25):
        say(db, few, ann, cid, f"song {number}")
        sending.react(db, few, ben, cid, number + 1, "🐦", True)
    settle()
    assert [one.id for one in whole(db, ben, cid, 3)] == list(range(16, 26))
    assert db.run(("HLEN", chat_keys.chat_messages(cid))) == 10
    assert db.run(("HLEN", chat_keys.chat_reactions(cid))) == 10
    assert fetch(db, few, ben) == {cid: list(range(16, 26))}
    for act in (
        lambda: sending.react(db, few, ben, cid, 15, "🐦", True),
        lambda: sending.edit(db, few, ann, cid, 15, "again", ()),
        lambda: sending.delete(db, few, ann, cid, 15),
    ):
        with pytest.raises(NotFound):
            act()


def test_where_messages_go_once_fetched_they_stay_for_who_has_not(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(db, config, ann, [ben, cat])
    groups.change(db, config, ann, cid, keep="fetched")
    say(db, config, ann, cid, "one", "two")
    settle()
    assert fetch(db, config, ann) == fetch(db, config, ben) == {cid: [1, 2]}
    assert texts(whole(db, ann, cid)) == ["one", "two"]
    say(db, config, ben, cid, "three")
    assert fetch(db, config, ben) == {cid: [3]}
    assert fetch(db, config, cat) == {cid: [1, 2, 3]}  # now all have the first two
    assert texts(whole(db, ann, cid)) == ["three"]
    membership.leave(db, config, ann, cid)  # who alone had not fetched the third
    assert whole(db, ben, cid) == []
    settle()
    assert fetch(db, config, ben) == {}
    [four] = say(db, config, cat, cid, "four")
    assert four == 4


def test_a_fetch_that_is_not_noted_comes_again(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    say(db, config, ann, cid, "one", "two")
    settle()
    for _ in range(2):
        [fetched] = api_fetch.fetch_pending(db, config, ben, mark_as_fetched=False)
        assert (fetched.chat.id, texts(fetched.messages)) == (cid, ["one", "two"])
    api_fetch.mark_fetched(db, ben, {cid: 1})
    assert fetch(db, config, ben) == {cid: [2]}
    api_fetch.mark_fetched(db, ben, {cid: 1})  # late, and backwards
    assert fetch(db, config, ben) == {}
    api_fetch.mark_fetched(db, ben, {cid: 1_000_000})  # of messages that are not there yet
    say(db, config, ann, cid, "three")
    settle()
    assert fetch(db, config, ben) == {cid: [3]}


def test_a_fetch_of_two_hundred_chats_takes_as_many_trips_as_one_of_one(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")

    def trips(act: Callable[[], object]) -> int:
        before = db.trips
        act()
        return db.trips - before

    counts = []
    for uid, size in ((ben, 1), (cat, 200)):
        for number in range(size):
            cid = group(db, config, ann, [uid])
            say(db, config, ann, cid, f"song {number}")
        settle()
        counts.append(
            [
                trips(lambda uid=uid: listing.inbox(db, uid)),  # type: ignore[misc]
                trips(lambda uid=uid, size=size: len(fetch(db, config, uid)) == size),  # type: ignore[misc]
                trips(lambda cid=cid, uid=uid: db.read(reading.open_page(uid, cid, size=50))),  # type: ignore[misc]
            ]
        )
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 3


# Coming back


def since(db: Db, uid: int, cid: str) -> tuple[int, int]:
    chat = db.read(reading.open_page(uid, cid, size=1)).chat
    return chat.last_id, chat.revision


def test_a_reader_that_comes_back_gets_what_is_new_and_what_has_changed(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(db, config, ann, [ben])
    say(db, config, ann, cid, "one", "two", "three")
    last, rev = since(db, ben, cid)
    assert db.read(reading.changes_since(cid, last, rev, [ben])).messages == []
    parsed = parse("two, better")
    sending.edit(db, config, ann, cid, 2, parsed.text, parsed.entities)
    sending.delete(db, config, ann, cid, 3)
    sending.react(db, config, ben, cid, 1, "👍", True)
    say(db, config, ben, cid, "four")
    changes = db.read(reading.changes_since(cid, last, rev, [ben, cat]))
    assert [
        (one.id, one.text, one.deleted) for one in sorted(changes.messages, key=lambda one: one.id)
    ] == [*((1, "one", False), (2, "two, better", False), (3, "", True), (4, "four", False))]
    assert changes.first_visible == {ben: 1} and not changes.must_reload
    assert changes.chat and (changes.chat.last_id, changes.chat.revision) == since(db, ben, cid)
    assert db.read(reading.changes_since(cid, *since(db, ben, cid), [ben])).messages == []


def test_a_reader_that_comes_back_too_late_is_told_to_reload(
    db: Db, config: Config, people: People
) -> None:
    many = replace(config, outbox_max=100_000)
    ann, ben = people("ann", "ben")
    cid = group(db, many, ann, [ben])
    say(db, many, ann, cid, "one")
    last, rev = since(db, ben, cid)
    say(db, many, ann, cid, *(f"song {number}" for number in range(reading.CHANGES_MAX + 1)))
    assert db.read(reading.changes_since(cid, last, rev, [ben])).must_reload
    last, rev = since(db, ben, cid)
    say(db, many, ann, cid, "one more")
    found = db.read(reading.changes_since(cid, last, rev, [ben]))
    assert not found.must_reload and texts(found.messages) == ["one more"]
    # A position that never was: of a chat that was restored from a copy, or made up.
    assert db.read(reading.changes_since(cid, last + 1_000, rev, [ben])).must_reload


def test_a_reader_that_missed_a_change_that_is_not_kept_is_told_to_reload(
    db: Db, config: Config, people: People
) -> None:
    many, few = (replace(config, outbox_max=100_000, chat_history=most) for most in (10_000, 50))
    ann, ben = people("ann", "ben")
    cid = group(db, many, ann, [ben])
    say(db, many, ann, cid, *(f"song {number}" for number in range(1_010)))
    last, rev = since(db, ben, cid)
    sending.react(db, many, ben, cid, 1_010, "👍", True)  # which the next thousand push out
    for number in range(1, 1_006):
        sending.react(db, many, ben, cid, number, "👍", True)
    assert db.read(reading.changes_since(cid, last, rev, [ben])).must_reload
    # Now most of those messages are dropped, and a few changes are left: all seems to be there, and one is not.
    say(db, few, ann, cid, "one more")
    assert db.read(reading.changes_since(cid, last, rev, [ben])).must_reload
    assert not db.read(reading.changes_since(cid, *since(db, ben, cid), [ben])).must_reload


def test_a_reader_of_a_chat_that_is_gone_is_told_so(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    last, rev = since(db, ben, cid)
    groups.delete(db, config, ann, cid)
    found = db.read(reading.changes_since(cid, last, rev, [ann, ben]))
    assert found.chat is None and not found.first_visible and not found.messages


# Reading


def test_marking_as_read_moves_only_forward_whatever_device_says_so(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    say(db, config, ann, cid, *(f"song {number}" for number in range(50)))
    settle()
    assert unread(db, ben) == {cid: 50}
    together(20, lambda at: chat_state.mark_read(db, ben, cid, at + 1))
    assert unread(db, ben) == {cid: 30}
    chat_state.mark_read(db, ben, cid, 3)
    chat_state.mark_seen_page(db, ben, cid, 4)
    assert unread(db, ben) == {cid: 30}
    chat_state.mark_read(db, ben, cid, 1_000_000)  # of messages that are not there yet
    assert unread(db, ben) == {cid: 0}
    say(db, config, ann, cid, "one more")
    settle()
    assert unread(db, ben) == {cid: 1}
    assert db.read(reading.open_page(ann, cid, size=1)).read_positions[ben] == 50


def test_the_badge_adds_up_what_is_neither_muted_archived_nor_a_request(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    for login in ("ann", "cat"):
        following.follow(db, config, ben, login)
    settle()
    loud, muted, archived = (group(db, config, ann, [ben]) for _ in range(3))
    for cid in (loud, muted, archived):
        say(db, config, ann, cid, "one", "two")
    sending.send(db, config, cat, direct_id(ben, cat), draft("hello"), key())
    settle()
    assert badge(db, ben) == 7
    chat_state.mute(db, ben, muted)
    chat_state.archive(db, ben, archived)
    assert badge(db, ben) == 3
    assert sum(unread(db, ben).values()) == 7
    chat_state.unmute(db, ben, muted)
    assert badge(db, ben) == 5


def test_every_moment_leads_to_the_first_message_from_then_on(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    cid = group(db, config, ann)
    numbers = []
    for number in range(30):
        numbers += say(db, config, ann, cid, f"song {number}")
        time.sleep(0.003)  # so that their times differ
    messages = whole(db, ann, cid)

    def first_from(moment: datetime) -> list[int]:
        return [
            one.id for one in db.read(reading.open_page(ann, cid, date=moment, size=1)).messages
        ]

    for message in messages:
        assert first_from(message.sent_at) == [message.id]
        assert first_from(message.sent_at - timedelta(milliseconds=1)) == [message.id]
    assert first_from(messages[0].sent_at - timedelta(days=400)) == [1]
    assert first_from(messages[-1].sent_at + timedelta(days=400)) == []
    few = replace(config, chat_history=5)
    say(db, few, ann, cid, "the last")
    assert first_from(messages[0].sent_at) == [27]
