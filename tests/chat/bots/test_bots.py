"""Bots: accounts that a member owns, which cannot sign in and end with their owner."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.accounts.test_lifecycle_races import Dying, Killed
from tests.conftest import PASSWORD
from tests.support import chat, worker
from tests.system.test_pages import check_error, words
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle, registration, store
from webapp.accounts.sessions import credentials
from webapp.accounts.tokens import keys as token_keys
from webapp.accounts.tokens import store as tokens
from webapp.chat.bots import keys as bot_keys
from webapp.chat.bots import store as bots
from webapp.chat.inbox import listing
from webapp.chat.members import groups, membership
from webapp.chat.messages import reading
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Conflict, Forbidden, Invalid, NotFound

People = Callable[..., list[int]]
Settle = Callable[[], None]
Join = Callable[[str], FlaskClient]


def names(db: Db, uid: int) -> list[str]:
    """The logins of a member's bots, the newest first."""
    return [bot.login for bot in bots.list_bots(db, uid)]


def test_a_bot_is_a_member_who_cannot_sign_in(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    assert (
        store.get_by_login(db, "JAY") == bot
        and bot.bot_owner == ann
        and not db.read(store.get_or_404(ann)).bot_owner
    )
    assert names(db, ann) == ["jay"]
    assert not db.run(("EXISTS", account_keys.password(bot.uid)))
    for password in ("", "None", PASSWORD):
        with pytest.raises(Invalid):
            credentials.sign_in(db, config, "jay", password)
    with pytest.raises(Forbidden):
        credentials.reset_password(db, config, bot.uid, PASSWORD)
    with pytest.raises(Invalid):
        lifecycle.delete_account(db, config, bot.uid, "")


def test_a_name_that_is_taken_costs_no_place(db: Db, config: Config, people: People) -> None:
    ann, _ = people("ann", "ben")
    with pytest.raises(Conflict):
        bots.create_bot(db, config, ann, "BEN", "Ben")
    assert (
        not db.run(("EXISTS", bot_keys.bots(ann))) and not store.get_by_login(db, "ben").bot_owner
    )


def test_a_member_has_so_many_bots_even_when_all_are_made_at_once(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    few = replace(config, bots_max=3)

    def make(number: int) -> bool:
        try:
            bots.create_bot(db, few, ann, f"jay{number}", "Jay")
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        made = list(pool.map(make, range(20)))
    assert made.count(True) == 3 == len(names(db, ann))
    bots.remove(db, few, ann, names(db, ann)[0])
    assert len(names(db, ann)) == 2
    bots.create_bot(db, few, ann, "heron", "Heron")


def test_neither_a_bot_nor_a_suspended_member_has_bots(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    with pytest.raises(Forbidden):
        bots.create_bot(db, config, bot.uid, "jays", "Jay")
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden):
        bots.create_bot(db, config, ann, "crow", "Crow")
    with pytest.raises(NotFound):
        store.get_by_login(db, "crow")


def test_a_crash_while_a_bot_is_made_leaves_a_place_that_is_given_on(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    one = replace(config, bots_max=1)
    at, died = 0, 0
    while True:
        dying = Dying(db, at)
        login = f"jay{at}"
        try:
            bots.create_bot(dying, one, ann, login, "Jay")
        except Killed:
            died += 1
        assert len(names(db, ann)) <= 1
        if names(db, ann):
            bots.remove(db, one, ann, names(db, ann)[0])
        for uid in db.run(("ZRANGE", bot_keys.bots(ann), 0, -1)):  # a minute later
            db.run(("ZINCRBY", bot_keys.bots(ann), -61_000, uid))
        bots.create_bot(db, one, ann, f"crow{at}", "Crow")
        bots.remove(db, one, ann, f"crow{at}")
        if dying.survived:
            break
        at += 1
    assert died > 3


def test_its_tokens_are_good_as_long_as_its_owner_is(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    (ann,) = people("ann")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    token = tokens.create(db, config, bot.uid, "script")
    found = tokens.authenticate(db, config, token)
    assert found and found.uid == bot.uid and found.bot_owner == ann
    lifecycle.suspend(db, config, ann)
    assert tokens.authenticate(db, config, token) is None
    lifecycle.suspend(db, config, ann, suspended=False)
    assert tokens.authenticate(db, config, token)
    lifecycle.delete_account(db, config, ann, None)
    assert tokens.authenticate(db, config, token) is None
    settle()
    with pytest.raises(NotFound):
        store.get_by_login(db, "jay")
    assert not db.trip(("EXISTS", bot_keys.bots(ann)), ("EXISTS", token_keys.token(bot.uid, "")))[0]


def test_a_deleted_bot_leaves_its_chats_and_what_it_wrote_stays(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    cid = chat.group(db, config, ann, [ben, bot.uid])
    settle()
    chat.say(db, config, bot.uid, cid, "I am here")
    settle()
    assert {one.member.login: one.member.bot_owner for one in membership.list_members(db, cid)} == {
        "ann": 0,
        "ben": 0,
        "jay": ann,
    }
    with pytest.raises(NotFound):
        bots.remove(db, config, ben, "jay")
    bots.remove(db, config, ann, "jay")
    settle()
    assert [one.member.login for one in membership.list_members(db, cid)] == ["ann", "ben"]
    assert chat.texts(db.read(reading.open_page(ben, cid, size=9)).messages) == ["I am here"]
    assert names(db, ann) == []


def test_a_bot_made_while_its_owner_is_deleted_does_not_stay(
    db: Db, config: Config, people: People, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = people("ann")
    whole = registration.create_account

    def late(*args: Any, **kwargs: Any) -> Any:
        lifecycle.delete_account(db, config, ann, None)
        settle()
        return whole(*args, **kwargs)

    monkeypatch.setattr(registration, "create_account", late)
    with pytest.raises(NotFound):
        bots.create_bot(db, config, ann, "jay", "Jay")
    settle()
    with pytest.raises(NotFound):
        store.get_by_login(db, "jay")


def test_a_bot_needs_not_be_asked_and_answers_at_once(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    chat.group(db, config, ben, [bot.uid])
    for text in (
        "one",
        "two",
        "three",
        "four",
        "five",
    ):  # more than anybody may write who waits for an answer
        chat.say(db, config, ben, f"{ben}-{bot.uid}", text)
    settle()
    assert [row.request_state for row in listing.inbox(db, bot.uid)] == ["", ""]


# The pages


@pytest.fixture
def jay(member: Join) -> FlaskClient:
    """Ann's browser, who has a bot."""
    ann = member("ann")
    answer = ann.post("/settings/bots", data={"login": "jay", "name": "Jay"})
    assert answer.status_code == 303 and answer.location == "/settings/bots/jay"
    return ann


def test_a_member_makes_names_and_deletes_a_bot(jay: FlaskClient) -> None:
    assert "@jay was created." in words(jay.get("/settings/bots/jay"))
    assert 'href="/settings/bots/jay"' in jay.get("/settings/bots").text
    assert jay.post("/settings/bots/jay/name", data={"name": "<b>Corvid</b>"}).status_code == 303
    page = jay.get("/settings/bots/jay")
    assert "&lt;b&gt;Corvid" in page.text and page.headers["Cache-Control"] == "no-store"
    assert jay.post("/settings/bots/jay/delete").location == "/settings/bots"
    assert "You have no bots." in words(jay.get("/settings/bots"))
    check_error(jay.get("/settings/bots/jay"), 404, "You don’t have a bot with that name.")


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"login": "not a login", "name": "Jay"}, "1 to 15 letters"),
        ({"login": "admin", "name": "Jay"}, "That name is reserved."),
        ({"login": "crow", "name": " "}, "Enter a name."),
        ({"login": "crow", "name": "x" * 99}, "at most 50 characters"),
        ({}, "Choose a login."),
    ],
)
def test_a_bot_that_cannot_be_made_brings_its_form_back(
    form: dict[str, str], sentence: str, jay: FlaskClient
) -> None:
    answer = jay.post("/settings/bots", data=form)
    assert answer.status_code == 422 and sentence in words(answer)
    assert form.get("login", "") in answer.text


def test_a_login_that_is_taken_is_said_beside_it(jay: FlaskClient) -> None:
    answer = jay.post("/settings/bots", data={"login": "ANN", "name": "Jay"})
    assert answer.status_code == 409 and "That name is taken." in words(answer)


def test_a_token_is_shown_once_and_opens_the_api_until_it_is_revoked(
    jay: FlaskClient, client: FlaskClient
) -> None:
    answer = jay.post("/settings/bots/jay/tokens", data={"token": "script"})
    assert answer.status_code == 201 and answer.headers["Cache-Control"] == "no-store"
    token = re.search(r"linnet_\d+_[\w-]+", answer.text)
    assert token and token[0] not in jay.get("/settings/bots/jay").text
    head = {"Authorization": f"Bearer {token[0]}"}
    assert client.get("/api/chats", headers=head).json == {"chats": []}
    sha = re.search(r"/settings/bots/jay/tokens/(\w+)/revoke", answer.text)
    assert sha and jay.post(sha[0]).status_code == 303
    assert client.get("/api/chats", headers=head).status_code == 401
    assert jay.post("/settings/bots/jay/tokens", data={"token": ""}).status_code == 422


def test_the_secret_of_a_webhook_is_shown_once(jay: FlaskClient) -> None:
    bad = jay.post("/settings/bots/jay/webhook", data={"url": "javascript:alert(1)"})
    assert bad.status_code == 422 and "javascript:alert(1)" in bad.text
    answer = jay.post("/settings/bots/jay/webhook", data={"url": " https://bird.example/hook "})
    assert answer.status_code == 201
    secret = re.search(r"whsec_[\w-]+", answer.text)
    page = jay.get("/settings/bots/jay")
    assert secret and secret[0] not in page.text and "https://bird.example/hook" in page.text
    assert "not reached yet" in words(page)
    assert jay.post("/settings/bots/jay/webhook/remove").status_code == 303
    assert "bird.example" not in jay.get("/settings/bots/jay").text


def test_a_bots_page_says_what_could_not_be_delivered(jay: FlaskClient, app: Flask) -> None:
    jay.post("/settings/bots/jay/webhook", data={"url": "https://bird.example/hook"})
    db: Db = app.extensions["linnet.db"]
    bot = store.get_by_login(db, "jay").uid
    facts = {"chat": "7", "message": 3, "at": 1_790_000_000_000, "tries": 8, "error": "answer 500"}
    db.run(("LPUSH", bot_keys.webhook_failures(bot), orjson.dumps(facts).decode()))
    db.run(("HSET", bot_keys.webhook(bot), "failures", 1, "error", "not_public"))
    page = words(jay.get("/settings/bots/jay"))
    assert "Message 3 of chat 7" in page and "tried 8 times: the answer was 500" in page
    assert "1 request has failed since: the address is not on the public internet" in page


def test_the_owner_takes_a_bot_out_of_a_group(jay: FlaskClient, app: Flask) -> None:
    db, config = app.extensions["linnet.db"], app.extensions["linnet.config"]
    ann, bot = store.get_by_login(db, "ann").uid, store.get_by_login(db, "jay").uid
    finches, wrens = (chat.group(db, config, ann, [bot]) for _ in range(2))
    for cid, name in ((finches, "Finches"), (wrens, "Wrens")):
        groups.change(db, config, ann, cid, name=name)
    chat.say(db, config, ann, f"{ann}-{bot}", "alone")
    worker.drain(db, config)
    page = jay.get("/settings/bots/jay")
    assert all(
        f'action="/settings/bots/jay/chats/{cid}/leave"' in page.text for cid in (finches, wrens)
    )
    assert f"{ann}-{bot}" not in page.text and "Finches" in words(page)
    for _ in range(2):
        answer = jay.post(f"/settings/bots/jay/chats/{finches}/leave")
        assert answer.status_code == 303 and answer.location == "/settings/bots/jay"
    page = jay.get("/settings/bots/jay")
    assert (
        "@jay has left the chat." in words(page)
        and "Finches" not in words(page)
        and "Wrens" in words(page)
    )
    assert chat.uids(db, finches) == [ann] and chat.uids(db, wrens) == [ann, bot]
    for nowhere in (f"{ann}-{bot}", "999", "x", "0"):
        check_error(jay.post(f"/settings/bots/jay/chats/{nowhere}/leave"), 404)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/chats/1/leave",
        "/name",
        "/tokens",
        "/tokens/abc/revoke",
        "/webhook",
        "/webhook/remove",
        "/delete",
    ],
)
def test_nobody_touches_the_bot_of_another(
    path: str, jay: FlaskClient, member: Join, client: FlaskClient
) -> None:
    ben = member("ben")
    form = {"name": "Mine", "token": "mine", "url": "https://bird.example/"}
    address = f"/settings/bots/jay{path}"
    check_error(
        ben.post(address, data=form) if path else ben.get(address),
        404,
        "You don’t have a bot with that name.",
    )
    assert (client.post(address, data=form) if path else client.get(address)).location.startswith(
        "/login"
    )
    check_error(ben.get("/settings/bots/ann"), 404)
    assert "Mine" not in jay.get("/settings/bots/jay").text


def test_a_bot_is_marked_wherever_a_chat_shows_it(jay: FlaskClient, app: Flask) -> None:
    db, config = app.extensions["linnet.db"], app.extensions["linnet.config"]
    ann, bot = store.get_by_login(db, "ann").uid, store.get_by_login(db, "jay").uid
    group = chat.group(db, config, ann, [bot])
    chat.say(db, config, bot, group, "in the group")
    chat.say(db, config, ann, f"{ann}-{bot}", "alone")
    worker.drain(db, config)
    for path in (
        f"/chats/{group}",
        f"/chats/{group}/people",
        f"/chats/{ann}-{bot}",
        "/chats",
        "/@jay",
        "/settings/bots",
    ):
        assert re.search(r"\bBot\b", words(jay.get(path)).replace("Bots", "")), path


def test_a_bot_cannot_sign_in_through_the_form(jay: FlaskClient, client: FlaskClient) -> None:
    answer = client.post("/login", data={"login": "jay", "password": PASSWORD})
    assert answer.status_code == 422
