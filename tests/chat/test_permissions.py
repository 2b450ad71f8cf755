"""Permissions in chats: requests, blocks, roles, edits, reactions and invitations."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from redis import Redis
from redis.client import PubSub

from tests.conftest import ApplyEvents, People
from tests.support.chat import (
    all_messages,
    badge,
    draft,
    fetch,
    group,
    key,
    remaining_keys,
    run_concurrently,
    send_messages,
    texts,
    uids,
    unread,
)
from tests.support.settings import with_settings
from webapp.chat import reading
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import sending
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.site import Site
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks


def sign_up_birds(people: People, count: int) -> list[int]:
    return people(*(f"bird{number}" for number in range(count)))


def test_message_from_a_stranger_is_a_request(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    for number in range(site.config.chat_request_max):
        sending.send(site, ann, cid, draft(f"hello {number}"), f"key{number}")
    with pytest.raises(Conflict) as caught:
        sending.send(site, ann, cid, draft("hello?"), key())
    assert caught.value.code == "request_waits"
    # A retry of a message that was sent does not count.
    assert sending.send(site, ann, cid, draft("hello 2"), "key2") == 3
    apply_events()
    [row] = listing.inbox(site.db, ben)
    assert row.request_state == "request" and badge(site.db, ben) == 0
    assert not listing.inbox(site.db, ann)[0].request_state
    chat_state.accept_request(site.db, ben, cid)
    assert send_messages(site, ann, cid, "at last") == [4]
    apply_events()
    assert not listing.inbox(site.db, ben)[0].request_state
    assert badge(site.db, ben) == 4


def test_reply_accepts_a_request(site: Site, people: People, apply_events: ApplyEvents) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    send_messages(site, ann, cid, "hello")
    apply_events()
    send_messages(site, ben, cid, "hello yourself")
    apply_events()
    assert not listing.inbox(site.db, ben)[0].request_state
    assert send_messages(site, ann, cid, *"abcd") == [3, 4, 5, 6]


def test_ignored_request_stays_ignored_without_the_sender_knowing(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    send_messages(site, ann, cid, "hello")
    apply_events()
    chat_state.ignore_request(site, ben, cid)
    send_messages(site, ann, cid, "hello?")
    apply_events()
    rows = [row for row in listing.inbox(site.db, ben) if row.request_state != "ignored"]
    assert rows == [] and badge(site.db, ben) == 0
    send_messages(site, ann, cid, "hello??")
    with pytest.raises(Conflict):
        send_messages(site, ann, cid, "hello???")


def test_message_from_a_followed_member_is_no_request(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    apply_events()
    send_messages(site, ann, direct_id(ann, ben), *"abcd")
    apply_events()
    assert not listing.inbox(site.db, ben)[0].request_state


@pytest.mark.parametrize("blocker", [0, 1])
def test_block_either_way_prevents_writing(
    site: Site, people: People, apply_events: ApplyEvents, blocker: int
) -> None:
    pair, logins = people("ann", "ben"), ("ann", "ben")
    cid = direct_id(*pair)
    send_messages(site, pair[0], cid, "hello")
    send_messages(site, pair[1], cid, "hello")
    blocks.block(site, pair[blocker], logins[1 - blocker])  # effective before any event is applied
    for uid in pair:
        with pytest.raises(Forbidden):
            send_messages(site, uid, cid, "hello again")
    for message_id, uid in enumerate(pair, start=1):
        parsed = parse("and another thing")
        with pytest.raises(Forbidden):
            sending.edit(site, uid, cid, message_id, parsed.text, parsed.entities)
        with pytest.raises(Forbidden):
            sending.react(site, uid, cid, 1, "💢", True)
    assert texts(all_messages(site.db, pair[0], cid)) == ["hello", "hello"]
    sending.delete(site, pair[1], cid, 2)  # authors may always delete
    blocks.unblock(site, pair[blocker], logins[1 - blocker])
    assert send_messages(site, pair[1 - blocker], cid, "hello again") == [3]
    apply_events()


def test_block_hides_typing(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    send_messages(site, ann, cid, "hello")
    store = Redis.from_url(site.config.store_url, decode_responses=True)
    channel = store.pubsub(ignore_subscribe_messages=True)
    channel.subscribe(chat_state.CHAT_CHANNEL)
    while not any(count for _, count in store.pubsub_numsub(chat_state.CHAT_CHANNEL)):
        channel.get_message(timeout=1)
    chat_state.announce_typing(site.db, ben, cid)
    blocks.block(site, ann, "ben")
    chat_state.announce_typing(site.db, ben, cid)
    chat_state.announce_typing(site.db, ann, cid)
    blocks.unblock(site, ann, "ben")
    chat_state.announce_typing(site.db, ann, cid)
    assert [next_hint(channel), next_hint(channel)] == [f"t {cid} {ben}", f"t {cid} {ann}"]
    channel.close()
    store.close()


def next_hint(channel: PubSub) -> str:
    """Return the next hint on the channel of chats."""
    for _ in range(100):
        if message := channel.get_message(timeout=1):
            return str(message["data"])
    raise AssertionError("no hint was published")


@pytest.mark.parametrize("blocker", [0, 1])
def test_block_either_way_prevents_adding_to_a_group(
    site: Site, people: People, blocker: int
) -> None:
    pair, logins = people("ann", "ben"), ("ann", "ben")
    cid = group(site, pair[0])
    blocks.block(site, pair[blocker], logins[1 - blocker])
    with pytest.raises(Forbidden):
        membership.add(site, pair[0], cid, [pair[1]])
    with pytest.raises(Forbidden):
        group(site, pair[0], [pair[1]])
    assert uids(site.db, cid) == [pair[0]]


def test_announcement_group_is_read_only_for_members(site: Site, people: People) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(site, ann, [ben], "announcement")
    send_messages(site, ann, cid, "hear, hear")
    for forbidden in (
        lambda: send_messages(site, ben, cid, "me too"),
        lambda: membership.add(site, ben, cid, [cat]),
        lambda: groups.change(site, ben, cid, name="Mine"),
        lambda: membership.remove(site, ben, cid, ann),
        lambda: membership.promote(site.db, ben, cid, ben),
        lambda: groups.delete(site, ben, cid),
        lambda: invitations.create(site, ben, cid, 1, 1),
    ):
        with pytest.raises(Forbidden) as caught:
            forbidden()
        assert caught.value.code == "only_owners"
    sending.react(site, ben, cid, 1, "👂", True)
    membership.promote(site.db, ann, cid, ben)
    assert send_messages(site, ben, cid, "hear me") == [2]


def test_edits_expire_and_deletions_do_not(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = group(site, ann, [ben])
    send_messages(site, ben, cid, "hello")
    parsed = parse("hello!")
    sending.edit(site, ben, cid, 1, parsed.text, parsed.entities)
    for uid in (ann, ben):
        [message] = all_messages(site.db, uid, cid)
        assert message.text == "hello!" and message.edited
    expired = with_settings(site, chat_edit_hours=0)
    time.sleep(0.002)
    with pytest.raises(Conflict) as caught:
        sending.edit(expired, ben, cid, 1, parsed.text, parsed.entities)
    assert caught.value.code == "too_late"
    with pytest.raises(Forbidden):
        sending.edit(site, ann, cid, 1, "hers", ())  # owners may delete, not edit
    sending.delete(expired, ann, cid, 1)
    [message] = all_messages(site.db, ben, cid)
    assert (message.deleted, message.text, message.author_uid) == (True, "", ben)
    with pytest.raises(NotFound):
        sending.edit(site, ben, cid, 1, parsed.text, parsed.entities)


def test_concurrent_edits_do_not_mix(site: Site, people: People) -> None:
    [ann] = people("ann")
    cid = group(site, ann)
    send_messages(site, ann, cid, "0")
    versions = [parse(f"@ann edit {number} " + "x" * number) for number in range(20)]

    def edit(index: int) -> object:
        new = versions[index]
        return sending.edit(site, ann, cid, 1, new.text, new.entities)

    results = run_concurrently(20, edit)
    [message] = all_messages(site.db, ann, cid)
    assert (message.text, message.entities) in [(new.text, new.entities) for new in versions]
    assert set(results) <= {None, "changed", "message_changed"} and None in results


def test_concurrent_reactions_count_and_their_kinds_are_limited(site: Site, people: People) -> None:
    few = with_settings(site, chat_reactions_max=3)
    birds = sign_up_birds(people, 10)
    cid = group(few, birds[0], birds[1:])
    send_messages(few, birds[0], cid, "hello")

    def react(emoji: str, active: bool = True) -> Callable[[int], object]:
        """Return a call that reacts as one of the birds, with one of the emoji in turn."""
        return lambda index: sending.react(
            few, birds[index], cid, 1, emoji[index % len(emoji)], active
        )

    run_concurrently(10, react("👍"))
    assert sorted(all_messages(site.db, birds[0], cid)[0].reactions["👍"]) == sorted(birds)
    results = run_concurrently(5, react("🐦🐧🦆🦉🦜"))
    assert results.count("reactions_full") == 3
    assert len(all_messages(site.db, birds[0], cid)[0].reactions) == 3
    run_concurrently(10, react("👍", active=False))
    assert "👍" not in all_messages(site.db, birds[0], cid)[0].reactions


def test_concurrent_joins_respect_the_member_limit(site: Site, people: People) -> None:
    few = with_settings(site, chat_members_max=5)
    birds = sign_up_birds(people, 15)
    cid = group(few, birds[0], [], "open")
    results = run_concurrently(14, lambda index: membership.join(few, birds[index + 1], cid))
    assert results.count("chat_full") == 10 and len(uids(site.db, cid)) == 5
    with pytest.raises(Conflict):
        membership.add(few, birds[0], cid, birds)
    with pytest.raises(Conflict):
        group(few, birds[0], birds[1:6])


def test_invitation_has_limited_uses_and_a_limited_time(site: Site, people: People) -> None:
    birds = sign_up_birds(people, 12)
    cid = group(site, birds[0])
    token = invitations.create(site, birds[0], cid, 3, 24)
    secret = token.split(".", 1)[1]
    with pytest.raises(NotFound):
        membership.join(site, birds[1], cid)
    with pytest.raises(Forbidden):
        membership.join(site, birds[1], cid, "guessed")
    assert site.db.read(invitations.invited_chat(token)).id == cid
    results = run_concurrently(
        10, lambda index: membership.join(site, birds[index + 1], cid, secret)
    )
    assert results.count("chat_invite_bad") == 7 and len(uids(site.db, cid)) == 4
    short = invitations.create(site, birds[0], cid, 3, 0)
    with pytest.raises(Forbidden):
        membership.join(site, birds[11], cid, short.split(".", 1)[1])
    revoked = invitations.create(site, birds[0], cid, 3, 24)
    [invite] = site.db.read(invitations.list_active(cid))  # the only valid one
    invitations.revoke(site.db, birds[0], cid, invite.sha)
    with pytest.raises(Forbidden):
        membership.join(site, birds[11], cid, revoked.split(".", 1)[1])


def test_newcomers_see_earlier_messages_only_if_history_is_shared(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    closed, shared = group(site, ann), group(site, ann, shared=True)
    for cid in (closed, shared):
        send_messages(site, ann, cid, "before")
        membership.add(site, ann, cid, [ben])
        send_messages(site, ann, cid, "after")
    apply_events()
    assert texts(all_messages(site.db, ben, closed)) == ["after"]
    assert texts(all_messages(site.db, ben, shared)) == ["before", "after"]
    assert fetch(site, ben) == {closed: [2], shared: [1, 2]}
    assert unread(site.db, ben) == {closed: 1, shared: 1}
    with pytest.raises(NotFound):
        sending.react(site, ben, closed, 1, "👍", True)
    page = site.db.read(reading.open_page(ben, closed, around=1, size=10))
    assert texts(page.messages) == ["after"]


@pytest.mark.parametrize("cid", ["12345", "3-17"])
def test_unknown_chat_is_not_found_and_leaves_no_keys(site: Site, people: People, cid: str) -> None:
    [ann] = people("ann")
    for refused in (
        lambda: site.db.read(reading.open_page(ann, cid, size=10)),
        lambda: membership.join(site, ann, cid),
        lambda: membership.leave(site, ann, cid),
        lambda: groups.delete(site, ann, cid),
        lambda: sending.send(site, ann, cid, draft("hello"), key()),
        lambda: sending.edit(site, ann, cid, 1, "hello", ()),
    ):
        with pytest.raises((NotFound, Forbidden)):
            refused()
    assert remaining_keys(site.db, cid) == []
