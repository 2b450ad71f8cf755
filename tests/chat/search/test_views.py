"""The pages of search in chats."""

import re
from collections.abc import Callable

from flask.testing import FlaskClient
from markupsafe import escape

from tests.support.chat_pages import Birds, create_group, send_message
from tests.support.world import Web
from webapp.config import Config
from webapp.limits import Rate


def hits(page: str) -> list[str]:
    """Return the texts of the results on a page."""
    found = re.findall(r'<span class="chat-hit-text"[^>]*>(.*?)</span>', page, re.DOTALL)
    return [text.strip() for text in found]


def test_a_result_links_to_the_message_in_its_place(birds: Birds, group_id: str) -> None:
    send_message(birds.wren.client, group_id, "A heron!")
    send_message(birds.finch.client, group_id, "Where?")
    page = birds.wren.client.get(f"/chats/{group_id}/search?q=herons")
    assert hits(page.text) == ["A heron!"]
    assert f'href="/chats/{group_id}?around=1#m1"' in page.text
    assert "A heron!" in birds.wren.client.get(f"/chats/{group_id}?around=1").text
    assert page.headers["Cache-Control"] == "no-store"


def test_all_chats_are_searched_with_their_names(birds: Birds, group_id: str, web: Web) -> None:
    other = create_group(birds.finch.client, name="Reeds", people="@wren")
    direct = birds.finch.client.get("/chats/@wren").location.rpartition("/")[2]
    for cid, text in ((group_id, "heron one"), (other, "heron two"), (direct, "heron three")):
        send_message(birds.finch.client, cid, text)
    web.apply_events()
    page = birds.wren.client.get("/chats/search?q=heron").text
    assert hits(page) == [
        "heron three",
        "<bdi>Finch</bdi>: <bdi>heron two</bdi>",
        "<bdi>Finch</bdi>: <bdi>heron one</bdi>",
    ]
    for name in ("Hedge", "Reeds", "Finch"):
        assert name in page
    assert hits(birds.owl.client.get("/chats/search?q=heron").text) == []


def test_a_request_is_not_searched_with_the_chats(birds: Birds, web: Web) -> None:
    direct = birds.owl.client.get("/chats/@wren").location.rpartition("/")[2]
    send_message(birds.owl.client, direct, "heron")
    web.apply_events()
    assert hits(birds.wren.client.get("/chats/search?q=heron").text) == []
    assert hits(birds.owl.client.get("/chats/search?q=heron").text) == ["You: <bdi>heron</bdi>"]
    assert hits(birds.wren.client.get(f"/chats/{direct}/search?q=heron").text) == ["heron"]


def test_results_go_on_on_the_next_page(birds: Birds, group_id: str, settings: Config) -> None:
    count = settings.page_size + 3
    for number in range(count):
        send_message(birds.wren.client, group_id, f"heron {number}")
    link, found = f"/chats/{group_id}/search?q=heron", []
    while link:
        page = birds.wren.client.get(link).text
        found += hits(page)
        next_link = re.search(r'rel="next"\s+href="([^"]+)"', page)
        link = next_link[1].replace("&amp;", "&") if next_link else ""
    assert found == [f"heron {number}" for number in reversed(range(count))]


def test_the_pages_of_chats_have_a_box(birds: Birds, group_id: str) -> None:
    send_message(birds.wren.client, group_id, "hm")
    assert f'action="/chats/{group_id}/search"' in birds.wren.client.get(f"/chats/{group_id}").text
    page = birds.wren.client.get("/chats/search").text
    assert 'action="/chats/search"' in page
    assert "Find messages" in page


def test_hostile_queries_get_a_page(birds: Birds, group_id: str) -> None:
    send_message(birds.wren.client, group_id, "heron")
    for query, status, text in [
        ("q=min_likes:3", 200, "“min_likes:3” isn’t a search operator"),
        ("q=has:poll", 200, "“has:poll” doesn’t have a value"),
        ("q=%00%ff%22%3Cscript%3E", 200, "&lt;script&gt;"),
        ("q=...", 200, "has no letters"),
        ("q=nowhere", 200, "No results for “nowhere”"),
        ("q=-nowhere+since:9999-12-31", 200, "No results"),
        ("q=" + "a+OR+" * 90 + "a", 200, "That’s a long search"),
        ("q=" + "%F0%9F%A6%86" * 3000, 200, "That’s a long search"),
        ("q=a&before=1.2", 422, ""),
        ("q=a&before=99999999999999999.1.1", 422, ""),
        ("q=a&before=9007199254740991.1.9007199254740991", 200, "nothing older"),
        ("q=from:%E2%80%AE", 200, ""),
        ("q=by=1+lang=en", 200, ""),
    ]:
        for place in ("search", f"{group_id}/search"):
            page = birds.wren.client.get(f"/chats/{place}?{query}")
            assert (page.status_code, text in page.text) == (status, True), (place, query)


def test_texts_and_names_are_escaped(birds: Birds, web: Web) -> None:
    name = "<b>'\""
    cid = create_group(birds.wren.client, name=name, people="@finch")
    send_message(birds.wren.client, cid, f"heron {name}")
    web.apply_events()
    for path in (f"/chats/{cid}/search?q=heron", "/chats/search?q=heron"):
        page = birds.wren.client.get(path).text
        assert name not in page
        assert str(escape(name)) in page


def test_searches_are_limited_with_those_of_posts(client_with: Callable[..., FlaskClient]) -> None:
    client = client_with(limit_search=Rate(2, 60))
    statuses = [client.get(path).status_code for path in ("/chats/search?q=a", "/search?q=a")]
    assert statuses == [200, 200]
    assert client.get("/chats/search?q=a").status_code == 429
    assert client.get("/chats/search").status_code == 200
