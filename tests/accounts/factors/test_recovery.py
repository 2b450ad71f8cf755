"""A forgotten password: a recovery code replaces it, with a code of the app where there is one."""

import re
from collections import Counter
from dataclasses import replace

from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, SignUp, close_app, make_app
from tests.support.concurrently import at_once
from tests.support.pages import page_text
from tests.support.second_step import SECRET, code_of, switched_on
from tests.support.world import World
from webapp.accounts.factors import keys, store
from webapp.accounts.factors.recovery import recover
from webapp.accounts.sessions import credentials, store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.errors import Conflict, Forbidden, Invalid, RateLimited
from webapp.core.store import Site
from webapp.limits import Rate

NEW = "seven quiet herons wade"


def outcome(site: Site, code: str, app_code: str = "", login: str = "ann") -> str:
    """Return how an attempt ends."""
    try:
        recover(site, login, code, app_code, NEW, known_device=False)
    except (Invalid, RateLimited, Forbidden) as refusal:
        return str(refusal.code)
    return "right"


def with_codes(site: Site, uid: int) -> tuple[list[str], str]:
    """Give a member recovery codes. Return them, and the cookie of a session."""
    cookie = sessions.start(site, uid)
    return store.replace_codes(site, uid, sha_of(cookie)), cookie


def test_a_code_resets_the_password_once_and_ends_all_that_the_old_one_opened(world: World) -> None:
    [ann] = world.people("ann")
    codes, cookie = with_codes(world, ann)
    token = tokens.create(world, ann, "script")
    outcomes = Counter(at_once(8, lambda _: outcome(world, codes[0].upper()), range(50)))
    assert outcomes == {"right": 1, "wrong_recovery": 49}
    assert sessions.load(world, cookie) is None and tokens.holder(world, token) is None
    world.refuses(Invalid, credentials.sign_in, "ann", PASSWORD)
    assert credentials.sign_in(world, "ann", NEW).member.uid == ann
    world.refuses(Conflict, store.replace_codes, ann, sha_of(cookie))  # whose session has ended
    assert world.db.read(store.second_step(ann)).codes_left == 9


def test_with_two_step_login_a_recovery_code_alone_never_resets_the_password(world: World) -> None:
    [ann] = world.people("ann")
    codes = switched_on(world, ann)
    for app_code in ("", codes[1], "000000", SECRET):
        assert outcome(world, codes[0], app_code) == "wrong_recovery"
    assert outcome(world, "no such code", code_of()) == "wrong_recovery"
    assert credentials.sign_in(world, "ann", PASSWORD).second_step
    assert world.db.read(store.second_step(ann)).codes_left == 10
    world.db.run(("HDEL", keys.authenticator(ann), "new_at"))  # the next 30 s
    assert outcome(world, codes[0], code_of()) == "right"
    assert outcome(world, codes[1], code_of()) == "wrong_recovery", "that code of the app is used"


def test_guesses_of_app_codes_share_the_budget_of_sign_ins(world: World) -> None:
    [ann] = world.people("ann")
    codes = switched_on(world, ann)
    outcomes = [outcome(world, codes[0], "000000") for _ in range(11)]
    assert outcomes.count("wrong_recovery") <= 10 and "too_many" in outcomes
    assert outcome(world, "no such code", "000000") == "wrong_recovery"
    tries = world.db.run(("HGET", keys.authenticator(ann), "new_tries"))
    assert int(tries) <= 11, "who has no recovery code uses up nothing"


def test_members_without_a_code_look_like_logins_that_nobody_has(world: World) -> None:
    ann, _ben = world.people("ann", "ben")
    codes, _ = with_codes(world, ann)
    for login in ("ben", "nobody", "no login!", ""):
        assert outcome(world, codes[0], login=login) == "wrong_recovery"
    world.suspend(ann)
    assert outcome(world, codes[1] + "x") == "wrong_recovery"
    assert outcome(world, codes[1]) == "suspended"


def get_codes(client: FlaskClient, **form: str) -> list[str]:
    answer = client.post("/settings/security/codes", data=form)
    assert answer.status_code == 201
    return re.findall(r"<code>([a-z2-7-]{19})</code>", answer.text)


def test_a_member_who_forgot_the_password_gets_in_and_is_told_at_the_next_log_in(
    app: Flask, member: SignUp
) -> None:
    [code, *_] = get_codes(member("ann"), next="/welcome/post")
    visitor = app.test_client()
    form = {"login": "@ann", "code": code, "password": NEW}
    for wrong, sentence in (
        ({"password": "short"}, "at least"),
        ({"code": ""}, "Enter a recovery code."),
        ({"code": "é€\x00"}, "don’t belong together"),
        ({"login": "ben"}, "don’t belong together"),
    ):
        answer = visitor.post("/login/recover", data=form | wrong)
        assert answer.status_code == 422 and sentence in page_text(answer)
        assert 'value="@ann"' in answer.text or "login" in wrong
    answer = visitor.post("/login/recover", data=form)
    assert (answer.status_code, answer.location) == (303, "/settings/security/access")
    assert "Your password is changed." in page_text(visitor.get("/settings/security/access"))
    for told in (True, False):
        other = app.test_client()
        other.post("/login", data={"login": "ann", "password": NEW})
        assert ("reset with a recovery code" in page_text(other.get("/home"))) is told


def test_the_page_is_closed_in_maintenance_and_the_log_in_is_not(settings: Config) -> None:
    app = make_app(replace(settings, maintenance=True))
    visitor = app.test_client()
    assert visitor.get("/login/recover").status_code == 503
    assert visitor.post("/login/recover", data={"login": "ann"}).status_code == 503
    assert visitor.get("/login").status_code == 200
    assert visitor.post("/login/passkey", data={}).status_code in (403, 422)
    close_app(app)


def test_guesses_of_recovery_codes_are_limited(settings: Config) -> None:
    app = make_app(replace(settings, limit_signin_account=Rate(2, 3_600)))
    form = {"login": "ann", "code": "a-guess", "password": NEW}
    visitor = app.test_client()
    answers = [visitor.post("/login/recover", data=form).status_code for _ in range(3)]
    assert answers == [422, 422, 429]
    close_app(app)


def test_codes_are_offered_after_the_sign_up_and_lead_on(ann: FlaskClient) -> None:
    assert 'name="next" value="/welcome/post"' in ann.get("/welcome/codes").text
    answer = ann.post("/settings/security/codes", data={"next": "/welcome/post"})
    assert 'href="/welcome/post"' in answer.text
    answer = ann.post("/settings/security/codes", data={"next": "//elsewhere.example"})
    assert "elsewhere" not in answer.text
