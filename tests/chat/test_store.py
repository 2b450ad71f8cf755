"""Chats in the store, from the first message to the last member who leaves."""

from typing import Any

import pytest

from tests.support.chat import unread
from tests.support.world import World
from webapp.chat import keys as chat_keys, reading
from webapp.chat.api import fetch as api_fetch
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.live.positions import changes_since
from webapp.chat.members import group_chats, invitations, membership
from webapp.chat.messages import sending
from webapp.chat.models import Content
from webapp.chat.page.data import load_page
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Db


def texts(db: Db, uid: int, cid: str) -> list[str]:
    return [message.text for message in db.read(reading.open_page(uid, cid, size=50)).messages]


def test_group_is_created_with_its_first_message(world: World) -> None:
    wren, finch, owl = world.people("wren", "finch", "owl")
    world.follow(finch, "wren")

    def create() -> str:
        first = Content("Who builds?")
        return group_chats.create(world, wren, "private", "Nests", [finch, owl], first, "k1")

    cid = create()
    assert create() == cid
    assert texts(world.db, finch, cid) == ["Who builds?"]
    world.apply_events()
    assert unread(world.db, wren) == {cid: 0}
    assert unread(world.db, finch) == {cid: 1}
    assert [row.request_state for row in listing.inbox(world.db, owl)] == ["request"]
    assert [world.db.read(chat_state.unread(uid)).total for uid in (wren, finch, owl)] == [0, 1, 0]
    chat_state.accept_request(world.db, owl, cid)
    assert world.db.read(chat_state.unread(owl)).total == 1


def test_direct_chat_is_the_same_for_both(world: World) -> None:
    wren, finch = world.people("wren", "finch")
    cid = direct_id(finch, wren)
    assert sending.send(world, wren, cid, Content("Hello"), "a") == 1
    assert sending.send(world, wren, cid, Content("Hello"), "a") == 1
    world.apply_events()
    assert [row.request_state for row in listing.inbox(world.db, finch)] == ["request"]
    sending.send(world, wren, cid, Content("Are you there?"), "b")
    sending.send(world, wren, cid, Content("Still here"), "c")
    world.refuses(Conflict, sending.send, wren, cid, Content("Hm"), "d")
    assert sending.send(world, finch, cid, Content("Yes"), "e") == 4
    world.apply_events()
    # A reply does not mark earlier messages as read.
    assert unread(world.db, finch) == {cid: 3}
    chat_state.mark_read(world.db, finch, cid, 4)
    assert unread(world.db, finch) == {cid: 0}
    assert unread(world.db, wren) == {cid: 1}
    assert sending.send(world, wren, cid, Content("Good"), "f") == 5
    with pytest.raises(Forbidden):
        world.db.read(reading.open_page(world.people("owl")[0], cid, size=10))


def test_edits_reactions_and_deletions_appear_in_changes(world: World) -> None:
    wren, finch = world.people("wren", "finch")
    cid = group_chats.create(world, wren, "open", "Pond", [], None, "k")
    membership.join(world, finch, cid)
    first = sending.send(world, wren, cid, Content("Frogs"), "1")
    before = world.db.read(reading.open_page(finch, cid, size=10)).chat
    sending.edit(world, wren, cid, first, "Toads")
    world.refuses(Forbidden, sending.edit, finch, cid, first, "Newts")
    second = sending.send(world, finch, cid, Content("Nice", reply_to=first), "2")
    sending.react(world, wren, cid, second, "🐸", True)
    sending.react(world, finch, cid, second, "🐸", True)
    sending.react(world, wren, cid, second, "🐸", False)
    changes = world.db.read(changes_since(cid, before.last_id, before.revision, [wren, finch, 99]))
    assert [(one.id, one.text) for one in changes.messages] == [(first, "Toads"), (second, "Nice")]
    assert changes.messages[1].reactions == {"🐸": (finch,)}
    assert [parent.id for parent in changes.parents] == [first]
    assert changes.first_visible == {wren: 1, finch: 1} and not changes.must_reload
    assert changes.chat
    for ahead in ((second + 1, 0), (0, changes.chat.revision + 1)):
        assert world.db.read(changes_since(cid, *ahead, [wren])).must_reload
    sending.delete(world, wren, cid, second)  # wren is an owner
    world.refuses(Forbidden, sending.delete, finch, cid, first)
    page = world.db.read(reading.open_page(wren, cid, size=10))
    expected = [(1, False, "Toads"), (2, True, "")]
    assert [(one.id, one.deleted, one.text) for one in page.messages] == expected
    assert page.messages[0].edited
    world.refuses(NotFound, sending.react, wren, cid, second, "🐸", True)


def test_pages_go_both_ways_and_to_the_first_unread_message(world: World) -> None:
    wren, finch = world.people("wren", "finch")
    cid = group_chats.create(world, wren, "open", "Pond", [], None, "k")
    membership.join(world, finch, cid)
    for number in range(1, 31):
        sending.send(world, wren, cid, Content(str(number)), str(number))
    chat_state.mark_read(world.db, finch, cid, 12)
    chat_state.mark_read(world.db, finch, cid, 5)

    def ids(**cursor: Any) -> list[int]:
        page = world.db.read(reading.open_page(finch, cid, size=10, **cursor))
        return [message.id for message in page.messages]

    newest = world.db.read(reading.open_page(finch, cid, size=10))
    assert ids() == list(range(21, 31)) and newest.has_older and not newest.has_newer
    assert newest.last_read == 12
    assert ids(before=21) == list(range(11, 21)) and ids(after=20) == list(range(21, 31))
    assert ids(before=4) == [1, 2, 3] and ids(after=30) == []
    assert ids(unread=True) == list(range(8, 18)) and ids(around=13) == list(range(8, 18))
    [owl] = world.people("owl")
    membership.join(world, owl, cid)  # owl sees nothing of the earlier messages
    third = world.db.read(reading.open_page(finch, cid, size=30)).messages[2].sent_at
    assert ids(date=third)[0] <= 3
    data = load_page(world.db, finch, cid, 10, {})
    assert data.chat_page.read_positions == {wren: 30, finch: 12}
    assert {wren, finch} <= set(data.related.people)
    assert len(data.rows) <= 1


def test_ownership_passes_on_and_the_last_member_deletes_the_group(world: World) -> None:
    wren, finch, owl = world.people("wren", "finch", "owl")
    cid = group_chats.create(world, wren, "announcement", "News", [finch, owl], Content("One"), "k")
    world.refuses(Forbidden, sending.send, finch, cid, Content("Two"), "2")
    with pytest.raises(Conflict):
        membership.demote(world.db, wren, cid, wren)
    membership.leave(world, wren, cid)
    sending.send(world, finch, cid, Content("Two"), "3")
    membership.remove(world, finch, cid, owl)
    token = invitations.create(world, finch, cid, 1, 1)
    assert world.db.read(invitations.invited_chat(token)).id == cid
    membership.join(world, wren, *invitations.parse_token(token))
    world.refuses(Forbidden, membership.join, owl, *invitations.parse_token(token))
    assert texts(world.db, wren, cid) == []
    world.apply_events()
    assert unread(world.db, wren) == {cid: 0} and unread(world.db, owl) == {}
    membership.leave(world, finch, cid)
    world.do(membership.leave, wren, cid)
    assert unread(world.db, wren) == unread(world.db, finch) == {}
    with pytest.raises(NotFound):
        world.db.read(reading.open_page(wren, cid, size=10))
    keys = world.db.on_every_primary("KEYS", f"*:{cid}:*")[0]
    assert not [key for key in keys if key.startswith("chat:")]


@pytest.mark.parametrize("is_deleted", [True, False])
def test_a_suspended_member_becomes_no_owner(world: World, is_deleted: bool) -> None:
    wren, finch, owl = world.people("wren", "finch", "owl")
    cid = group_chats.create(world, wren, "private", "Pond", [finch, owl], Content("One"), "k")
    world.do(World.suspend, finch)
    if is_deleted:
        world.do(World.delete_account, wren, None)
    else:
        world.do(membership.leave, wren, cid)
    owners = lambda: world.db.run(("SMEMBERS", chat_keys.chat_owners(cid)))
    assert owners() == [str(owl)]
    world.do(membership.leave, owl, cid)
    assert owners() == [str(finch)], "nobody else is there"


def test_a_suspended_owner_is_not_the_last(world: World) -> None:
    wren, finch, owl = world.people("wren", "finch", "owl")
    cid = group_chats.create(world, wren, "private", "Pond", [finch, owl], Content("One"), "k")
    membership.promote(world.db, wren, cid, finch)
    world.do(World.suspend, finch)
    world.do(membership.leave, wren, cid)
    owners = world.db.run(("SMEMBERS", chat_keys.chat_owners(cid)))
    assert sorted(owners) == [str(finch), str(owl)]


def test_group_may_drop_messages_that_everybody_fetched(world: World) -> None:
    wren, finch = world.people("wren", "finch")
    cid = group_chats.create(world, wren, "private", "Pond", [finch], Content("1"), "k")
    world.do(group_chats.change, wren, cid, retention="fetched")

    def fetch(uid: int, mark: bool = True) -> list[str]:
        chats = api_fetch.fetch_pending(world, uid, mark_as_fetched=mark)
        return [message.text for fetched in chats for message in fetched.messages]

    assert fetch(wren) == ["1"]
    world.do(sending.send, wren, cid, Content("2"), "2")
    assert fetch(finch, mark=False) == ["1", "2"]
    assert fetch(finch) == ["1", "2"]
    assert api_fetch.fetch_pending(world, finch) == []
    world.do(sending.send, finch, cid, Content("3"), "3")
    assert texts(world.db, finch, cid) == ["3"]
    chat_state.mark_read(world.db, wren, cid, 3)
    assert texts(world.db, wren, cid) == ["3"]
    assert fetch(finch) == ["3"]
    assert texts(world.db, finch, cid) == []
    assert world.db.run(("HLEN", chat_keys.chat_messages(cid))) == 0
