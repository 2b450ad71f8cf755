"""Requests, muted and archived chats, read positions and their receipts."""

from dataclasses import replace
from itertools import takewhile

from redis import Redis

from tests.conftest import PASSWORD, make_app
from tests.support.chat import draft, fetch, key
from tests.support.chat_pages import Birds, chat_badge, message_texts, send_message
from tests.support.world import Web
from webapp.chat import reading
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.messages import sending
from webapp.config import Config

SEEN = 'data-words="Seen">'  # not followed by "hidden"


def test_pending_request_is_read_without_receipt_until_accepted(birds: Birds) -> None:
    (wren, wren_uid), _, (owl, owl_uid) = birds
    cid = direct_id(wren_uid, owl_uid)
    send_message(owl, cid, "hello, stranger")
    assert "stranger" not in wren.get("/chats").text
    assert "stranger" in wren.get("/chats/requests").text
    for path in ("/home", "/public", "/chats", "/chats/requests", f"/chats/{cid}"):
        assert chat_badge(wren.get(path)) == 1, path
    assert chat_badge(owl.get("/home")) == 0
    page = wren.get(f"/chats/{cid}")
    assert message_texts(page) == ["hello, stranger"] and "Accept" in page.text
    assert SEEN not in owl.get(f"/chats/{cid}").text
    for number in range(2):
        assert send_message(owl, cid, f"hello? {number}").status_code == 303
    refused = send_message(owl, cid, "one too many")
    assert refused.status_code == 409 and "They haven’t accepted yet." in refused.text
    assert "one too many" in refused.text
    assert wren.post(f"/chats/{cid}/accept").location == f"/chats/{cid}"
    assert "Accept" not in wren.get(f"/chats/{cid}").text
    assert chat_badge(wren.get("/home")) == 0
    assert SEEN in owl.get(f"/chats/{cid}").text
    assert send_message(owl, cid, "now").status_code == 303


def test_ignored_request_disappears_from_the_lists(birds: Birds) -> None:
    (wren, wren_uid), _, (owl, owl_uid) = birds
    cid = direct_id(wren_uid, owl_uid)
    send_message(owl, cid, "hello")
    assert wren.post(f"/chats/{cid}/ignore").status_code == 303
    send_message(owl, cid, "hello again")
    assert chat_badge(wren.get("/home")) == 0
    for path in ("/chats", "/chats/requests"):
        assert f'href="/chats/{cid}"' not in wren.get(path).text


def test_chat_is_muted_and_archived(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    assert finch.post(f"/chats/{group_id}/mute").status_code == 303
    send_message(wren, group_id, "hello")
    assert chat_badge(finch.get("/home")) == 0
    assert f'data-unread="{group_id}"><span>1<' in finch.get("/chats").text
    assert " data-muted" in finch.get(f"/chats/{group_id}").text
    assert " data-muted" not in wren.get(f"/chats/{group_id}").text
    send_message(wren, group_id, "hello again")
    finch.post(f"/chats/{group_id}/unmute")
    assert chat_badge(finch.get("/home")) == 1
    finch.get(f"/chats/{group_id}")
    assert finch.post(f"/chats/{group_id}/archive").location == "/chats"
    assert "Hedge" not in finch.get("/chats").text and "Hedge" in finch.get("/chats/archived").text
    send_message(wren, group_id, "come back")
    assert "Hedge" in finch.get("/chats").text
    assert finch.post("/chats/99/mute").status_code == 404


def test_read_position_only_moves_forward(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    for number in range(3):
        send_message(wren, group_id, f"note {number}")
    assert finch.post(f"/chats/{group_id}/read", data={"id": "2"}).status_code == 204
    assert finch.post(f"/chats/{group_id}/read", data={"id": "1"}).status_code == 204
    assert chat_badge(finch.get("/home")) == 1
    for wrong in ("", "x", "0"):
        assert finch.post(f"/chats/{group_id}/read", data={"id": wrong}).status_code == 422
    assert finch.post(f"/chats/{group_id}/typing").status_code == 204


def test_opening_a_chat_marks_trimmed_messages_as_read(
    birds: Birds, group_id: str, web: Web
) -> None:
    (wren, wren_uid), (finch, finch_uid), _ = birds
    form = {"name": "Hedge", "kind": "private", "retention": "fetched"}
    wren.post(f"/chats/{group_id}/settings", data=form)
    send_message(wren, group_id, "here and gone")
    for _ in range(2):
        for uid in (wren_uid, finch_uid):
            fetch(web, uid)
    assert chat_badge(finch.get("/home")) == 1
    page = finch.get(f"/chats/{group_id}")
    assert message_texts(page) == [] and chat_badge(page) == 0
    assert chat_badge(finch.get("/home")) == 0


def test_next_visit_completes_an_interrupted_mark_read(
    birds: Birds, group_id: str, web: Web
) -> None:
    (wren, _), (finch, finch_uid), _ = birds
    send_message(wren, group_id, "hello")
    web.db.run(chat_state.MARK_READ(cid=group_id, uid=finch_uid, message_id=1, quiet=0))
    assert chat_badge(finch.get("/home")) == 1
    finch.get(f"/chats/{group_id}")
    assert chat_badge(finch.get("/home")) == 0


def test_unlisted_request_is_read_without_receipt(settings: Config) -> None:
    web = Web(make_app(replace(settings, inline_projections=False)))
    wren, owl = web.people("wren", "owl")
    client, cid = web.client, direct_id(wren, owl)
    client.post("/login", data={"login": "wren", "password": PASSWORD})
    sending.send(web, owl, cid, draft("hello"), key())
    page = client.get(f"/chats/{cid}")
    assert message_texts(page) == ["hello"] and " data-waiting" in page.text
    assert client.post(f"/chats/{cid}/read", data={"id": "1"}).status_code == 204
    assert wren not in web.db.read(reading.open_page(owl, cid, size=1)).read_positions
    sending.send(web, wren, cid, draft("hello, owl"), key())  # accepts the request
    client.get(f"/chats/{cid}")
    assert web.db.read(reading.open_page(owl, cid, size=1)).read_positions[wren] == 2
    web.db.close()


def test_block_ends_read_receipts(birds: Birds, group_id: str, web: Web) -> None:
    (wren, wren_uid), (finch, finch_uid), _ = birds
    cid = direct_id(wren_uid, finch_uid)
    send_message(wren, cid, "one")
    for chat in (group_id, cid):
        finch.get(f"/chats/{chat}")
    page = wren.get(f"/chats/{cid}").text
    assert SEEN in page and "Seen by" not in page, "of two people, the other needs no name"
    for text in ("two", "three"):
        sending.send(web, wren_uid, cid, draft(text), key())
    web.block(wren_uid, "finch")
    with (
        Redis.from_url(web.config.store_url, decode_responses=True) as store,
        store.pubsub() as channel,
    ):
        channel.subscribe(chat_state.CHAT_CHANNEL)
        assert channel.get_message(timeout=10)["type"] == "subscribe"
        finch.post(f"/chats/{cid}/read", data={"id": "2"})
        finch.get(f"/chats/{cid}")
        chat_state.announce_typing(web.db, wren_uid, group_id)
        hints = (str(item["data"]) for item in channel.listen())
        received = list(takewhile(lambda hint: not hint.startswith("t "), hints))
    assert any(hint.startswith(f"b {finch_uid}") for hint in received), "for Finch's other pages"
    assert not any(hint.startswith("s ") for hint in received), "seen by"
    assert chat_badge(finch.get("/home")) == 0
    assert SEEN not in wren.get(f"/chats/{cid}").text
