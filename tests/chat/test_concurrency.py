"""Chats under concurrent senders, retries and membership changes."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

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
    send_messages,
    texts,
    uids,
    unread,
)
from tests.support.concurrently import concurrently
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.chat import reading
from webapp.chat.ids import direct_id, is_direct, parse_cid
from webapp.chat.inbox import keys as inbox_keys, listing
from webapp.chat.members import group_chats, invitations, membership
from webapp.chat.messages import sending
from webapp.core.errors import Forbidden

pytestmark = pytest.mark.slow
SENDERS, EACH = 20, 150


def test_concurrent_senders_leave_no_gap_and_everybody_reads_one_order(world: World) -> None:
    roomy = with_settings(world, outbox_max=100_000, chat_history=SENDERS * EACH)
    birds = world.crowd(SENDERS)
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
            page = world.db.read(reading.open_page(birds[0], cid, after=last, size=500))
            for message in page.messages:
                assert message.id == last + 1
                received.append(message.text)
                last = message.id
        return received

    with ThreadPoolExecutor(1) as pool:
        following_along = pool.submit(follow_along)
        ids_by_sender = concurrently(send, SENDERS)
        done.set()
        received = following_along.result(60)
    every_id = range(1, SENDERS * EACH + 1)
    assert sorted(message_id for ids in ids_by_sender for message_id in ids) == list(every_id)
    assert all(ids == sorted(ids) for ids in ids_by_sender)
    order = [texts_by_id[message_id] for message_id in every_id]
    assert received == order
    for bird in (birds[1], birds[-1]):
        assert texts(all_messages(world.db, bird, cid, 500)) == order
        assert texts(all_messages_forwards(world.db, bird, cid, 500)) == order


def test_every_member_fetches_a_thousand_messages_in_the_same_order(world: World) -> None:
    birds = world.crowd(4)
    cid = group(world, birds[0], birds[1:])

    def send(number: int) -> None:
        for turn in range(250):
            send_messages(world, birds[number], cid, f"{number} {turn}")

    concurrently(send, 4)
    world.apply_events()
    fetched = [fetch_all(world, bird) for bird in birds]
    assert fetched == [{cid: list(range(1, 1_001))}] * 4
    assert [fetch(world, bird) for bird in birds] == [{}] * 4


def test_concurrent_retries_of_one_key_send_one_message(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])

    def send(_: int) -> int:
        return sending.send(world, ann, cid, draft("hello"), "one-key")

    assert concurrently(send, 50) == [1] * 50
    assert texts(all_messages(world.db, ben, cid)) == ["hello"]
    # The same key from another member, in another chat, or with another text is a new message.
    other = group(world, ann, [ben])
    assert sending.send(world, ben, cid, draft("hi"), "one-key") == 2
    assert sending.send(world, ann, other, draft("hello"), "one-key") == 1
    assert sending.send(world, ann, cid, draft("hello again"), "one-key") == 3


def test_concurrent_retries_of_one_form_create_one_group(world: World) -> None:
    ann, ben = world.people("ann", "ben")

    def create(_: int) -> str:
        first = draft("hello")
        return group_chats.create(world, ann, "private", "Larks", [ben], first, "one-form")

    [cid] = set(concurrently(create, 50))
    world.apply_events()
    assert unread(world.db, ben) == {cid: 1}
    assert texts(all_messages(world.db, ben, cid)) == ["hello"]


def test_concurrent_first_messages_open_one_direct_chat(world: World) -> None:
    pair = world.people("ann", "ben")
    cid = direct_id(*pair)
    assert cid == direct_id(*reversed(pair)) and is_direct(cid) and parse_cid(cid) == cid

    def send(index: int) -> int:
        return sending.send(world, pair[index], cid, draft(f"hello from {index}"), key())

    assert sorted(concurrently(send, 2)) == [1, 2]
    world.apply_events()
    for uid in pair:
        assert sorted(texts(all_messages(world.db, uid, cid))) == ["hello from 0", "hello from 1"]
        assert list(unread(world.db, uid)) == [cid]
    assert sorted(uids(world.db, cid)) == pair


def test_group_keeps_an_owner_when_all_owners_leave_at_once(world: World) -> None:
    birds = world.crowd(8)
    cid = group(world, birds[0], birds[1:])
    for bird in birds[1:5]:
        membership.promote(world.db, birds[0], cid, bird)
    concurrently(lambda index: membership.leave(world, birds[index], cid), 5)
    assert uids(world.db, cid) == birds[5:]
    assert owners(world.db, cid) == {birds[5]}, "the longest-standing member"


def test_group_is_deleted_when_all_members_leave_at_once(world: World) -> None:
    birds = world.crowd(10)
    cid = group(world, birds[0], birds[1:])
    send_messages(world, birds[1], cid, "so long")
    sending.react(world, birds[2], cid, 1, "👋", True)
    world.do(invitations.create, birds[0], cid, 5, 24)
    concurrently(lambda index: membership.leave(world, birds[index], cid), 10)
    assert remaining_keys(world.db, cid) == []
    world.apply_events()
    assert [listing.inbox(world.db, bird) for bird in birds] == [[]] * 10
    for bird in birds:
        assert world.db.run(("HKEYS", inbox_keys.member_chat_state(bird))) == []


def test_members_see_only_messages_of_their_own_membership(world: World) -> None:
    ann, ben, *guests = world.crowd(6)
    cid = group(world, ann, [ben])
    done = Event()

    def send_until_done() -> int:
        last_id = 0
        while not done.is_set():
            [last_id] = send_messages(world, ben, cid, f"song {last_id}")
        return last_id

    with ThreadPoolExecutor(1) as pool:
        sender = pool.submit(send_until_done)
        for _ in range(20):
            for guest in guests:
                membership.add(world, ann, cid, [guest])
            for guest in guests:
                page = world.db.read(reading.open_page(guest, cid, size=500))
                ids = [message.id for message in page.messages]
                assert not ids or ids == list(range(ids[0], ids[0] + len(ids)))
            for guest in guests:
                membership.remove(world, ann, cid, guest)
                with pytest.raises(Forbidden):
                    world.db.read(reading.open_page(guest, cid, size=10))
        membership.add(world, ann, cid, guests)
        done.set()
        last = sender.result(60)
    world.apply_events()
    assert fetch_all(world, ann) == {cid: list(range(1, last + 1))}
    for guest in guests:
        fetched = fetch_all(world, guest).get(cid, [])
        assert fetched == list(range(last - len(fetched) + 1, last + 1))
        assert [message.id for message in all_messages(world.db, guest, cid)] == fetched
        assert unread(world.db, guest) == {cid: max(len(fetched), 1)}
