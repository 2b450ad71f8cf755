"""Access tokens and sessions that may call the chat API."""

import re

from tests.conftest import PASSWORD, make_app
from tests.support import chat
from tests.support.chat_api import Pair, assert_error
from tests.support.world import Web
from webapp.accounts import lifecycle, store
from webapp.config import Config
from webapp.core.store import Db, Site

SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


def test_request_without_a_valid_token_is_refused(pair: Pair, web: Web) -> None:
    ann, _, cid = pair
    for path in ("", "/pending", f"/{cid}/messages"):
        response = web.client.get(f"/api/chats{path}")
        assert_error(response, 401, "who_are_you_here")
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
    signed_in = web.member("dot")
    for bad in ("Bearer", "Bearer x", "Bearer linnet_1_" + "x" * 43, "Basic YTpi", "OAuth x"):
        response = signed_in.get("/api/chats", headers={"Authorization": bad})
        assert_error(response, 401, "bad_token" if bad.startswith("Bearer") else "who_are_you_here")
    lifecycle.suspend(ann.site, ann.uid)
    assert_error(ann.send_get(), 401, "bad_token")


def test_the_origin_of_this_site_alone_opens_nothing(pair: Pair, web: Web) -> None:
    path = f"/api/chats/{pair[2]}/messages"
    for headers in (SAME_ORIGIN, {"Origin": "http://localhost"}):
        assert_error(web.client.get(path, headers=headers), 401, "who_are_you_here")
        answer = web.client.post(path, json={"text": "hi"}, headers=headers)
        assert_error(answer, 401, "who_are_you_here")


def test_session_may_write_from_pages_of_this_site_only(pair: Pair) -> None:
    ann, ben, cid = pair
    ben.send_message(cid, "one")
    page = ann.app.test_client()
    page.post("/login", data={"login": "ann", "password": PASSWORD})
    assert page.get("/api/chats").json["chats"][0]["id"] == cid
    path = f"/api/chats/{cid}/messages"
    assert page.get(path).status_code == 200
    for headers in (
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"X-CSRFToken": "made up"},
        {"Authorization": ""},
        {"Authorization": " ", "Origin": "https://evil.example"},
    ):
        forged = page.post(path, json={"text": "forged"}, headers=headers)
        assert_error(forged, 403, "elsewhere")
        marked = page.post("/api/chats/fetched", json={cid: 1}, headers=headers)
        assert_error(marked, 403, "elsewhere")
        assert_error(page.get("/api/chats/pending", headers=headers), 403, "elsewhere")
        assert page.get("/api/chats/pending?mark=0", headers=headers).status_code == 200
    for headers in (SAME_ORIGIN, {"Origin": "http://localhost"}):
        assert page.post(path, json={"text": "mine"}, headers=headers).status_code == 201
    assert page.get("/api/chats/pending", headers=SAME_ORIGIN).status_code == 200
    assert ann.fetch() == {}


def test_session_may_write_with_a_csrf_token(settings: Config) -> None:
    app = make_app(settings, WTF_CSRF_ENABLED=True)
    client = app.test_client()

    def csrf_token(path: str) -> str:
        found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', client.get(path).text)
        assert found
        return found[1]

    form = {"login": "ann", "name": "Ann", "password": PASSWORD}
    token = csrf_token("/signup")
    assert client.post("/signup", data={**form, "csrf_token": token}).status_code == 303
    db: Db = app.extensions["linnet.db"]
    cid = chat.group(Site(db, settings), db.read(store.uid_by_login("ann")))
    headers = {"X-CSRFToken": csrf_token("/home")}
    path = f"/api/chats/{cid}/messages"
    assert client.post(path, json={"text": "hi"}, headers=headers).status_code == 201
    db.close()
