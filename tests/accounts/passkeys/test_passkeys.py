"""Passkeys: they are made, used once for each challenge, and refused whenever something is off."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import pytest
from flask import Flask
from webauthn.helpers import base64url_to_bytes

from tests.conftest import PASSWORD, SignUp
from tests.support.authenticator import PRESENT, Authenticator
from tests.support.concurrently import at_once, result_or_code
from tests.support.pages import page_text
from tests.support.second_step import log_in, set_up
from tests.support.world import World
from webapp.accounts import keys as account_keys, lifecycle, store as accounts
from webapp.accounts.passkeys import keys, store
from webapp.accounts.passkeys.ceremonies import RelyingParty, relying_party
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.config import Config
from webapp.core.errors import Refused
from webapp.core.store import Site

PARTY = RelyingParty("localhost", "Linnet", "http://localhost")
ANN = 1


def added(site: Site, uid: int, device: Authenticator | None = None) -> Authenticator:
    """Give a member a passkey, and return the device with it."""
    device = device or Authenticator()
    options = store.begin_registration(site, PARTY, site.db.read(accounts.get_or_404(uid)))
    session_sha = sha_of(sessions.start(site, uid))
    store.add(site, PARTY, uid, "phone", device.make(options), session_sha)
    return device


def outcome(site: Site, answer: str) -> str:
    """Return how a sign-in with this answer ends."""
    return str(result_or_code(lambda: store.sign_in(site, PARTY, answer)[0].login))


def test_a_passkey_signs_its_member_in_once_for_each_challenge_even_for_fifty_at_once(
    world: World,
) -> None:
    ann, ben = world.people("ann", "ben")
    device, _ = added(world, ann), added(world, ben)
    answer = device.sign(store.begin_sign_in(world, PARTY))
    outcomes = Counter(at_once(8, lambda _: outcome(world, answer), range(50)))
    assert outcomes == {"ann": 1, "wrong_passkey": 49}
    [passkey] = world.db.read(store.passkeys(ann))
    assert passkey.name == "phone" and passkey.used
    assert outcome(world, device.sign(store.begin_sign_in(world, PARTY))) == "ann"
    assert store.remove(world, ann, passkey.id) and not store.remove(world, ann, passkey.id)
    assert outcome(world, device.sign(store.begin_sign_in(world, PARTY))) == "wrong_passkey"


def on_another_page(device: Authenticator, options: str) -> str:
    device.origin = "http://localhost.example"
    return device.sign(options)


def unknown(device: Authenticator, options: str) -> str:
    device.id = b"y" * 32
    return device.sign(options)


FORGERIES: dict[str, Callable[[Authenticator, str], str]] = {
    "another site's page": on_another_page,
    "another site's passkey": lambda device, options: device.sign(options, rp_id="example.com"),
    "no finger, face or PIN": lambda device, options: device.sign(options, PRESENT),
    "another key": lambda device, options: device.sign(options, signature=b"x" * 70),
    "another member": lambda device, options: device.sign(options, userHandle=b"2"),
    "nobody": lambda device, options: device.sign(options, userHandle=b""),
    "an unknown passkey": unknown,
    "a challenge of its own": lambda device, options: device.sign(
        json.dumps(json.loads(options) | {"challenge": "AAAA"})
    ),
    "cut": lambda device, options: device.sign(options)[:200],
    "no id": lambda device, options: json.dumps(
        json.loads(device.sign(options)) | {"id": "\ud83d"}
    ),
    "no JSON": lambda *_: "\ud83d",
    "nothing": lambda *_: "",
    "deep": lambda *_: "[" * 5_000,
    "other JSON": lambda *_: '{"id": 1, "response": null}',
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_does_not_fit_is_refused_and_the_passkey_goes_on(world: World, forgery: str) -> None:
    ann, _ben = world.people("ann", "ben")
    device = added(world, ann)
    good = Authenticator()
    vars(good).update(vars(device))
    answer = FORGERIES[forgery](device, store.begin_sign_in(world, PARTY))
    assert outcome(world, answer) == "wrong_passkey"
    good.count = 50
    assert outcome(world, good.sign(store.begin_sign_in(world, PARTY))) == "ann"


def test_challenges_expire_and_serve_one_purpose(world: World) -> None:
    [ann] = world.people("ann")
    device = added(world, ann)
    options = store.begin_sign_in(world, PARTY)
    challenge = base64url_to_bytes(json.loads(options)["challenge"])
    key = keys.passkey_challenge(sha256(challenge).hexdigest())
    assert 0 < world.db.run(("TTL", key)) <= 300
    world.db.run(("DEL", key))
    assert outcome(world, device.sign(options)) == "wrong_passkey"
    member = world.db.read(accounts.get_or_404(ann))
    of_registration = json.loads(store.begin_registration(world, PARTY, member))
    asked = json.loads(options) | {"challenge": of_registration["challenge"]}
    assert outcome(world, device.sign(json.dumps(asked))) == "wrong_passkey"


def test_a_copied_passkey_is_noticed_by_its_count(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    device = added(world, ann)
    device.count = 7
    assert outcome(world, device.sign(store.begin_sign_in(world, PARTY))) == "ann"
    device.count = 7  # the copy signs as the eighth too
    assert outcome(world, device.sign(store.begin_sign_in(world, PARTY))) == "copied_passkey"
    uncounted = added(world, ben, Authenticator(count=None))
    for _ in range(2):
        assert outcome(world, uncounted.sign(store.begin_sign_in(world, PARTY))) == "ben"


def test_a_member_has_ten_passkeys_each_of_them_once(world: World) -> None:
    [ann] = world.people("ann")
    device = added(world, ann)
    world.refuses(Refused, added, ann, device, match="changed")
    for _ in range(9):
        added(world, ann)
    world.refuses(Refused, added, ann, match="passkeys_full")
    assert world.db.run(("HLEN", keys.passkeys(ann))) == 10


@pytest.mark.parametrize(
    ("site_url", "request_url", "found"),
    [
        ("", "http://localhost:8080/", "http://localhost:8080"),
        ("", "http://127.0.0.1:8080/", None),
        ("", "https://example.com/", None),
        ("https://Example.com/", "https://evil.example/", "https://example.com"),
        ("https://192.0.2.1", "https://192.0.2.1/", None),
        ("http://example.com", "http://example.com/", None),
    ],
)
def test_passkeys_belong_to_the_configured_address_or_localhost(
    settings: Config, site_url: str, request_url: str, found: str | None
) -> None:
    party = relying_party(replace(settings, site_url=site_url), request_url)
    assert (party and party.origin) == found


def test_a_passkey_needs_neither_password_nor_code_and_is_removed_with_the_password(
    app: Flask, member: SignUp
) -> None:
    ann, device = member("ann"), Authenticator()
    set_up(ann)
    options = ann.post("/settings/security/passkeys/options").text
    form = {"name": " my\tphone ", "passkey": device.make(options)}
    assert ann.post("/settings/security/passkeys", data=form).status_code == 303
    page = ann.get("/settings/security").text
    assert "my phone" in page
    again = ann.post("/settings/security/passkeys", data=form | {"name": "tablet"})
    assert again.status_code == 422 and 'value="tablet"' in again.text

    visitor = app.test_client()
    assert "data-passkey" in log_in(visitor), "instead of a code"
    options = visitor.post("/login/passkey/options").text
    answer = visitor.post("/login/passkey", data={"passkey": "x", "next": "/settings"})
    assert answer.status_code == 422 and "didn’t work" in page_text(answer)
    entered = {"passkey": device.sign(options), "next": "/settings"}
    answer = visitor.post("/login/passkey", data=entered)
    assert (answer.status_code, answer.location) == (303, "/settings")
    [passkey] = app.extensions["linnet.db"].read(store.passkeys(ANN))
    session = sha_of(visitor.get_cookie("linnet").value)  # type: ignore[union-attr]
    app.extensions["linnet.db"].run(("HDEL", account_keys.session(ANN, session), "proved"))
    for path, sent in (("options", {}), ("remove", {"id": passkey.id})):
        refused = visitor.post(f"/settings/security/passkeys/{path}", data=sent)
        assert refused.status_code in (403, 422)
    assert "data-passkey" not in visitor.get("/settings/security").text
    assert visitor.post("/settings/security", data={"current_password": "no"}).status_code == 422
    visitor.post("/settings/security", data={"current_password": PASSWORD})
    assert visitor.post("/settings/security/passkeys/remove", data={"id": passkey.id}).location
    assert "my phone" not in visitor.get("/settings/security").text


def test_suspended_members_and_sites_without_a_name_are_refused(
    app: Flask, member: SignUp, settings: Config
) -> None:
    ann, device = member("ann"), Authenticator()
    options = ann.post("/settings/security/passkeys/options").text
    ann.post("/settings/security/passkeys", data={"name": "a", "passkey": device.make(options)})
    visitor = app.test_client()
    options = visitor.post("/login/passkey/options").text
    lifecycle.suspend(Site(app.extensions["linnet.db"], settings), ANN)
    answer = visitor.post("/login/passkey", data={"passkey": device.sign(options)})
    assert answer.status_code == 403 and "suspended" in page_text(answer)
    elsewhere = "http://127.0.0.1"
    assert visitor.post("/login/passkey/options", base_url=elsewhere).status_code == 403
    assert "data-passkey" not in visitor.get("/login", base_url=elsewhere).text
