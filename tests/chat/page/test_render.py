"""Pages of a chat's history, by cursor, date and first unread message."""

import re

import pytest
from werkzeug.test import TestResponse

from tests.support.chat import group, send_messages
from tests.support.chat_pages import Birds, chat_badge, message_list, message_texts, send_message
from tests.support.world import Web, World
from webapp.chat.messages import presenter
from webapp.chat.page import data


def page_link(page: TestResponse, rel: str) -> str:
    """Return the address of the next or previous page; '' on the last one."""
    found = re.search(rf'rel="{rel}" href="([^"]+)"', page.text)
    return found[1] if found else ""


def test_history_is_paged_both_ways_from_the_first_unread_message(
    birds: Birds, group_id: str, web: Web
) -> None:
    (wren, _), (_, finch_uid), _ = birds
    web.do(send_messages, finch_uid, group_id, *(f"note {number}" for number in range(1, 131)))
    notes = [f"note {number}" for number in range(1, 131)]
    redirect = wren.get(f"/chats/{group_id}")
    assert redirect.status_code == 303
    assert redirect.location == f"/chats/{group_id}?unread=1#new"
    page = wren.get(redirect.location)
    texts = message_texts(page)
    assert texts[0] == "note 1" and 'id="new"' in message_list(page)
    assert chat_badge(page) == 130 - len(texts)
    while path := page_link(page, "next"):
        page = wren.get(path)
        texts = texts + message_texts(page)
    assert texts == notes and chat_badge(page) == 0
    page = wren.get(f"/chats/{group_id}")
    texts = message_texts(page)
    assert len(texts) == 50
    while path := page_link(page, "prev"):
        page = wren.get(path)
        texts = message_texts(page) + texts
    assert texts == notes
    assert "note 65" in message_texts(wren.get(f"/chats/{group_id}?around=65"))


def test_newest_parameter_skips_unread_messages(birds: Birds, group_id: str, web: Web) -> None:
    (wren, _), (_, finch_uid), _ = birds
    web.do(send_messages, finch_uid, group_id, *(f"note {number}" for number in range(80)))
    assert message_texts(wren.get(f"/chats/{group_id}?newest=1"))[-1] == "note 79"


@pytest.mark.parametrize("purpose", ["prefetch", "prefetch;prerender"])
def test_a_page_that_is_loaded_ahead_marks_nothing_as_read(
    birds: Birds, group_id: str, web: Web, purpose: str
) -> None:
    (wren, _), (_, finch_uid), _ = birds
    web.do(send_messages, finch_uid, group_id, "hello")
    ahead = wren.get(f"/chats/{group_id}", headers={"Sec-Purpose": purpose})
    assert message_texts(ahead) == ["hello"]
    assert chat_badge(wren.get("/chats")) == 1
    wren.get(f"/chats/{group_id}")
    assert chat_badge(wren.get("/chats")) == 0


def test_date_parameter_opens_the_first_message_of_that_day(birds: Birds, group_id: str) -> None:
    wren = birds.wren.client
    send_message(wren, group_id, "hello")
    assert message_texts(wren.get(f"/chats/{group_id}?date=2020-01-01")) == ["hello"]
    later = wren.get(f"/chats/{group_id}?date=2100-01-01")
    assert later.status_code == 303 and later.location == f"/chats/{group_id}?newest=1"
    assert "No messages since that day." in wren.get(later.location).text
    for wrong in ("", "x", "2020-13-01", "20200101"):
        assert wren.get(f"/chats/{group_id}?date={wrong}").status_code == 422, wrong


@pytest.mark.parametrize(
    "query", ["before=x", "before=0", "after=-1", "around=1e3", "before=", "around=%00"]
)
def test_invalid_cursor_is_refused(query: str, birds: Birds, group_id: str) -> None:
    assert birds.wren.client.get(f"/chats/{group_id}?{query}").status_code == 422


def test_a_page_reads_no_more_chats_than_it_shows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "SIDE_LIST_MAX", 2)
    ann, ben = world.people("ann", "ben")
    cids = [group(world, ann, [ben]) for _ in range(4)]
    for cid in cids:
        send_messages(world, ben, cid, "song")
    world.apply_events()
    page = data.load_page(world.db, ann, cids[0], 10, {})
    assert page.row and [row.cid for row in page.rows] == [cids[3], cids[2], cids[0]]
    assert presenter.badge_count(page.entries) == 4
