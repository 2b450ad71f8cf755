"""A group that somebody added a member to is announced to them, and so are requests."""

import re

from tests.conftest import People
from tests.support.chat import badge, group, key, send_messages, unread
from tests.support.chat_pages import Birds, chat_badge, create_group, send_message
from tests.support.concurrently import concurrently
from tests.support.world import World
from webapp.chat import reading
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state, listing
from webapp.chat.members import membership
from webapp.core.store import Site
from webapp.following import store as following


def befriend(site: Site, people: People) -> list[int]:
    """Return ann and two who follow her."""
    ann, *others = people("ann", "ben", "cat")
    for uid in others:
        following.follow(site, uid, "ann")
    return [ann, *others]


def test_a_group_counts_as_unread_for_those_who_were_added_until_they_open_it(world: World) -> None:
    ann, ben, cat = befriend(world, world.people)
    cid = world.do(group, ann, [ben])
    assert badge(world.db, ann) == 0 and badge(world.db, ben) == 1
    world.do(send_messages, ann, cid, "hello")
    assert badge(world.db, ben) == 1, "the message is what is new"
    chat_state.mark_read(world.db, ben, cid, 1)
    assert badge(world.db, ben) == 0
    world.do(membership.add, ann, cid, [cat])
    assert badge(world.db, cat) == 1
    chat_state.mark_read(world.db, cat, cid, 1)
    world.do(membership.add, ann, cid, [cat])  # who belongs to it
    assert badge(world.db, cat) == 0
    assert world.db.read(reading.open_chat(cat, cid)).added_by == ann


def test_who_has_opened_a_group_before_the_worker_lists_it_has_nothing_unread(world: World) -> None:
    ann, ben, _ = befriend(world, world.people)
    cid = group(world, ann, [ben])
    chat_state.mark_read(world.db, ben, cid, 0)
    world.apply_events()
    assert unread(world.db, ben) == {cid: 0}


def test_an_opened_request_is_listed_and_waits_still(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = direct_id(ann, ben)
    world.do(send_messages, ann, cid, "hello")
    assert not listing.inbox(world.db, ben)[0].is_active
    concurrently(lambda _: chat_state.mark_opened(world.db, ben, cid), 10)
    [row] = listing.inbox(world.db, ben)
    assert row.is_active and row.is_request and badge(world.db, ben) == 0
    assert world.db.read(chat_state.unread(ben)).requests == 1
    chat_state.accept_request(world.db, ben, cid)
    chat_state.mark_opened(world.db, ben, cid)  # by a page that was asked for before
    [row] = listing.inbox(world.db, ben)
    assert row.is_active and not row.is_request


def test_a_group_says_who_made_it_and_who_added_its_reader(birds: Birds) -> None:
    (wren, _), (finch, _), (owl, _) = birds
    owl.post("/@wren/follow")
    cid = create_group(wren, people="@finch")
    assert chat_badge(finch.get("/home")) == 1
    assert "<bdi>Wren</bdi> made this group chat" in finch.get(f"/chats/{cid}").text
    assert chat_badge(finch.get("/home")) == 0
    assert "You made this group chat" in wren.get(f"/chats/{cid}").text
    send_message(finch, cid, "hello")
    finch.post(f"/chats/{cid}/people/add", data={"people": "@owl"})
    page = owl.get(f"/chats/{cid}").text
    assert "<bdi>Finch</bdi> added you" in page
    assert "added you" not in wren.get(f"/chats/{cid}").text


def test_only_the_sender_of_a_request_reads_that_it_waits(birds: Birds) -> None:
    (wren, wren_uid), _, (owl, owl_uid) = birds
    cid = direct_id(wren_uid, owl_uid)
    waiting = re.compile("data-request-waits>")
    assert not waiting.search(owl.get(f"/chats/{cid}").text)
    send_message(owl, cid, "hello, stranger", key=key())
    assert waiting.search(owl.get(f"/chats/{cid}").text)
    opened = wren.get(f"/chats/{cid}").text
    assert not waiting.search(opened) and f'data-row="{cid}"' in opened
    assert "hello, stranger" in wren.get("/chats").text, "the request was opened"
    wren.post(f"/chats/{cid}/accept")
    assert not waiting.search(owl.get(f"/chats/{cid}").text)


def test_members_choose_who_may_begin_a_chat_with_them(birds: Birds) -> None:
    (wren, wren_uid), (finch, finch_uid), (owl, owl_uid) = birds
    going = direct_id(wren_uid, finch_uid)
    assert send_message(finch, going, "before", key=key()).status_code == 303
    cases = (("followed", False, True), ("nobody", False, False), ("", True, True))
    for choice, stranger_may, followed_may in cases:
        wren.post("/settings/privacy", data={"chats_from": choice})
        assert f'selected value="{choice}"' in wren.get("/settings/privacy").text
        for sender, uid, may in ((owl, owl_uid, stranger_may), (finch, finch_uid, followed_may)):
            form = {"name": "Hedge", "kind": "private", "people": "@wren"}
            made = sender.post("/chats/new", data=form)
            assert made.status_code == (303 if may else 403), (choice, uid)
        assert send_message(finch, going, "goes on", key=key()).status_code == 303
    wren.post("/settings/privacy", data={"chats_from": "followed"})
    refused = send_message(owl, direct_id(wren_uid, owl_uid), "hello, stranger", key=key())
    assert refused.status_code == 403 and "You can’t message this member." in refused.text
    assert "hello, stranger" in refused.text, "the text comes back"
    answer = wren.post("/settings/privacy", data={"chats_from": "some"})
    assert answer.status_code == 422 and 'value="followed"' in answer.text


def test_who_left_and_is_added_again_at_once_must_accept(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = world.do(group, ann, [ben])
    chat_state.accept_request(world.db, ben, cid)
    membership.leave(world, ben, cid)
    world.do(membership.add, ann, cid, [ben])
    [entry] = world.db.read(listing.list_entries(ben))
    assert entry.request_state == "request"
