"""Permissions in chats: requests, blocks, roles, edits, reactions and invitations."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from redis import Redis
from redis.client import PubSub

from tests.support.chat import (
    all_messages,
    badge,
    draft,
    fetch,
    group,
    key,
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
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import group_chats, invitations, membership
from webapp.chat.messages import sending
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.text.parser import parse


def test_message_from_a_stranger_is_a_request(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = direct_id(ann, ben)
    for number in range(world.config.chat_request_max):
        sending.send(world, ann, cid, draft(f"hello {number}"), f"key{number}")
    world.refuses(Conflict, sending.send, ann, cid, draft("hello?"), key(), match="request_waits")
    # A retry of a message that was sent does not count.
    assert sending.send(world, ann, cid, draft("hello 2"), "key2") == 3
    world.apply_events()
    [row] = listing.inbox(world.db, ben)
    assert row.request_state == "request" and badge(world.db, ben) == 0
    assert not listing.inbox(world.db, ann)[0].request_state
    chat_state.accept_request(world.db, ben, cid)
    assert send_messages(world, ann, cid, "at last") == [4]
    world.apply_events()
    assert not listing.inbox(world.db, ben)[0].request_state
    assert badge(world.db, ben) == 4


def test_reply_accepts_a_request(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = direct_id(ann, ben)
    world.do(send_messages, ann, cid, "hello")
    world.do(send_messages, ben, cid, "hello yourself")
    assert not listing.inbox(world.db, ben)[0].request_state
    assert send_messages(world, ann, cid, *"abcd") == [3, 4, 5, 6]


def test_ignored_request_stays_ignored_without_the_sender_knowing(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = direct_id(ann, ben)
    world.do(send_messages, ann, cid, "hello")
    chat_state.ignore_request(world, ben, cid)
    world.do(send_messages, ann, cid, "hello?")
    assert listing.inbox(world.db, ben) == [] and badge(world.db, ben) == 0
    send_messages(world, ann, cid, "hello??")
    world.refuses(Conflict, send_messages, ann, cid, "hello???")


def test_message_from_a_followed_member_is_no_request(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    world.do(send_messages, ann, direct_id(ann, ben), *"abcd")
    assert not listing.inbox(world.db, ben)[0].request_state


@pytest.mark.parametrize("blocker", [0, 1])
def test_block_either_way_prevents_writing(world: World, blocker: int) -> None:
    pair, logins = world.people("ann", "ben"), ("ann", "ben")
    cid = direct_id(*pair)
    send_messages(world, pair[0], cid, "hello")
    send_messages(world, pair[1], cid, "hello")
    world.block(pair[blocker], logins[1 - blocker])  # effective before any event is applied
    for uid in pair:
        world.refuses(Forbidden, send_messages, uid, cid, "hello again")
    for message_id, uid in enumerate(pair, start=1):
        parsed = parse("and another thing")
        world.refuses(Forbidden, sending.edit, uid, cid, message_id, parsed.text, parsed.entities)
        world.refuses(Forbidden, sending.react, uid, cid, 1, "💢", True)
    assert texts(all_messages(world.db, pair[0], cid)) == ["hello", "hello"]
    sending.delete(world, pair[1], cid, 2)  # authors may always delete
    world.unblock(pair[blocker], logins[1 - blocker])
    assert send_messages(world, pair[1 - blocker], cid, "hello again") == [3]
    world.apply_events()


def test_block_hides_typing(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = direct_id(ann, ben)
    send_messages(world, ann, cid, "hello")
    with hints(world) as channel:
        chat_state.announce_typing(world.db, ben, cid)
        world.block(ann, "ben")
        chat_state.announce_typing(world.db, ben, cid)
        chat_state.announce_typing(world.db, ann, cid)
        world.unblock(ann, "ben")
        chat_state.announce_typing(world.db, ann, cid)
        assert [next_hint(channel), next_hint(channel)] == [f"t {cid} {ben}", f"t {cid} {ann}"]


def test_nobody_learns_that_somebody_types_who_has_not_accepted(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    direct, larks = direct_id(ann, ben), group(world, ann, [ben])
    world.do(send_messages, ann, direct, "hello")
    with hints(world) as channel:
        for cid in (direct, larks):
            chat_state.announce_typing(world.db, ben, cid)
            chat_state.accept_request(world.db, ben, cid)
            chat_state.announce_typing(world.db, ben, cid)
        found = [next_hint(channel) for _ in range(5)]
        in_direct = [f"c {direct}", f"b {ben}", f"t {direct} {ben}"]
        assert found == [*in_direct, f"b {ben}", f"t {larks} {ben}"]


def test_all_who_have_a_deleted_message_fewer_to_read_are_told(world: World) -> None:
    ann, ben, cem = world.people("ann", "ben", "cem")
    cid = world.do(group, ann, [ben, cem])
    world.do(send_messages, ann, cid, "hello")
    with hints(world) as channel:
        world.do(sending.delete, ann, cid, 1)
        told = set[str]()
        while told != {str(ben), str(cem)}:
            kind, *uids = next_hint(channel).split()
            told |= set(uids) if kind == "b" else set()


@contextmanager
def hints(world: World) -> Iterator[PubSub]:
    """Listen to the channel of chats while the block runs."""
    store = Redis.from_url(world.config.store_url, decode_responses=True)
    channel = store.pubsub(ignore_subscribe_messages=True)
    channel.subscribe(chat_state.CHAT_CHANNEL)
    while not any(count for _, count in store.pubsub_numsub(chat_state.CHAT_CHANNEL)):
        channel.get_message(timeout=1)
    yield channel
    channel.close()
    store.close()


def next_hint(channel: PubSub) -> str:
    """Return the next hint on the channel of chats."""
    for _ in range(100):
        if message := channel.get_message(timeout=1):
            return str(message["data"])
    raise AssertionError("no hint was published")


@pytest.mark.parametrize("blocker", [0, 1])
def test_block_either_way_prevents_adding_to_a_group(world: World, blocker: int) -> None:
    pair, logins = world.people("ann", "ben"), ("ann", "ben")
    cid = group(world, pair[0])
    world.block(pair[blocker], logins[1 - blocker])
    world.refuses(Forbidden, membership.add, pair[0], cid, [pair[1]])
    world.refuses(Forbidden, group, pair[0], [pair[1]])
    assert uids(world.db, cid) == [pair[0]]


def test_announcement_group_is_read_only_for_members(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    cid = group(world, ann, [ben], "announcement")
    send_messages(world, ann, cid, "hear, hear")
    for forbidden in (
        lambda: send_messages(world, ben, cid, "me too"),
        lambda: membership.add(world, ben, cid, [cat]),
        lambda: group_chats.change(world, ben, cid, name="Mine"),
        lambda: membership.remove(world, ben, cid, ann),
        lambda: membership.promote(world.db, ben, cid, ben),
        lambda: group_chats.delete(world, ben, cid),
        lambda: invitations.create(world, ben, cid, 1, 1),
    ):
        with pytest.raises(Forbidden, match="only_owners"):
            forbidden()
    sending.react(world, ben, cid, 1, "👂", True)
    membership.promote(world.db, ann, cid, ben)
    assert send_messages(world, ben, cid, "hear me") == [2]


def test_edits_expire_and_deletions_do_not(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    send_messages(world, ben, cid, "hello")
    parsed = parse("hello!")
    sending.edit(world, ben, cid, 1, parsed.text, parsed.entities)
    for uid in (ann, ben):
        [message] = all_messages(world.db, uid, cid)
        assert message.text == "hello!" and message.edited
    expired = with_settings(world, chat_edit_hours=0)
    time.sleep(0.002)
    expired.refuses(
        Conflict, sending.edit, ben, cid, 1, parsed.text, parsed.entities, match="too_late"
    )
    world.refuses(Forbidden, sending.edit, ann, cid, 1, "hers", ())  # owners may delete, not edit
    sending.delete(expired, ann, cid, 1)
    [message] = all_messages(world.db, ben, cid)
    assert (message.deleted, message.text, message.author_uid) == (True, "", ben)
    world.refuses(NotFound, sending.edit, ben, cid, 1, parsed.text, parsed.entities)


def test_concurrent_edits_do_not_mix(world: World) -> None:
    [ann] = world.people("ann")
    cid = group(world, ann)
    send_messages(world, ann, cid, "0")
    versions = [parse(f"@ann edit {number} " + "x" * number) for number in range(20)]

    def edit(index: int) -> object:
        new = versions[index]
        return sending.edit(world, ann, cid, 1, new.text, new.entities)

    results = concurrently(edit, 20)
    [message] = all_messages(world.db, ann, cid)
    assert (message.text, message.entities) in [(new.text, new.entities) for new in versions]
    assert set(results) <= {None, "changed", "message_changed"} and None in results


def test_concurrent_reactions_count_and_their_kinds_are_limited(world: World) -> None:
    few = with_settings(world, chat_reactions_max=3)
    birds = world.crowd(10)
    cid = group(few, birds[0], birds[1:])
    send_messages(few, birds[0], cid, "hello")

    def react(emoji: str, active: bool = True) -> Callable[[int], object]:
        """Return a call that reacts as one of the birds, with one of the emoji in turn."""
        return lambda index: sending.react(
            few, birds[index], cid, 1, emoji[index % len(emoji)], active
        )

    concurrently(react("👍"), 10)
    assert sorted(all_messages(world.db, birds[0], cid)[0].reactions["👍"]) == sorted(birds)
    results = concurrently(react("🐦🐧🦆🦉🦜"), 5)
    assert results.count("reactions_full") == 3
    assert len(all_messages(world.db, birds[0], cid)[0].reactions) == 3
    concurrently(react("👍", active=False), 10)
    assert "👍" not in all_messages(world.db, birds[0], cid)[0].reactions


def test_concurrent_joins_respect_the_member_limit(world: World) -> None:
    few = with_settings(world, chat_members_max=5)
    birds = world.crowd(15)
    cid = group(few, birds[0], [], "open")
    results = concurrently(lambda index: membership.join(few, birds[index + 1], cid), 14)
    assert results.count("chat_full") == 10 and len(uids(world.db, cid)) == 5
    few.refuses(Conflict, membership.add, birds[0], cid, birds)
    few.refuses(Conflict, group, birds[0], birds[1:6])


def test_invitation_has_limited_uses_and_a_limited_time(world: World) -> None:
    birds = world.crowd(12)
    cid = group(world, birds[0])
    token = invitations.create(world, birds[0], cid, 3, 24)
    secret = token.split(".", 1)[1]
    world.refuses(NotFound, membership.join, birds[1], cid)
    world.refuses(Forbidden, membership.join, birds[1], cid, "guessed")
    assert world.db.read(invitations.invited_chat(token)).id == cid
    results = concurrently(lambda index: membership.join(world, birds[index + 1], cid, secret), 10)
    assert results.count("chat_invite_bad") == 7 and len(uids(world.db, cid)) == 4
    short = invitations.create(world, birds[0], cid, 3, 0)
    world.refuses(Forbidden, membership.join, birds[11], cid, short.split(".", 1)[1])
    revoked = invitations.create(world, birds[0], cid, 3, 24)
    [invite] = world.db.read(invitations.list_active(cid))  # the only valid one
    invitations.revoke(world.db, birds[0], cid, invite.sha)
    world.refuses(Forbidden, membership.join, birds[11], cid, revoked.split(".", 1)[1])


def test_newcomers_see_earlier_messages_only_if_history_is_shared(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    closed, shared = group(world, ann), group(world, ann, shared=True)
    for cid in (closed, shared):
        send_messages(world, ann, cid, "before")
        membership.add(world, ann, cid, [ben])
        send_messages(world, ann, cid, "after")
    world.apply_events()
    assert texts(all_messages(world.db, ben, closed)) == ["after"]
    assert texts(all_messages(world.db, ben, shared)) == ["before", "after"]
    assert fetch(world, ben) == {closed: [2], shared: [1, 2]}
    assert unread(world.db, ben) == {closed: 1, shared: 1}
    world.refuses(NotFound, sending.react, ben, closed, 1, "👍", True)
    page = world.db.read(reading.open_page(ben, closed, around=1, size=10))
    assert texts(page.messages) == ["after"]


@pytest.mark.parametrize("cid", ["12345", "3-17"])
def test_unknown_chat_is_not_found_and_leaves_no_keys(world: World, cid: str) -> None:
    [ann] = world.people("ann")
    for refused in (
        lambda: world.db.read(reading.open_page(ann, cid, size=10)),
        lambda: membership.join(world, ann, cid),
        lambda: membership.leave(world, ann, cid),
        lambda: group_chats.delete(world, ann, cid),
        lambda: sending.send(world, ann, cid, draft("hello"), key()),
        lambda: sending.edit(world, ann, cid, 1, "hello", ()),
    ):
        with pytest.raises((NotFound, Forbidden)):
            refused()
    assert remaining_keys(world.db, cid) == []
