"""Who may do what in a chat: requests, blocks, announcements, edits, reactions, invitations; one server, a Cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from redis import Redis
from redis.client import PubSub

from tests.support.chat import (
    badge,
    draft,
    fetch,
    group,
    key,
    left_of,
    say,
    texts,
    together,
    uids,
    unread,
    whole,
)
from webapp.chat.ids import direct_id, parse_cid
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import reading, sending
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, NotFound
from webapp.following import store as following
from webapp.following.blocks import store as blocks

People = Callable[..., list[int]]
Settle = Callable[[], None]


def flock(people: People, count: int) -> list[int]:
    return people(*(f"bird{number}" for number in range(count)))


def test_a_message_from_somebody_one_does_not_follow_waits_as_a_request(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    for number in range(config.chat_request_max):
        sending.send(db, config, ann, cid, draft(f"hello {number}"), f"key{number}")
    with pytest.raises(Conflict) as caught:
        sending.send(db, config, ann, cid, draft("hello?"), key())
    assert caught.value.code == "request_waits"
    # A retry of one that went through is no further one.
    assert sending.send(db, config, ann, cid, draft("hello 2"), "key2") == 3
    settle()
    [row] = listing.inbox(db, ben)
    assert row.request_state == "request" and badge(db, ben) == 0
    assert not listing.inbox(db, ann)[0].request_state
    chat_state.accept_request(db, ben, cid)
    assert say(db, config, ann, cid, "at last") == [4]
    settle()
    assert not listing.inbox(db, ben)[0].request_state
    assert badge(db, ben) == 4


def test_writing_back_accepts_a_request(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    say(db, config, ann, cid, "hello")
    settle()
    say(db, config, ben, cid, "hello yourself")
    settle()
    assert not listing.inbox(db, ben)[0].request_state
    assert say(db, config, ann, cid, *"abcd") == [3, 4, 5, 6]


def test_an_ignored_request_stays_ignored_and_its_sender_is_not_told(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    say(db, config, ann, cid, "hello")
    settle()
    chat_state.ignore_request(db, config, ben, cid)
    say(db, config, ann, cid, "hello?")
    settle()
    rows = [row for row in listing.inbox(db, ben) if row.request_state != "ignored"]
    assert rows == [] and badge(db, ben) == 0
    say(db, config, ann, cid, "hello??")
    with pytest.raises(Conflict):
        say(db, config, ann, cid, "hello???")


def test_a_follower_need_not_ask(db: Db, config: Config, people: People, settle: Settle) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    settle()
    say(db, config, ann, direct_id(ann, ben), *"abcd")
    settle()
    assert not listing.inbox(db, ben)[0].request_state


@pytest.mark.parametrize("blocker", [0, 1])
def test_a_block_either_way_ends_writing_to_each_other(
    db: Db, config: Config, people: People, settle: Settle, blocker: int
) -> None:
    pair, logins = people("ann", "ben"), ("ann", "ben")
    cid = direct_id(*pair)
    say(db, config, pair[0], cid, "hello")
    say(db, config, pair[1], cid, "hello")
    blocks.block(db, config, pair[blocker], logins[1 - blocker])  # and nothing is applied yet
    for uid in pair:
        with pytest.raises(Forbidden):
            say(db, config, uid, cid, "hello again")
    for at, uid in enumerate(pair):
        parsed = parse("and another thing")
        with pytest.raises(Forbidden):
            sending.edit(db, config, uid, cid, at + 1, parsed.text, parsed.entities)
        with pytest.raises(Forbidden):
            sending.react(db, config, uid, cid, 1, "💢", True)
    assert texts(whole(db, pair[0], cid)) == ["hello", "hello"]
    sending.delete(db, config, pair[1], cid, 2)  # one may always take back what one said
    blocks.unblock(db, config, pair[blocker], logins[1 - blocker])
    assert say(db, config, pair[1 - blocker], cid, "hello again") == [3]
    settle()


def test_who_is_blocked_is_not_told_of_as_writing(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    cid = direct_id(ann, ben)
    say(db, config, ann, cid, "hello")
    store = Redis.from_url(config.store_url, decode_responses=True)
    channel = store.pubsub(ignore_subscribe_messages=True)
    channel.subscribe(chat_state.CHAT_CHANNEL)
    while not any(found for _, found in store.pubsub_numsub(chat_state.CHAT_CHANNEL)):
        channel.get_message(timeout=1)
    chat_state.announce_typing(db, ben, cid)
    blocks.block(db, config, ann, "ben")
    chat_state.announce_typing(db, ben, cid)
    chat_state.announce_typing(db, ann, cid)
    blocks.unblock(db, config, ann, "ben")
    chat_state.announce_typing(db, ann, cid)
    assert [told_next(channel), told_next(channel)] == [f"t {cid} {ben}", f"t {cid} {ann}"]
    channel.close()
    store.close()


def told_next(channel: PubSub) -> str:
    """What is said next on the channel of chats."""
    for _ in range(100):
        if found := channel.get_message(timeout=1):
            return str(found["data"])
    raise AssertionError("nothing was said")


@pytest.mark.parametrize("blocker", [0, 1])
def test_a_block_either_way_keeps_one_from_bringing_the_other_into_a_group(
    db: Db, config: Config, people: People, blocker: int
) -> None:
    pair, logins = people("ann", "ben"), ("ann", "ben")
    cid = group(db, config, pair[0])
    blocks.block(db, config, pair[blocker], logins[1 - blocker])
    with pytest.raises(Forbidden):
        membership.add(db, config, pair[0], cid, [pair[1]])
    with pytest.raises(Forbidden):
        group(db, config, pair[0], [pair[1]])
    assert uids(db, cid) == [pair[0]]


def test_where_owners_announce_others_read_and_react(
    db: Db, config: Config, people: People
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    cid = group(db, config, ann, [ben], "announcement")
    say(db, config, ann, cid, "hear, hear")
    for act in (
        lambda: say(db, config, ben, cid, "me too"),
        lambda: membership.add(db, config, ben, cid, [cat]),
        lambda: groups.change(db, config, ben, cid, name="Mine"),
        lambda: membership.remove(db, config, ben, cid, ann),
        lambda: membership.promote(db, ben, cid, ben),
        lambda: groups.delete(db, config, ben, cid),
        lambda: invitations.create(db, config, ben, cid, 1, 1),
    ):
        with pytest.raises(Forbidden) as caught:
            act()
        assert caught.value.code == "only_owners"
    sending.react(db, config, ben, cid, 1, "👂", True)
    membership.promote(db, ann, cid, ben)
    assert say(db, config, ben, cid, "hear me") == [2]


def test_an_edit_is_for_a_day_and_a_deletion_for_ever(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    say(db, config, ben, cid, "hello")
    parsed = parse("hello!")
    sending.edit(db, config, ben, cid, 1, parsed.text, parsed.entities)
    for uid in (ann, ben):
        [message] = whole(db, uid, cid)
        assert message.text == "hello!" and message.edited
    over = replace(config, chat_edit_hours=0)
    time.sleep(0.002)
    with pytest.raises(Conflict) as caught:
        sending.edit(db, over, ben, cid, 1, parsed.text, parsed.entities)
    assert caught.value.code == "too_late"
    with pytest.raises(Forbidden):
        sending.edit(
            db, config, ann, cid, 1, "hers", ()
        )  # an owner may delete it, not put words in mouths
    sending.delete(db, over, ann, cid, 1)
    [message] = whole(db, ben, cid)
    assert (message.deleted, message.text, message.author_uid) == (True, "", ben)
    with pytest.raises(NotFound):
        sending.edit(db, config, ben, cid, 1, parsed.text, parsed.entities)


def test_of_two_edits_at_once_one_wins_and_none_is_mixed(
    db: Db, config: Config, people: People
) -> None:
    [ann] = people("ann")
    cid = group(db, config, ann)
    say(db, config, ann, cid, "0")
    written = [parse(f"@ann edit {number} " + "x" * number) for number in range(20)]
    answers = together(
        20, lambda at: sending.edit(db, config, ann, cid, 1, written[at].text, written[at].entities)
    )
    [message] = whole(db, ann, cid)
    assert (message.text, message.entities) in [(one.text, one.entities) for one in written]
    assert set(answers) <= {None, "changed", "message_changed"} and None in answers


def test_reactions_of_many_at_once_are_all_there_and_their_kinds_are_bounded(
    db: Db, config: Config, people: People
) -> None:
    few = replace(config, chat_reactions_max=3)
    birds = flock(people, 10)
    cid = group(db, few, birds[0], birds[1:])
    say(db, few, birds[0], cid, "hello")
    together(10, lambda at: sending.react(db, few, birds[at], cid, 1, "👍", True))
    assert sorted(whole(db, birds[0], cid)[0].reactions["👍"]) == sorted(birds)
    answers = together(
        5, lambda at: sending.react(db, few, birds[at], cid, 1, "🐦🐧🦆🦉🦜"[at], True)
    )
    assert answers.count("reactions_full") == 3
    assert len(whole(db, birds[0], cid)[0].reactions) == 3
    together(10, lambda at: sending.react(db, few, birds[at], cid, 1, "👍", False))
    assert "👍" not in whole(db, birds[0], cid)[0].reactions


def test_a_chat_has_no_more_members_than_it_may_however_many_come_at_once(
    db: Db, config: Config, people: People
) -> None:
    few = replace(config, chat_members_max=5)
    birds = flock(people, 15)
    cid = group(db, few, birds[0], [], "open")
    answers = together(14, lambda at: membership.join(db, few, birds[at + 1], cid))
    assert answers.count("chat_full") == 10 and len(uids(db, cid)) == 5
    with pytest.raises(Conflict):
        membership.add(db, few, birds[0], cid, birds)
    with pytest.raises(Conflict):
        group(db, few, birds[0], birds[1:6])


def test_an_invitation_lets_in_as_many_as_it_says_for_as_long_as_it_says(
    db: Db, config: Config, people: People
) -> None:
    birds = flock(people, 12)
    cid = group(db, config, birds[0])
    token = invitations.create(db, config, birds[0], cid, 3, 24)
    secret = token.split(".", 1)[1]
    with pytest.raises(NotFound):
        membership.join(db, config, birds[1], cid)
    with pytest.raises(Forbidden):
        membership.join(db, config, birds[1], cid, "guessed")
    assert db.read(invitations.invited_chat(token)).id == cid
    answers = together(10, lambda at: membership.join(db, config, birds[at + 1], cid, secret))
    assert answers.count("chat_invite_bad") == 7 and len(uids(db, cid)) == 4
    short = invitations.create(db, config, birds[0], cid, 3, 0)
    with pytest.raises(Forbidden):
        membership.join(db, config, birds[11], cid, short.split(".", 1)[1])
    revoked = invitations.create(db, config, birds[0], cid, 3, 24)
    [invite] = db.read(invitations.list_active(cid))  # the only one that is still good
    invitations.revoke(db, birds[0], cid, invite.sha)
    with pytest.raises(Forbidden):
        membership.join(db, config, birds[11], cid, revoked.split(".", 1)[1])


def test_newcomers_see_what_was_before_only_where_it_is_shared(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    closed, shared = group(db, config, ann), group(db, config, ann, shared=True)
    for cid in (closed, shared):
        say(db, config, ann, cid, "before")
        membership.add(db, config, ann, cid, [ben])
        say(db, config, ann, cid, "after")
    settle()
    assert texts(whole(db, ben, closed)) == ["after"]
    assert texts(whole(db, ben, shared)) == ["before", "after"]
    assert fetch(db, config, ben) == {closed: [2], shared: [1, 2]}
    assert unread(db, ben) == {closed: 1, shared: 1}
    with pytest.raises(NotFound):
        sending.react(db, config, ben, closed, 1, "👍", True)
    found = db.read(reading.open_page(ben, closed, around=1, size=10))
    assert texts(found.messages) == ["after"]


def test_what_is_not_a_chat_s_name_is_none() -> None:
    for text in (
        "",
        "0",
        "01",
        "-1",
        "3-3",
        "7-3",
        "3-",
        "-",
        "3-17-4",
        "3 17",
        "٣",
        "1e3",
        "9" * 40,
        "3-17\n",
    ):
        assert parse_cid(text) is None, text
    assert [parse_cid(text) for text in ("12", "3-17")] == ["12", "3-17"]


@pytest.mark.parametrize("cid", ["12345", "3-17"])
def test_a_chat_that_never_was_is_not_there(
    db: Db, config: Config, people: People, cid: str
) -> None:
    [ann] = people("ann")
    for act in (
        lambda: db.read(reading.open_page(ann, cid, size=10)),
        lambda: membership.join(db, config, ann, cid),
        lambda: membership.leave(db, config, ann, cid),
        lambda: groups.delete(db, config, ann, cid),
        lambda: sending.send(db, config, ann, cid, draft("hello"), key()),
        lambda: sending.edit(db, config, ann, cid, 1, "hello", ()),
    ):
        with pytest.raises((NotFound, Forbidden)):
            act()
    assert left_of(db, cid) == []
