"""Chats under concurrent senders, retries and membership changes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.chat import (
    all_messages,
    all_messages_forwards,
    draft,
    fetch,
    fetch_all,
    group,
    key,
    owners,
    remaining_keys,
    run_concurrently,
    send_messages,
    texts,
    uids,
    unread,
)
from tests.support.settings import with_settings
from webapp.chat import reading
from webapp.chat.ids import direct_id, is_direct, parse_cid
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.inbox import listing
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import sending
from webapp.core.errors import Forbidden
from webapp.core.site import Site

pytestmark = pytest.mark.slow


SENDERS, EACH = 20, 500


def sign_up_birds(people: People, count: int) -> list[int]:
    return people(*(f"bird{number}" for number in range(count)))


def test_concurrent_senders_leave_no_gap_and_everybody_reads_one_order(
    site: Site, people: People
) -> None:
    roomy = with_settings(site, outbox_max=100_000, chat_history=SENDERS * EACH)
    birds = sign_up_birds(people, SENDERS)
    cid = group(roomy, birds[0], birds[1:])
    texts_by_id: dict[int, str] = {}
    done = Event()

    def send(number: int) -> list[int]:
        message_ids = []
        for turn in range(EACH):
            text = f"bird{number} sings {turn}"
            message_id = sending.send(roomy, birds[number], cid, draft(text), key())
            message_ids.append(message_id)
            texts_by_id[message_id] = text
        return message_ids

    def follow_along() -> list[str]:
        """Read the messages while they are sent."""
        received: list[str] = []
        last = 0
        while not done.is_set() or len(received) < SENDERS * EACH:
            page = site.db.read(reading.open_page(birds[0], cid, after=last, size=500))
            for message in page.messages:
                assert message.id == last + 1
                received.append(message.text)
                last = message.id
        return received

    with ThreadPoolExecutor(1) as pool:
        following_along = pool.submit(follow_along)
        ids_by_sender = run_concurrently(SENDERS, send)
        done.set()
        received = following_along.result(60)
    every_id = range(1, SENDERS * EACH + 1)
    assert sorted(message_id for ids in ids_by_sender for message_id in ids) == list(every_id)
    assert all(ids == sorted(ids) for ids in ids_by_sender)
    order = [texts_by_id[message_id] for message_id in every_id]
    assert received == order
    for bird in (birds[1], birds[-1]):
        assert texts(all_messages(site.db, bird, cid, 500)) == order
        assert texts(all_messages_forwards(site.db, bird, cid, 500)) == order


def test_every_member_fetches_a_thousand_messages_in_the_same_order(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    birds = sign_up_birds(people, 4)
    cid = group(site, birds[0], birds[1:])

    def send(number: int) -> None:
        for turn in range(250):
            send_messages(site, birds[number], cid, f"{number} {turn}")

    run_concurrently(4, send)
    apply_events()
    fetched = [fetch_all(site, bird) for bird in birds]
    assert fetched == [{cid: list(range(1, 1_001))}] * 4
    assert [fetch(site, bird) for bird in birds] == [{}] * 4


def test_concurrent_retries_of_one_key_send_one_message(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])

    def send(_: int) -> int:
        return sending.send(site, ann, cid, draft("hello"), "one-key")

    assert run_concurrently(50, send) == [1] * 50
    assert texts(all_messages(site.db, ben, cid)) == ["hello"]
    # The same key from another member, in another chat, or with another text is a new message.
    other = group(site, ann, [ben])
    assert sending.send(site, ben, cid, draft("hi"), "one-key") == 2
    assert sending.send(site, ann, other, draft("hello"), "one-key") == 1
    assert sending.send(site, ann, cid, draft("hello again"), "one-key") == 3


def test_concurrent_retries_of_one_form_create_one_group(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")

    def create(_: int) -> str:
        first = draft("hello")
        return groups.create(site, ann, "private", "Larks", [ben], first, "one-form")

    [cid] = set(run_concurrently(50, create))
    apply_events()
    assert unread(site.db, ben) == {cid: 1}
    assert texts(all_messages(site.db, ben, cid)) == ["hello"]


def test_concurrent_first_messages_open_one_direct_chat(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    pair = people("ann", "ben")
    cid = direct_id(*pair)
    assert cid == direct_id(*reversed(pair)) and is_direct(cid) and parse_cid(cid) == cid

    def send(index: int) -> int:
        return sending.send(site, pair[index], cid, draft(f"hello from {index}"), key())

    assert sorted(run_concurrently(2, send)) == [1, 2]
    apply_events()
    for uid in pair:
        assert sorted(texts(all_messages(site.db, uid, cid))) == ["hello from 0", "hello from 1"]
        assert list(unread(site.db, uid)) == [cid]
    assert sorted(uids(site.db, cid)) == pair


def test_group_keeps_an_owner_when_all_owners_leave_at_once(site: Site, people: People) -> None:
    birds = sign_up_birds(people, 8)
    cid = group(site, birds[0], birds[1:])
    for bird in birds[1:5]:
        membership.promote(site.db, birds[0], cid, bird)
    run_concurrently(5, lambda index: membership.leave(site, birds[index], cid))
    assert uids(site.db, cid) == birds[5:]
    assert owners(site.db, cid) == {birds[5]}, "the longest-standing member"


def test_group_is_deleted_when_all_members_leave_at_once(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    birds = sign_up_birds(people, 10)
    cid = group(site, birds[0], birds[1:])
    send_messages(site, birds[1], cid, "so long")
    sending.react(site, birds[2], cid, 1, "👋", True)
    invitations.create(site, birds[0], cid, 5, 24)
    apply_events()
    run_concurrently(10, lambda index: membership.leave(site, birds[index], cid))
    assert remaining_keys(site.db, cid) == []
    apply_events()
    assert [listing.inbox(site.db, bird) for bird in birds] == [[]] * 10
    for bird in birds:
        assert site.db.run(("HKEYS", inbox_keys.member_chat_state(bird))) == []


def test_members_see_only_messages_of_their_own_membership(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, *guests = sign_up_birds(people, 6)
    cid = group(site, ann, [ben])
    done = Event()

    def send_until_done() -> int:
        last_id = 0
        while not done.is_set():
            [last_id] = send_messages(site, ben, cid, f"song {last_id}")
        return last_id

    with ThreadPoolExecutor(1) as pool:
        sender = pool.submit(send_until_done)
        for _ in range(20):
            for guest in guests:
                membership.add(site, ann, cid, [guest])
            for guest in guests:
                page = site.db.read(reading.open_page(guest, cid, size=500))
                ids = [message.id for message in page.messages]
                assert not ids or ids == list(range(ids[0], ids[0] + len(ids)))
            for guest in guests:
                membership.remove(site, ann, cid, guest)
                with pytest.raises(Forbidden):
                    site.db.read(reading.open_page(guest, cid, size=10))
        membership.add(site, ann, cid, guests)
        done.set()
        last = sender.result(60)
    apply_events()
    assert fetch_all(site, ann) == {cid: list(range(1, last + 1))}
    for guest in guests:
        fetched = fetch_all(site, guest).get(cid, [])
        assert fetched == list(range(last - len(fetched) + 1, last + 1))
        assert [message.id for message in all_messages(site.db, guest, cid)] == fetched
        assert unread(site.db, guest) == {cid: max(len(fetched), 1)}
