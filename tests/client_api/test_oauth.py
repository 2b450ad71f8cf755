"""Signing in as apps do: registering, the member's consent, codes, tokens and their end."""

import base64
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from orjson import dumps
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD, SignUp
from tests.support.client_api import (
    OUT_OF_BAND,
    ApiClient,
    allowed_code,
    connected,
    consent_query,
    exchange,
    register_app,
)
from tests.support.concurrently import at_once
from tests.support.events import event_types
from tests.support.world import World
from webapp.accounts.email import keys as email_keys
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.app import create_app
from webapp.client_api.callers import find_holder
from webapp.client_api.oauth import apps, codes
from webapp.client_api.oauth.codes import challenge_of
from webapp.config import Config, Rate
from webapp.core.errors import Conflict, Forbidden
from webapp.core.settings.live import LiveSettings
from webapp.core.web.context import site_of

CUSTOM = "siskin://signed-in"
VERIFIER = "a-verifier-of-at-least-forty-three-characters-0123"


def test_an_app_acts_for_the_member_who_allowed_it(app: Flask, member: SignUp) -> None:
    api = connected(app, member("ann"))
    assert api.get("v1/accounts/verify_credentials")["acct"] == "ann"
    assert api.get("v1/apps/verify_credentials")["name"] == "Siskin"


def test_a_site_that_may_see_the_profile_is_told_who_signs_in(app: Flask, member: SignUp) -> None:
    ann = connected(app, member("ann"), scopes="profile")
    ann.get("v1/accounts/verify_credentials")
    base = "http://localhost"
    told = ann.call("GET /oauth/userinfo").json
    picture = told.pop("picture")
    assert told == {
        "iss": f"{base}/",
        "sub": "1",
        "name": "Ann",
        "preferred_username": "ann",
        "profile": f"{base}/@ann",
    }
    assert ann.call(f"GET {picture.removeprefix(base)}").mimetype == "image/png"
    server = ann.call("GET /.well-known/oauth-authorization-server").json
    assert server["userinfo_endpoint"] == f"{base}/oauth/userinfo"
    reader = connected(app, member("ben"), scopes="read")
    assert reader.call("GET /oauth/userinfo").status_code == 403
    assert ApiClient(app).call("GET /oauth/userinfo").status_code == 401


def test_the_way_back_carries_code_and_state(app: Flask, member: SignUp) -> None:
    registered = register_app(app, redirects=CUSTOM)
    query = consent_query(registered, redirect_uri=CUSTOM, state="of the app")
    ann = member("ann")
    policy = ann.get("/oauth/authorize", query_string=query).headers["Content-Security-Policy"]
    assert "form-action 'self' siskin:;" in policy
    form = {"answer": "allow", "current_password": PASSWORD}
    sent = ann.post("/oauth/authorize", query_string=query, data=form)
    answer = parse_qs(urlsplit(sent.location).query)
    assert sent.location.startswith(f"{CUSTOM}?") and answer["state"] == ["of the app"]
    token = exchange(app, registered, answer["code"][0], redirect_uri=CUSTOM)
    assert token.json["token_type"] == "Bearer"


def test_a_refusal_leads_back_without_a_code(app: Flask, member: SignUp) -> None:
    registered = register_app(app, redirects=CUSTOM)
    query = consent_query(registered, redirect_uri=CUSTOM)
    sent = member("ann").post("/oauth/authorize", query_string=query, data={"answer": "deny"})
    assert sent.location == f"{CUSTOM}?error=access_denied"


def test_a_visitor_signs_in_before_allowing(app: Flask) -> None:
    query = consent_query(register_app(app))
    page = app.test_client().get("/oauth/authorize", query_string=query)
    assert page.status_code == 303 and page.location.startswith("/login?next=/oauth/authorize")


def test_the_window_of_an_app_is_not_parted_from_it(app: Flask, member: SignUp) -> None:
    query = consent_query(register_app(app))
    ann, visitor = member("ann"), app.test_client()
    login = visitor.get("/oauth/authorize", query_string=query)
    answers = [ann.get("/oauth/authorize", query_string=query), login, visitor.get(login.location)]
    form = {"login": "ann", "password": PASSWORD, "next": "/oauth/authorize?x=1"}
    answers.append(visitor.post("/login", data=form))
    assert {one.headers["Cross-Origin-Opener-Policy"] for one in answers} == {"unsafe-none"}
    assert ann.get("/login").headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": "0" * 32},
        {"redirect_uri": "https://thief.example/"},
        {"scope": "read admin:write"},
        {"response_type": "token"},
        {"code_challenge": "short"},
        {"code_challenge": challenge_of(VERIFIER), "code_challenge_method": "plain"},
    ],
)
def test_nothing_leads_anywhere_for_a_wrong_request(
    app: Flask, member: SignUp, change: dict[str, str]
) -> None:
    query = consent_query(register_app(app)) | change
    page = member("ann").post("/oauth/authorize", query_string=query, data={"answer": "allow"})
    assert page.status_code == 400 and "location" not in page.headers


def test_an_app_cannot_ask_for_more_than_it_registered(app: Flask, member: SignUp) -> None:
    registered = register_app(app, scopes="read:statuses")
    query = consent_query(registered, scope="read")
    assert member("ann").get("/oauth/authorize", query_string=query).status_code == 400


def test_a_code_is_used_once_even_by_many_at_once(app: Flask, member: SignUp) -> None:
    registered = register_app(app)
    code = allowed_code(member("ann"), registered)
    answers = at_once(10, lambda _: exchange(app, registered, code), range(20))
    assert sorted(answer.status_code for answer in answers) == [200, *[400] * 19]
    refused = next(answer for answer in answers if answer.status_code == 400)
    assert refused.json["error"] == "invalid_grant"


def test_a_code_that_comes_again_ends_the_token_of_its_first_use(
    app: Flask, member: SignUp
) -> None:
    ann, registered, other = member("ann"), register_app(app), register_app(app)
    code = allowed_code(ann, registered)
    first = ApiClient(app, exchange(app, registered, code).json["access_token"])
    assert exchange(app, other, code).status_code == 400
    assert first.get("v1/timelines/home") == []
    assert exchange(app, registered, code, code_verifier=VERIFIER).status_code == 400
    assert first.call("GET /api/v1/timelines/home").status_code == 401
    later = exchange(app, registered, allowed_code(ann, registered)).json["access_token"]
    assert exchange(app, registered, code).status_code == 400
    assert ApiClient(app, later).get("v1/timelines/home") == []


@pytest.mark.parametrize(
    ("change", "error", "status"),
    [
        ({"client_secret": "wrong"}, "invalid_client", 401),
        ({"client_id": "unknown"}, "invalid_client", 401),
        ({"redirect_uri": CUSTOM}, "invalid_grant", 400),
        ({"code": "1-unknown"}, "invalid_grant", 400),
        ({"code_verifier": VERIFIER}, "invalid_grant", 400),
        ({"grant_type": "password"}, "unsupported_grant_type", 400),
    ],
)
def test_a_wrong_exchange_is_refused_and_the_code_stays(
    app: Flask, member: SignUp, change: dict[str, str], error: str, status: int
) -> None:
    registered = register_app(app)
    code = allowed_code(member("ann"), registered)
    answer = exchange(app, registered, code, **change)
    assert (answer.status_code, answer.json["error"]) == (status, error)
    assert exchange(app, registered, code).status_code == 200


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
def test_a_request_that_cannot_be_read_is_refused_as_json(app: Flask, path: str) -> None:
    for body in (b"{", b'{"client_id": 5}'):
        answer = app.test_client().post(path, data=body, content_type="application/json")
        assert (answer.status_code, answer.json["error"]) == (400, "invalid_request")
        assert answer.json["error_description"]


def test_too_many_requests_for_tokens_are_told_as_json(settings: Config) -> None:
    app = create_app(replace(settings, limit_app=Rate(1, 3_600)))
    answers = [app.test_client().post("/oauth/token", data={}) for _ in range(2)]
    assert [one.status_code for one in answers] == [401, 429]
    assert answers[1].json["error"] and answers[1].headers["Retry-After"]


def test_only_the_app_with_the_verifier_gets_the_token(app: Flask, member: SignUp) -> None:
    registered = register_app(app)
    code = allowed_code(member("ann"), registered, code_challenge=challenge_of(VERIFIER))
    assert exchange(app, registered, code).status_code == 400
    assert exchange(app, registered, code, code_verifier=f"{VERIFIER}4").status_code == 400
    assert exchange(app, registered, code, code_verifier=VERIFIER).status_code == 200


def test_a_code_is_void_once_the_password_has_changed(app: Flask, ann: FlaskClient) -> None:
    registered = register_app(app)
    code = allowed_code(ann, registered)
    form = {"old": PASSWORD, "new": "seven quiet herons wade", "revoke": "y"}
    assert ann.post("/settings/password", data=form).status_code == 303
    assert exchange(app, registered, code).status_code == 400


def test_consent_of_a_session_that_ends_meanwhile_gives_no_code(world: World) -> None:
    [ann] = world.people("ann")
    registered, _ = apps.register(world, "Siskin", "", (CUSTOM,), ("read",))
    with pytest.raises(Conflict):
        codes.grant(world, ann, registered, CUSTOM, ("read",), "", sha_of(f"{ann}.gone"))


def test_the_secret_may_come_as_basic_authentication(app: Flask, member: SignUp) -> None:
    registered = register_app(app)
    code = allowed_code(member("ann"), registered)
    pair = f"{registered['client_id']}:{registered['client_secret']}".encode()
    headers = {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
    sent = {"grant_type": "authorization_code", "code": code, "redirect_uri": OUT_OF_BAND}
    answer = app.test_client().post("/oauth/token", json=sent, headers=headers)
    assert answer.status_code == 200


def test_tokens_end_when_they_are_revoked_here_or_there(app: Flask, member: SignUp) -> None:
    ann, registered = member("ann"), register_app(app)
    token = exchange(app, registered, allowed_code(ann, registered)).json["access_token"]
    secrets = {name: registered[name] for name in ("client_id", "client_secret")}
    for wrong in ({"client_secret": "wrong"}, {"client_id": "unknown"}):
        sent = {**secrets, **wrong, "token": token}
        assert app.test_client().post("/oauth/revoke", data=sent).status_code == 403
    assert ApiClient(app, token).get("v1/timelines/home") == []
    for _ in range(2):
        ended = app.test_client().post("/oauth/revoke", data={**secrets, "token": token})
        assert (ended.status_code, ended.json) == (200, {})
    assert ApiClient(app, token).call("GET /api/v1/timelines/home").status_code == 401


def test_apps_are_listed_in_the_settings_and_end_there(app: Flask, ann: FlaskClient) -> None:
    api = connected(app, ann)
    page = ann.get("/settings/tokens").text
    assert "Siskin" in page
    path = page.partition('action="/settings/tokens/')[2].partition('"')[0]
    ann.post(f"/settings/tokens/{path}")
    assert api.call("GET /api/v1/timelines/home").status_code == 401


def test_an_app_is_signed_in_on_several_devices(app: Flask, ann: FlaskClient) -> None:
    registered = register_app(app)
    allowed = [allowed_code(ann, registered) for _ in range(codes.APP_DEVICES_MAX + 1)]
    devices = [
        ApiClient(app, exchange(app, registered, code).json["access_token"]) for code in allowed
    ]
    answers = [one.call("GET /api/v1/timelines/home").status_code for one in devices]
    assert answers == [401, *[200] * codes.APP_DEVICES_MAX], "the first device was the oldest"


def test_the_streams_of_the_device_that_makes_room_end(world: World) -> None:
    [ann] = world.people("ann")
    registered, _ = apps.register(world, "Siskin", "", (CUSTOM,), ("read",))
    for _ in range(codes.APP_DEVICES_MAX):
        codes.issue(world, ann, registered, ("read",))
    assert "signed_out" not in event_types(world.db, ann)
    codes.issue(world, ann, registered, ("read",))
    assert event_types(world.db, ann).count("signed_out") == 1


def test_an_app_comes_in_place_of_a_revoked_one(
    app: Flask, ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "APP_TOKENS_MAX", 1)
    first, registered = register_app(app), register_app(app)
    for _ in range(2):  # the second in place of the first, of the same app
        assert exchange(app, first, allowed_code(ann, first)).status_code == 200
    code = allowed_code(ann, registered)
    assert exchange(app, registered, code).status_code == 422
    page = ann.get("/settings/tokens").text
    path = page.partition('action="/settings/tokens/')[2].partition('"')[0]
    ann.post(f"/settings/tokens/{path}")
    assert exchange(app, registered, code).status_code == 200


def test_tokens_of_apps_do_not_use_up_the_members_own(app: Flask, ann: FlaskClient) -> None:
    for _ in range(3):
        connected(app, ann)
    limit = app.extensions["linnet.config"].tokens_max
    form = {"name": "mine", "current_password": PASSWORD}
    created = [ann.post("/settings/tokens", data=form).status_code for _ in range(limit + 1)]
    assert created == [*[201] * limit, 409]


def test_an_app_without_a_member_signs_up_a_member(app: Flask) -> None:
    registered = register_app(app)
    token = exchange(app, registered, "", grant_type="client_credentials").json["access_token"]
    api = ApiClient(app, token)
    assert api.call("GET /api/v1/timelines/home").status_code == 422
    form = {"username": "newt", "password": PASSWORD, "email": "n@n.example", "agreement": "1"}
    assert api.call("POST /api/v1/accounts", data=form | {"username": "no way"}).status_code == 422
    assert (
        api.call("POST /api/v1/accounts", data=form | {"password": "12345678"}).status_code == 422
    )
    made = api.post("v1/accounts", **form)
    taken = api.call("POST /api/v1/accounts", data=form)
    assert taken.status_code == 422
    assert [one["error"] for one in taken.json["details"]["username"]] == ["ERR_TAKEN"]
    wrong = api.call("POST /api/v1/accounts", data={"username": "no way"})
    codes = {name: found[0]["error"] for name, found in wrong.json["details"].items()}
    blank = {"agreement": "ERR_ACCEPTED", "email": "ERR_BLANK", "password": "ERR_BLANK"}
    assert (wrong.status_code, codes) == (422, {**blank, "username": "ERR_INVALID"})
    told = [one["description"] for one in wrong.json["details"]["email"]]
    assert told == ["can't be blank", "is invalid"]
    assert wrong.json["details"]["password"][0]["description"] == "can't be blank"
    own = ApiClient(app, made["access_token"])
    assert own.get("v1/accounts/verify_credentials")["username"] == "newt"
    other = ApiClient(app, own.post("v1/accounts", **form | {"username": "eft"})["access_token"])
    assert other.get("v1/accounts/verify_credentials")["username"] == "eft"


def test_an_app_without_a_member_has_the_scopes_that_it_asks_for(app: Flask) -> None:
    registered = register_app(app, scopes="read write:accounts")

    def asked(scope: str) -> TestResponse:
        return exchange(app, registered, "", grant_type="client_credentials", scope=scope)

    for scope in ("push", "write", "read admin:read"):
        refusal = asked(scope)
        assert (refusal.status_code, refusal.json["error"]) == (400, "invalid_scope")
    assert asked("").json["scope"] == asked("read write:accounts").json["scope"]
    narrow, full = asked("read:statuses"), asked("")
    assert narrow.json["scope"] == "read:statuses"
    sent = {"username": "newt", "password": PASSWORD, "email": "n@n.example", "agreement": "1"}
    for token, status in ((narrow, 403), (full, 200)):
        api = ApiClient(app, token.json["access_token"])
        assert api.get("v1/apps/verify_credentials")["name"] == "Siskin"
        assert api.call("POST /api/v1/accounts", data=sent).status_code == status
    widened = narrow.json["access_token"].replace("read.statuses", "write.accounts")
    bare = narrow.json["access_token"].partition("~")[0]
    for forged in (widened, bare, f"{full.json['access_token']}~write"):
        assert ApiClient(app, forged).call("GET /api/v1/instance").status_code == 401


def test_an_app_signs_up_who_waits_for_a_moderator(app: Flask, member: SignUp) -> None:
    jay, settings = member("jay", "moderator"), site_of(app).config
    sends = replace(settings, signup="approval", mail_folder="x", mail_from="site@example.org")
    made = create_app(sends)
    assert ApiClient(made).get("v2/instance")["registrations"]["approval_required"] is True
    assert ApiClient(made).get("v1/instance")["registrations"] is True
    registered = register_app(made)
    token = exchange(made, registered, "", grant_type="client_credentials").json["access_token"]
    api = ApiClient(made, token)
    form = {"username": "newt", "password": PASSWORD, "email": "n@n.example", "agreement": "1"}
    blank = api.call("POST /api/v1/accounts", data=form)
    assert (blank.status_code, list(blank.json["details"])) == (422, ["reason"])
    form["reason"] = "Birds."
    nowhere = api.call("POST /api/v1/accounts", data=form | {"email": "n@n"})
    assert (nowhere.status_code, list(nowhere.json["details"])) == (422, ["email"])
    own = ApiClient(made, api.post("v1/accounts", **form)["access_token"])
    for path in ("accounts/verify_credentials", "instance"):
        waits = own.call(f"GET /api/v1/{path}")
        assert waits.status_code == 403 and "pending approval" in waits.json["error"]
    assert "Birds." in jay.get("/moderation/sign-ups").text
    site = site_of(made)
    assert site.db.run(("HGET", email_keys.email(2), "applied")) == "n@n.example"
    with pytest.raises(Forbidden):  # as streams do
        find_holder(site, own.headers["Authorization"].split()[1])
    given = api.post("v1/accounts", **form | {"username": "eft"})["access_token"]
    secrets = {name: registered[name] for name in ("client_id", "client_secret")}
    made.test_client().post("/oauth/revoke", data={**secrets, "token": given})
    for login in ("newt", "eft"):
        jay.post(f"/moderation/@{login}", data={"act": "accept"})
    assert own.get("v1/accounts/verify_credentials")["username"] == "newt"
    assert ApiClient(made, given).call("GET /api/v1/instance").status_code == 401


def test_a_token_with_scopes_opens_neither_chats_nor_streams(app: Flask, member: SignUp) -> None:
    api = connected(app, member("ann"))
    assert api.call("GET /api/chats").status_code == 401
    for client_id in ("0" * 32, "", "{}", "é"):
        forged = {"Authorization": f"Bearer linnetapp_{client_id}_x"}
        assert api.call("GET /api/v1/timelines/home", headers=forged).status_code == 401


@pytest.mark.parametrize(
    "fields",
    [
        {"client_name": ""},
        {"redirect_uris": ""},
        {"redirect_uris": "javascript:alert(1)"},
        {"redirect_uris": "not an address"},
        {"redirect_uris": "http://[siskin"},
        {"redirect_uris": "https://siskin.example;sandbox/signed-in"},  # it is put into a policy
        {"scopes": "everything"},
    ],
)
def test_a_wrong_registration_says_what_is_wrong(app: Flask, fields: dict[str, str]) -> None:
    sent = {"client_name": "Siskin", "redirect_uris": CUSTOM, "scopes": "read"} | fields
    answer = ApiClient(app).call("POST /api/v1/apps", data=sent)
    assert answer.status_code == 422
    assert answer.json["error"].startswith("Validation failed: ")


def test_a_password_gives_a_token_only_where_the_operator_allows_it(
    app: Flask, settings: Config, member: SignUp
) -> None:
    member("ann")
    sent = {"grant_type": "password", "username": "ann", "password": PASSWORD, "scope": "read"}

    def ask(site: Flask, environ: dict[str, str] | None = None, **fields: str) -> TestResponse:
        registered = register_app(site)
        names = {name: registered[name] for name in ("client_id", "client_secret")}
        data = {**sent, **names, **fields}
        return site.test_client().post("/oauth/token", data=data, environ_base=environ or {})

    assert ask(app).json["error"] == "unsupported_grant_type"
    allowing = create_app(replace(settings, oauth_password_grant=True))
    once = replace(settings, oauth_password_grant=True, limit_signin_account=Rate(2, 3_600))
    guarded = create_app(once)
    answer = ask(allowing)
    assert answer.status_code == 200 and answer.json["scope"] == "read"
    client = ApiClient(allowing, answer.json["access_token"])
    assert client.get("v1/accounts/verify_credentials")["acct"] == "ann"
    entry = dumps({"action": "login"}).decode()
    live: LiveSettings = allowing.extensions["linnet.settings"]
    live.apply("1", {}, {"network:192.0.2.0/24": entry})
    elsewhere = {"REMOTE_ADDR": "192.0.2.9"}
    assert ask(allowing, environ=elsewhere).json["error"] == "invalid_grant"
    for wrong in ({"password": "x" * 12}, {"username": "nobody"}, {"username": ""}):
        refused = ask(allowing, **wrong)
        assert (refused.status_code, refused.json["error"]) == (400, "invalid_grant")
    assert ask(allowing, scope="admin:read").json["error"] == "invalid_scope"
    guessed = [ask(guarded, password="x" * 12).status_code for _ in range(4)]
    assert 429 in guessed
