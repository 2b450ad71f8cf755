"""The settings pages of bots, their tokens and webhooks."""

import re

import orjson
import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support import chat, worker
from tests.support.pages import check_error, page_text
from tests.support.world import Web
from webapp.accounts import keys as account_keys, store
from webapp.chat.bots import keys as bot_keys
from webapp.chat.members import group_chats
from webapp.core.web.context import site_of


@pytest.fixture
def jay(web: Web) -> FlaskClient:
    """The browser of Ann, who has a bot named @jay."""
    ann = web.member("ann")
    response = ann.post("/settings/bots", data={"login": "jay", "name": "Jay"})
    assert response.status_code == 303 and response.location == "/settings/bots/jay"
    return ann


def test_member_creates_renames_and_deletes_a_bot(jay: FlaskClient) -> None:
    assert "@jay was created." in page_text(jay.get("/settings/bots/jay"))
    assert 'href="/settings/bots/jay"' in jay.get("/settings/bots").text
    assert jay.post("/settings/bots/jay/name", data={"name": "<b>Corvid</b>"}).status_code == 303
    page = jay.get("/settings/bots/jay")
    assert "&lt;b&gt;Corvid" in page.text and page.headers["Cache-Control"] == "no-store"
    assert jay.post("/settings/bots/jay/delete").location == "/settings/bots"
    assert "No bots yet." in page_text(jay.get("/settings/bots"))
    check_error(jay.get("/settings/bots/jay"), 404, "You don’t have a bot with that username.")


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"login": "not a login", "name": "Jay"}, "1 to 15 letters"),
        ({"login": "admin", "name": "Jay"}, "That username is reserved."),
        ({"login": "crow", "name": " "}, "Enter a name."),
        ({"login": "crow", "name": "x" * 99}, "That’s 99 characters. The limit is 50."),
        ({}, "Choose a username."),
    ],
)
def test_invalid_bot_form_is_shown_again_with_the_reason(
    form: dict[str, str], sentence: str, jay: FlaskClient
) -> None:
    response = jay.post("/settings/bots", data=form)
    assert response.status_code == 422 and sentence in page_text(response)
    assert form.get("login", "") in response.text


def test_taken_login_is_refused_in_the_form(jay: FlaskClient) -> None:
    response = jay.post("/settings/bots", data={"login": "ANN", "name": "Jay"})
    assert response.status_code == 409 and "That username is taken." in page_text(response)


def test_token_is_shown_once_and_valid_until_revoked(jay: FlaskClient, web: Web) -> None:
    response = jay.post("/settings/bots/jay/tokens", data={"token": "script"})
    assert response.status_code == 201 and response.headers["Cache-Control"] == "no-store"
    token = re.search(r"linnet_\d+_[\w-]+", response.text)
    assert token and token[0] not in jay.get("/settings/bots/jay").text
    head = {"Authorization": f"Bearer {token[0]}"}
    assert web.client.get("/api/chats", headers=head).json == {"chats": []}
    sha = re.search(r"/settings/bots/jay/tokens/(\w+)/revoke", response.text)
    assert sha and jay.post(sha[0]).status_code == 303
    assert web.client.get("/api/chats", headers=head).status_code == 401
    assert jay.post("/settings/bots/jay/tokens", data={"token": ""}).status_code == 422


def test_webhook_secret_is_shown_once(jay: FlaskClient) -> None:
    bad = jay.post("/settings/bots/jay/webhook", data={"url": "javascript:alert(1)"})
    assert bad.status_code == 422 and "javascript:alert(1)" in bad.text
    response = jay.post("/settings/bots/jay/webhook", data={"url": " https://bird.example/hook "})
    assert response.status_code == 201
    secret = re.search(r"whsec_[\w-]+", response.text)
    page = jay.get("/settings/bots/jay")
    assert secret and secret[0] not in page.text and "https://bird.example/hook" in page.text
    assert "Nothing delivered yet" in page_text(page)
    assert jay.post("/settings/bots/jay/webhook/remove").status_code == 303
    assert "bird.example" not in jay.get("/settings/bots/jay").text


def test_bot_page_lists_failed_deliveries(jay: FlaskClient, web: Web) -> None:
    jay.post("/settings/bots/jay/webhook", data={"url": "https://bird.example/hook"})
    bot = store.get_by_login(web.db, "jay").uid
    facts = {"chat": "7", "message": 3, "at": 1_790_000_000_000, "tries": 8, "error": "answer 500"}
    web.db.run(("LPUSH", bot_keys.webhook_failures(bot), orjson.dumps(facts).decode()))
    web.db.run(("HSET", bot_keys.webhook(bot), "failures", 1, "error", "not_public"))
    page = page_text(jay.get("/settings/bots/jay"))
    assert "Message 3 in chat 7" in page and "8 attempts: the response was 500" in page
    assert "1 request has failed since: the address isn’t on the public internet" in page


def test_owner_removes_a_bot_from_a_group(jay: FlaskClient, web: Web) -> None:
    site = site_of(web.app)
    ann, bot = store.get_by_login(site.db, "ann").uid, store.get_by_login(site.db, "jay").uid
    finches, wrens = (chat.group(site, ann, [bot]) for _ in range(2))
    for cid, name in ((finches, "Finches"), (wrens, "Wrens")):
        group_chats.change(site, ann, cid, name=name)
    chat.send_messages(site, ann, f"{ann}-{bot}", "alone")
    worker.drain(site)
    page = jay.get("/settings/bots/jay")
    for cid in (finches, wrens):
        assert f'action="/settings/bots/jay/chats/{cid}/leave"' in page.text
    assert f"{ann}-{bot}" not in page.text and "Finches" in page_text(page)
    for _ in range(2):
        response = jay.post(f"/settings/bots/jay/chats/{finches}/leave")
        assert response.status_code == 303 and response.location == "/settings/bots/jay"
    page = jay.get("/settings/bots/jay")
    assert "@jay has left the chat." in page_text(page)
    assert "Finches" not in page_text(page)
    assert "Wrens" in page_text(page)
    assert chat.uids(site.db, finches) == [ann] and chat.uids(site.db, wrens) == [ann, bot]
    for wrong in (f"{ann}-{bot}", "999", "x", "0"):
        check_error(jay.post(f"/settings/bots/jay/chats/{wrong}/leave"), 404)


def test_bots_are_labelled_on_every_page(jay: FlaskClient, web: Web) -> None:
    site = site_of(web.app)
    ann, bot = store.get_by_login(site.db, "ann").uid, store.get_by_login(site.db, "jay").uid
    group = chat.group(site, ann, [bot])
    chat.send_messages(site, bot, group, "in the group")
    chat.send_messages(site, ann, f"{ann}-{bot}", "alone")
    worker.drain(site)
    chat_pages = (f"/chats/{group}", f"/chats/{group}/people", f"/chats/{ann}-{bot}", "/chats")
    for path in (*chat_pages, "/@jay", "/settings/bots"):
        assert re.search(r"\bBot\b", page_text(jay.get(path)).replace("Bots", "")), path


def test_bot_cannot_sign_in_through_the_form(jay: FlaskClient, web: Web) -> None:
    for password in (PASSWORD, "jay", "nobody's password"):
        response = web.client.post("/login", data={"login": "jay", "password": password})
        assert response.status_code == 422
        assert web.client.get("/home").location == "/login?next=/home"
    uids = {login: store.get_by_login(web.db, login).uid for login in ("ann", "jay")}
    stored = {
        login: web.db.run(("EXISTS", account_keys.password(uid))) for login, uid in uids.items()
    }
    assert stored == {"ann": 1, "jay": 0}
    assert web.client.post("/login", data={"login": "ann", "password": PASSWORD}).status_code == 303


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("text_long", "That message is too long."),
        ("too_many", "the bot sends messages too often"),
        ("bad_json", "it isn’t valid JSON"),
    ],
)
def test_bot_page_says_why_the_last_answer_was_not_sent(
    code: str, sentence: str, jay: FlaskClient, web: Web
) -> None:
    jay.post("/settings/bots/jay/webhook", data={"url": "https://bird.example/hook"})
    bot = store.get_by_login(web.db, "jay").uid
    web.db.run(("HSET", bot_keys.webhook(bot), "answer_error", code))
    assert f"The last answer wasn’t sent: {sentence}" in page_text(jay.get("/settings/bots/jay"))
