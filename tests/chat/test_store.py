"""Chats as the store keeps them: one act after another, on one server and on a Cluster."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from webapp.chat import keys as chat_keys
from webapp.chat.api import fetch as api_fetch
from webapp.chat.ids import direct_id, parse_cid
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import reading, sending
from webapp.chat.models import Draft
from webapp.chat.page.data import load_page
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Conflict, Forbidden, NotFound
from webapp.following import store as following

Make = Callable[..., list[int]]


def say(text: str, reply: int = 0) -> Draft:
    return Draft(text, reply_to=reply)


def texts(db: Db, uid: int, cid: str) -> list[str]:
    return [message.text for message in db.read(reading.open_page(uid, cid, size=50)).messages]


def unread(db: Db, uid: int) -> dict[str, int]:
    return {row.chat.id: row.unread for row in listing.inbox(db, uid)}


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "1-", "2-1", "1-1", "1-2-3", "x", "01", "1.5", "٣"]
)
def test_what_is_no_chat_id_is_none(text: str) -> None:
    assert parse_cid(text) is None


def test_a_group_is_made_with_its_first_message(
    db: Db, config: Config, people: Make, settle: Callable[[], None]
) -> None:
    wren, finch, owl = people("wren", "finch", "owl")
    following.follow(db, config, finch, "wren")
    cid = groups.create(
        db, config, wren, "private", "Nests", [finch, owl], say("Who builds?"), "k1"
    )
    assert (
        groups.create(db, config, wren, "private", "Nests", [finch, owl], say("Who builds?"), "k1")
        == cid
    )
    assert texts(db, finch, cid) == ["Who builds?"]
    settle()
    assert unread(db, wren) == {cid: 0} and unread(db, finch) == {cid: 1}
    assert [row.request_state for row in listing.inbox(db, owl)] == ["request"]
    assert [db.read(chat_state.unread(uid)).total for uid in (wren, finch, owl)] == [
        0,
        1,
        0,
    ]
    chat_state.accept_request(db, owl, cid)
    assert db.read(chat_state.unread(owl)).total == 1


def test_a_direct_chat_is_one_for_both(
    db: Db, config: Config, people: Make, settle: Callable[[], None]
) -> None:
    wren, finch = people("wren", "finch")
    cid = direct_id(finch, wren)
    assert sending.send(db, config, wren, cid, say("Hello"), "a") == 1
    assert sending.send(db, config, wren, cid, say("Hello"), "a") == 1
    settle()
    assert [row.request_state for row in listing.inbox(db, finch)] == ["request"]
    sending.send(db, config, wren, cid, say("Are you there?"), "b")
    sending.send(db, config, wren, cid, say("Still here"), "c")
    with pytest.raises(Conflict):
        sending.send(db, config, wren, cid, say("Hm"), "d")
    assert sending.send(db, config, finch, cid, say("Yes"), "e") == 4
    settle()
    assert unread(db, finch) == {cid: 4}  # nobody has seen them read what came before
    chat_state.mark_read(db, finch, cid, 4)
    assert unread(db, finch) == {cid: 0} and unread(db, wren) == {cid: 1}
    assert sending.send(db, config, wren, cid, say("Good"), "f") == 5
    with pytest.raises(Forbidden):
        db.read(reading.open_page(people("owl")[0], cid, size=10))


def test_messages_change_and_readers_hear_of_it(db: Db, config: Config, people: Make) -> None:
    wren, finch = people("wren", "finch")
    cid = groups.create(db, config, wren, "open", "Pond", [], None, "k")
    membership.join(db, config, finch, cid)
    first = sending.send(db, config, wren, cid, say("Frogs"), "1")
    at = db.read(reading.open_page(finch, cid, size=10)).chat
    sending.edit(db, config, wren, cid, first, "Toads")
    with pytest.raises(Forbidden):
        sending.edit(db, config, finch, cid, first, "Newts")
    second = sending.send(db, config, finch, cid, say("Nice", reply=first), "2")
    sending.react(db, config, wren, cid, second, "🐸", True)
    sending.react(db, config, finch, cid, second, "🐸", True)
    sending.react(db, config, wren, cid, second, "🐸", False)
    told = db.read(reading.changes_since(cid, at.last_id, at.revision, [wren, finch, 99]))
    assert [(one.id, one.text) for one in told.messages] == [(first, "Toads"), (second, "Nice")]
    assert told.messages[1].reactions == {"🐸": (finch,)} and [one.id for one in told.parents] == [
        first
    ]
    assert told.first_visible == {wren: 1, finch: 1} and not told.must_reload
    for ahead in ((second + 1, 0), (0, told.chat.revision + 1 if told.chat else 0)):
        assert db.read(reading.changes_since(cid, *ahead, [wren])).must_reload
    sending.delete(db, config, wren, cid, second)  # as an owner
    with pytest.raises(Forbidden):
        sending.delete(db, config, finch, cid, first)
    page = db.read(reading.open_page(wren, cid, size=10))
    assert [(one.id, one.deleted, one.text) for one in page.messages] == [
        (1, False, "Toads"),
        (2, True, ""),
    ]
    assert page.messages[0].edited
    with pytest.raises(NotFound):
        sending.react(db, config, wren, cid, second, "🐸", True)


def test_pages_go_both_ways_and_to_the_first_unread(db: Db, config: Config, people: Make) -> None:
    wren, finch = people("wren", "finch")
    cid = groups.create(db, config, wren, "open", "Pond", [], None, "k")
    membership.join(db, config, finch, cid)
    for number in range(1, 31):
        sending.send(db, config, wren, cid, say(str(number)), str(number))
    chat_state.mark_read(db, finch, cid, 12)
    chat_state.mark_read(db, finch, cid, 5)

    def ids(**where: object) -> list[int]:
        return [one.id for one in db.read(reading.open_page(finch, cid, size=10, **where)).messages]  # type: ignore[arg-type]

    newest = db.read(reading.open_page(finch, cid, size=10))
    assert (
        [one.id for one in newest.messages] == list(range(21, 31))
        and newest.has_older
        and not newest.has_newer
    )
    assert newest.last_read == 12
    assert ids(before=21) == list(range(11, 21)) and ids(after=20) == list(range(21, 31))
    assert ids(before=4) == [1, 2, 3] and ids(after=30) == []
    assert ids(unread=True) == list(range(8, 18)) and ids(around=13) == list(range(8, 18))
    [owl] = people("owl")
    membership.join(db, config, owl, cid)  # who has not seen what was written before
    third = db.read(reading.open_page(finch, cid, size=30)).messages[2].sent_at
    assert ids(date=third)[0] <= 3
    data = load_page(db, finch, cid, 10, {})
    assert data.chat_page.read_positions == {wren: 30, finch: 12}
    assert {wren, finch} <= set(data.related.people)
    assert len(data.rows) <= 1


def test_the_last_owner_hands_over_and_the_last_member_takes_all(
    db: Db, config: Config, people: Make, settle: Callable[[], None]
) -> None:
    wren, finch, owl = people("wren", "finch", "owl")
    cid = groups.create(db, config, wren, "announcement", "News", [finch, owl], say("One"), "k")
    with pytest.raises(Forbidden):
        sending.send(db, config, finch, cid, say("Two"), "2")
    with pytest.raises(Conflict):
        membership.demote(db, wren, cid, wren)
    membership.leave(db, config, wren, cid)
    sending.send(db, config, finch, cid, say("Two"), "3")
    membership.remove(db, config, finch, cid, owl)
    token = invitations.create(db, config, finch, cid, 1, 1)
    assert db.read(invitations.invited_chat(token)).id == cid
    membership.join(db, config, wren, *invitations.parse_token(token))
    with pytest.raises(Forbidden):
        membership.join(db, config, owl, *invitations.parse_token(token))
    assert texts(db, wren, cid) == []
    settle()
    assert unread(db, wren) == {cid: 0} and unread(db, owl) == {}
    membership.leave(db, config, finch, cid)
    membership.leave(db, config, wren, cid)
    settle()
    assert unread(db, wren) == unread(db, finch) == {}
    with pytest.raises(NotFound):
        db.read(reading.open_page(wren, cid, size=10))
    assert not [
        key for key in db.on_every_primary("KEYS", f"*:{cid}:*")[0] if key.startswith("chat:")
    ]


def test_what_everybody_has_fetched_goes_if_the_owner_wants_it(
    db: Db, config: Config, people: Make, settle: Callable[[], None]
) -> None:
    wren, finch = people("wren", "finch")
    cid = groups.create(db, config, wren, "private", "Pond", [finch], say("1"), "k")
    groups.change(db, config, wren, cid, keep="fetched")
    settle()
    assert [
        one.text for found in api_fetch.fetch_pending(db, config, wren) for one in found.messages
    ] == ["1"]
    sending.send(db, config, wren, cid, say("2"), "2")
    assert [
        one.text
        for found in api_fetch.fetch_pending(db, config, finch, mark_as_fetched=False)
        for one in found.messages
    ] == ["1", "2"]
    assert [
        one.text for found in api_fetch.fetch_pending(db, config, finch) for one in found.messages
    ] == ["1", "2"]
    assert api_fetch.fetch_pending(db, config, finch) == []
    sending.send(db, config, finch, cid, say("3"), "3")
    assert texts(db, finch, cid) == ["3"]
    chat_state.mark_read(db, wren, cid, 3)
    assert texts(db, wren, cid) == ["3"]
    assert [
        one.text for found in api_fetch.fetch_pending(db, config, finch) for one in found.messages
    ] == ["3"]
    assert texts(db, finch, cid) == [] and db.run(("HLEN", chat_keys.chat_messages(cid))) == 0
