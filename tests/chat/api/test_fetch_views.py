"""Fetching new messages in the API, each once."""

import pytest

from tests.support import chat, worker
from tests.support.chat_api import Pair
from tests.support.concurrently import at_once
from webapp.chat.api import fetch as api_fetch


def test_pending_messages_of_all_chats_are_fetched_once(pair: Pair) -> None:
    ann, ben, cid = pair
    direct = f"{ann.uid}-{ben.uid}"
    assert ann.send_message(cid, "one") == 1 and ann.send_message(cid, "two") == 2
    assert ann.send_message(direct, "just you") == 1
    everything = {cid: ["one", "two"], direct: ["just you"]}
    assert ben.fetch(mark=0) == everything == ben.fetch(mark=0)
    assert ben.fetch() == everything
    assert ben.fetch() == {}
    ann.send_message(cid, "three")
    assert ben.fetch() == {cid: ["three"]}


def test_messages_may_be_marked_as_fetched_separately(pair: Pair) -> None:
    ann, ben, cid = pair
    for text in ("one", "two", "three"):
        ann.send_message(cid, text)
    assert ben.post("/fetched", json={cid: 2, "999": 5}).status_code == 204
    assert ben.fetch(mark=0) == {cid: ["three"]}
    assert ben.post("/fetched", json={cid: 1}).status_code == 204  # never moves back
    assert ben.fetch(mark=0) == {cid: ["three"]}
    assert ben.post("/fetched", json={cid: 9}).status_code == 204
    ann.send_message(cid, "four")
    assert ben.fetch() == {cid: ["four"]}


def test_pending_response_is_bounded_and_says_that_more_follow(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_fetch, "FETCH_MAX", 3)
    ann, ben, cid = pair
    for number in range(7):
        ann.send_message(cid, str(number))
    batches = [ben.get("/pending") for _ in range(4)]
    assert [batch["has_more"] for batch in batches] == [True, True, False, False]
    texts = [
        message["text"]
        for batch in batches
        for item in batch["chats"]
        for message in item["messages"]
    ]
    assert texts == [str(number) for number in range(7)]


def test_pending_response_is_bounded_over_all_chats(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_fetch, "FETCH_TOTAL_MAX", 8)
    ann, ben, cid = pair
    cids = [cid, *(chat.group(ann.site, ann.uid, [ben.uid]) for _ in range(3))]
    for group_id in cids:
        chat.send_messages(ann.site, ann.uid, group_id, *map(str, range(5)))
    worker.drain(ann.site)
    received: dict[str, list[str]] = {group_id: [] for group_id in cids}
    more = True
    while more:
        batch = ben.get("/pending")
        more = batch["has_more"]
        assert sum(len(item["messages"]) for item in batch["chats"]) <= 8
        for item in batch["chats"]:
            received[item["chat"]["id"]] += [message["text"] for message in item["messages"]]
    assert received == {group_id: list("01234") for group_id in cids}


def test_concurrent_fetches_return_each_message_once(pair: Pair) -> None:
    ann, ben, cid = pair
    chat.send_messages(ann.site, ann.uid, cid, *map(str, range(30)))
    worker.drain(ann.site)

    def fetch(_: int) -> list[str]:
        chats = api_fetch.fetch_pending(ben.site, ben.uid)
        return [message.text for fetched in chats for message in fetched.messages]

    texts = [text for batch in at_once(8, fetch, range(8)) for text in batch]
    assert texts == list(map(str, range(30)))
