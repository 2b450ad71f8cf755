"""Rendered messages: link cards, groups of one author, both languages."""

import re

import pytest

from tests.support.chat_pages import Birds, message_list, send_message
from tests.support.world import Web
from webapp.accounts.tokens import store as tokens
from webapp.chat import reading
from webapp.chat.message_text import parse_message
from webapp.chat.messages.related import related_to
from webapp.chat.messages.rendering import Renderer
from webapp.statuses.quotes.links import find_linked_status

LIKE, HEART = "👍", "❤️"


def test_link_card_shows_only_the_host(birds: Birds, group_id: str) -> None:
    wren = birds.wren.client
    send_message(wren, group_id, "see https://example.org/hedge and example.org/hedge")
    page = wren.get(f"/chats/{group_id}").text
    assert page.count('class="link-card"') == 2
    assert "<b>example.org</b>" in page and 'rel="nofollow noopener ugc"' in page


@pytest.mark.parametrize(
    "text", ["http://ex℀mple.com/", "http://exam／ple.com", "https://exam／ple.com/@wren/1"]
)
def test_link_with_an_invalid_host_is_plain_text(
    text: str, birds: Birds, group_id: str, web: Web
) -> None:
    wren, wren_uid = birds.wren
    assert send_message(wren, group_id, f"see {text}").status_code == 303
    headers = {"Authorization": f"Bearer {tokens.create(web, wren_uid, 'script')}"}
    path = f"/api/chats/{group_id}/messages"
    response = web.app.test_client().post(path, json={"text": text}, headers=headers)
    assert response.status_code == 201
    page = birds.finch.client.get(f"/chats/{group_id}")
    assert page.status_code == 200 and page.text.count(text) >= 2 and "link-card" not in page.text
    chat_page = web.db.read(reading.open_page(wren_uid, group_id, size=2))
    related = web.db.read(related_to(chat_page.messages))
    rows = Renderer(web.app, "https://linnet.org")(
        chat_page.chat, chat_page.messages, related, "en"
    )
    assert all(text in row for row in rows)
    message = parse_message(f"{text} https://linnet.org/@wren/5", 2000)
    assert find_linked_status(message.entities, "linnet.org") == 5


def test_a_long_message_shows_its_first_lines_and_the_rest_in_place(
    birds: Birds, group_id: str
) -> None:
    wren = birds.wren.client
    send_message(wren, group_id, "a\nb\nc")
    assert "Show more" not in wren.get(f"/chats/{group_id}").text
    lines = "\n".join(f"line {number}" for number in range(16))
    send_message(wren, group_id, lines)
    page = wren.get(f"/chats/{group_id}").text
    assert page.count('class="message-text clamped"') == page.count("Show more") == 1
    assert lines in page


def test_a_message_names_its_language_if_its_text_tells(birds: Birds, group_id: str) -> None:
    for text in ("Where is the nest of the wren this year?", "鹪鹩在哪里筑巢", "ok"):
        send_message(birds.wren.client, group_id, text)
    page = message_list(birds.finch.client.get(f"/chats/{group_id}"))
    assert re.findall(r'dir="auto" lang="(.*?)"', page) == ["en", "zh", ""]


def test_consecutive_messages_of_one_author_are_joined(birds: Birds, group_id: str) -> None:
    wren, finch = birds.wren.client, birds.finch.client
    for client, text in ((wren, "one"), (wren, "two"), (finch, "three"), (finch, "four")):
        send_message(client, group_id, text)
    wren.post(f"/chats/{group_id}/read", data={"id": "4"})
    classes = re.findall(
        r'<li class="(message[^"]*)"', message_list(wren.get(f"/chats/{group_id}"))
    )
    assert classes == ["message mine", "message mine joined", "message", "message joined"]


def test_rendered_message_is_the_same_for_every_member(
    birds: Birds, group_id: str, web: Web
) -> None:
    (wren, wren_uid), (finch, _), _ = birds
    send_message(wren, group_id, "hello @finch")
    finch.post(f"/chats/{group_id}/messages/1/react", data={"emoji": LIKE})
    wren.post(f"/chats/{group_id}/messages/1/edit", data={"text": "hello, @finch"})
    page = web.db.read(reading.open_page(wren_uid, group_id, size=1))
    related = web.db.read(related_to(page.messages, page.parents))
    render = Renderer(web.app, "https://linnet.org")
    [english] = render(page.chat, page.messages, related, "en")
    [chinese] = render(page.chat, page.messages, related, "zh")
    assert ">edited<" in english and ">已编辑<" in chinese
    for html in (english, chinese):
        assert html.strip().startswith('<li class="message" id="m1"') and "token" not in html
        assert 'class="mention"' in html and 'aria-pressed="false"' in html
        assert f"/chats/{group_id}/messages/1/edit" not in html
        assert f'href="/chats/{group_id}?edit=1"' in html
        assert f'formaction="/chats/{group_id}/messages/1/delete"' in html
