"""The chat pages: who may open them, direct chats, forwards, trips."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, make_app
from tests.support.chat import draft, key
from tests.support.chat_pages import Birds, send_message
from tests.support.world import Web
from webapp.chat.ids import direct_id
from webapp.chat.members import group_chats
from webapp.chat.messages import sending
from webapp.chat.models import Card
from webapp.config import Config
from webapp.core.text.parser import parse
from webapp.statuses.store import post

LIKE, HEART = "👍", "❤️"


def test_invalid_or_unknown_chat_id_is_not_found(birds: Birds) -> None:
    wren = birds.wren.client
    for cid in ("0", "x", "99", "1-1", "2-1", "01", "1.5", "9" * 20, "-"):
        assert wren.get(f"/chats/{cid}").status_code == 404, cid
        assert send_message(wren, cid, "hello").status_code == 404, cid


def test_direct_chat_is_listed_after_its_first_message(birds: Birds) -> None:
    (wren, wren_uid), (finch, finch_uid), _ = birds
    opened = wren.get("/chats/@finch")
    assert opened.status_code == 303
    assert opened.location == f"/chats/{direct_id(wren_uid, finch_uid)}"
    page = wren.get(opened.location)
    assert page.status_code == 200 and "No messages yet." in page.text
    assert "Finch" not in wren.get("/chats").text
    assert send_message(wren, direct_id(wren_uid, finch_uid), "hello").status_code == 303
    assert finch.get("/chats/@wren").location == opened.location
    assert "hello" in finch.get("/chats").text
    assert wren.get("/chats/@wren").status_code == 422
    assert wren.get("/chats/@nobody").status_code == 404


def test_status_is_forwarded_as_a_card(birds: Birds, group_id: str, web: Web) -> None:
    (wren, _), (finch, finch_uid), _ = birds
    web.app.extensions["linnet.config"] = replace(web.config, site_url="https://linnet.org")
    number = web.do(post, finch_uid, parse("a song of mine", 280), "form-0001")
    assert f"/chats/forward?status={number}" in wren.get(f"/@finch/{number}/menu").text
    page = wren.get(f"/chats/forward?status={number}").text
    assert "a song of mine" in page and f'formaction="/chats/{group_id}/messages"' in page
    assert send_message(wren, group_id, "", status=str(number)).status_code == 303
    found = send_message(wren, group_id, f"see https://linnet.org/@finch/{number}").status_code
    assert found == 303
    assert finch.get(f"/chats/{group_id}").text.count('class="post-card"') == 2
    finch.post(f"/statuses/{number}/delete")
    page = wren.get(f"/chats/{group_id}").text
    assert page.count("This post isn’t available.") == 2 and "a song of mine" not in page
    assert send_message(wren, group_id, "", status=str(number)).status_code == 404
    found = send_message(wren, group_id, f"see https://linnet.org/@finch/{number}").status_code
    assert found == 303
    for wrong in ("x", "", "0"):
        assert wren.get(f"/chats/forward?status={wrong}").status_code == 404


def picks(page: str) -> dict[str, bool]:
    """Return the people whom a picker shows, in order, and who of them is ticked."""
    boxes = re.findall(r'<input\s+type="checkbox"\s+name="people"\s+value="(\w+)"([^>]*)>', page)
    return {login: "checked" in rest for login, rest in boxes}


def offered(client: FlaskClient, **query: object) -> dict[str, bool]:
    """Return whom the page of a new message shows, and who of them is ticked."""
    return picks(client.get("/chats/new-message", query_string=query).text)


def test_new_message_offers_people_to_write_to_and_to_choose_for_a_group(birds: Birds) -> None:
    (wren, wren_uid), (_, finch_uid), (owl, _) = birds
    for path in ("/chats", f"/chats/{direct_id(wren_uid, finch_uid)}"):
        assert 'href="/chats/new-message"' in wren.get(path).text, path
    wren.post("/@owl/follow")
    assert offered(wren) == {"owl": False, "finch": False}, "the last followed, then chats"
    assert offered(wren, q="@Fin") == {"finch": False}
    assert offered(wren, q="fin", people=["OWL", "nobody", "wren"]) == {"owl": True, "finch": False}
    assert offered(wren, q="nobody") == {}
    owl.post("/@wren/block")
    assert offered(wren, q="owl") == {}
    assert wren.get("/chats/@finch").location == f"/chats/{direct_id(wren_uid, finch_uid)}"


def test_one_who_is_chosen_gets_a_message_and_several_begin_a_group(birds: Birds) -> None:
    (wren, _), _, _ = birds
    for people, address in (
        (["finch"], "/chats/@finch"),
        (["finch", "owl"], "/chats/new?people=finch&people=owl"),
    ):
        chosen = {"people": people, "q": "", "chosen": 1}
        assert wren.get("/chats/new-message", query_string=chosen).location == address


def test_those_who_are_chosen_begin_a_group_whose_form_finds_more(birds: Birds) -> None:
    (wren, _), _, _ = birds
    page = wren.get("/chats/new?people=finch&q=&people=nobody").text
    assert picks(page)["finch"] is True
    form = {"name": "Choir", "people": ["finch"], "q": "ow", "find": "1", "text": "Hi"}
    found = wren.post("/chats/new", data=form)
    assert found.status_code == 200 and picks(found.text) == {"finch": True, "owl": False}
    assert 'value="Choir"' in found.text and "Hi</textarea>" in found.text
    made = wren.post("/chats/new", data={"name": "Choir", "people": ["finch", "owl"]})
    assert made.status_code == 303
    assert "3 people" in wren.get(f"{made.location}/people").text


@pytest.mark.parametrize(
    ("actor", "action", "shown_to"),
    [
        ("finch", "/@owl/block", {"wren"}),
        ("owl", "/@finch/block", {"wren"}),
        ("finch", "/@owl/mute", {"wren", "finch"}),
    ],
)
def test_card_is_hidden_from_a_reader_whom_a_block_parts_from_its_author(
    actor: str, action: str, shown_to: set[str], birds: Birds, group_id: str, web: Web
) -> None:
    number = post(web, birds.owl.uid, parse("a song of mine", 280), "form-0001")
    assert send_message(birds.wren.client, group_id, "", status=str(number)).status_code == 303
    readers = {"wren": birds.wren.client, "finch": birds.finch.client}
    for client in readers.values():
        assert "a song of mine" in client.get(f"/chats/{group_id}").text
    actor_client: FlaskClient = getattr(birds, actor).client
    assert actor_client.post(action).status_code == 303
    pages = {login: client.get(f"/chats/{group_id}").text for login, client in readers.items()}
    for login, page in pages.items():
        is_shown = login in shown_to
        found = ("a song of mine" in page, "This post isn’t available." in page)
        assert found == (is_shown, not is_shown), login


def test_member_input_is_escaped(birds: Birds) -> None:
    wren, bad = birds.wren.client, "<script>\"&'</script>"
    form = {"name": bad, "topic": bad, "people": "finch", "kind": "private", "text": bad}
    path = wren.post("/chats/new", data=form).location
    wren.post(f"{path}/messages", data={"text": bad, "reply": "1"})
    for page in map(wren.get, (path, "/chats", f"{path}/people", f"{path}/settings")):
        assert "<script>" not in page.text and "&lt;script&gt;" in page.text


def test_page_trips_do_not_grow_with_content(settings: Config) -> None:
    web = Web(make_app(replace(settings, inline_projections=False)))
    wren, *others = web.people(*(f"m{n}" for n in range(9)))
    client = web.client
    client.post("/login", data={"login": "m0", "password": PASSWORD})
    web.follow(wren, "m1")  # a home without follows shows what is popular
    cid = group_chats.create(web, wren, "private", "Hedge", others, draft("first"), key())
    direct = direct_id(wren, others[0])
    sending.send(web, wren, direct, draft("hello"), key())

    def trips() -> dict[str, int]:
        web.apply_events()
        counts = {}
        chat_path = f"/chats/{cid}"
        paths = ("/chats", f"{chat_path}?newest=1", f"{chat_path}/people", f"/chats/{direct}")
        for path in (*paths, "/home"):
            sending.send(web, others[0], cid, draft("news"), key())
            before = web.db.trips
            assert client.get(path).status_code == 200
            counts[path] = web.db.trips - before
        return counts

    def invite_wren(count: int) -> None:
        for number in range(count):
            owner = others[number % 8]
            group_chats.create(web, owner, "private", "Thicket", [wren], draft("hi"), key())

    invite_wren(8)
    with_few = trips()
    invite_wren(192)
    status = web.post(others[1], "a song")
    for number in range(60):
        uid = others[number % 8]
        message = draft(f"@m1 https://example.com {number}", reply_to=number // 2)
        sending.send(web, uid, cid, message, key())
        sending.react(web, uid, cid, number + 1, LIKE, True)
    sending.send(web, wren, cid, draft("see", card=Card(status, others[1])), key())
    with_many = trips()  # cached members save trips
    assert all(with_many[path] <= count <= 5 for path, count in with_few.items())
    assert with_few["/home"] <= 2
    web.db.close()
