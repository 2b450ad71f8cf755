"""The chat API: fetching each message once, reading and sending, by token or by session, with errors in JSON."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image
from werkzeug.test import TestResponse

from tests.conftest import make_app
from tests.support import chat, worker
from webapp.accounts import lifecycle, registration, store
from webapp.accounts.tokens import store as tokens
from webapp.chat.api import fetch as api_fetch
from webapp.chat.bots import store as bots
from webapp.chat.messages import sending
from webapp.chat.models import Draft, Picture
from webapp.config import Config, Rate
from webapp.core.media import storage as media
from webapp.core.store.client import Db
from webapp.following.blocks import store as blocks

Join = Callable[[str], FlaskClient]
OWN = {"Sec-Fetch-Site": "same-origin"}


class Caller:
    """Somebody who calls the API with an access token."""

    def __init__(self, app: Flask, uid: int) -> None:
        self.app, self.uid = app, uid
        self.db: Db = app.extensions["linnet.db"]
        self.config: Config = app.extensions["linnet.config"]
        self.client = app.test_client()
        self.head = {
            "Authorization": f"Bearer {tokens.create(self.db, self.config, uid, 'script')}"
        }

    def get(self, path: str = "", **query: Any) -> Any:
        """The answer, which has to be good."""
        answer = self.ask(path, **query)
        assert answer.status_code == 200, answer.text
        return answer.json

    def ask(self, path: str = "", **query: Any) -> TestResponse:
        """The answer to a GET."""
        return self.client.get(f"/api/chats{path}", query_string=query, headers=self.head)

    def post(self, path: str, **options: Any) -> TestResponse:
        """The answer to a POST."""
        return self.client.post(f"/api/chats{path}", headers=self.head, **options)

    def say(self, cid: str, text: str, **more: Any) -> int:
        """Sends a message; its id."""
        answer = self.post(f"/{cid}/messages", json={"text": text, **more})
        assert answer.status_code == 201, answer.text
        return int(answer.json["id"])

    def fetch(self, **query: Any) -> dict[str, list[str]]:
        """The texts of what is pending, by chat."""
        found = self.get("/pending", **query)["chats"]
        return {
            one["chat"]["id"]: [message["text"] for message in one["messages"]] for one in found
        }


@pytest.fixture
def pair(app: Flask, member: Join) -> tuple[Caller, Caller, str]:
    """Ann, Ben, and a group of both, which Ann owns."""
    member("ann"), member("ben")
    db: Db = app.extensions["linnet.db"]
    ann, ben = (Caller(app, db.read(store.uid_by_login(name))) for name in ("ann", "ben"))
    cid = chat.group(db, ann.config, ann.uid, [ben.uid])
    worker.drain(db, ann.config)
    return ann, ben, cid


def refused(answer: TestResponse, status: int, code: str) -> None:
    """Fails unless the answer is this error, in JSON and in words."""
    assert answer.status_code == status, answer.text
    assert answer.mimetype == "application/json" and answer.json["error"] == code
    assert len(answer.json["message"]) > 8


def test_pending_messages_of_all_chats_come_once(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, cid = pair
    direct = f"{ann.uid}-{ben.uid}"
    assert ann.say(cid, "one") == 1 and ann.say(cid, "two") == 2
    assert ann.say(direct, "just you") == 1
    everything = {cid: ["one", "two"], direct: ["just you"]}
    assert ben.fetch(mark=0) == everything == ben.fetch(mark=0)
    assert ben.fetch() == everything
    assert ben.fetch() == {}
    ann.say(cid, "three")
    assert ben.fetch() == {cid: ["three"]}


def test_what_is_fetched_may_be_noted_afterwards(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, cid = pair
    for text in ("one", "two", "three"):
        ann.say(cid, text)
    assert ben.post("/fetched", json={cid: 2, "999": 5}).status_code == 204
    assert ben.fetch(mark=0) == {cid: ["three"]}
    assert ben.post("/fetched", json={cid: 1}).status_code == 204  # only forwards
    assert ben.fetch(mark=0) == {cid: ["three"]}
    assert ben.post("/fetched", json={cid: 9}).status_code == 204
    ann.say(cid, "four")
    assert ben.fetch() == {cid: ["four"]}


def test_an_answer_is_bounded_and_says_that_there_is_more(
    pair: tuple[Caller, Caller, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_fetch, "FETCH_MAX", 3)
    ann, ben, cid = pair
    for number in range(7):
        ann.say(cid, str(number))
    found = [ben.get("/pending") for _ in range(4)]
    assert [answer["more"] for answer in found] == [True, True, False, False]
    texts = [
        message["text"]
        for answer in found
        for one in answer["chats"]
        for message in one["messages"]
    ]
    assert texts == [str(number) for number in range(7)]


def test_an_answer_is_bounded_however_many_chats_there_are(
    pair: tuple[Caller, Caller, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_fetch, "FETCH_TOTAL_MAX", 8)
    ann, ben, cid = pair
    cids = [cid, *(chat.group(ann.db, ann.config, ann.uid, [ben.uid]) for _ in range(3))]
    for one in cids:
        chat.say(ann.db, ann.config, ann.uid, one, *map(str, range(5)))
    worker.drain(ann.db, ann.config)
    found: dict[str, list[str]] = {one: [] for one in cids}
    more = True
    while more:
        answer = ben.get("/pending")
        more = answer["more"]
        assert sum(len(one["messages"]) for one in answer["chats"]) <= 8
        for one in answer["chats"]:
            found[one["chat"]["id"]] += [message["text"] for message in one["messages"]]
    assert found == {one: list("01234") for one in cids}


def test_pollers_at_once_get_each_message_once_together(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, cid = pair
    chat.say(ann.db, ann.config, ann.uid, cid, *map(str, range(30)))
    worker.drain(ann.db, ann.config)
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda _: api_fetch.fetch_pending(ben.db, ben.config, ben.uid), range(8))
        )
    got = [message.text for answer in found for fetched in answer for message in fetched.messages]
    assert got == list(map(str, range(30)))


def test_a_message_has_the_shape_that_the_documents_say(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, cid = pair
    first = ann.say(cid, "hello @ben, see https://example.org #song")
    ben.say(cid, "yes", reply=first)
    sending.react(ann.db, ann.config, ben.uid, cid, first, "👍", True)
    found = ann.get(f"/{cid}/messages")
    assert (
        found["chat"]["id"] == cid
        and found["chat"]["kind"] == "private"
        and found["chat"]["members"] == 2
    )
    one, two = found["messages"]
    assert one["by"] == {"id": ann.uid, "login": "ann", "name": "Ann", "bot": False}
    assert one["reactions"] == {"👍": [ben.uid]} and one["reply"] is None and two["reply"] == first
    assert [entity["kind"] for entity in one["entities"]] == ["mention", "url", "hashtag"]
    assert one["entities"][0] == {"kind": "mention", "text": "ben", "start": 6, "end": 10}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", one["at"])
    assert (one["edited"], one["deleted"], one["pictures"], one["status"]) == (
        None,
        False,
        [],
        None,
    )
    sending.delete(ann.db, ann.config, ann.uid, cid, first)
    gone = ann.get(f"/{cid}/messages")["messages"][0]
    assert gone["deleted"] and gone["text"] == "" and "hello" not in str(gone)


def test_a_chat_is_paged_both_ways(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, cid = pair
    chat.say(ann.db, ann.config, ann.uid, cid, *map(str, range(1, 11)))
    newest = ben.get(f"/{cid}/messages", limit=4)
    assert (
        [one["id"] for one in newest["messages"]] == [7, 8, 9, 10]
        and newest["older"]
        and not newest["newer"]
    )
    older = ben.get(f"/{cid}/messages", limit=4, before=7)
    assert (
        [one["id"] for one in older["messages"]] == [3, 4, 5, 6]
        and older["older"]
        and older["newer"]
    )
    newer = ben.get(f"/{cid}/messages", limit=4, after=8)
    assert [one["id"] for one in newer["messages"]] == [9, 10] and not newer["newer"]
    around = ben.get(f"/{cid}/messages", limit=3, around=5)
    assert 5 in [one["id"] for one in around["messages"]] and len(around["messages"]) == 3


def test_a_picture_is_shown_to_whoever_may_see_its_message(
    pair: tuple[Caller, Caller, str], app: Flask, member: Join
) -> None:
    ann, ben, cid = pair
    content = io.BytesIO()
    Image.new("RGB", (30, 20), "#b45").save(content, "PNG")
    content.seek(0)
    saved = media.save_in_chat(ann.config, cid, content, "image/png", "salt")
    draft = Draft("look", pictures=(Picture(*saved, "a square"),))
    number = sending.send(ann.db, ann.config, ann.uid, cid, draft, "key-key-key")
    (shown,) = ben.get(f"/{cid}/messages")["messages"][0]["pictures"]
    assert (shown["width"], shown["height"], shown["alt"]) == (30, 20, "a square")
    path = shown["path"].removeprefix("/api/chats")
    answer = ben.ask(path)
    assert answer.status_code == 200 and answer.mimetype == "image/webp"
    member("cid")
    stranger = Caller(app, ann.db.read(store.uid_by_login("cid")))
    refused(stranger.ask(path), 404, "no_chat")
    places = [f"pictures/{other}/" for other in (number, 2, "x")]
    wrong = [path.replace(places[0], other) for other in places[1:]]
    for other in (*wrong, path.replace(saved[0][-9:], "0" * 9)):
        refused(ben.ask(other), 404, "no_picture")
    sending.delete(ann.db, ann.config, ann.uid, cid, number)
    refused(ben.ask(path), 404, "no_picture")


def test_the_list_says_what_is_unread_and_whom_it_is_with(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, cid = pair
    ann.say(cid, "one")
    ann.say(f"{ann.uid}-{ben.uid}", "two")
    direct, group = ben.get()["chats"]
    assert (group["id"], group["unread"], group["with"], group["name"]) == (cid, 1, None, "Larks")
    assert (
        direct["with"]["login"] == "ann" and direct["newest"]["text"] == "two" and direct["waiting"]
    )
    assert direct["newest"]["by"]["login"] == "ann"


def test_a_retried_message_is_one(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, cid = pair
    ids = {ann.say(cid, "once", key="12345678-abc") for _ in range(3)}
    assert len(ids) == 1 and len(ben.fetch()[cid]) == 1
    assert len({ann.say(cid, "again and again") for _ in range(3)}) == 3


def test_a_form_will_do_instead_of_json(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, cid = pair
    answer = ann.post(
        f"/{cid}/messages", data={"text": "麻雀 & co", "reply": "", "key": "12345678"}
    )
    refused(answer, 422, "bad_reply")
    assert (
        ann.post(f"/{cid}/messages", data={"text": "麻雀 & co", "key": "12345678"}).status_code
        == 201
    )
    assert ann.post(f"/{cid}/messages", data={"text": "yes", "reply": "1"}).status_code == 201
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
        ({"text": "hi", "reply": "one"}, "bad_reply"),
        ({"text": "hi", "reply": True}, "bad_reply"),
        ({"text": "hi", "reply": -1}, "bad_reply"),
        ({"text": "hi", "reply": 1.5}, "bad_reply"),
        ({"text": "hi", "key": "short"}, "bad_key"),
        ({"text": "hi", "key": {}}, "bad_key"),
        ({"text": "hi", "key": None}, "bad_key"),
        ([1, 2], "bad_json"),
        ("text", "bad_json"),
    ],
)
def test_a_message_that_cannot_be_sent_is_refused_in_words(
    body: Any, code: str, pair: tuple[Caller, Caller, str]
) -> None:
    ann, ben, cid = pair
    refused(ann.post(f"/{cid}/messages", json=body), 422, code)
    assert ben.fetch() == {}


def test_what_is_no_json_is_refused_in_words(pair: tuple[Caller, Caller, str]) -> None:
    ann, _, cid = pair
    for body in (b"{", b"\xff", b'{"text": "\\ud800"}', b"", b"[" * 10_000):
        refused(
            ann.post(f"/{cid}/messages", data=body, content_type="application/json"),
            422,
            "bad_json",
        )
    refused(ann.post("/fetched", json={cid: "2"}), 422, "bad_fetched")
    refused(ann.post("/fetched", json={"../1": 2}), 422, "bad_fetched")
    refused(ann.post("/fetched", json={cid: 0}), 422, "bad_fetched")
    refused(ann.post("/fetched", json={str(n): 1 for n in range(1, 600)}), 422, "bad_fetched")
    answer = ann.post(f"/{cid}/messages", data=b"x" * 70_000, content_type="application/json")
    assert answer.status_code == 413 and answer.mimetype == "application/json"


@pytest.mark.parametrize(
    "query", ["before=x", "after=-1", "around=1.5", "limit=0", "before=1&after=2", "limit="]
)
def test_a_place_that_is_none_is_refused_in_words(
    query: str, pair: tuple[Caller, Caller, str]
) -> None:
    ann, _, cid = pair
    answer = ann.client.get(f"/api/chats/{cid}/messages?{query}", headers=ann.head)
    refused(answer, 422, "one_place" if "&" in query else "bad_number")


@pytest.mark.parametrize("cid", ["999", "x", "0", "-1", "1-1", "5-3", "1-2-3", "٣", "9" * 30, "1-"])
def test_a_chat_that_is_not_there_is_not_found(cid: str, pair: tuple[Caller, Caller, str]) -> None:
    ann, *_ = pair
    for answer in (ann.ask(f"/{cid}/messages"), ann.post(f"/{cid}/messages", json={"text": "hi"})):
        refused(answer, 404, "no_chat")


def test_whoever_does_not_belong_to_a_chat_learns_nothing_of_it(
    pair: tuple[Caller, Caller, str], app: Flask, member: Join
) -> None:
    ann, ben, cid = pair
    ann.say(cid, "among us")
    ann.say(f"{ann.uid}-{ben.uid}", "between us")
    member("cid")
    stranger = Caller(app, ann.db.read(store.uid_by_login("cid")))
    there = chat.group(ann.db, ann.config, ann.uid, kind="announcement")
    for place in (cid, there, f"{ann.uid}-{ben.uid}", f"{ann.uid}-999", "999"):
        refused(stranger.ask(f"/{place}/messages"), 404, "no_chat")
        refused(stranger.post(f"/{place}/messages", json={"text": "hi"}), 404, "no_chat")
    everybodys = chat.group(ann.db, ann.config, ann.uid, kind="open")
    refused(stranger.ask(f"/{everybodys}/messages"), 403, "not_in_chat")
    refused(stranger.post(f"/{everybodys}/messages", json={"text": "hi"}), 403, "not_in_chat")
    assert stranger.post("/fetched", json={cid: 1}).status_code == 204
    assert stranger.fetch() == {} and ben.fetch(mark=0)[cid] == ["among us"]


def test_without_a_token_that_is_good_nothing_is_answered(
    pair: tuple[Caller, Caller, str], client: FlaskClient, member: Join
) -> None:
    ann, _, cid = pair
    for path in ("", "/pending", f"/{cid}/messages"):
        answer = client.get(f"/api/chats{path}")
        refused(answer, 401, "who_are_you_here")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    signed_in = member("dot")
    for bad in ("Bearer", "Bearer x", "Bearer linnet_1_" + "x" * 43, "Basic YTpi", "OAuth x"):
        answer = signed_in.get("/api/chats", headers={"Authorization": bad})
        refused(answer, 401, "bad_token" if bad.startswith("Bearer") else "who_are_you_here")
    lifecycle.suspend(ann.db, ann.config, ann.uid)
    refused(ann.ask(), 401, "bad_token")


def test_a_session_may_read_and_acts_for_pages_of_this_site_alone(
    pair: tuple[Caller, Caller, str], settings: Config
) -> None:
    ann, ben, cid = pair
    ben.say(cid, "one")
    page = ann.app.test_client()
    page.post("/login", data={"login": "ann", "password": "correct horse battery"})
    assert page.get("/api/chats").json["chats"][0]["id"] == cid
    address = f"/api/chats/{cid}/messages"
    assert page.get(address).status_code == 200
    for head in ({}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "null"},
                 {"Origin": "https://evil.example"}, {"X-CSRFToken": "made up"}, {"Authorization": ""},
                 {"Authorization": " ", "Origin": "https://evil.example"}):  # fmt: skip
        refused(page.post(address, json={"text": "forged"}, headers=head), 403, "elsewhere")
        refused(page.post("/api/chats/fetched", json={cid: 1}, headers=head), 403, "elsewhere")
        refused(page.get("/api/chats/pending", headers=head), 403, "elsewhere")
        assert page.get("/api/chats/pending?mark=0", headers=head).status_code == 200
    for head in (OWN, {"Origin": "http://localhost"}):
        assert page.post(address, json={"text": "mine"}, headers=head).status_code == 201
    assert page.get("/api/chats/pending", headers=OWN).status_code == 200
    assert ann.fetch() == {}


def test_a_form_token_lets_a_session_act_too(settings: Config) -> None:
    app = make_app(settings, WTF_CSRF_ENABLED=True)
    client = app.test_client()
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', client.get("/signup").text)
    assert token
    form = {
        "login": "ann",
        "name": "Ann",
        "password": "correct horse battery",
        "csrf_token": token[1],
    }
    assert client.post("/signup", data=form).status_code == 303
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', client.get("/home").text)
    assert token
    db: Db = app.extensions["linnet.db"]
    cid = chat.group(db, settings, db.read(store.uid_by_login("ann")))
    head = {"X-CSRFToken": token[1]}
    assert (
        client.post(f"/api/chats/{cid}/messages", json={"text": "hi"}, headers=head).status_code
        == 201
    )
    db.close()


def test_too_much_is_refused_with_when_to_come_back(settings: Config) -> None:
    app = make_app(replace(settings, limit_chat=Rate(2, 60)))
    db: Db = app.extensions["linnet.db"]
    ann = Caller(app, registration.sign_up(db, settings, "ann", "Ann", "correct horse battery").uid)
    cid = chat.group(db, settings, ann.uid)
    for path, ask in (
        ("", ann.ask),
        (f"/{cid}/messages", lambda path: ann.post(path, json={"text": "hi"})),
    ):
        answers = [ask(path) for _ in range(3)]
        assert [answer.status_code // 100 for answer in answers] == [2, 2, 4]
        refused(answers[2], 429, "too_many")
        assert 0 < int(answers[2].headers["Retry-After"]) <= 60
    db.close()


def test_a_bot_talks_through_the_api(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, _ = pair
    bot = Caller(ann.app, bots.create_bot(ann.db, ann.config, ann.uid, "jay", "Jay").uid)
    direct = f"{ben.uid}-{bot.uid}"
    ben.say(direct, "weather?")
    assert bot.fetch() == {direct: ["weather?"]}
    bot.say(direct, "sun")
    answer = ben.get(f"/{direct}/messages")["messages"][-1]
    assert answer["by"] == {"id": bot.uid, "login": "jay", "name": "Jay", "bot": True}
    (row,) = [row for row in ben.get()["chats"] if row["id"] == direct]
    assert row["with"]["bot"]


@pytest.mark.parametrize("blocker", ["ann", "ben"])
def test_a_bot_writes_nobody_whom_its_owner_may_not(
    blocker: str, pair: tuple[Caller, Caller, str]
) -> None:
    ann, ben, _ = pair
    bot = Caller(ann.app, bots.create_bot(ann.db, ann.config, ann.uid, "jay", "Jay").uid)
    direct = f"{ben.uid}-{bot.uid}"
    ben.say(direct, "weather?")
    bot.say(direct, "sun")
    if blocker == "ben":
        blocks.block(ann.db, ann.config, ben.uid, "ann")
    else:
        blocks.block(ann.db, ann.config, ann.uid, "ben")
    refused(bot.post(f"/{direct}/messages", json={"text": "rain"}), 403, "cannot_write_them")
    assert [one["text"] for one in ben.get(f"/{direct}/messages")["messages"]] == [
        "weather?",
        "sun",
    ]


def test_what_breaks_is_said_in_json_and_tells_nothing(
    pair: tuple[Caller, Caller, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _, cid = pair

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("the secret plan")

    monkeypatch.setattr(sending, "send", fail)
    answer = ann.post(f"/{cid}/messages", json={"text": "hi"})
    assert (
        answer.status_code == 500
        and answer.mimetype == "application/json"
        and "secret plan" not in answer.text
    )


def test_every_call_takes_a_fixed_number_of_trips(pair: tuple[Caller, Caller, str]) -> None:
    ann, ben, cid = pair

    def trips() -> list[int]:
        found = []
        for call in (
            lambda: ben.get(),
            lambda: ben.get("/pending", mark=0),
            lambda: ben.get(f"/{cid}/messages"),
        ):
            before = ben.db.trips
            call()
            found.append(ben.db.trips - before)
        return found

    ann.say(cid, "one")
    few = trips()
    for number in range(20):
        other = chat.group(ann.db, ann.config, ann.uid, [ben.uid])
        ann.say(other, f"hello {number}")
        ann.say(cid, f"more {number}")
    assert trips() == few and max(few) <= 6
