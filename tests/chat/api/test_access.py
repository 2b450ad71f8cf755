"""Access to the chat API: strangers, bots, blocked members, rate limits and errors."""

from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD, make_app
from tests.support import chat
from tests.support.chat_api import Caller, Pair, assert_error
from webapp.accounts import registration
from webapp.chat.messages import sending
from webapp.config import Config, Rate
from webapp.core.store import Db, Site
from webapp.following.blocks import store as blocks


def test_list_has_unread_counts_and_the_other_member(pair: Pair) -> None:
    ann, ben, cid = pair
    ann.send_message(cid, "one")
    ann.send_message(f"{ann.uid}-{ben.uid}", "two")
    direct, group = ben.get()["chats"]
    assert (group["id"], group["unread_count"], group["name"]) == (cid, 1, "Larks")
    assert group["recipient"] is None and direct["request"]
    assert direct["recipient"]["username"] == "ann" and direct["request"]
    assert direct["last_message"]["text"] == "two"
    assert direct["last_message"]["author"]["username"] == "ann"


@pytest.mark.parametrize("cid", ["999", "x", "0", "-1", "1-1", "5-3", "1-2-3", "٣", "9" * 30, "1-"])
def test_invalid_or_unknown_chat_id_is_not_found(cid: str, shared_pair: Pair) -> None:
    ann, *_ = shared_pair
    assert_error(ann.send_get(f"/{cid}/messages"), 404, "no_chat")
    assert_error(ann.post(f"/{cid}/messages", json={"text": "hi"}), 404, "no_chat")


def test_open_groups_are_seen_and_not_read(pair: Pair, dot: Caller) -> None:
    ann, ben, cid = pair
    ann.send_message(cid, "among us")
    open_group = chat.group(ann.site, ann.uid, kind="open")
    assert_error(dot.send_get(f"/{open_group}/messages"), 403, "not_in_chat")
    assert_error(dot.post(f"/{open_group}/messages", json={"text": "hi"}), 403, "not_in_chat")
    assert dot.post("/fetched", json={cid: 1}).status_code == 204
    assert dot.fetch() == {} and ben.fetch(mark=0)[cid] == ["among us"]


def test_rate_limited_call_says_when_to_retry(settings: Config) -> None:
    app = make_app(replace(settings, limit_chat=Rate(2, 60)))
    db: Db = app.extensions["linnet.db"]
    ann = Caller(app, registration.sign_up(Site(db, settings), "ann", "Ann", PASSWORD).uid)
    cid = chat.group(Site(db, settings), ann.uid)

    def send_message() -> TestResponse:
        return ann.post(f"/{cid}/messages", json={"text": "hi"})

    for call in (ann.send_get, send_message):
        responses = [call() for _ in range(3)]
        assert [response.status_code // 100 for response in responses] == [2, 2, 4]
        assert_error(responses[2], 429, "too_many")
        assert 0 < int(responses[2].headers["Retry-After"]) <= 60
    with_card = ann.post(f"/{cid}/messages", json={"status_id": 1})
    assert_error(with_card, 429, "too_many")  # before the post is looked for
    db.close()


def test_bot_fetches_and_sends_messages(pair: Pair, jay: Caller) -> None:
    _, ben, _ = pair
    direct = f"{ben.uid}-{jay.uid}"
    ben.send_message(direct, "weather?")
    assert jay.fetch() == {direct: ["weather?"]}
    jay.send_message(direct, "sun")
    newest = ben.get(f"/{direct}/messages")["messages"][-1]
    found = newest["author"]
    assert found == {"id": jay.uid, "username": "jay", "display_name": "Jay", "bot": True}
    [row] = [row for row in ben.get()["chats"] if row["id"] == direct]
    assert row["recipient"]["bot"]


@pytest.mark.parametrize("blocker", ["ann", "ben"])
def test_block_of_the_owner_applies_to_the_bot(blocker: str, pair: Pair, jay: Caller) -> None:
    ann, ben, _ = pair
    direct = f"{ben.uid}-{jay.uid}"
    ben.send_message(direct, "weather?")
    jay.send_message(direct, "sun")
    if blocker == "ben":
        blocks.block(ann.site, ben.uid, "ann")
    else:
        blocks.block(ann.site, ann.uid, "ben")
    assert_error(jay.post(f"/{direct}/messages", json={"text": "rain"}), 403, "cannot_write_them")
    messages = ben.get(f"/{direct}/messages")["messages"]
    assert [message["text"] for message in messages] == ["weather?", "sun"]


def test_internal_error_is_json_without_details(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _, cid = pair

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("the secret plan")

    monkeypatch.setattr(sending, "send", fail)
    response = ann.post(f"/{cid}/messages", json={"text": "hi"})
    assert response.status_code == 500
    assert response.mimetype == "application/json"
    assert "secret plan" not in response.text


def test_trips_do_not_grow_with_content(pair: Pair) -> None:
    ann, ben, cid = pair

    def trips() -> list[int]:
        counts = []
        for path, query in (("", {}), ("/pending", {"mark": 0}), (f"/{cid}/messages", {})):
            before = ben.db.trips
            ben.get(path, **query)
            counts.append(ben.db.trips - before)
        return counts

    ann.send_message(cid, "one")
    few = trips()
    for number in range(20):
        other = chat.group(ann.site, ann.uid, [ben.uid])
        ann.send_message(other, f"hello {number}")
        ann.send_message(cid, f"more {number}")
    assert trips() == few and max(few) <= 6
