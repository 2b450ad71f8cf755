"""Chats in the store, from the first message to the last member who leaves."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import ApplyEvents, People
from webapp.chat import keys as chat_keys
from webapp.chat import reading
from webapp.chat.api import fetch as api_fetch
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.live.changes import changes_since
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import sending
from webapp.chat.models import Draft
from webapp.chat.page.data import load_page
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.following import store as following


def texts(db: Db, uid: int, cid: str) -> list[str]:
    return [message.text for message in db.read(reading.open_page(uid, cid, size=50)).messages]


def unread_by_chat(db: Db, uid: int) -> dict[str, int]:
    return {row.chat.id: row.unread for row in listing.inbox(db, uid)}


def test_group_is_created_with_its_first_message(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    wren, finch, owl = people("wren", "finch", "owl")
    following.follow(site, finch, "wren")

    def create() -> str:
        first = Draft("Who builds?")
        return groups.create(site, wren, "private", "Nests", [finch, owl], first, "k1")

    cid = create()
    assert create() == cid
    assert texts(site.db, finch, cid) == ["Who builds?"]
    apply_events()
    assert unread_by_chat(site.db, wren) == {cid: 0} and unread_by_chat(site.db, finch) == {cid: 1}
    assert [row.request_state for row in listing.inbox(site.db, owl)] == ["request"]
    assert [site.db.read(chat_state.unread(uid)).total for uid in (wren, finch, owl)] == [0, 1, 0]
    chat_state.accept_request(site.db, owl, cid)
    assert site.db.read(chat_state.unread(owl)).total == 1


def test_direct_chat_is_the_same_for_both(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    wren, finch = people("wren", "finch")
    cid = direct_id(finch, wren)
    assert sending.send(site, wren, cid, Draft("Hello"), "a") == 1
    assert sending.send(site, wren, cid, Draft("Hello"), "a") == 1
    apply_events()
    assert [row.request_state for row in listing.inbox(site.db, finch)] == ["request"]
    sending.send(site, wren, cid, Draft("Are you there?"), "b")
    sending.send(site, wren, cid, Draft("Still here"), "c")
    with pytest.raises(Conflict):
        sending.send(site, wren, cid, Draft("Hm"), "d")
    assert sending.send(site, finch, cid, Draft("Yes"), "e") == 4
    apply_events()
    assert unread_by_chat(site.db, finch) == {
        cid: 3
    }  # a reply does not mark earlier messages as read
    chat_state.mark_read(site.db, finch, cid, 4)
    assert unread_by_chat(site.db, finch) == {cid: 0} and unread_by_chat(site.db, wren) == {cid: 1}
    assert sending.send(site, wren, cid, Draft("Good"), "f") == 5
    with pytest.raises(Forbidden):
        site.db.read(reading.open_page(people("owl")[0], cid, size=10))


def test_edits_reactions_and_deletions_appear_in_changes(site: Site, people: People) -> None:
    wren, finch = people("wren", "finch")
    cid = groups.create(site, wren, "open", "Pond", [], None, "k")
    membership.join(site, finch, cid)
    first = sending.send(site, wren, cid, Draft("Frogs"), "1")
    before = site.db.read(reading.open_page(finch, cid, size=10)).chat
    sending.edit(site, wren, cid, first, "Toads")
    with pytest.raises(Forbidden):
        sending.edit(site, finch, cid, first, "Newts")
    second = sending.send(site, finch, cid, Draft("Nice", reply_to=first), "2")
    sending.react(site, wren, cid, second, "🐸", True)
    sending.react(site, finch, cid, second, "🐸", True)
    sending.react(site, wren, cid, second, "🐸", False)
    changes = site.db.read(changes_since(cid, before.last_id, before.revision, [wren, finch, 99]))
    assert [(one.id, one.text) for one in changes.messages] == [(first, "Toads"), (second, "Nice")]
    assert changes.messages[1].reactions == {"🐸": (finch,)}
    assert [parent.id for parent in changes.parents] == [first]
    assert changes.first_visible == {wren: 1, finch: 1} and not changes.must_reload
    assert changes.chat
    for ahead in ((second + 1, 0), (0, changes.chat.revision + 1)):
        assert site.db.read(changes_since(cid, *ahead, [wren])).must_reload
    sending.delete(site, wren, cid, second)  # wren is an owner
    with pytest.raises(Forbidden):
        sending.delete(site, finch, cid, first)
    page = site.db.read(reading.open_page(wren, cid, size=10))
    assert [(one.id, one.deleted, one.text) for one in page.messages] == [
        (1, False, "Toads"),
        (2, True, ""),
    ]
    assert page.messages[0].edited
    with pytest.raises(NotFound):
        sending.react(site, wren, cid, second, "🐸", True)


def test_pages_go_both_ways_and_to_the_first_unread_message(site: Site, people: People) -> None:
    wren, finch = people("wren", "finch")
    cid = groups.create(site, wren, "open", "Pond", [], None, "k")
    membership.join(site, finch, cid)
    for number in range(1, 31):
        sending.send(site, wren, cid, Draft(str(number)), str(number))
    chat_state.mark_read(site.db, finch, cid, 12)
    chat_state.mark_read(site.db, finch, cid, 5)

    def ids(**cursor: Any) -> list[int]:
        page = site.db.read(reading.open_page(finch, cid, size=10, **cursor))
        return [message.id for message in page.messages]

    newest = site.db.read(reading.open_page(finch, cid, size=10))
    assert ids() == list(range(21, 31)) and newest.has_older and not newest.has_newer
    assert newest.last_read == 12
    assert ids(before=21) == list(range(11, 21)) and ids(after=20) == list(range(21, 31))
    assert ids(before=4) == [1, 2, 3] and ids(after=30) == []
    assert ids(unread=True) == list(range(8, 18)) and ids(around=13) == list(range(8, 18))
    [owl] = people("owl")
    membership.join(site, owl, cid)  # owl sees nothing of the earlier messages
    third = site.db.read(reading.open_page(finch, cid, size=30)).messages[2].sent_at
    assert ids(date=third)[0] <= 3
    data = load_page(site.db, finch, cid, 10, {})
    assert data.chat_page.read_positions == {wren: 30, finch: 12}
    assert {wren, finch} <= set(data.related.people)
    assert len(data.rows) <= 1


def test_ownership_passes_on_and_the_last_member_deletes_the_group(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    wren, finch, owl = people("wren", "finch", "owl")
    cid = groups.create(site, wren, "announcement", "News", [finch, owl], Draft("One"), "k")
    with pytest.raises(Forbidden):
        sending.send(site, finch, cid, Draft("Two"), "2")
    with pytest.raises(Conflict):
        membership.demote(site.db, wren, cid, wren)
    membership.leave(site, wren, cid)
    sending.send(site, finch, cid, Draft("Two"), "3")
    membership.remove(site, finch, cid, owl)
    token = invitations.create(site, finch, cid, 1, 1)
    assert site.db.read(invitations.invited_chat(token)).id == cid
    membership.join(site, wren, *invitations.parse_token(token))
    with pytest.raises(Forbidden):
        membership.join(site, owl, *invitations.parse_token(token))
    assert texts(site.db, wren, cid) == []
    apply_events()
    assert unread_by_chat(site.db, wren) == {cid: 0} and unread_by_chat(site.db, owl) == {}
    membership.leave(site, finch, cid)
    membership.leave(site, wren, cid)
    apply_events()
    assert unread_by_chat(site.db, wren) == unread_by_chat(site.db, finch) == {}
    with pytest.raises(NotFound):
        site.db.read(reading.open_page(wren, cid, size=10))
    keys = site.db.on_every_primary("KEYS", f"*:{cid}:*")[0]
    assert not [key for key in keys if key.startswith("chat:")]


def test_group_may_drop_messages_that_everybody_fetched(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    wren, finch = people("wren", "finch")
    cid = groups.create(site, wren, "private", "Pond", [finch], Draft("1"), "k")
    groups.change(site, wren, cid, retention="fetched")
    apply_events()

    def fetch(uid: int, mark: bool = True) -> list[str]:
        chats = api_fetch.fetch_pending(site, uid, mark_as_fetched=mark)
        return [message.text for fetched in chats for message in fetched.messages]

    assert fetch(wren) == ["1"]
    sending.send(site, wren, cid, Draft("2"), "2")
    apply_events()
    assert fetch(finch, mark=False) == ["1", "2"]
    assert fetch(finch) == ["1", "2"]
    assert api_fetch.fetch_pending(site, finch) == []
    sending.send(site, finch, cid, Draft("3"), "3")
    apply_events()
    assert texts(site.db, finch, cid) == ["3"]
    chat_state.mark_read(site.db, wren, cid, 3)
    assert texts(site.db, wren, cid) == ["3"]
    assert fetch(finch) == ["3"]
    assert (
        texts(site.db, finch, cid) == []
        and site.db.run(("HLEN", chat_keys.chat_messages(cid))) == 0
    )
