"""The pages of chats: what they show, what may be done on them, and what is refused."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image
from redis import Redis

from tests.conftest import make_app
from tests.support import worker
from tests.support.chat import draft, fetch, key, say
from webapp.accounts import registration
from webapp.accounts import store as accounts
from webapp.accounts.tokens import store as tokens
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import groups
from webapp.chat.messages import reading, sending
from webapp.chat.messages.message_text import find_linked_status, parse_emoji, parse_message
from webapp.chat.messages.related import related_to
from webapp.chat.messages.rendering import Renderer
from webapp.chat.models import Card
from webapp.config import Config, Rate
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.following.blocks import store as blocks
from webapp.statuses.store import post

Join = Callable[[str], FlaskClient]
LIKE, HEART = "👍", "❤️"


@pytest.fixture
def site(app: Flask) -> Db:
    """The store of the app."""
    db: Db = app.extensions["linnet.db"]
    return db


@pytest.fixture
def birds(member: Join, site: Db) -> dict[str, Any]:
    """Wren and Finch, who follow each other, and Owl; their browsers and ids."""
    browsers = {name: member(name) for name in ("wren", "finch", "owl")}
    browsers["wren"].post("/@finch/follow")
    browsers["finch"].post("/@wren/follow")
    return {
        name: (browser, site.read(accounts.uid_by_login(name)))
        for name, browser in browsers.items()
    }


@pytest.fixture
def hedge(birds: dict[str, Any], settings: Config, site: Db) -> str:
    """A group of Wren's with Finch."""
    answer = birds["wren"][0].post(
        "/chats/new", data={"name": "Hedge", "people": "@finch", "kind": "private"}
    )
    assert answer.status_code == 303
    return str(re.fullmatch(r"/chats/(\d+)", answer.location)[1])  # type: ignore[index]


def write(client: FlaskClient, cid: str, text: str, **more: Any) -> Any:
    """Sends a message by the form."""
    return client.post(
        f"/chats/{cid}/messages", data={"text": text, **more}, content_type="multipart/form-data"
    )


def shown(answer: Any) -> list[str]:
    """What the messages of a page say, in their order."""
    return re.findall(r'<p class="message-text[^>]*>(.*?)</p>', messages(answer), re.DOTALL)


def messages(answer: Any) -> str:
    """The messages of a page, without what is around them; nothing on other pages."""
    found = re.search(r'<ol class="messages".*?</ol>', answer.text, re.DOTALL)
    return found[0] if found else ""


def badge(answer: Any) -> int:
    """The number at the link to the chats."""
    number = re.search(r'data-badge="chats"[^>]*><span>(\d+)<', answer.text)
    assert number
    return int(number[1])


def picture(size: tuple[int, int] = (300, 200), colour: str = "#b45") -> io.BytesIO:
    data = io.BytesIO()
    Image.new("RGB", size, colour).save(data, "PNG")
    data.seek(0)
    return data


def test_a_visitor_is_asked_to_sign_in(client: FlaskClient) -> None:
    for path in (
        "/chats",
        "/chats/new",
        "/chats/1",
        "/chats/@wren",
        "/chats/1/pictures/1-x.webp",
        "/chats/join/1.x",
    ):
        answer = client.get(path)
        assert answer.status_code == 303 and answer.location.startswith("/login"), path


def test_a_group_is_made_with_people_and_a_first_message(birds: dict[str, Any]) -> None:
    form = {
        "name": "Hedge",
        "topic": "Seeds",
        "people": "@finch, owl",
        "kind": "private",
        "text": "Welcome @finch",
    }
    answer = birds["wren"][0].post("/chats/new", data=form)
    assert answer.status_code == 303
    page = birds["finch"][0].get(answer.location)
    assert "Hedge" in page.text and "Seeds" in page.text and "3 people" in page.text
    assert 'class="mention mention-me"' in page.text
    assert "Welcome" in birds["finch"][0].get("/chats").text
    assert "Hedge" not in birds["owl"][0].get("/chats").text, "who does not follow Wren is asked"
    assert "Hedge" in birds["owl"][0].get("/chats/requests").text


def test_a_group_form_sent_twice_makes_one_group(birds: dict[str, Any]) -> None:
    form = {"name": "Hedge", "kind": "private", "key": "one-form-sent-twice"}
    assert len({birds["wren"][0].post("/chats/new", data=form).location for _ in range(2)}) == 1
    assert birds["wren"][0].get("/chats").text.count('class="chat-row"') == 1


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"name": " "}, "Give the group a name."),
        ({"name": "x" * 61}, "the limit is 60"),
        ({"topic": "x" * 201}, "the limit is 200"),
        ({"people": "@nobody"}, "No member with that name: @nobody"),
        ({"text": "x" * 2001}, "1 character too long"),
        ({"kind": "secret"}, "Not a valid choice"),
    ],
)
def test_a_group_that_cannot_be_made_comes_back_with_the_reason(
    form: dict[str, str], sentence: str, birds: dict[str, Any]
) -> None:
    answer = birds["wren"][0].post(
        "/chats/new", data={"name": "Hedge", "kind": "private", "topic": "Seeds", **form}
    )
    assert answer.status_code == 422 and sentence in answer.text
    assert "topic" in form or "Seeds" in answer.text


def test_a_message_is_sent_shown_and_counted(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _) = birds["wren"], birds["finch"]
    answer = write(wren, hedge, "hello")
    assert answer.status_code == 303 and answer.location == f"/chats/{hedge}#m1"
    assert badge(finch.get("/home")) == 1 and badge(wren.get("/home")) == 0
    page = finch.get(f"/chats/{hedge}")
    assert shown(page) == ["hello"] and badge(page) == 0 and 'id="new"' in messages(page)
    assert badge(finch.get("/home")) == 0
    assert 'id="new"' not in messages(finch.get(f"/chats/{hedge}"))
    assert "Seen by <bdi" in wren.get(f"/chats/{hedge}").text


def test_the_same_form_sends_one_message(birds: dict[str, Any], hedge: str) -> None:
    wren = birds["wren"][0]
    for _ in range(3):
        assert write(wren, hedge, "once", key="a-key-of-a-form").location.endswith("#m1")
    assert shown(wren.get(f"/chats/{hedge}")) == ["once"]


def test_a_script_is_answered_in_json(birds: dict[str, Any], hedge: str) -> None:
    wren, headers = birds["wren"][0], {"Accept": "application/json"}
    answer = wren.post(f"/chats/{hedge}/messages", data={"text": "hello"}, headers=headers)
    assert answer.status_code == 201 and answer.json == {"id": 1}
    for act, form in (("react", {"emoji": LIKE}), ("edit", {"text": "bye"}), ("delete", {})):
        assert (
            wren.post(f"/chats/{hedge}/messages/1/{act}", data=form, headers=headers).status_code
            == 204
        )
    refused = wren.post(f"/chats/{hedge}/messages", data={"text": ""}, headers=headers)
    assert refused.status_code == 422 and "Write something first." in refused.text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Write something first."),
        ("x" * 2001, "1 character too long"),
        ("a\uffffb", "can’t be posted"),
    ],
)
def test_a_message_that_cannot_be_sent_comes_back_as_it_was(
    text: str, sentence: str, birds: dict[str, Any], hedge: str
) -> None:
    answer = write(birds["wren"][0], hedge, text)
    assert answer.status_code == 422 and sentence in answer.text
    assert text in answer.text and shown(birds["wren"][0].get(f"/chats/{hedge}")) == []


def test_two_thousand_characters_of_any_script_fit(birds: dict[str, Any], hedge: str) -> None:
    for text in ("鸟" * 2000, "🐦" * 2000, "https://example.org/" + "a" * 1980):
        assert write(birds["wren"][0], hedge, text).status_code == 303


def test_too_many_messages_are_put_off_and_the_text_is_kept(settings: Config, member: Join) -> None:
    app = make_app(replace(settings, limit_chat=Rate(2, 600)))
    client = app.test_client()
    client.post(
        "/signup", data={"login": "wren", "name": "Wren", "password": "correct horse battery"}
    )
    cid = client.post("/chats/new", data={"name": "Hedge", "kind": "private"}).location.split("/")[
        -1
    ]
    for text in ("one", "two"):
        assert write(client, cid, text).status_code == 303
    answer = write(client, cid, "two of two")
    assert (
        answer.status_code == 429
        and "two of two" in answer.text
        and int(answer.headers["Retry-After"]) > 0
    )
    app.extensions["linnet.db"].close()


def test_who_does_not_belong_sees_and_does_nothing(birds: dict[str, Any], hedge: str) -> None:
    wren, owl = birds["wren"][0], birds["owl"][0]
    write(wren, hedge, "a secret")
    for path in ("", "/people", "/settings", "/pictures/1-" + "0" * 32 + ".webp"):
        answer = owl.get(f"/chats/{hedge}{path}")
        assert (
            answer.status_code == 404
            and "Hedge" not in answer.text
            and "a secret" not in answer.text
        ), path
    for path in (
        "/messages",
        "/messages/1/edit",
        "/messages/1/delete",
        "/messages/1/react",
        "/report",
        "/invites",
    ):
        form = {"text": "x", "emoji": LIKE, "uses": "1", "hours": "24"}
        assert owl.post(f"/chats/{hedge}{path}", data=form).status_code == 404, path
    for path in ("/delete", "/people/promote", "/people/remove"):
        assert (
            owl.post(f"/chats/{hedge}{path}", data={"uid": birds["wren"][1]}).status_code == 404
        ), path
    assert shown(wren.get(f"/chats/{hedge}")) == ["a secret"]


def test_a_private_group_looks_to_others_as_if_there_were_none(
    birds: dict[str, Any], hedge: str
) -> None:
    owl, none = birds["owl"][0], str(int(hedge) + 90)
    write(birds["wren"][0], hedge, "a secret")

    def told(cid: str, path: str, **form: str) -> tuple[int, str, list[str]]:
        answer = (
            owl.post(f"/chats/{cid}{path}", data=form) if form else owl.get(f"/chats/{cid}{path}")
        )
        assert cid == none or ("Hedge" not in answer.text and "secret" not in answer.text)
        said = re.findall(r"<(?:h1|p)>.*?</", answer.text)
        return answer.status_code, (answer.location or "").replace(f"/chats/{cid}", "#"), said

    form = {
        "text": "x",
        "emoji": LIKE,
        "uses": "1",
        "hours": "24",
        "uid": str(birds["finch"][1]),
        "people": "finch",
    }
    acts = [
        f"/messages{path}"
        for path in ("", *(f"/{n}/{act}" for n in (1, 2) for act in ("edit", "delete", "react")))
    ]
    acts += [
        "/report",
        "/invites",
        "/delete",
        "/leave",
        "/join",
        "/read",
        "/typing",
        "/mute",
        "/accept",
        "/ignore",
    ]
    acts += [f"/people/{act}" for act in ("add", "remove", "promote")]
    for path in acts:
        assert told(hedge, path, id="1", **form) == told(none, path, id="1", **form), path
    for path in (
        "",
        "/people",
        "/settings",
        "?edit=1",
        f"/pictures/1-{'0' * 32}.webp",
        f"/pictures/{'0' * 32}.webp",
    ):
        assert told(hedge, path) == told(none, path), path


@pytest.mark.parametrize("cid", ["0", "x", "99", "1-1", "2-1", "01", "1.5", "9" * 20, "-"])
def test_a_chat_that_is_none_is_not_found(cid: str, birds: dict[str, Any]) -> None:
    wren = birds["wren"][0]
    assert wren.get(f"/chats/{cid}").status_code == 404
    assert write(wren, cid, "hello").status_code == 404


def test_nobody_learns_of_a_chat_of_two_others(birds: dict[str, Any]) -> None:
    (wren, wid), (_, fid), (owl, _) = birds.values()
    cid = direct_id(wid, fid)
    before = owl.get(f"/chats/{cid}")
    write(wren, cid, "just us")
    after = owl.get(f"/chats/{cid}")
    assert before.status_code == after.status_code == 404
    assert write(owl, cid, "me too").status_code == 404


def test_a_direct_chat_begins_with_its_first_message(birds: dict[str, Any]) -> None:
    (wren, wid), (finch, fid), _ = birds.values()
    opened = wren.get("/chats/@finch")
    assert opened.status_code == 303 and opened.location == f"/chats/{direct_id(wid, fid)}"
    page = wren.get(opened.location)
    assert page.status_code == 200 and "Nothing has been written here yet." in page.text
    assert "Finch" not in wren.get("/chats").text
    assert write(wren, direct_id(wid, fid), "hello").status_code == 303
    assert finch.get("/chats/@wren").location == opened.location
    assert "hello" in finch.get("/chats").text
    assert (
        wren.get("/chats/@wren").status_code == 422
        and wren.get("/chats/@nobody").status_code == 404
    )


def test_a_request_waits_is_accepted_and_tells_nobody_that_it_was_read(
    birds: dict[str, Any],
) -> None:
    (wren, wid), _, (owl, oid) = birds.values()
    cid = direct_id(wid, oid)
    write(owl, cid, "hello, stranger")
    assert badge(wren.get("/home")) == 0 and "stranger" not in wren.get("/chats").text
    assert "stranger" in wren.get("/chats/requests").text
    page = wren.get(f"/chats/{cid}")
    assert shown(page) == ["hello, stranger"] and "Accept" in page.text
    assert "Seen by <bdi" not in owl.get(f"/chats/{cid}").text
    for number in range(2):
        assert write(owl, cid, f"hello? {number}").status_code == 303
    refused = write(owl, cid, "one too many")
    assert refused.status_code == 409 and "They haven’t answered yet." in refused.text
    assert "one too many" in refused.text
    assert wren.post(f"/chats/{cid}/accept").location == f"/chats/{cid}"
    assert "Accept" not in wren.get(f"/chats/{cid}").text
    assert "Seen by <bdi" in owl.get(f"/chats/{cid}").text
    assert write(owl, cid, "now").status_code == 303


def test_an_ignored_request_is_heard_of_no_more(birds: dict[str, Any]) -> None:
    (wren, wid), _, (owl, oid) = birds.values()
    cid = direct_id(wid, oid)
    write(owl, cid, "hello")
    assert wren.post(f"/chats/{cid}/ignore").status_code == 303
    write(owl, cid, "hello again")
    assert badge(wren.get("/home")) == 0
    assert all(
        f'href="/chats/{cid}"' not in wren.get(path).text for path in ("/chats", "/chats/requests")
    )


def test_nobody_writes_across_a_block(birds: dict[str, Any], settings: Config, site: Db) -> None:
    (wren, wid), (finch, fid), _ = birds.values()
    cid = direct_id(wid, fid)
    write(wren, cid, "before")
    blocks.block(site, settings, fid, "wren")
    for client in (wren, finch):
        page = client.get(f"/chats/{cid}")
        assert "You cannot write to each other." in page.text and 'name="text"' not in page.text
        assert shown(page) == ["before"]
        refused = write(client, cid, "after")
        assert refused.status_code == 403 and shown(client.get(f"/chats/{cid}")) == ["before"]


def test_an_author_edits_and_deletes_and_others_do_not(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    write(finch, hedge, "helo")
    edit = finch.get(f"/chats/{hedge}?edit=1")
    assert ">\nhelo</textarea>" in edit.text.replace("\r", "") or ">helo</textarea>" in edit.text
    assert wren.get(f"/chats/{hedge}?edit=1").status_code == 403
    assert wren.post(f"/chats/{hedge}/messages/1/edit", data={"text": "mine"}).status_code == 403
    empty = finch.post(f"/chats/{hedge}/messages/1/edit", data={"text": " "})
    assert empty.status_code == 422 and "Write something first." in empty.text
    back = {"text": "hello", "next": f"/chats/{hedge}?before=9"}
    assert (
        finch.post(f"/chats/{hedge}/messages/1/edit", data=back).location
        == f"/chats/{hedge}?before=9#m1"
    )
    page = wren.get(f"/chats/{hedge}")
    assert shown(page) == ["hello"] and ">edited<" in page.text
    assert finch.post(f"/chats/{hedge}/messages/1/delete").status_code == 303
    page = wren.get(f"/chats/{hedge}")
    assert shown(page) == ["Message deleted"] and "hello" not in page.text
    assert finch.get(f"/chats/{hedge}?edit=1").status_code == 404
    assert finch.post(f"/chats/{hedge}/messages/1/edit", data={"text": "x"}).status_code == 404


def test_an_owner_deletes_what_another_wrote(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    write(finch, hedge, "rude")
    write(wren, hedge, "kind")
    assert (
        "data-owner" in wren.get(f"/chats/{hedge}").text
        and "data-owner" not in finch.get(f"/chats/{hedge}").text
    )
    assert wren.post(f"/chats/{hedge}/messages/1/delete").status_code == 303
    assert finch.post(f"/chats/{hedge}/messages/2/delete").status_code == 403
    assert shown(wren.get(f"/chats/{hedge}")) == ["Message deleted", "kind"]


def test_no_page_but_the_chat_is_gone_back_to(birds: dict[str, Any], hedge: str) -> None:
    wren = birds["wren"][0]
    write(wren, hedge, "hello")
    for back in ("https://example.org/", "//example.org", "/home", "/chats/99", "\\x", ""):
        answer = wren.post(f"/chats/{hedge}/messages/1/react", data={"emoji": LIKE, "next": back})
        assert answer.location == f"/chats/{hedge}#m1", back


def test_members_react_with_one_emoji_at_a_time(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    write(wren, hedge, "hello")
    for client, emoji in ((wren, LIKE), (finch, LIKE), (finch, "❤")):
        assert (
            client.post(f"/chats/{hedge}/messages/1/react", data={"emoji": emoji}).status_code
            == 303
        )
    page = finch.get(f"/chats/{hedge}").text
    found = re.findall(
        r'class="reaction"[^>]*value="(.+?)" aria-pressed="(\w+)"[^>]*><span>.+?</span> (\d)', page
    )
    assert sorted(found) == sorted([(LIKE, "true", "2"), (HEART, "true", "1")])
    assert finch.post(f"/chats/{hedge}/messages/1/unreact", data={"emoji": LIKE}).status_code == 303
    assert (
        f'/messages/1/react" name="emoji" value="{LIKE}" aria-pressed="false"'
        in finch.get(f"/chats/{hedge}").text
    )
    for wrong in ("", "x", LIKE * 2, "<b>", "1"):
        answer = finch.post(f"/chats/{hedge}/messages/1/react", data={"emoji": wrong})
        assert answer.status_code == 422 and "That isn’t an emoji." in answer.text, wrong
    assert finch.get(f"/chats/{hedge}?react=1").status_code == 200
    assert finch.get(f"/chats/{hedge}?react=9").status_code == 404


def test_a_reply_shows_what_it_answers_and_leads_there(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    write(wren, hedge, "who sings?")
    form = finch.get(f"/chats/{hedge}?reply=1").text
    assert "Reply to Wren" in form and 'name="reply" type="hidden" value="1"' in form
    write(finch, hedge, "I do", reply="1")
    page = wren.get(f"/chats/{hedge}").text
    assert (
        f'href="/chats/{hedge}?around=1#m1" data-quote="1"' in page
        and page.count("who sings?") >= 2
    )
    wren.post(f"/chats/{hedge}/messages/1/delete")
    assert "who sings?" not in finch.get(f"/chats/{hedge}").text
    assert finch.get(f"/chats/{hedge}?reply=7").status_code == 404


def test_pages_go_both_ways_and_begin_at_what_is_new(
    birds: dict[str, Any], hedge: str, settings: Config, site: Db
) -> None:
    (wren, _), (_, fid), _ = birds.values()
    say(site, settings, fid, hedge, *(f"note {number}" for number in range(1, 131)))
    worker.drain(site, settings)
    plain = wren.get(f"/chats/{hedge}")
    assert plain.status_code == 303 and plain.location == f"/chats/{hedge}?unread=1#new"
    first = wren.get(plain.location)
    assert (
        shown(first)[0] == "note 1"
        and 'id="new"' in messages(first)
        and badge(first) == 130 - len(shown(first))
    )
    found, link = shown(first), re.search(r'rel="next" href="([^"]+)"', first.text)
    while link:
        page = wren.get(link[1])
        found, link = found + shown(page), re.search(r'rel="next" href="([^"]+)"', page.text)
    assert found == [f"note {number}" for number in range(1, 131)] and badge(page) == 0
    newest = wren.get(f"/chats/{hedge}")
    found, link = shown(newest), re.search(r'rel="prev" href="([^"]+)"', newest.text)
    assert len(found) == 50
    while link:
        page = wren.get(link[1])
        found, link = shown(page) + found, re.search(r'rel="prev" href="([^"]+)"', page.text)
    assert found == [f"note {number}" for number in range(1, 131)]
    assert "note 65" in shown(wren.get(f"/chats/{hedge}?around=65"))


def test_the_newest_may_be_asked_for_past_what_is_new(
    birds: dict[str, Any], hedge: str, settings: Config, site: Db
) -> None:
    (wren, _), (_, fid), _ = birds.values()
    say(site, settings, fid, hedge, *(f"note {number}" for number in range(80)))
    worker.drain(site, settings)
    assert shown(wren.get(f"/chats/{hedge}?newest=1"))[-1] == "note 79"


def test_a_day_leads_to_what_was_written_then(birds: dict[str, Any], hedge: str) -> None:
    wren = birds["wren"][0]
    write(wren, hedge, "hello")
    assert shown(wren.get(f"/chats/{hedge}?date=2020-01-01")) == ["hello"]
    later = wren.get(f"/chats/{hedge}?date=2100-01-01")
    assert later.status_code == 303 and later.location == f"/chats/{hedge}?newest=1"
    assert "No messages since that day." in wren.get(later.location).text
    for wrong in ("", "x", "2020-13-01", "20200101"):
        assert wren.get(f"/chats/{hedge}?date={wrong}").status_code == 422, wrong


@pytest.mark.parametrize(
    "query", ["before=x", "before=0", "after=-1", "around=1e3", "before=", "around=%00"]
)
def test_a_cursor_that_is_none_is_refused(query: str, birds: dict[str, Any], hedge: str) -> None:
    assert birds["wren"][0].get(f"/chats/{hedge}?{query}").status_code == 422


def test_a_picture_is_kept_whole_and_shown_to_members_alone(
    birds: dict[str, Any], hedge: str, settings: Config, client: FlaskClient
) -> None:
    (wren, _), (finch, _), (owl, _) = birds.values()
    answer = write(
        wren, hedge, "", pictures=(picture((3200, 800)), "x.png"), alt="A hedge\nat dawn"
    )
    assert answer.status_code == 303
    page = finch.get(f"/chats/{hedge}").text
    found = re.search(
        r'<img src="(/chats/\d+/pictures/1-[0-9a-f]{32}\.webp)" width="(\d+)" height="(\d+)" alt="(.+?)"',
        page,
    )
    assert found and found[4] == "A hedge at dawn" and int(found[2]) == 4 * int(found[3])
    sent = finch.get(found[1])
    assert sent.content_type == "image/webp" and "private" in sent.headers["Cache-Control"]
    assert Image.open(io.BytesIO(sent.data)).size == (1600, 400)
    assert owl.get(found[1]).status_code == 404 and client.get(found[1]).status_code == 303
    name = found[1].rpartition("/")[2].partition("-")[2]
    for path in (f"/media/chat/{name}", f"/media/chat/{hedge}/{name}", f"/media/{hedge}/{name}"):
        assert client.get(path).status_code == 404
    for other in (
        f"2-{name}",
        f"1-{'0' * 32}.webp",
        name,
        f"1-{name}.png",
        f"1-../{name}",
        "1-.webp",
        "x-y.webp",
    ):
        assert finch.get(f"/chats/{hedge}/pictures/{other}").status_code == 404, other
    wren.post(f"/chats/{hedge}/messages/1/delete")
    assert finch.get(found[1]).status_code == 404
    assert not list((settings.media_path / "chat").rglob("*.webp"))


def test_a_newcomer_sees_no_picture_from_before(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), _, (owl, _) = birds.values()
    write(wren, hedge, "", pictures=(picture(), "x.png"))
    path = re.search(r'src="(/chats/\d+/pictures/[^"]+)"', wren.get(f"/chats/{hedge}").text)
    assert (
        path and wren.post(f"/chats/{hedge}/people/add", data={"people": "owl"}).status_code == 303
    )
    write(wren, hedge, "welcome")
    assert shown(owl.get(f"/chats/{hedge}")) == ["welcome"]
    assert owl.get(path[1]).status_code == 404 and wren.get(path[1]).status_code == 200


def test_pictures_that_cannot_be_sent_leave_nothing(
    birds: dict[str, Any], hedge: str, settings: Config
) -> None:
    (wren, _), _, (owl, _) = birds.values()

    def kept() -> list[Path]:
        return list(settings.media_path.rglob("chat/**/*.webp"))

    broken = write(wren, hedge, "look", pictures=(io.BytesIO(b"no picture"), "x.png"))
    assert (
        broken.status_code == 422
        and "We can’t read that picture." in broken.text
        and "look" in broken.text
    )
    many = write(wren, hedge, "", pictures=[(picture(colour=f"#{n}00"), "x.png") for n in range(5)])
    assert many.status_code == 422 and "at most 4 pictures" in many.text
    half = write(wren, hedge, "", pictures=[(picture(), "x.png"), (io.BytesIO(b"x"), "y.png")])
    assert half.status_code == 422
    assert write(owl, hedge, "", pictures=(picture(), "x.png")).status_code == 404
    assert write(wren, hedge, "x" * 2001, pictures=(picture(), "x.png")).status_code == 422
    assert kept() == [] and shown(wren.get(f"/chats/{hedge}")) == []
    four = [(picture(colour=f"#{n}00"), "x.png") for n in range(4)]
    for _ in range(2):
        for file, _name in four:
            file.seek(0)
        again = [(io.BytesIO(file.getvalue()), name) for file, name in four]
        assert write(wren, hedge, "", pictures=again, key="the-same-form").location.endswith("#m1")
    assert len(kept()) == 4
    others = write(wren, hedge, "", pictures=(picture(colour="#0a0"), "x.png"), key="the-same-form")
    assert others.location.endswith("#m1") and len(kept()) == 4
    half = [(picture(colour="#000"), "x.png"), (io.BytesIO(b"x"), "y.png")]
    assert (
        write(wren, hedge, "", pictures=half, key="the-same-form").status_code == 422
        and len(kept()) == 4
    )


def test_pictures_for_whom_one_cannot_write_to_are_not_kept(
    birds: dict[str, Any], hedge: str, settings: Config, site: Db
) -> None:
    (wren, wid), (finch, fid), _ = birds.values()
    cid = direct_id(wid, fid)
    blocks.block(site, settings, wid, "finch")
    wren.post(
        f"/chats/{hedge}/settings",
        data={"name": "Hedge", "kind": "announcement", "keep": "history"},
    )
    for chat in (cid, hedge):
        refused = write(finch, chat, "look", pictures=(picture(), "x.png"))
        assert refused.status_code == 403, chat
    assert not list(settings.media_path.rglob("chat/**/*.webp"))


def test_pictures_have_a_rate_of_their_own(settings: Config) -> None:
    app = make_app(replace(settings, limit_pictures=Rate(1, 600)))
    client = app.test_client()
    client.post(
        "/signup", data={"login": "wren", "name": "Wren", "password": "correct horse battery"}
    )
    cid = client.post("/chats/new", data={"name": "Hedge", "kind": "private"}).location.split("/")[
        -1
    ]
    assert write(client, cid, "", pictures=(picture(), "x.png")).status_code == 303
    answer = write(client, cid, "two of two", pictures=(picture(), "x.png"))
    assert (
        answer.status_code == 429
        and "two of two" in answer.text
        and int(answer.headers["Retry-After"]) > 0
    )
    assert write(client, cid, "words alone").status_code == 303
    app.extensions["linnet.db"].close()


def test_making_groups_and_adding_people_have_a_rate_of_their_own(settings: Config) -> None:
    app = make_app(replace(settings, limit_group=Rate(1, 600)))
    client = app.test_client()
    client.post(
        "/signup", data={"login": "wren", "name": "Wren", "password": "correct horse battery"}
    )
    form = {"name": "Hedge", "kind": "private", "people": "@nobody"}
    assert client.post("/chats/new", data={**form, "name": ""}).status_code == 422, (
        "which is not counted"
    )
    made = client.post("/chats/new", data={**form, "people": ""})
    assert made.status_code == 303
    # Whether there is anybody of a name is not told beyond the rate.
    for path in ("/chats/new", f"{made.location}/people/add"):
        answer = client.post(path, data=form)
        assert answer.status_code == 429 and int(answer.headers["Retry-After"]) > 0, path
        assert "@nobody" in answer.text and "No member with that name" not in answer.text, path
    app.extensions["linnet.db"].close()


def test_a_post_is_sent_on_as_a_card(
    birds: dict[str, Any], hedge: str, settings: Config, site: Db, app: Flask
) -> None:
    (wren, _), (finch, fid), _ = birds.values()
    app.extensions["linnet.config"] = replace(settings, site_url="https://linnet.org")
    number = post(site, settings, fid, parse("a song of mine", 280), "form-0001")
    worker.drain(site, settings)
    assert f"/chats/forward?status={number}" in wren.get(f"/@finch/{number}").text
    page = wren.get(f"/chats/forward?status={number}").text
    assert "a song of mine" in page and f'formaction="/chats/{hedge}/messages"' in page
    assert write(wren, hedge, "", status=str(number)).status_code == 303
    assert write(wren, hedge, f"see https://linnet.org/@finch/{number}").status_code == 303
    assert finch.get(f"/chats/{hedge}").text.count('class="post-card"') == 2
    finch.post(f"/statuses/{number}/delete")
    page = wren.get(f"/chats/{hedge}").text
    assert page.count("This post is not available.") == 2 and "a song of mine" not in page
    assert write(wren, hedge, "", status=str(number)).status_code == 404
    assert write(wren, hedge, f"see https://linnet.org/@finch/{number}").status_code == 303
    for wrong in ("x", "", "0"):
        assert wren.get(f"/chats/forward?status={wrong}").status_code == 404


def test_a_link_shows_its_host_and_nothing_is_fetched(birds: dict[str, Any], hedge: str) -> None:
    wren = birds["wren"][0]
    write(wren, hedge, "see https://example.org/hedge and example.org/hedge")
    page = wren.get(f"/chats/{hedge}").text
    assert (
        page.count('class="link-card"') == 2
        and "<b>example.org</b>" in page
        and 'rel="nofollow noopener ugc"' in page
    )


@pytest.mark.parametrize(
    "text", ["http://ex℀mple.com/", "http://exam／ple.com", "https://exam／ple.com/@wren/1"]
)
def test_a_link_to_a_host_that_is_none_is_words(
    text: str, birds: dict[str, Any], hedge: str, settings: Config, site: Db, app: Flask
) -> None:
    wren, wid = birds["wren"]
    assert write(wren, hedge, f"see {text}").status_code == 303
    head = {"Authorization": f"Bearer {tokens.create(site, settings, wid, 'script')}"}
    told = app.test_client().post(f"/api/chats/{hedge}/messages", json={"text": text}, headers=head)
    assert told.status_code == 201
    page = birds["finch"][0].get(f"/chats/{hedge}")
    assert page.status_code == 200 and page.text.count(text) >= 2 and "link-card" not in page.text
    opened = site.read(reading.open_page(wid, hedge, size=2))
    known = site.read(related_to(opened.messages))
    html = Renderer(app, "https://linnet.org")(opened.chat, opened.messages, known, "en")
    assert all(text in one for one in html)
    assert (
        find_linked_status(
            parse_message(f"{text} https://linnet.org/@wren/5", 2000).entities, "linnet.org"
        )
        == 5
    )


def test_what_members_write_is_text(birds: dict[str, Any]) -> None:
    wren, bad = birds["wren"][0], "<script>\"&'</script>"
    form = {"name": bad, "topic": bad, "people": "finch", "kind": "private", "text": bad}
    path = wren.post("/chats/new", data=form).location
    wren.post(f"{path}/messages", data={"text": bad, "reply": "1"})
    for page in (
        wren.get(path),
        wren.get("/chats"),
        wren.get(f"{path}/people"),
        wren.get(f"{path}/settings"),
    ):
        assert "<script>" not in page.text and "&lt;script&gt;" in page.text


def test_messages_of_one_author_stand_together(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    for client, text in ((wren, "one"), (wren, "two"), (finch, "three"), (finch, "four")):
        write(client, hedge, text)
    wren.post(f"/chats/{hedge}/read", data={"id": "4"})
    classes = re.findall(r'<li class="(message[^"]*)"', messages(wren.get(f"/chats/{hedge}")))
    assert classes == ["message mine", "message mine joined", "message", "message joined"]


def test_a_chat_is_muted_and_put_away(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    assert finch.post(f"/chats/{hedge}/mute").status_code == 303
    write(wren, hedge, "hello")
    assert (
        badge(finch.get("/home")) == 0
        and f'data-unread="{hedge}"><span>1<' in finch.get("/chats").text
    )
    assert (
        " data-muted" in finch.get(f"/chats/{hedge}").text
        and " data-muted" not in wren.get(f"/chats/{hedge}").text
    )
    write(wren, hedge, "hello again")
    finch.post(f"/chats/{hedge}/unmute")
    assert badge(finch.get("/home")) == 1
    finch.get(f"/chats/{hedge}")
    assert finch.post(f"/chats/{hedge}/archive").location == "/chats"
    assert "Hedge" not in finch.get("/chats").text and "Hedge" in finch.get("/chats/archived").text
    write(wren, hedge, "come back")
    assert "Hedge" in finch.get("/chats").text
    assert finch.post("/chats/99/mute").status_code == 404


def test_reading_only_moves_forward(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    for number in range(3):
        write(wren, hedge, f"note {number}")
    assert finch.post(f"/chats/{hedge}/read", data={"id": "2"}).status_code == 204
    assert finch.post(f"/chats/{hedge}/read", data={"id": "1"}).status_code == 204
    assert badge(finch.get("/home")) == 1
    for wrong in ("", "x", "0"):
        assert finch.post(f"/chats/{hedge}/read", data={"id": wrong}).status_code == 422
    assert finch.post(f"/chats/{hedge}/typing").status_code == 204


def test_messages_that_have_gone_are_read_by_a_look(
    birds: dict[str, Any], hedge: str, settings: Config
) -> None:
    (wren, wid), (finch, fid), _ = birds.values()
    site = finch.application.extensions["linnet.db"]
    wren.post(
        f"/chats/{hedge}/settings", data={"name": "Hedge", "kind": "private", "keep": "fetched"}
    )
    write(wren, hedge, "here and gone")
    for _ in range(2):
        for uid in (wid, fid):
            fetch(site, settings, uid)
    assert badge(finch.get("/home")) == 1
    page = finch.get(f"/chats/{hedge}")
    assert shown(page) == [] and badge(page) == 0
    assert badge(finch.get("/home")) == 0


def test_a_look_whose_process_died_between_two_writes_is_mended_by_the_next(
    birds: dict[str, Any], hedge: str, site: Db
) -> None:
    (wren, _), (finch, fid), _ = birds.values()
    write(wren, hedge, "hello")
    site.run(chat_state.MARK_READ(hedge, uid=fid, message_id=1, quiet=0))
    assert badge(finch.get("/home")) == 1
    finch.get(f"/chats/{hedge}")
    assert badge(finch.get("/home")) == 0


def test_a_request_is_looked_at_unseen_before_the_list_says_that_it_waits(settings: Config) -> None:
    app = make_app(replace(settings, inline_projections=False))
    db: Db = app.extensions["linnet.db"]
    wren, owl = (
        registration.sign_up(db, settings, name, name, "correct horse battery").uid
        for name in ("wren", "owl")
    )
    client, cid = app.test_client(), direct_id(wren, owl)
    client.post("/login", data={"login": "wren", "password": "correct horse battery"})
    sending.send(db, settings, owl, cid, draft("hello"), key())
    page = client.get(f"/chats/{cid}")
    assert shown(page) == ["hello"] and " data-waiting" in page.text
    assert client.post(f"/chats/{cid}/read", data={"id": "1"}).status_code == 204
    assert wren not in db.read(reading.open_page(owl, cid, size=1)).read_positions
    sending.send(db, settings, wren, cid, draft("hello, owl"), key())  # which is an answer
    client.get(f"/chats/{cid}")
    assert db.read(reading.open_page(owl, cid, size=1)).read_positions[wren] == 2
    db.close()


def test_a_block_ends_that_one_is_told_of_the_others_looks(
    birds: dict[str, Any], hedge: str, settings: Config, site: Db
) -> None:
    (wren, wid), (finch, fid), _ = birds.values()
    cid = direct_id(wid, fid)
    write(wren, cid, "one")
    finch.get(f"/chats/{cid}")
    assert "Seen by <bdi" in wren.get(f"/chats/{cid}").text
    for text in ("two", "three"):
        sending.send(site, settings, wid, cid, draft(text), key())
    blocks.block(site, settings, wid, "finch")
    with (
        Redis.from_url(settings.store_url, decode_responses=True) as store,
        store.pubsub() as channel,
    ):
        channel.subscribe(chat_state.CHAT_CHANNEL)
        assert channel.get_message(timeout=10)["type"] == "subscribe"
        finch.post(f"/chats/{cid}/read", data={"id": "2"})
        finch.get(f"/chats/{cid}")
        chat_state.announce_typing(site, wid, hedge)
        words = (str(word["data"]) for word in channel.listen())
        heard = list(takewhile(lambda word: not word.startswith("t "), words))
    assert any(one.startswith(f"b {fid}") for one in heard), "their own other pages hear of it"
    assert not any(one.startswith("s ") for one in heard)
    assert badge(finch.get("/home")) == 0 and "Seen by <bdi" not in wren.get(f"/chats/{cid}").text


def test_owners_change_a_group_and_others_do_not(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    form = {"name": "Thicket", "topic": "Thorns", "kind": "open", "keep": "history", "shared": "y"}
    assert finch.get(f"/chats/{hedge}/settings").status_code == 403
    assert finch.post(f"/chats/{hedge}/settings", data=form).status_code == 403
    assert wren.post(f"/chats/{hedge}/settings", data={**form, "name": ""}).status_code == 422
    files = {**form, "picture": (picture(), "x.png")}
    answer = wren.post(f"/chats/{hedge}/settings", data=files, content_type="multipart/form-data")
    assert answer.status_code == 303
    page = finch.get(f"/chats/{hedge}").text
    face = re.search(rf'src="(/chats/{hedge}/pictures/[0-9a-f]{{32}}\.webp)"', page)
    assert "Thicket" in page and "Thorns" in page and face
    assert (
        finch.get(face[1]).status_code == 200 and birds["owl"][0].get(face[1]).status_code == 200
    ), "anybody may join"
    bad = {**form, "picture": (io.BytesIO(b"x"), "x.png")}
    refused = wren.post(f"/chats/{hedge}/settings", data=bad, content_type="multipart/form-data")
    assert refused.status_code == 422 and 'id="picture-error"' in refused.text
    wren.post(f"/chats/{hedge}/settings", data={**form, "remove_picture": "y"})
    assert (
        face[1] not in finch.get(f"/chats/{hedge}").text and finch.get(face[1]).status_code == 404
    )


def test_an_open_group_is_joined_by_who_finds_it(birds: dict[str, Any], hedge: str) -> None:
    wren, owl = birds["wren"][0], birds["owl"][0]
    assert owl.post(f"/chats/{hedge}/join").status_code == 404
    wren.post(f"/chats/{hedge}/settings", data={"name": "Hedge", "kind": "open", "keep": "history"})
    page = owl.get(f"/chats/{hedge}")
    assert page.status_code == 200 and "Join the group" in page.text
    assert owl.post(f"/chats/{hedge}/join").location == f"/chats/{hedge}"
    assert write(owl, hedge, "hello").status_code == 303


def test_only_owners_write_where_it_is_announced(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    wren.post(
        f"/chats/{hedge}/settings",
        data={"name": "Hedge", "kind": "announcement", "keep": "history"},
    )
    write(wren, hedge, "news")
    page = finch.get(f"/chats/{hedge}")
    assert (
        shown(page) == ["news"]
        and "Only owners write here." in page.text
        and 'name="text"' not in page.text
    )
    assert write(finch, hedge, "me too").status_code == 403
    assert 'name="people"' not in finch.get(f"/chats/{hedge}/people").text


def test_a_link_brings_others_until_it_is_used_up(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), _, (owl, _) = birds.values()
    answer = wren.post(f"/chats/{hedge}/invites", data={"uses": "1", "hours": "24"})
    assert answer.status_code == 201
    link = re.search(r"<code>http://localhost(/chats/join/[^<]+)</code>", answer.text)
    assert (
        link
        and "For 1 more person" in answer.text
        and link[1] not in wren.get(f"/chats/{hedge}/people").text
    )
    offer = owl.get(link[1])
    assert offer.status_code == 200 and "Hedge" in offer.text
    assert owl.post(link[1]).location == f"/chats/{hedge}"
    assert owl.get(f"/chats/{hedge}").status_code == 200
    used = wren.get(link[1])
    assert used.status_code == 403 and "has expired" in used.text
    for wrong in ("x", "1.", "1.x", f"{hedge}.x", "..", "1.x.y"):
        assert owl.get(f"/chats/join/{wrong}").status_code == 403, wrong
    for form in (
        {"uses": "0", "hours": "24"},
        {"uses": "x", "hours": "24"},
        {"uses": "1", "hours": "5"},
    ):
        assert wren.post(f"/chats/{hedge}/invites", data=form).status_code == 422


def test_who_was_asked_and_joins_has_accepted(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), _, (owl, _) = birds.values()
    for kind in ("private", "open"):
        cid = wren.post("/chats/new", data={"name": "Thicket", "kind": kind}).location.split("/")[
            -1
        ]
        made = wren.post(f"/chats/{cid}/invites", data={"uses": "1", "hours": "24"}).text
        wren.post(f"/chats/{cid}/people/add", data={"people": "owl"})
        assert "Accept" in owl.get(f"/chats/{cid}").text
        link = re.search(r"(/chats/join/[^<]+)</code>", made)
        assert (
            link
            and owl.post(link[1] if kind == "private" else f"/chats/{cid}/join").status_code == 303
        )
        assert (
            "Accept" not in owl.get(f"/chats/{cid}").text
            and f"/chats/{cid}" in owl.get("/chats").text
        )


def test_what_a_join_page_shows_is_there_to_be_seen(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), _, (owl, _) = birds.values()
    made = wren.post(f"/chats/{hedge}/invites", data={"uses": "5", "hours": "1"}).text
    link = re.search(r"(/chats/join/[^<]+)</code>", made)
    assert link
    for kind in ("private", "open"):
        form = {"name": "Hedge", "kind": kind, "keep": "history", "picture": (picture(), "x.png")}
        wren.post(f"/chats/{hedge}/settings", data=form, content_type="multipart/form-data")
        for path in (link[1], f"/chats/{hedge}"):
            page = owl.get(path)
            found = re.search(rf'src="(/chats/{hedge}/pictures/[^"]+)"', page.text)
            assert bool(found) == (kind == "open"), path
            assert found is None or owl.get(found[1]).status_code == 200
    write(wren, hedge, "", pictures=(picture(), "x.png"))
    inside = re.search(r'src="(/chats/\d+/pictures/1-[^"]+)"', wren.get(f"/chats/{hedge}").text)
    assert inside and owl.get(inside[1]).status_code == 404


def test_a_link_is_revoked(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), (owl, _) = birds.values()
    made = wren.post(f"/chats/{hedge}/invites", data={"uses": "5", "hours": "1"}).text
    link, revoke = (
        re.search(r"(/chats/join/[^<]+)</code>", made),
        re.search(r'action="([^"]+/revoke)"', made),
    )
    assert link and revoke and finch.post(revoke[1]).status_code == 403
    assert wren.post(revoke[1]).status_code == 303
    assert owl.get(link[1]).status_code == 403 and owl.post(link[1]).status_code == 403


def test_owners_settle_who_belongs(birds: dict[str, Any], hedge: str) -> None:
    (wren, wid), (finch, fid), (owl, oid) = birds.values()
    added = wren.post(f"/chats/{hedge}/people/add", data={"people": "@owl @wren"})
    assert added.status_code == 303 and "1 person was added." in wren.get(added.location).text
    nobody = wren.post(f"/chats/{hedge}/people/add", data={"people": "@nobody"})
    assert nobody.status_code == 422 and "@nobody" in nobody.text
    assert finch.post(f"/chats/{hedge}/people/remove", data={"uid": oid}).status_code == 403
    assert wren.post(f"/chats/{hedge}/people/demote", data={"uid": wid}).status_code == 409
    assert wren.post(f"/chats/{hedge}/people/promote", data={"uid": fid}).status_code == 303
    assert finch.post(f"/chats/{hedge}/people/remove", data={"uid": oid}).status_code == 303
    assert owl.get(f"/chats/{hedge}").status_code == 404
    for wrong in ("", "x", "0"):
        assert wren.post(f"/chats/{hedge}/people/remove", data={"uid": wrong}).status_code == 404


def test_a_member_leaves_and_an_owner_deletes(birds: dict[str, Any], hedge: str) -> None:
    (wren, wid), (finch, fid), _ = birds.values()
    assert finch.post(f"/chats/{hedge}/leave").location == "/chats"
    assert finch.get(f"/chats/{hedge}").status_code == 404
    assert wren.post(f"/chats/{hedge}/delete").status_code == 303
    assert wren.get(f"/chats/{hedge}").status_code == 404 and "Hedge" not in wren.get("/chats").text
    cid = direct_id(wid, fid)
    write(wren, cid, "hello")
    assert wren.post(f"/chats/{cid}/leave").status_code == 403
    assert (
        wren.get(f"/chats/{cid}/people").status_code == 404
        and wren.get(f"/chats/{cid}/settings").status_code == 404
    )


def test_a_message_or_a_chat_is_reported(birds: dict[str, Any], hedge: str) -> None:
    (wren, _), (finch, _), _ = birds.values()
    write(finch, hedge, "rude")
    assert "What is wrong with it?" in wren.get(f"/chats/{hedge}?report=1").text
    assert "What is wrong with it?" in wren.get(f"/chats/{hedge}?report=all").text
    for form in ({"message": "1", "reason": "It is rude."}, {"reason": "All of it."}):
        answer = wren.post(f"/chats/{hedge}/report", data=form)
        assert (
            answer.status_code == 303
            and "Thanks for your report." in wren.get(answer.location).text
        )
    again = wren.post(f"/chats/{hedge}/report", data={"message": "1"})
    assert "You already reported this." in wren.get(again.location).text
    assert wren.post(f"/chats/{hedge}/report", data={"message": "7"}).status_code == 404
    assert (
        wren.post(f"/chats/{hedge}/report", data={"message": "1", "reason": "x" * 501}).status_code
        == 422
    )


def test_every_page_of_chats_takes_the_same_trips_whatever_it_shows(settings: Config) -> None:
    app = make_app(replace(settings, inline_projections=False))
    db: Db = app.extensions["linnet.db"]
    wren, *others = (
        registration.sign_up(db, settings, f"m{n}", f"M{n}", "correct horse battery").uid
        for n in range(9)
    )
    client = app.test_client()
    client.post("/login", data={"login": "m0", "password": "correct horse battery"})
    cid = groups.create(db, settings, wren, "private", "Hedge", others, draft("first"), key())
    direct = direct_id(wren, others[0])
    sending.send(db, settings, wren, direct, draft("hello"), key())

    def trips() -> dict[str, int]:
        worker.drain(db, settings)
        found = {}
        for path in (
            "/chats",
            f"/chats/{cid}?newest=1",
            f"/chats/{direct}",
            "/home",
            f"/chats/{cid}/people",
        ):
            sending.send(db, settings, others[0], cid, draft("news"), key())
            before = db.trips
            assert client.get(path).status_code == 200
            found[path] = db.trips - before
        return found

    for number in range(8):
        groups.create(
            db, settings, others[number], "private", f"F{number}", [wren], draft("hi"), key()
        )
    few = trips()
    for number in range(192):
        groups.create(
            db, settings, others[number % 8], "private", f"G{number}", [wren], draft("hi"), key()
        )
    status = post(db, settings, others[1], parse("a song", 280), "form-0001")
    for number in range(60):
        uid = others[number % 8]
        sending.send(
            db,
            settings,
            uid,
            cid,
            draft(f"@m1 https://example.com {number}", reply_to=number // 2),
            key(),
        )
        sending.react(db, settings, uid, cid, number + 1, LIKE, True)
    sending.send(db, settings, wren, cid, draft("see", card=Card(status, others[1])), key())
    many = trips()  # fewer, where all who are named are known already
    assert all(many[path] <= few[path] <= 5 for path in few) and few["/home"] == 1
    db.close()


@pytest.mark.parametrize(
    ("text", "emoji"),
    [
        (LIKE, LIKE),
        ("❤", HEART),
        (HEART, HEART),
        (" 👍🏽 ", "👍🏽"),
        ("🇨🇳", "🇨🇳"),
        ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"),
        ("1️⃣", "1️⃣"),
        *((text, None) for text in ("", "x", "👍👍", "👍x", "🇨", "\u200d", "\ufe0f", "x" * 5000)),
    ],
)
def test_one_emoji_is_one_emoji(text: str, emoji: str | None) -> None:
    assert parse_emoji(text) == emoji


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("see https://linnet.org/@wren/123", 123),
        ("https://LINNET.org/@wren/123/ and https://linnet.org/@wren/9", 123),
        ("https://example.org/@wren/123", None),
        ("https://linnet.org.example.org/@wren/123", None),
        ("https://linnet.org/@wren", None),
        ("https://linnet.org/@wren/123/more", None),
        ("nothing", None),
    ],
)
def test_a_link_to_a_status_of_this_site_is_known(text: str, status: int | None) -> None:
    assert find_linked_status(parse_message(text, 2000).entities, "linnet.org") == status


def test_a_message_alone_is_the_same_for_everybody_in_a_language(
    birds: dict[str, Any], hedge: str, app: Flask, site: Db
) -> None:
    (wren, wid), (finch, _), _ = birds.values()
    write(wren, hedge, "hello @finch")
    finch.post(f"/chats/{hedge}/messages/1/react", data={"emoji": LIKE})
    wren.post(f"/chats/{hedge}/messages/1/edit", data={"text": "hello, @finch"})
    opened = site.read(reading.open_page(wid, hedge, size=1))
    known = site.read(related_to(opened.messages, opened.parents))
    (english,), (chinese,) = (
        Renderer(app, "https://linnet.org")(opened.chat, opened.messages, known, language)
        for language in ("en", "zh")
    )
    assert ">edited<" in english and ">已编辑<" in chinese
    for html in (english, chinese):
        assert html.strip().startswith('<li class="message" id="m1"') and "token" not in html
        assert (
            'class="mention"' in html
            and 'aria-pressed="false"' in html
            and f"/chats/{hedge}/messages/1/edit" not in html
        )
        assert (
            f'href="/chats/{hedge}?edit=1"' in html
            and f'formaction="/chats/{hedge}/messages/1/delete"' in html
        )
