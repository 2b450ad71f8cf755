"""The second step of a log-in: a code of an app or a recovery code, after the password."""

import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

import pyotp
import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, SignUp
from tests.support.concurrently import at_once
from tests.support.pages import page_text
from tests.support.second_step import SECRET, code_of, hidden, log_in, set_up, switched_on
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.accounts.factors import challenges, codes, keys, store
from webapp.accounts.security_log.store import security_log
from webapp.accounts.sessions import credentials, store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.config import Rate
from webapp.core.errors import Conflict, Invalid, RateLimited
from webapp.core.store import Site

ANN = 1


def outcome(site: Site, token: str, code: str, known: bool = False) -> str:
    """Return how an answer to a sign-in ends."""
    try:
        return "right" if challenges.answer(site, token, code, known) else "gone"
    except Invalid:
        return "wrong"
    except RateLimited:
        return "wait"


def test_codes_of_an_app_are_valid_for_a_step_around_now_and_read_as_people_type_them() -> None:
    now = 1_000_000_000.0
    totp, step = pyotp.TOTP(SECRET), int(now) // 30
    steps = [codes.matching_step(SECRET, totp.at((step + n) * 30), now) for n in range(-2, 3)]
    assert steps == [None, step - 1, step, step + 1, None]
    assert codes.clean_code(" １２３ 456 ") == "123456"
    code = codes.new_recovery_codes()[0]
    assert codes.clean_code(code.upper()) == code.replace("-", "")


def test_a_code_is_used_once_and_ends_the_sign_in_even_for_fifty_at_once(world: World) -> None:
    [ann] = world.people("ann")
    recovery = switched_on(world, ann)
    for code in (code_of(), recovery[0]):
        tokens = [challenges.begin(world, ann, "1") for _ in range(50)]
        outcomes = at_once(8, lambda token, c=code: outcome(world, token, c, True), tokens)
        assert outcomes.count("right") == 1
        assert set(outcomes) <= {"right", "wrong", "wait"}
    assert world.db.read(store.second_step(ann)) == store.SecondStep(True, 9)


def test_a_sign_in_has_five_tries(world: World) -> None:
    [ann] = world.people("ann")
    recovery = switched_on(world, ann)
    token = challenges.begin(world, ann, "1")
    outcomes = [outcome(world, token, "no such code") for _ in range(6)]
    assert outcomes == ["wrong"] * 5 + ["gone"]
    assert outcome(world, token, recovery[0]) == "gone"
    newest = world.db.read(security_log(ann))[0]
    assert (newest.kind, newest.count) == ("failed", 5)
    for malformed in ("", "x", f"{ann}.", "7.x", "9" * 200):
        assert outcome(world, malformed, recovery[0]) == "gone"


def test_many_sign_ins_get_five_codes_in_thirty_seconds_and_known_devices_their_own(
    world: World,
) -> None:
    [ann] = world.people("ann")
    recovery = switched_on(world, ann)
    guesses = [challenges.begin(world, ann, "1") for _ in range(30)]
    outcomes = at_once(8, lambda token: outcome(world, token, "000000"), guesses)
    assert outcomes.count("wrong") <= 10 and "wait" in outcomes  # 10: two windows of 30 s
    stored = world.db.run(("HMGET", keys.authenticator(ann), "known_tries", "new_tries"))
    assert stored[0] is None and int(stored[1]) > 5
    assert outcome(world, challenges.begin(world, ann, "1"), code_of(), known=True) == "right"
    assert outcome(world, challenges.begin(world, ann, "1"), recovery[0]) == "right"


def test_only_those_with_the_password_use_up_an_accounts_codes_of_a_day(world: World) -> None:
    [ann] = world.people("ann")
    switched_on(world, ann)
    site = Site(world.db, replace(world.config, limit_codes=Rate(2, 86_400)))
    for invented in range(4):
        assert outcome(site, f"{ann}.{invented}", "000000") == "gone"
    guesses = [outcome(site, challenges.begin(site, ann, "1"), "000000") for _ in range(3)]
    assert guesses == ["wrong", "wrong", "wait"]


def test_switching_on_fails_sign_ins_that_began_with_the_password_alone(world: World) -> None:
    [ann] = world.people("ann")
    before = credentials.sign_in(world, "ann", PASSWORD)
    switched_on(world, ann)
    world.refuses(Conflict, sessions.start, ann, before.epoch)
    world.refuses(Conflict, switched_on, ann)
    assert credentials.sign_in(world, "ann", PASSWORD).second_step
    assert store.switch_off(world, ann) and not store.switch_off(world, ann)
    assert not credentials.sign_in(world, "ann", PASSWORD).second_step


def test_a_code_from_before_codes_had_a_salt_is_used_once(world: World) -> None:
    [ann] = world.people("ann")
    switched_on(world, ann)
    old = sha256(b"recovery 1 abcdefghijklmnop").hexdigest()
    world.db.run(("DEL", keys.recovery_codes(ann)))
    world.db.run(("SADD", keys.recovery_codes(ann), old))
    answers = [
        outcome(world, challenges.begin(world, ann, "1"), "abcd-efgh-ijkl-mnop") for _ in range(2)
    ]
    assert answers == ["right", "wrong"]


def test_what_is_stored_opens_nothing(world: World) -> None:
    [ann] = world.people("ann")
    recovery = switched_on(world, ann)
    token = challenges.begin(world, ann, "1")
    sealed = world.db.run(("HGET", keys.authenticator(ann), "secret"))
    hashes = world.db.run(("SMEMBERS", keys.recovery_codes(ann)))
    assert SECRET not in sealed and not set(recovery) & set(hashes)
    salts = {text.partition(".")[0] for text in (*hashes, *codes.hash_codes(ann, recovery))}
    assert len(salts) == 2 and min(map(len, salts)) == 32, "each set of codes has a salt"
    assert not codes.stored_as(ann + 1, hashes, recovery[0])
    assert not world.db.run(("EXISTS", keys.challenge(ann, token.partition(".")[2])))


@pytest.fixture
def visitor(app: Flask, member: SignUp) -> Iterator[tuple[FlaskClient, str, list[str]]]:
    """A visitor, and the secret and recovery codes of Ann."""
    secret, recovery = set_up(member("ann"))
    yield app.test_client(), secret, recovery


def test_a_password_alone_opens_nothing_and_a_code_leads_on(
    visitor: tuple[FlaskClient, str, list[str]],
) -> None:
    client, secret, recovery = visitor
    page = log_in(client)
    assert client.get("/home").status_code == 303 and "Set-Cookie: linnet=" not in page
    form = {"challenge": hidden(page, "challenge"), "next": hidden(page, "next")}
    wrong = client.post("/login/code", data=form | {"code": "not this"})
    assert wrong.status_code == 422 and "isn’t right" in page_text(wrong)
    assert hidden(wrong.text, "challenge") == form["challenge"]
    right = client.post("/login/code", data=form | {"code": code_of(secret)})
    assert (right.status_code, right.location) == (303, "/settings")
    assert client.get("/home").status_code == 200
    client.post("/logout")
    again = client.post("/login/code", data=form | {"code": recovery[0]})
    assert again.status_code == 422 and "log in again" in page_text(again)
    page = log_in(client)
    form["challenge"] = hidden(page, "challenge")
    assert client.post("/login/code", data=form | {"code": recovery[0].upper()}).status_code == 303
    assert "9 recovery codes left" in page_text(client.get("/settings/security"))


def test_a_wrong_password_does_not_tell_that_there_is_a_second_step(
    visitor: tuple[FlaskClient, str, list[str]],
) -> None:
    page = log_in(visitor[0], "wrong password")
    assert "Wrong username or password." in page and "challenge" not in page


def test_setting_up_needs_the_apps_code_and_the_members_own_page(
    ann: FlaskClient, ben: FlaskClient
) -> None:
    page = ann.get("/settings/security/app").text
    sealed = hidden(page, "sealed")
    for code, sentence in (("", "Enter a code."), ("abc", "not the code that the app shows")):
        form = {"sealed": sealed, "code": code}
        answer = ann.post("/settings/security/app", data=form)
        assert answer.status_code == 422 and sentence in page_text(answer)
        found = re.findall(r"<code>(\w+)</code>", page)
        assert found == re.findall(r"<code>(\w+)</code>", answer.text)
    for other, field in ((ben, sealed), (ann, ""), (ann, "é")):
        stolen = other.post("/settings/security/app", data={"sealed": field, "code": "1"})
        assert stolen.location == "/settings/security/app"


def test_new_recovery_codes_say_that_earlier_ones_no_longer_work(ann: FlaskClient) -> None:
    told = "codes you got before no longer work"
    first_step = ann.post("/settings/security/codes", data={"next": "/welcome/post"})
    assert first_step.status_code == 201 and told not in page_text(first_step)
    page = ann.get("/settings/security/app").text
    [secret] = re.findall(r"<code>([A-Z2-7]{32})</code>", page)
    form = {"sealed": hidden(page, "sealed"), "code": code_of(secret)}
    assert told in page_text(ann.post("/settings/security/app", data=form))
    assert told in page_text(ann.post("/settings/security/codes"))


def test_it_is_switched_off_and_renewed_only_with_the_password(app: Flask, member: SignUp) -> None:
    ann = member("ann")
    _, recovery = set_up(ann)
    cookie = ann.get_cookie("linnet")
    assert cookie
    key = account_keys.session(ANN, sha_of(cookie.value))
    app.extensions["linnet.db"].run(("HDEL", key, "proved"))
    for path in ("codes", "off"):
        assert ann.post(f"/settings/security/{path}").status_code == 422
    proof = {"current_password": PASSWORD}
    answer = ann.post("/settings/security/codes", data=proof)
    renewed = re.findall(r"<code>([a-z2-7-]{19})</code>", answer.text)
    assert answer.status_code == 201 and len(renewed) == 10 and not set(renewed) & set(recovery)
    assert ann.post("/settings/security/off").status_code == 303
    page = page_text(ann.get("/settings/security"))
    assert "no recovery codes" in page and "codes no longer work" in page
    other = app.test_client()
    log_in(other)
    assert other.get("/home").status_code == 200
