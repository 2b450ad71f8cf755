"""The message forms: send, reply, edit, delete and react."""

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.support.chat_pages import (
    Birds,
    chat_badge,
    create_group,
    message_list,
    message_texts,
    send_message,
)
from tests.support.world import Web
from webapp.chat.ids import direct_id
from webapp.config import Rate

ClientWith = Callable[..., FlaskClient]
LIKE, HEART = "👍", "❤️"


def test_message_is_sent_shown_and_counted(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    response = send_message(wren, group_id, "hello")
    assert response.status_code == 303 and response.location == f"/chats/{group_id}#m1"
    assert chat_badge(finch.get("/home")) == 1 and chat_badge(wren.get("/home")) == 0
    page = finch.get(f"/chats/{group_id}")
    assert message_texts(page) == ["hello"]
    assert chat_badge(page) == 0
    assert 'id="new"' in message_list(page)
    assert chat_badge(finch.get("/home")) == 0
    assert 'id="new"' not in message_list(finch.get(f"/chats/{group_id}"))
    assert "Seen by <bdi" in wren.get(f"/chats/{group_id}").text


def test_resubmitted_form_sends_one_message(birds: Birds, group_id: str) -> None:
    wren = birds.wren.client
    for _ in range(3):
        assert send_message(wren, group_id, "once", key="a-key-of-a-form").location.endswith("#m1")
    assert message_texts(wren.get(f"/chats/{group_id}")) == ["once"]


def test_message_routes_return_json_on_request(birds: Birds, group_id: str) -> None:
    wren, headers = birds.wren.client, {"Accept": "application/json"}
    response = wren.post(f"/chats/{group_id}/messages", data={"text": "hello"}, headers=headers)
    assert response.status_code == 201 and response.json == {"id": 1}
    for action, form in (("react", {"emoji": LIKE}), ("edit", {"text": "bye"}), ("delete", {})):
        path = f"/chats/{group_id}/messages/1/{action}"
        assert wren.post(path, data=form, headers=headers).status_code == 204
    refused = wren.post(f"/chats/{group_id}/messages", data={"text": ""}, headers=headers)
    assert refused.status_code == 422 and "Write something first." in refused.text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Write something first."),
        ("x" * 2001, "1 character too long"),
        ("a\uffffb", "can’t be posted"),
    ],
)
def test_invalid_message_is_shown_again_unchanged(
    text: str, sentence: str, birds: Birds, group_id: str
) -> None:
    response = send_message(birds.wren.client, group_id, text)
    assert response.status_code == 422 and sentence in response.text
    assert text in response.text
    assert message_texts(birds.wren.client.get(f"/chats/{group_id}")) == []


def test_message_may_have_two_thousand_characters_of_any_script(
    birds: Birds, group_id: str
) -> None:
    address = "https://example.org/" + "a" * 1980
    texts = ["鸟" * 2000, "🐦" * 2000]
    for text in (*texts, address):
        assert send_message(birds.wren.client, group_id, text).status_code == 303
        refused = send_message(birds.wren.client, group_id, f"{text}b")
        assert refused.status_code == 422 and "1 character too long" in refused.text
    *shown, link = message_texts(birds.finch.client.get(f"/chats/{group_id}"))
    assert shown == texts and f'href="{address}"' in link


def test_rate_limited_message_keeps_its_text(client_with: ClientWith) -> None:
    client = client_with(limit_chat=Rate(2, 600))
    cid = create_group(client)
    for text in ("one", "two"):
        assert send_message(client, cid, text).status_code == 303
    response = send_message(client, cid, "two of two")
    assert response.status_code == 429 and "two of two" in response.text
    assert int(response.headers["Retry-After"]) > 0


def test_block_prevents_writing_and_keeps_the_history_visible(birds: Birds, web: Web) -> None:
    (wren, wren_uid), (finch, finch_uid), _ = birds
    cid = direct_id(wren_uid, finch_uid)
    send_message(wren, cid, "before")
    web.block(finch_uid, "wren")
    for client in (wren, finch):
        page = client.get(f"/chats/{cid}")
        assert "You can’t message each other." in page.text and 'name="text"' not in page.text
        assert message_texts(page) == ["before"]
        refused = send_message(client, cid, "after")
        assert refused.status_code == 403
        assert message_texts(client.get(f"/chats/{cid}")) == ["before"]


def test_only_the_author_edits_a_message(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    send_message(finch, group_id, "helo")
    edit_page = finch.get(f"/chats/{group_id}?edit=1")
    assert re.search(r">\s?helo</textarea>", edit_page.text.replace("\r", ""))
    assert wren.get(f"/chats/{group_id}?edit=1").status_code == 403
    assert wren.post(f"/chats/{group_id}/messages/1/edit", data={"text": "mine"}).status_code == 403
    empty = finch.post(f"/chats/{group_id}/messages/1/edit", data={"text": " "})
    assert empty.status_code == 422 and "Write something first." in empty.text
    form = {"text": "hello", "next": f"/chats/{group_id}?before=9"}
    edited = finch.post(f"/chats/{group_id}/messages/1/edit", data=form)
    assert edited.location == f"/chats/{group_id}?before=9#m1"
    page = wren.get(f"/chats/{group_id}")
    assert message_texts(page) == ["hello"] and ">edited<" in page.text
    assert finch.post(f"/chats/{group_id}/messages/1/delete").status_code == 303
    page = wren.get(f"/chats/{group_id}")
    assert message_texts(page) == ["Message deleted"] and "hello" not in page.text
    assert finch.get(f"/chats/{group_id}?edit=1").status_code == 404
    assert finch.post(f"/chats/{group_id}/messages/1/edit", data={"text": "x"}).status_code == 404


def test_owner_deletes_messages_of_other_members(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    send_message(finch, group_id, "rude")
    send_message(wren, group_id, "kind")
    assert "data-owner" in wren.get(f"/chats/{group_id}").text
    assert "data-owner" not in finch.get(f"/chats/{group_id}").text
    assert wren.post(f"/chats/{group_id}/messages/1/delete").status_code == 303
    assert finch.post(f"/chats/{group_id}/messages/2/delete").status_code == 403
    assert message_texts(wren.get(f"/chats/{group_id}")) == ["Message deleted", "kind"]


def test_redirect_stays_within_the_chat(birds: Birds, group_id: str) -> None:
    wren = birds.wren.client
    send_message(wren, group_id, "hello")
    for back in ("https://example.org/", "//example.org", "/home", "/chats/99", "\\x", ""):
        form = {"emoji": LIKE, "next": back}
        response = wren.post(f"/chats/{group_id}/messages/1/react", data=form)
        assert response.location == f"/chats/{group_id}#m1", back


def test_reaction_is_exactly_one_emoji(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    send_message(wren, group_id, "hello")
    path = f"/chats/{group_id}/messages/1"
    for client, emoji in ((wren, LIKE), (finch, LIKE), (finch, "❤")):
        assert client.post(f"{path}/react", data={"emoji": emoji}).status_code == 303
    page = finch.get(f"/chats/{group_id}").text
    reactions = re.findall(
        r'class="reaction"[^>]*value="(.+?)" aria-pressed="(\w+)"[^>]*><span>.+?</span> (\d)', page
    )
    assert sorted(reactions) == sorted([(LIKE, "true", "2"), (HEART, "true", "1")])
    assert sorted(re.findall(r'title="(You[^"]*)"', page)) == ["You", "You, Wren"]
    assert finch.post(f"{path}/unreact", data={"emoji": LIKE}).status_code == 303
    button = f'/messages/1/react" name="emoji" value="{LIKE}" aria-pressed="false"'
    assert button in finch.get(f"/chats/{group_id}").text
    for wrong in ("", "x", LIKE * 2, "<b>", "1"):
        response = finch.post(f"{path}/react", data={"emoji": wrong})
        assert response.status_code == 422 and "That isn’t an emoji." in response.text, wrong
    assert finch.get(f"/chats/{group_id}?react=1").status_code == 200
    assert finch.get(f"/chats/{group_id}?react=9").status_code == 404


def test_reply_quotes_its_parent_and_links_to_it(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    send_message(wren, group_id, "who sings?")
    form = finch.get(f"/chats/{group_id}?reply=1").text
    assert "Reply to Wren" in form and 'name="reply" type="hidden" value="1"' in form
    send_message(finch, group_id, "I do", reply="1")
    page = wren.get(f"/chats/{group_id}").text
    assert f'href="/chats/{group_id}?around=1#m1" data-quote="1"' in page
    assert page.count("who sings?") >= 2
    wren.post(f"/chats/{group_id}/messages/1/delete")
    assert "who sings?" not in finch.get(f"/chats/{group_id}").text
    assert finch.get(f"/chats/{group_id}?reply=7").status_code == 404


def test_reply_to_a_deleted_message_comes_back_as_a_plain_message(
    birds: Birds, group_id: str
) -> None:
    wren = birds.wren.client
    send_message(wren, group_id, "a question")
    wren.post(f"/chats/{group_id}/messages/1/delete")
    response = send_message(wren, group_id, "an answer", reply="1")
    assert response.status_code == 404 and "an answer" in response.text
    assert "This message doesn’t exist or was deleted." in response.text
    assert 'name="reply" type="hidden" value=""' in response.text
