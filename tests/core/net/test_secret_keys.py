"""A change of SECRET_KEY: what the previous key signed or sealed goes on, until it is removed."""

from dataclasses import replace

import pytest

from tests.conftest import close_app, make_app
from tests.support.form_tokens import token
from tests.support.world import World
from webapp.accounts.factors import challenges, store
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.sessions.known_devices import known_device, with_account
from webapp.accounts.tokens import apps
from webapp.admin import doctor
from webapp.admin.upgrade_commands import SECRETS, old_secrets, seal_anew
from webapp.config import Config
from webapp.core.media.signatures import bearer_signer, is_signed
from webapp.core.net import encryption
from webapp.core.store import Site

KEYS = ("old" * 12, "new" * 12)


@pytest.fixture
def old(settings: Config) -> Config:
    return replace(settings, secret_key=KEYS[0])


@pytest.fixture
def changed(old: Config) -> Config:
    """The settings after the change."""
    return replace(old, secret_key=KEYS[1], secret_key_previous=KEYS[0])


@pytest.fixture
def without(changed: Config) -> Config:
    """The settings once the previous key is removed."""
    return replace(changed, secret_key_previous="")


def test_both_keys_open_and_the_present_one_seals(
    old: Config, changed: Config, without: Config
) -> None:
    sealed = encryption.seal(old, "a", "secret")
    assert encryption.unseal(changed, "a", sealed) == "secret"
    assert encryption.unseal(without, "a", sealed) is None
    assert encryption.needs_previous(changed, "a", sealed)
    anew = encryption.seal(changed, "a", "secret")
    assert encryption.unseal(without, "a", anew) == "secret"
    assert not encryption.needs_previous(changed, "a", anew)
    cookie = with_account(old, "", "ann")
    assert known_device(changed, cookie, "ann") and not known_device(without, cookie, "ann")


def test_stored_secrets_are_sealed_anew_and_the_doctor_says_when_the_key_can_go(
    world: World, old: Config, changed: Config, without: Config
) -> None:
    [ann] = world.people("ann")
    before, after, later = (Site(world.db, config) for config in (old, changed, without))
    app = apps.create(before, ann, "mine")
    two_step = store.switch_on(before, ann, "SECRET", 0, sha_of(sessions.start(world, ann)))
    assert two_step and apps.load(after, app.consumer_key) == app
    assert old_secrets(after) == (2, 0) and not doctor.previous_key_finding(after).ok
    shown = [finding.message for finding in doctor.findings(after)]
    assert not any("SECRET_KEY_PREVIOUS" in message for message in shown), "pages walk over no keys"
    assert sum(seal_anew(after, one) for one in SECRETS) == 2
    assert old_secrets(after) == (0, 0) and doctor.previous_key_finding(after).ok
    assert apps.load(later, app.consumer_key) == app
    sealed = world.db.read(challenges.sealed_secret(ann))
    assert encryption.unseal(without, store.purpose(ann), sealed or "") == "SECRET"


def test_open_forms_addresses_of_pictures_and_tokens_of_apps_outlive_the_change(
    old: Config, changed: Config, without: Config
) -> None:
    served = [make_app(config, WTF_CSRF_ENABLED=True) for config in (old, changed, without)]
    before, after, later = served
    client = before.test_client()
    form = {"csrf_token": token(client, "/login"), "login": "ann", "password": "x" * 9}
    cookie = client.get_cookie("linnet_form")
    assert cookie
    for app, status in ((after, 422), (later, 400)):
        other = app.test_client()
        other.set_cookie("linnet_form", cookie.value)
        assert other.post("/login", data=form).status_code == status
        with app.test_request_context(f"/?signature={bearer_signer(old).signature('a.png')}"):
            assert is_signed("a.png") is (app is after)
    for app in served:
        close_app(app)
