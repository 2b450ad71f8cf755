"""Tokens, apps, bots and webhooks ask for the password again; a changed one may revoke them."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, SignUp, make_app
from tests.support.pages import page_text
from tests.support.world import World, store_of
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions import credentials, store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.sessions.password_proof import PROOF_SECONDS
from webapp.accounts.tokens import apps, store as tokens
from webapp.chat.bots import projections as bot_projections, store as bots, webhooks
from webapp.config import Config, Rate
from webapp.core.errors import Conflict
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Site
from webapp.streaming import keys as stream_keys

NEW_PASSWORD = "another battery staple"
ANN = 1
FORMS = {
    "/settings/tokens": {"name": "script"},
    "/settings/apps": {"name": "reader"},
    "/settings/bots": {"login": "robin", "name": "Robin"},
    "/settings/username": {"login": "bea"},
    "/settings/bots/jay/tokens": {"token": "script"},
    "/settings/bots/jay/webhook": {"url": "https://bird.example/hook"},
}


def session_key(client: FlaskClient) -> str:
    """Return the key of a client's session."""
    cookie = client.get_cookie("linnet")
    assert cookie
    return account_keys.session(ANN, sha_of(cookie.value))


def set_proof(app: Flask, client: FlaskClient, age: int | None) -> None:
    """Let the password have been entered so many seconds ago; None for an old session."""
    key = session_key(client)
    if age is None:
        store_of(app).run(("HDEL", key, "proved"))
    else:
        store_of(app).run(("HSET", key, "proved", int(time.time()) - age))


def created(app: Flask) -> int:
    """Return how many tokens, apps, bots, bot tokens, webhooks and former usernames there are."""
    db = store_of(app)
    own_bots = bots.list_bots(db, ANN)
    uids = (ANN, *(bot.uid for bot in own_bots))
    token_count = sum(len(tokens.list_tokens(db, uid)) for uid in uids)
    webhook_count = sum(bool(db.read(webhooks.get_webhook(bot.uid))) for bot in own_bots)
    renamed = db.run(("HEXISTS", account_keys.user(ANN), "former_login"))
    return len(own_bots) + len(apps.list_apps(db, ANN)) + token_count + webhook_count + renamed


@pytest.fixture
def ann(member: SignUp) -> FlaskClient:
    """Ann, who has just signed up and has a bot."""
    client = member("ann")
    assert client.post("/settings/bots", data={"login": "jay", "name": "Jay"}).status_code == 303
    return client


@pytest.mark.parametrize("path", FORMS)
def test_a_form_asks_for_the_password_after_ten_minutes(
    app: Flask, ann: FlaskClient, path: str
) -> None:
    page_path = path.rpartition("/")[0] if "jay" in path else path
    page_path = "/settings/tokens" if path == "/settings/apps" else page_path
    before = created(app)
    for age in (PROOF_SECONDS + 1, 10**6, None):
        set_proof(app, ann, age)
        assert 'name="current_password"' in ann.get(page_path).text, age
    for password, sentence in (
        ("", "Enter your password."),
        ("wrong password", "That’s not your password."),
        ("x" * 2_000, "That’s not your password."),
    ):
        answer = ann.post(path, data=FORMS[path] | {"current_password": password})
        assert answer.status_code == 422 and sentence in page_text(answer)
    assert ann.post(path, data=FORMS[path]).status_code == 422
    assert created(app) == before
    answer = ann.post(path, data=FORMS[path] | {"current_password": PASSWORD})
    assert answer.status_code in (201, 303) and created(app) == before + 1
    assert 'name="current_password"' not in ann.get(page_path).text


@pytest.mark.parametrize("path", FORMS)
def test_a_form_does_not_ask_soon_after_the_password_was_entered(
    app: Flask, ann: FlaskClient, path: str
) -> None:
    set_proof(app, ann, PROOF_SECONDS - 60)
    assert ann.post(path, data=FORMS[path]).status_code in (201, 303)


def test_a_password_proves_only_the_session_it_was_entered_in(app: Flask, ann: FlaskClient) -> None:
    other = app.test_client()
    other.post("/login", data={"login": "ann", "password": PASSWORD})
    set_proof(app, ann, None)
    assert ann.post("/settings/tokens", data={"name": "script"}).status_code == 422
    assert other.post("/settings/tokens", data={"name": "script"}).status_code == 201


def test_wrong_passwords_are_limited(settings: Config) -> None:
    app = make_app(replace(settings, limit_signin_account=Rate(3, 600)))
    ann = app.test_client()
    ann.post("/signup", data={"login": "ann", "name": "Ann", "password": PASSWORD})
    set_proof(app, ann, None)
    wrong = {"name": "script", "current_password": "wrong password"}
    statuses = [ann.post("/settings/tokens", data=wrong).status_code for _ in range(4)]
    assert statuses == [422, 422, 422, 429]
    store_of(app).close()


def test_a_session_or_password_that_has_changed_is_not_proved(world: World) -> None:
    [ann] = world.people("ann")
    cookie = sessions.start(world, ann)
    sessions.end(world, cookie)
    world.refuses(Conflict, credentials.prove, ann, PASSWORD, sha_of(cookie))
    assert not world.db.run(("EXISTS", account_keys.session(ann, sha_of(cookie))))


def change_password(client: FlaskClient, **fields: str) -> None:
    """Change the password with these ticked boxes."""
    form = {"old": PASSWORD, "new": NEW_PASSWORD, **fields}
    assert client.post("/settings/password", data=form).status_code == 303


class Secrets:
    """A token, an app and a bot's token of Ann."""

    def __init__(self, site: Site) -> None:
        self._db, self._config = site.db, site.config
        [bot] = bots.list_bots(site.db, ANN)
        self.bot_uid = bot.uid
        self.token = tokens.create(site, ANN, "script")
        self.app = apps.create(site, ANN, "reader")
        self.bot_token = tokens.create(site, bot.uid, "script")

    def valid(self) -> list[bool]:
        """Return which of them open something."""
        db, config = self._db, self._config
        return [
            tokens.authenticate(Site(db, config), self.token) is not None,
            apps.find_owner(db, self.app.consumer_key) is not None,
            tokens.authenticate(Site(db, config), self.bot_token) is not None,
        ]


def test_the_form_offers_to_revoke_tokens_and_the_box_is_ticked(ann: FlaskClient) -> None:
    box = re.search(r'<input[^>]*name="revoke"[^>]*>', ann.get("/settings/password").text)
    assert box and "checked" in box[0] and 'type="checkbox"' in box[0]


def test_a_changed_password_revokes_tokens_apps_and_bot_tokens(
    app: Flask, ann: FlaskClient, settings: Config, member: SignUp
) -> None:
    db = store_of(app)
    member("ben")
    secrets, others = Secrets(Site(db, settings)), tokens.create(Site(db, settings), 3, "script")
    change_password(ann, revoke="y")
    assert secrets.valid() == [False, False, False]
    assert tokens.authenticate(Site(db, settings), others)
    assert "were revoked" in page_text(ann.get("/settings/sessions"))
    entries = db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    logged = [dict(zip(fields[::2], fields[1::2], strict=True)) for _, fields in entries]
    uids = {entry["uid"] for entry in logged if entry["type"] == "signed_out"}
    assert uids == {str(ANN), str(secrets.bot_uid)}  # which ends their open streams


def test_a_changed_password_keeps_them_if_the_box_is_not_ticked(
    app: Flask, ann: FlaskClient, settings: Config
) -> None:
    secrets = Secrets(Site(store_of(app), settings))
    change_password(ann)
    assert secrets.valid() == [True, True, True]


def test_a_changed_password_counts_as_entered(app: Flask, ann: FlaskClient) -> None:
    set_proof(app, ann, None)
    change_password(ann, revoke="y")
    assert ann.post("/settings/tokens", data={"name": "script"}).status_code == 201


def test_the_operator_revokes_bot_tokens_too(
    app: Flask, ann: FlaskClient, settings: Config
) -> None:
    secrets = Secrets(Site(store_of(app), settings))
    credentials.reset_password(Site(store_of(app), settings), ANN, NEW_PASSWORD)
    ann.post("/login", data={"login": "ann", "password": NEW_PASSWORD})  # applies the events
    assert secrets.valid() == [False, False, False]


def test_bot_tokens_created_after_the_change_stay_however_often_the_event_is_applied(
    app: Flask, ann: FlaskClient, settings: Config
) -> None:
    db = store_of(app)
    [bot] = bots.list_bots(db, ANN)
    token = tokens.create(Site(db, settings), bot.uid, "script")
    [created_at] = [entry.created.timestamp() for entry in tokens.list_tokens(db, bot.uid)]
    for seconds, is_left in ((-1, True), (-1, True), (0, False), (0, False)):
        event_id = f"{int(created_at + seconds) * 1000}-0"
        event = Event(event_id, 1, "fanout", 1, "tokens_revoked", "", {"uid": str(ANN)})
        bot_projections.revoke_tokens(Context(db, settings, lambda: None), [event])
        assert (tokens.authenticate(Site(db, settings), token) is not None) == is_left


@pytest.mark.parametrize(
    "path", ["/settings/tokens", "/settings/apps", "/settings/bots/jay/tokens"]
)
def test_what_another_device_makes_meanwhile_does_not_survive(
    app: Flask, ann: FlaskClient, path: str
) -> None:
    others = [app.test_client() for _ in range(6)]
    for other in others:
        other.post("/login", data={"login": "ann", "password": PASSWORD})

    def create(client: FlaskClient) -> int:
        return client.post(path, data=FORMS[path]).status_code

    with ThreadPoolExecutor(7) as pool:
        before = [pool.submit(create, other) for other in others[:3]]
        change = pool.submit(change_password, ann, revoke="y")
        after = [pool.submit(create, other) for other in others[3:]]
        assert {future.result() for future in before + after} <= {201, 303, 409}
        change.result()
    ann.get("/home")
    [bot] = bots.list_bots(store_of(app), ANN)
    left = [tokens.list_tokens(store_of(app), uid) for uid in (ANN, bot.uid)]
    assert (left, apps.list_apps(store_of(app), ANN)) == ([[], []], [])
