"""Reading messages in the API: their fields, pages and pictures."""

import re
from typing import Any

import pytest

from tests.support import chat
from tests.support.chat_api import Caller, Pair, assert_error
from tests.support.chat_pages import png_file
from webapp.chat.messages import sending
from webapp.chat.models import Content, Picture
from webapp.core.media import storage as media


def test_message_has_the_documented_fields(pair: Pair) -> None:
    ann, ben, cid = pair
    first = ann.send_message(cid, "hello @ben, see https://example.org #song")
    ben.send_message(cid, "yes", in_reply_to_id=first)
    sending.react(ann.site, ben.uid, cid, first, "👍", True)
    page = ann.get(f"/{cid}/messages")
    assert page["chat"]["id"] == cid
    assert page["chat"]["type"] == "private" and page["chat"]["member_count"] == 2
    message, reply = page["messages"]
    found = message["author"]
    assert found == {"id": ann.uid, "username": "ann", "display_name": "Ann", "bot": False}
    assert message["reactions"] == [{"name": "👍", "count": 1, "users": [ben.uid]}]
    assert message["in_reply_to_id"] is None and reply["in_reply_to_id"] == first
    assert [entity["type"] for entity in message["entities"]] == ["mention", "url", "hashtag"]
    assert message["entities"][0] == {"type": "mention", "text": "ben", "start": 6, "end": 10}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", message["created_at"])
    assert message["edited_at"] is None and message["chat_id"] == cid
    assert message["deleted"] is False
    assert message["pictures"] == [] and message["status_id"] is None
    sending.delete(ann.site, ann.uid, cid, first)
    deleted = ann.get(f"/{cid}/messages")["messages"][0]
    assert deleted["deleted"] and deleted["text"] == "" and "hello" not in str(deleted)


def test_messages_are_paged_both_ways(pair: Pair) -> None:
    ann, ben, cid = pair
    chat.send_messages(ann.site, ann.uid, cid, *map(str, range(1, 11)))

    def ids(page: Any) -> list[int]:
        return [message["id"] for message in page["messages"]]

    newest = ben.get(f"/{cid}/messages", limit=4)
    assert ids(newest) == [7, 8, 9, 10] and newest["has_older"] and not newest["has_newer"]
    older = ben.get(f"/{cid}/messages", limit=4, before=7)
    assert ids(older) == [3, 4, 5, 6] and older["has_older"] and older["has_newer"]
    newer = ben.get(f"/{cid}/messages", limit=4, after=8)
    assert ids(newer) == [9, 10] and not newer["has_newer"]
    around = ben.get(f"/{cid}/messages", limit=3, around=5)
    assert 5 in ids(around) and len(ids(around)) == 3


def test_picture_is_served_to_those_who_may_read_its_message(pair: Pair, dot: Caller) -> None:
    ann, ben, cid = pair
    saved = media.save_in_chat(ann.config, media.new_in_chat(cid), png_file((30, 20)))
    draft = Content("look", pictures=(Picture(saved.name, saved.width, saved.height, "a square"),))
    number = sending.send(ann.site, ann.uid, cid, draft, "key-key-key")
    [picture] = ben.get(f"/{cid}/messages")["messages"][0]["pictures"]
    assert (picture["width"], picture["height"], picture["alt"]) == (30, 20, "a square")
    path = picture["path"].removeprefix("/api/chats")
    response = ben.send_get(path)
    assert response.status_code == 200 and response.mimetype == "image/webp"
    assert_error(dot.send_get(path), 404, "no_chat")
    folder = f"pictures/{number}/"
    for wrong in (path.replace(folder, "pictures/2/"), path.replace(saved.name[-9:], "0" * 9)):
        assert_error(ben.send_get(wrong), 404, "no_picture")
    sending.delete(ann.site, ann.uid, cid, number)
    assert_error(ben.send_get(path), 404, "no_picture")


@pytest.mark.parametrize(
    "query", ["before=x", "after=-1", "around=1.5", "after=", "before=1&after=2"]
)
def test_invalid_cursor_is_refused_with_a_reason(query: str, pair: Pair) -> None:
    ann, _, cid = pair
    response = ann.client.get(f"/api/chats/{cid}/messages?{query}", headers=ann.headers)
    assert_error(response, 422, "one_place" if "&" in query else "bad_number")


def test_limit_outside_its_range_is_refused(pair: Pair) -> None:
    ann, _, cid = pair
    for limit in ("0", "101", "-1", "x", "", "1e2"):
        response = ann.send_get(f"/{cid}/messages", limit=limit)
        assert_error(response, 422, "bad_limit")
        assert response.json and "1 to 100" in response.json["message"]
    assert ann.send_get(f"/{cid}/messages", limit=100).status_code == 200


def test_after_zero_reads_from_the_beginning(pair: Pair) -> None:
    ann, ben, cid = pair
    chat.send_messages(ann.site, ann.uid, cid, *map(str, range(1, 6)))
    page = ben.get(f"/{cid}/messages", after=0, limit=2)
    assert [message["id"] for message in page["messages"]] == [1, 2]
    for path in ("before=0", "around=0"):
        response = ben.client.get(f"/api/chats/{cid}/messages?{path}", headers=ben.headers)
        assert_error(response, 422, "bad_number")
