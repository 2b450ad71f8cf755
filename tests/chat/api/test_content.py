"""Messages that programs write: which are accepted, and how often they are sent."""

from typing import Any

import pytest

from tests.support.chat_api import Caller, Pair, assert_error
from webapp.chat.members import membership
from webapp.chat.messages import sending


def test_retried_message_is_sent_once(pair: Pair) -> None:
    ann, ben, cid = pair
    ids = {ann.send_message(cid, "once", key="12345678-abc") for _ in range(3)}
    assert len(ids) == 1 and len(ben.fetch()[cid]) == 1
    assert len({ann.send_message(cid, "again and again") for _ in range(3)}) == 3


def test_message_may_be_sent_as_a_form(pair: Pair) -> None:
    ann, ben, cid = pair
    path, form = f"/{cid}/messages", {"text": "麻雀 & co"}
    assert_error(ann.post(path, data={**form, "in_reply_to_id": ""}), 422, "bad_in_reply_to_id")
    assert ann.post(path, data=form).status_code == 201
    assert ann.post(path, data={"text": "yes", "in_reply_to_id": "1"}).status_code == 201
    assert ben.fetch() == {cid: ["麻雀 & co", "yes"]}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_text"),
        ({"text": ""}, "bad_text"),
        ({"text": " \n "}, "bad_text"),
        ({"text": 5}, "bad_text"),
        ({"text": "a\0b"}, "bad_text"),
        ({"text": "x" * 2_001}, "text_long"),
        ({"text": "x" * 60_000}, "text_long"),
        ({"text": "hi", "in_reply_to_id": "one"}, "bad_in_reply_to_id"),
        ({"text": "hi", "in_reply_to_id": True}, "bad_in_reply_to_id"),
        ({"text": "hi", "in_reply_to_id": -1}, "bad_in_reply_to_id"),
        ({"text": "hi", "in_reply_to_id": 1.5}, "bad_in_reply_to_id"),
    ],
)
def test_invalid_message_is_refused_with_a_reason(body: Any, code: str, shared_pair: Pair) -> None:
    ann, ben, cid = shared_pair
    assert_error(ann.post(f"/{cid}/messages", json=body), 422, code)
    assert ben.fetch() == {}


def test_invalid_json_is_refused_with_a_reason(pair: Pair) -> None:
    ann, _, cid = pair
    for body in (b"{", b"\xff", b'{"text": "\\ud800"}', b" ", b"[" * 10_000, b"[1]", b'"text"'):
        response = ann.post(f"/{cid}/messages", data=body, content_type="application/json")
        assert_error(response, 400, "bad_json")
    too_many = {str(number): 1 for number in range(1, 600)}
    for positions in ({cid: "2"}, {"../1": 2}, {cid: 0}, too_many):
        assert_error(ann.post("/fetched", json=positions), 422, "bad_fetched")
    response = ann.post(f"/{cid}/messages", data=b"x" * 70_000, content_type="application/json")
    assert response.status_code == 413 and response.mimetype == "application/json"


def test_reply_needs_a_message_that_the_sender_may_see(pair: Pair, dot: Caller) -> None:
    ann, ben, cid = pair
    direct = f"{ann.uid}-{ben.uid}"
    for chat_id in (cid, direct):
        reply = ann.post(f"/{chat_id}/messages", json={"text": "yes", "in_reply_to_id": 1})
        assert_error(reply, 404, "no_message")
    assert ann.fetch() == {}
    ann.send_message(cid, "a question")
    membership.add(ann.site, ann.uid, cid, [dot.uid])
    hidden = dot.post(f"/{cid}/messages", json={"text": "yes", "in_reply_to_id": 1})
    assert_error(hidden, 404, "no_message")
    assert ben.send_message(cid, "yes", in_reply_to_id=1, key="the-answer") == 2
    sending.delete(ann.site, ann.uid, cid, 1)
    answer = ben.post(f"/{cid}/messages", json={"text": "no", "in_reply_to_id": 1})
    assert_error(answer, 404, "no_message")
    assert ben.send_message(cid, "yes", in_reply_to_id=1, key="the-answer") == 2  # sent before
